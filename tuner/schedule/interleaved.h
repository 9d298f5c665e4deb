// SPDX-License-Identifier: Apache-2.0
// Timing several plans against each other in one process, sample by sample in turns
// (worker/timing/interleave.h tells why), with a scheduler that has nothing else to do.
#ifndef CT_SCHEDULE_INTERLEAVED_H
#define CT_SCHEDULE_INTERLEAVED_H

#include "base/rng.h"
#include "schedule/scheduler.h"

/* Passes, unless there is a reason for others. */
enum { CT_INTERLEAVED_LEAST = 5, CT_INTERLEAVED_MOST = 20 };

struct ct_interleaved {
    const struct ct_plan *const *plans; /* borrowed */
    size_t count;
    /* Passes, in each of which everybody has one sample: at least `least`, and until
     * everybody's difference to the fastest is known to a quarter of a percent, or of
     * itself (standard error), or there were `most` of them. */
    uint32_t least;
    uint32_t most;
    /* No turns: one after the other, `least` samples each, for what is judged by more
     * than the device time, and for plans that one process cannot have together. */
    bool whole;
};

/* Whether one process can have them all: they want the same environment, and it keeps
 * their data sets side by side. */
bool ct_interleaved_possible(const struct ct_plan *const *plans, size_t count);

/* In a new process, evaluates everybody, and then (but for `whole`) takes samples in
 * turns, each time in an order drawn from `rng`.  `outcomes` gets one a plan, the
 * caller's to release: what the evaluation gave, with times from the turns alone: the
 * median polish (base/stats.h) of their logarithms, so that the ratio of two times is
 * that of samples taken next to each other; or how it failed.  Errors as those of
 * ct_scheduler_wait; no outcome is the caller's then. */
enum ct_status ct_interleaved_run(struct ct_scheduler *scheduler,
                                  const struct ct_interleaved *how, struct ct_rng *rng,
                                  struct ct_outcome *outcomes, struct ct_err *err);

#endif
