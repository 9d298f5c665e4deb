// SPDX-License-Identifier: Apache-2.0
// Which of the jobs that are built runs next.
#include "schedule/scheduler_impl.h"

static bool waits(const struct ct_scheduler_job *job)
{
    return job && job->stage == CT_STAGE_BUILT;
}

/* Others have their turns: retries alone, samples in the order of their pass. */
static bool may_overtake(const struct ct_scheduler_job *job)
{
    return !job->job.again && !job->job.alone && !job->second_try;
}

/* The most promising one, or the first whose turn it is; of those only that may be measured by any
 * device. */
static bool find_best(const struct ct_scheduler *scheduler, bool anywhere, size_t *index)
{
    const struct ct_scheduler_job *best = NULL;

    for (size_t i = scheduler->jobs.first; i < scheduler->jobs.count; i++) {
        const struct ct_scheduler_job *job = scheduler->jobs.items[i];

        if (!waits(job) || (best && !(job->promise < best->promise)) ||
            (anywhere && (!may_overtake(job) || job->first_only || job->job.full)))
            continue;
        best = job;
        *index = i;
        if (!may_overtake(job))
            break;
    }
    return best;
}

bool ct_scheduler_find_built(const struct ct_scheduler *scheduler, size_t *index)
{
    return find_best(scheduler, false, index);
}

bool ct_scheduler_find_built_anywhere(const struct ct_scheduler *scheduler, size_t *index)
{
    return find_best(scheduler, true, index);
}

size_t ct_scheduler_built_count(const struct ct_scheduler *scheduler)
{
    size_t count = 0;

    for (size_t i = scheduler->jobs.first; i < scheduler->jobs.count; i++)
        count += waits(scheduler->jobs.items[i]);
    return count;
}

void ct_scheduler_unreported(const struct ct_scheduler *scheduler,
                             void (*look)(void *user, uint64_t ticket,
                                          const struct ct_outcome *outcome),
                             void *user)
{
    for (size_t i = scheduler->done.at; i < scheduler->done.count; i++) {
        const struct ct_scheduler_job *job =
            scheduler->jobs.items[scheduler->done.items[i]];

        if (!job->job.again)
            look(user, job->job.ticket, &job->outcome);
    }
}

void ct_scheduler_rank_anew(struct ct_scheduler *scheduler)
{
    const struct ct_scheduler_options *options = &scheduler->options;

    if (!options->rank || scheduler->done.at == scheduler->done.count ||
        scheduler->ranked == scheduler->finished ||
        ct_scheduler_built_count(scheduler) < 2)
        return;
    scheduler->ranked = scheduler->finished;
    options->rank(options->rank_user);
}

void ct_scheduler_rank(struct ct_scheduler *scheduler,
                       double (*promise)(void *user, uint64_t ticket), void *user)
{
    for (size_t i = scheduler->jobs.first; i < scheduler->jobs.count; i++) {
        struct ct_scheduler_job *job = scheduler->jobs.items[i];

        if (waits(job) && may_overtake(job))
            job->promise = promise(user, job->job.ticket);
    }
}
