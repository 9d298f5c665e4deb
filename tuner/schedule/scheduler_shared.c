// SPDX-License-Identifier: Apache-2.0
// A scheduler among others on the same machine: when its builders may work (schedule/pool.h).
#include "schedule/scheduler_impl.h"

/* Whether a builder would have something to build. */
static bool has_work(const struct ct_scheduler *scheduler)
{
    for (size_t i = scheduler->jobs.first; i < scheduler->jobs.count; i++)
        if (scheduler->jobs.items[i] &&
            scheduler->jobs.items[i]->stage == CT_STAGE_WAITING)
            return true;
    for (size_t i = 0; i < scheduler->early.count && !scheduler->early.closed; i++)
        if (scheduler->early.items[i].state == CT_EARLY_WAITING)
            return true;
    return false;
}

bool ct_scheduler_may_begin(struct ct_scheduler *scheduler)
{
    return !scheduler->member || ct_pool_enter(scheduler->member);
}

bool ct_scheduler_take_builder(struct ct_scheduler *scheduler)
{
    return !scheduler->member || ct_pool_take(scheduler->member, has_work(scheduler));
}

void ct_scheduler_give_builders(struct ct_scheduler *scheduler, unsigned count)
{
    if (scheduler->member)
        ct_pool_give(scheduler->member, count);
}

void ct_scheduler_note_rest(struct ct_scheduler *scheduler)
{
    bool busy = scheduler->runner.busy;

    for (unsigned i = 0; i < scheduler->builder_count && !busy; i++)
        busy = scheduler->builders[i].busy;
    for (unsigned i = 0; i < scheduler->sibling_count && !busy; i++)
        busy = scheduler->siblings[i].slot.busy;
    if (scheduler->member && !busy)
        ct_pool_rest(scheduler->member);
}
