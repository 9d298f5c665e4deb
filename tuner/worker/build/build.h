// SPDX-License-Identifier: Apache-2.0
// The work of a builder.
#ifndef CT_WORKER_BUILD_BUILD_H
#define CT_WORKER_BUILD_BUILD_H

#include "protocol/build.h"
#include "worker/session.h"

/* Builds a plan and, if ordered, launches it once on its inputs.  CT_OK fills the outcome
 * (CT_RESULT_OK: built) and `built`, whose parts `arena` owns; errors as for ct_runner_evaluate. */
enum ct_status ct_session_build(struct ct_session *session, const struct ct_plan *plan,
                                const struct ct_request *request,
                                const struct ct_build_order *order,
                                struct ct_arena *arena, struct ct_outcome *outcome,
                                struct ct_built *built, struct ct_err *err);

#endif
