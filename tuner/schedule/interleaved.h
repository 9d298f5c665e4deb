// SPDX-License-Identifier: Apache-2.0
// Times several plans against each other in one process, with interleaved samples (see
// worker/timing/interleave.h), using a scheduler that has no other jobs.
#ifndef CT_SCHEDULE_INTERLEAVED_H
#define CT_SCHEDULE_INTERLEAVED_H

#include "base/rng.h"
#include "schedule/scheduler.h"

/* Default limits of the number of passes. */
enum { CT_INTERLEAVED_LEAST = 5, CT_INTERLEAVED_MOST = 20 };

struct ct_interleaved {
    const struct ct_plan *const *plans; /* borrowed */
    size_t count;
    /* Passes, with one sample of every plan in each: at least `least`, and until every plan's
     * difference to the fastest is known to a quarter of a percent, or of itself (standard
     * error), or there were `most` of them. */
    uint32_t least;
    uint32_t most;
    double precise; /* a larger standard error that is small enough; 0: none is */
    uint32_t first; /* samples of the evaluation before the first pass; 0: 3 */
    /* Not interleaved: one after the other, `least` samples each; for plans that are judged by
     * more than the device time, or that do not fit into one process together. */
    bool whole;
};

/* Whether one process can hold them all: they have the same environment, and it can keep their
 * data sets side by side. */
bool ct_interleaved_possible(const struct ct_plan *const *plans, size_t count);

/* In a new process, evaluates every plan, and then (unless `whole`) takes interleaved samples,
 * each pass in an order drawn from `rng`.  `outcomes` gets one per plan, the caller's to release:
 * the evaluation's result, with times from the interleaved samples alone: the median polish
 * (base/stats.h) of their logarithms, so that the ratio of two times is that of samples taken
 * next to each other; or how it failed.  Errors as for ct_scheduler_wait; the caller then owns no
 * outcome. */
enum ct_status ct_interleaved_run(struct ct_scheduler *scheduler,
                                  const struct ct_interleaved *how, struct ct_rng *rng,
                                  struct ct_outcome *outcomes, struct ct_err *err);

#endif
