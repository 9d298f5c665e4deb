// SPDX-License-Identifier: Apache-2.0
// A second look at the outputs, after the timed runs.
#ifndef CT_WORKER_REFERENCE_RECHECK_OUTPUTS_H
#define CT_WORKER_REFERENCE_RECHECK_OUTPUTS_H

#include "worker/build/pipeline.h"

/* Compares the outputs once more and fails the evaluation as wrong when they are no
 * longer right: races, and what runs leave behind for the next one.
 *
 * Only where every run had to give the same: where each buffer that launches may write
 * either has no fill, so that no right pipeline depends on what it held before, or was
 * given its contents again before the last run.  A buffer with a fill that is passed
 * through a pointer to non-const may be a state that runs advance; then nothing is done.
 * CT_STEP_DONE when all is right or nothing was done. */
enum ct_step ct_recheck_outputs(struct ct_pipeline *pipeline, struct ct_err *err);

#endif
