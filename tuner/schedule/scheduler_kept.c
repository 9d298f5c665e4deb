// SPDX-License-Identifier: Apache-2.0
// Measuring again without building again: builds are kept for plans that come more than once (the
// default configuration, the entrants of a play-off).
#include "schedule/scheduler_impl.h"

#include <stdlib.h>
#include <string.h>

/* Any configuration may come again as an entrant; those that have done so, or surely will, do not
 * count towards the limit of all others.  What does not fit is built again. */
static const size_t room_bytes = (size_t)32 << 20;
static const size_t room_again_bytes = (size_t)128 << 20;

void ct_scheduler_keep(struct ct_scheduler *scheduler, const struct ct_scheduler_job *job)
{
    bool again = job->job.again || job->job.full;
    size_t room = again ? room_again_bytes : room_bytes;
    struct ct_hash plan = ct_plan_hash(job->job.plan);
    struct ct_scheduler_kept *kept;
    uint64_t index;

    if (scheduler->kept.bytes + job->handover.length + sizeof(*kept) > room ||
        !*plan.text || ct_map_find_hash(&scheduler->kept.keys, &plan, &index) ||
        !ct_mem_grow(&scheduler->kept.items, &scheduler->kept.capacity,
                     scheduler->kept.count + 1, sizeof(*scheduler->kept.items)))
        return;
    kept = &scheduler->kept.items[scheduler->kept.count];
    kept->from_cache = job->from_cache;
    kept->length = job->handover.length;
    kept->handover = ct_mem_copy(job->handover.data, kept->length);
    if (!kept->handover)
        return;
    scheduler->kept.bytes += job->handover.length + sizeof(*kept);
    ct_map_put_hash(&scheduler->kept.keys, &plan, scheduler->kept.count++);
}

void ct_scheduler_reuse(const struct ct_scheduler *scheduler,
                        struct ct_scheduler_job *job)
{
    const struct ct_scheduler_kept *kept;
    struct ct_hash plan;
    uint64_t index;

    if (!job->job.again)
        return;
    plan = ct_plan_hash(job->job.plan);
    if (!ct_map_find_hash(&scheduler->kept.keys, &plan, &index))
        return;
    kept = &scheduler->kept.items[index];
    if (kept->length)
        ct_str_add(&job->handover, kept->handover, kept->length);
    if (job->handover.failed) {
        ct_str_reset(&job->handover);
        return;
    }
    job->from_cache = kept->from_cache;
    job->stage = CT_STAGE_BUILT;
}

void ct_scheduler_kept_release(struct ct_scheduler *scheduler)
{
    for (size_t i = 0; i < scheduler->kept.count; i++)
        free(scheduler->kept.items[i].handover);
    free(scheduler->kept.items);
    ct_map_release(&scheduler->kept.keys);
}
