// SPDX-License-Identifier: Apache-2.0
// Sizes of arguments whose types only the program's source defines: structures and typedefs.
#ifndef CT_WORKER_BUILD_ARGUMENT_SIZES_H
#define CT_WORKER_BUILD_ARGUMENT_SIZES_H

#include "plan/plan.h"
#include "protocol/compile.h"
#include "worker/session.h"

/* Checks the arguments of a launch whose `types` are not NULL, with one compilation; if one has
 * the wrong size, with another one that finds the right size.  `compile`: of
 * the launch's program.
 * CT_E_SPEC names launch, argument, type and sizes.  CT_OK also if the compiler does not tell. */
enum ct_status ct_argument_sizes_check(struct ct_session *session,
                                       const struct ct_plan_launch *launch,
                                       const char *const *types,
                                       const struct ct_compile *compile,
                                       struct ct_err *err);

#endif
