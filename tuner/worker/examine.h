// SPDX-License-Identifier: Apache-2.0
// Examines what `cltune devices --doctor` asks for.
#ifndef CT_WORKER_EXAMINE_H
#define CT_WORKER_EXAMINE_H

#include "worker/session.h"

/* Reads what to examine, and appends the findings.  CT_E_WORKER if the request is damaged,
 * CT_E_NOMEM, or why the device cannot be opened. */
enum ct_status ct_examine_answer(struct ct_session *session, struct ct_wire_reader *in,
                                 struct ct_str *reply, struct ct_err *err);

#endif
