// SPDX-License-Identifier: Apache-2.0
// A second comparison of the outputs, after the timed runs.
#ifndef CT_WORKER_REFERENCE_RECHECK_OUTPUTS_H
#define CT_WORKER_REFERENCE_RECHECK_OUTPUTS_H

#include "worker/build/pipeline.h"

/* Before timed runs: makes the outputs that ct_recheck_outputs is going to compare hold what no
 * right result contains, so that it sees what the timed launches write, and no right result of an
 * earlier launch.  Errors as for enqueueing. */
enum ct_status ct_recheck_outputs_clear(struct ct_pipeline *pipeline, struct ct_err *err);

/* Compares the outputs again and fails the evaluation as wrong if they are no longer right:
 * races, and leftovers of earlier runs.
 *
 * Only if every run had to give the same result: each buffer that launches may write either has
 * no fill, so that no correct pipeline depends on its previous contents, or was restored before
 * the last run; and no launch counts more than once.  A buffer with a fill that is passed through a pointer to non-const may be a
 * state that runs advance; then nothing is done. CT_STEP_DONE if all is right or nothing was
 * done. */
enum ct_step ct_recheck_outputs(struct ct_pipeline *pipeline, struct ct_err *err);

#endif
