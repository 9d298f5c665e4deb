// SPDX-License-Identifier: Apache-2.0
// What a worker is told besides the plan: seed, race, deadlines.
#include "schedule/scheduler_impl.h"
#include "schedule/measure.h"

static struct ct_race race_of(const struct ct_scheduler *scheduler,
                              const struct ct_job *job)
{
    struct ct_race race = scheduler->race;

    race.leader_ns = job && !job->full ? scheduler->leader_ns : 0;
    if (job && job->samples)
        race.samples = job->samples;
    return race;
}

struct ct_request ct_scheduler_request(const struct ct_scheduler *scheduler,
                                       const struct ct_job *job)
{
    return (struct ct_request){
        .seed = scheduler->options.seed,
        .race = race_of(scheduler, job),
        .step = job ? job->step : (struct ct_interleave_step){0},
        .again = job && job->again,
        .measure_deadline_ns = scheduler->options.deadlines.ns[CT_PHASE_MEASURE],
    };
}

struct ct_deadlines ct_scheduler_deadlines(const struct ct_scheduler *scheduler,
                                           const struct ct_job *job)
{
    const double times = 20;
    const double floor_ns = 1e9;
    struct ct_deadlines deadlines = scheduler->options.deadlines;
    double launch_ns = times * scheduler->leader_ns;

    if (job->full || !(scheduler->leader_ns > 0))
        return deadlines;
    if (launch_ns < floor_ns)
        launch_ns = floor_ns;
    if (launch_ns < (double)deadlines.ns[CT_PHASE_MEASURE])
        deadlines.ns[CT_PHASE_MEASURE] = (uint64_t)launch_ns;
    return deadlines;
}
