// SPDX-License-Identifier: Apache-2.0
// Expected contents of buffers: their sources, and comparing with them.
#ifndef CT_WORKER_REFERENCE_EXPECTED_H
#define CT_WORKER_REFERENCE_EXPECTED_H

#include "worker/data/dataset.h"
#include "worker/reference/verify.h"

/* Whether a reference, of whatever kind, defines the buffer's expected contents. */
bool ct_expected_by_reference(const struct ct_plan_buffer *buffer);

/* The buffer as expected: a reference's may have another size. */
const struct ct_plan_buffer *ct_expected_buffer(const struct ct_plan *plan, size_t index);

/* The three sources, for a data set under construction.  Each fills in the expected contents of
 * the buffers it is responsible for and skips the others.  References run a second time if they
 * may have left elements unwritten (worker/reference/unwritten.h). */

/* A buffer's `expect`; `contents` as for ct_fill_make. */
enum ct_status ct_expected_expect(struct ct_session *session, struct ct_dataset *dataset,
                                  const struct ct_plan *plan, size_t index,
                                  void **contents, struct ct_err *err);

/* The plan's reference in C, on the initial contents.  CT_E_SPEC if it does not compile or writes
 * outside its arrays. */
enum ct_status ct_expected_from_host(struct ct_session *session,
                                     struct ct_dataset *dataset,
                                     const struct ct_plan *plan, struct ct_err *err);

/* The plan's reference_plan: built and run once, from separate inputs.  Its outputs stay with the
 * session, because data sets change with the sizes of buffers and the reference does not.
 * CT_E_SPEC if it fails in any way. */
enum ct_status ct_expected_from_device(struct ct_session *session,
                                       struct ct_dataset *dataset,
                                       const struct ct_plan *plan, struct ct_err *err);

/* Frees the outputs of a device reference that the session has kept. */
void ct_expected_forget(struct ct_session *session);

void ct_expected_release(struct ct_expected *expected);

/* Compares one of the plan's buffers, `actual` being its contents after a run in the host layout. A
 * reference of another size is reduced over its own `compare`, else compared by the smaller of
 * the two.  CT_E_NOMEM; for checks in C, errors as in worker/reference/checker.h. */
enum ct_status ct_expected_right(struct ct_session *session, struct ct_dataset *dataset,
                                 const struct ct_plan *plan, size_t buffer,
                                 const void *actual, bool *right,
                                 struct ct_mismatch *mismatch, struct ct_err *err);

/* Does ahead what comparing the plan's buffers on the device needs once (device_check.h). */
void ct_expected_prepare(struct ct_session *session, struct ct_dataset *dataset,
                         const struct ct_plan *plan);

/* Whether the device itself has found one of the plan's buffers right, as it is now; false if that
 * has to be found out with ct_expected_right (device_check.h).  `again`: the host need not have
 * compared it in this process, because another process has. */
bool ct_expected_surely_right(struct ct_session *session, struct ct_dataset *dataset,
                              const struct ct_plan *plan, size_t buffer, bool again);

/* The differences of one of the plan's buffers from the truth, in units of the truth's root mean
 * square; reduced outputs as reduced.  After ct_expected_right.  CT_E_NOMEM. */
enum ct_status ct_expected_error(struct ct_dataset *dataset, const struct ct_plan *plan,
                                 size_t buffer, const void *actual,
                                 struct ct_verify_error *out, struct ct_err *err);

/* The first `most` values of such a buffer that are wrong, in memory order (worker/reference/verify.h);
 * how many there are.  None of a buffer that is reduced, or with which nothing is compared. */
size_t ct_expected_differences(struct ct_dataset *dataset, const struct ct_plan *plan,
                               size_t buffer, const void *actual, struct ct_mismatch *out,
                               size_t most);

/* Why comparing one of the plan's buffers proved little, after ct_expected_right: a sentence, in
 * the outcome's arena; NULL: it was sound. */
const char *ct_expected_doubt(const struct ct_dataset *dataset,
                              const struct ct_plan *plan, size_t buffer,
                              struct ct_outcome *outcome);

/* Fails an evaluation as wrong, with a sentence about `mismatch`. */
enum ct_step ct_expected_wrong(const struct ct_session *session,
                               const struct ct_plan *plan,
                               const struct ct_mismatch *mismatch,
                               struct ct_outcome *outcome);

#endif
