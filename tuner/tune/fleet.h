// SPDX-License-Identifier: Apache-2.0
// All devices of a machine at once: a session for each, on a thread of its own.
//
// Sessions of GPUs and accelerators run side by side and share the builders (schedule/pool.h).  A
// CPU device has none of its own processors: timing on it while others compile, or run their host
// code, would be disturbed and disturb them.  So sessions of CPU devices come last, one after
// another.
#ifndef CT_TUNE_FLEET_H
#define CT_TUNE_FLEET_H

#include "base/devinfo.h"
#include "base/err.h"

#include <stddef.h>

/* Calls `run` once for each device, with its number, and returns when all have ended: on a thread
 * of its own for each that is no CPU device, all at once; then on the calling thread for each CPU
 * device.  A worker process dies with the thread that started it, so `run` must end its session.
 * What fails in one of them is no concern of the others.  CT_E_NOMEM: nothing was run. */
enum ct_status ct_fleet_run(const struct ct_devinfo *const *devices, size_t count,
                            void (*run)(void *user, size_t number), void *user,
                            struct ct_err *err);

#endif
