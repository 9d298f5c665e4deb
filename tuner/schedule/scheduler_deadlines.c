// SPDX-License-Identifier: Apache-2.0
// Launch deadlines that shrink with the best time, and second tries of what misses one of them.
#include "schedule/scheduler_impl.h"

/* Launches that take this many times the leader's time cannot win; a sample lasts as long as one
 * launch, or about 10 ms. */
static const double hopeless = 20;
/* The leader's time and that of a launch may both be off by what processes differ by. */
static const double both = 2;
static const double floor_ns = 1e9;
/* A worker that waited for processors for more than one part in this many of its deadline was
 * disturbed. */
enum { BUSY = 10 };

struct ct_deadlines ct_scheduler_deadlines(const struct ct_scheduler *scheduler,
                                           const struct ct_scheduler_job *job)
{
    struct ct_deadlines deadlines = scheduler->options.deadlines;
    double launch_ns =
        hopeless * scheduler->leader_ns * (1 + both * scheduler->race.resolution);

    if (job->job.full || job->second_try || !(scheduler->leader_ns > 0))
        return deadlines;
    if (launch_ns < floor_ns)
        launch_ns = floor_ns;
    if (launch_ns < (double)deadlines.ns[CT_PHASE_MEASURE])
        deadlines.ns[CT_PHASE_MEASURE] = (uint64_t)launch_ns;
    return deadlines;
}

/* Whether something speaks against the verdict that the launch was too slow to win: the worker
 * had to wait for processors, or its first launch was fast enough. */
static bool is_doubtful(const struct ct_scheduler *scheduler,
                        const struct ct_exchange *exchange, uint64_t deadline_ns)
{
    uint64_t first_ns = exchange->spent_ns[CT_PHASE_FIRST];

    return exchange->waited_ns > deadline_ns / BUSY ||
           (first_ns && (double)first_ns <= hopeless * scheduler->leader_ns);
}

bool ct_scheduler_tries_again(struct ct_scheduler *scheduler,
                              const struct ct_worker_slot *slot,
                              struct ct_outcome *outcome)
{
    struct ct_scheduler_job *job = scheduler->jobs.items[slot->at];
    const struct ct_runner *runner = slot->runner;

    if (outcome->status != CT_RESULT_TIMEOUT || outcome->phase != CT_PHASE_MEASURE ||
        job->second_try || job->job.again ||
        outcome->deadline_ns >= scheduler->options.deadlines.ns[CT_PHASE_MEASURE] ||
        !is_doubtful(scheduler, &runner->x, outcome->deadline_ns))
        return false;
    for (int i = 0; i < CT_PHASE_COUNT; i++)
        job->built_ns[i] += outcome->spent_ns[i];
    ct_outcome_release(outcome);
    /* Alone: no builder starts until it is done.  Without its binaries the runner builds it. */
    job->second_try = job->job.alone = true;
    job->stage = CT_STAGE_BUILT;
    scheduler->stats.second_tries++;
    return true;
}
