// SPDX-License-Identifier: Apache-2.0
// Host code that is compiled while the worker opens its device.
//
// A GPU's context takes a second, the compiler a tenth of a second for each function: fills and
// checks in C, the reference.  They are compiled side by side, by threads that end before any of
// this code runs, and before anything is timed.
#ifndef CT_WORKER_HOST_AHEAD_H
#define CT_WORKER_HOST_AHEAD_H

#include "base/str.h"
#include "worker/session.h"

struct ct_host_ahead;

/* Begins with the code of the plan in the payload of a CT_MSG_COMPILE.  What fails here fails again,
 * and is told, when the code is loaded. */
void ct_host_ahead_begin(struct ct_session *session, const struct ct_str *payload);

/* Waits until all is compiled; without effect if nothing has begun. */
void ct_host_ahead_finish(struct ct_session *session);

#endif
