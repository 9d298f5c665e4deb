// SPDX-License-Identifier: Apache-2.0
// What a worker is told besides the plan: seed and race.
#include "schedule/scheduler_impl.h"
#include "schedule/measure.h"

static struct ct_race race_of(const struct ct_scheduler *scheduler,
                              const struct ct_job *job)
{
    struct ct_race race = scheduler->race;

    race.leader_ns = job && !job->full ? scheduler->leader_ns : 0;
    if (job && job->samples)
        race.samples = job->samples;
    race.agreeing = job ? job->agreeing : 0;
    race.beat_ns = job ? job->beat_ns : 0;
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
