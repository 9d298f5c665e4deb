// SPDX-License-Identifier: Apache-2.0
// Measuring again without building again: the handovers of plans that come more than once
// (the default configuration, the entrants of a play-off).
#include "measure/crew_impl.h"

#include <stdlib.h>
#include <string.h>

static const struct ct_crew_kept *find(const struct ct_crew *crew,
                                       const struct ct_hash *plan)
{
    for (size_t i = 0; i < crew->kept_count; i++)
        if (strcmp(crew->kept[i].plan.text, plan->text) == 0)
            return &crew->kept[i];
    return NULL;
}

void ct_crew_keep(struct ct_crew *crew, const struct ct_crew_job *job)
{
    struct ct_crew_kept kept = {.from_cache = job->from_cache};

    if (!(job->job.again || job->job.full) ||
        job->handover.length > (size_t)CT_CREW_KEPT_BYTES - crew->kept_bytes)
        return;
    kept.plan = ct_plan_hash(job->job.plan);
    if (!*kept.plan.text || find(crew, &kept.plan) ||
        !ct_mem_grow(&crew->kept, &crew->kept_capacity, crew->kept_count + 1,
                     sizeof(*crew->kept)))
        return;
    ct_str_init(&kept.handover);
    if (job->handover.length)
        ct_str_add(&kept.handover, job->handover.data, job->handover.length);
    if (kept.handover.failed) {
        ct_str_release(&kept.handover);
        return;
    }
    crew->kept_bytes += kept.handover.length;
    crew->kept[crew->kept_count++] = kept;
}

void ct_crew_reuse(const struct ct_crew *crew, struct ct_crew_job *job)
{
    struct ct_hash plan;
    const struct ct_crew_kept *kept;

    if (!job->job.again || !crew->kept_count)
        return;
    plan = ct_plan_hash(job->job.plan);
    kept = find(crew, &plan);
    if (!kept)
        return;
    if (kept->handover.length)
        ct_str_add(&job->handover, kept->handover.data, kept->handover.length);
    if (job->handover.failed) {
        ct_str_reset(&job->handover);
        return;
    }
    job->from_cache = kept->from_cache;
    job->stage = CT_STAGE_BUILT;
}

void ct_crew_kept_release(struct ct_crew *crew)
{
    for (size_t i = 0; i < crew->kept_count; i++)
        ct_str_release(&crew->kept[i].handover);
    free(crew->kept);
}
