// SPDX-License-Identifier: Apache-2.0
// What a builder does.
#ifndef CT_WORKER_BUILD_BUILD_H
#define CT_WORKER_BUILD_BUILD_H

#include "protocol/build.h"
#include "worker/session.h"

/* Builds a plan and, where that is ordered, launches it once on its inputs.  CT_OK fills
 * the outcome (CT_RESULT_OK: built) and `built`, whose parts `arena` owns; errors as
 * ct_runner_evaluate's. */
enum ct_status ct_session_build(struct ct_session *session, const struct ct_plan *plan,
                                const struct ct_request *request,
                                const struct ct_build_order *order,
                                struct ct_arena *arena, struct ct_outcome *outcome,
                                struct ct_built *built, struct ct_err *err);

#endif
