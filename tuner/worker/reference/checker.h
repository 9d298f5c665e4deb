// SPDX-License-Identifier: Apache-2.0
// Comparisons by a function of the user's.
#ifndef CT_WORKER_REFERENCE_CHECKER_H
#define CT_WORKER_REFERENCE_CHECKER_H

#include "worker/data/dataset.h"
#include "worker/session.h"

/* Compares `actual` with the expected contents of a buffer whose check is CT_CHECK_C: the function
 * gets both, the number of elements (buffer->compare) and its further arguments, and returns how
 * many elements are wrong.  If it crashes or hangs, it is to blame, not the configuration.  The
 * code stays with `expected`.  Errors as for ct_host_load; CT_E_NOMEM. */
enum ct_status ct_checker_right(struct ct_session *session, struct ct_expected *expected,
                                const struct ct_plan_buffer *buffer, const void *actual,
                                bool *right, struct ct_mismatch *mismatch,
                                struct ct_err *err);

/* The parts of a plan that the code of such a check is made from, as its reference: see
 * ct_host_load.  They refer to the buffer, and are the arena's.  CT_E_NOMEM. */
enum ct_status ct_checker_host(struct ct_arena *arena,
                               const struct ct_plan_buffer *buffer, struct ct_plan *plan,
                               struct ct_err *err);

#endif
