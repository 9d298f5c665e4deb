// SPDX-License-Identifier: Apache-2.0
// What a driver reports about the kernels of a program.
#ifndef CT_WORKER_DESCRIBE_H
#define CT_WORKER_DESCRIBE_H

#include "worker/session.h"

/* Answers CT_MSG_DESCRIBE: opens the device, builds the first program of the plan with argument
 * information, and appends a struct ct_described.  A program that does not compile is no error.
 * CT_E_NO_DEVICE, CT_E_DEVICE, CT_E_WORKER if the request is damaged, CT_E_NOMEM. */
enum ct_status ct_describe_answer(struct ct_session *session, struct ct_wire_reader *in,
                                  struct ct_str *reply, struct ct_err *err);

#endif
