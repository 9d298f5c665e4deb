// SPDX-License-Identifier: Apache-2.0
// Says what the workers do.
#include "schedule/scheduler_impl.h"

#include "base/clock.h"

_Static_assert(CT_SCHEDULER_WORKERS_MAX == CT_SCHEDULER_JOBS_MAX + CT_SCHEDULER_SIBLINGS,
               "room for all builders and siblings");

static struct ct_scheduler_worker look_at(const struct ct_scheduler *scheduler,
                                          const struct ct_worker_slot *slot)
{
    struct ct_scheduler_worker worker = {.device = slot->device};

    if (!slot->busy)
        return worker;
    if (slot->warming) {
        worker.task = CT_TASK_OPEN;
    } else if (slot->calibrating) {
        worker.task = CT_TASK_SAMPLE;
    } else if (slot->early) {
        worker.task = CT_TASK_EARLY;
        worker.ticket = slot->at;
    } else if (slot->at < scheduler->jobs.count && scheduler->jobs.items[slot->at]) {
        worker.task = CT_TASK_JOB;
        worker.ticket = scheduler->jobs.items[slot->at]->job.ticket;
    }
    return worker;
}

void ct_scheduler_tell_activity(struct ct_scheduler *scheduler, size_t next)
{
    const struct ct_scheduler_options *options = &scheduler->options;
    struct ct_scheduler_worker workers[CT_SCHEDULER_WORKERS_MAX];
    struct ct_scheduler_activity activity = {.workers = workers};
    size_t running = next != SIZE_MAX ? next
                     : scheduler->runner.busy && !scheduler->runner.preparing
                         ? scheduler->runner.at
                         : SIZE_MAX;

    if (!options->activity)
        return;
    for (unsigned i = 0; i < scheduler->builder_count; i++) {
        const struct ct_worker_slot *slot = &scheduler->builders[i];

        activity.building += slot->busy && !slot->early;
        if (!slot->started)
            continue;
        activity.builders++;
        workers[activity.worker_count++] = look_at(scheduler, slot);
    }
    for (unsigned i = 0; i < scheduler->sibling_count; i++)
        if (!scheduler->siblings[i].out)
            workers[activity.worker_count++] =
                look_at(scheduler, &scheduler->siblings[i].slot);
    if (running < scheduler->jobs.count && scheduler->jobs.items[running]) {
        activity.running = true;
        activity.ticket = scheduler->jobs.items[running]->job.ticket;
    }
    scheduler->told_ns = ct_clock_now_ns();
    options->activity(options->activity_user, &activity);
}

void ct_scheduler_repeat_activity(struct ct_scheduler *scheduler)
{
    const uint64_t every_ns = 500000000;
    bool building = false;

    for (unsigned i = 0; i < scheduler->builder_count; i++)
        building = building || scheduler->builders[i].busy;
    if (building &&
        !(scheduler->cpu_device && scheduler->runner.busy &&
          !ct_scheduler_is_loading(scheduler)) &&
        ct_clock_now_ns() - scheduler->told_ns > every_ns)
        ct_scheduler_tell_activity(scheduler, SIZE_MAX);
}
