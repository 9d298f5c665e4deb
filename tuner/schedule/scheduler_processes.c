// SPDX-License-Identifier: Apache-2.0
// Processes that are started before they are needed, and those that are no longer needed.
#include "schedule/scheduler_impl.h"

#include "base/clock.h"

void ct_scheduler_warm_up(struct ct_scheduler *scheduler, struct ct_worker_slot *slot)
{
    struct ct_str nothing;

    if (slot->started || !scheduler->duplicates.has_first_plan)
        return;
    ct_str_init(&nothing);
    ct_runner_begin(slot->runner, CT_MSG_OPEN, &scheduler->duplicates.first_plan,
                    &nothing, &scheduler->options.deadlines);
    slot->started = slot->warming = slot->busy = true;
}

/* How long a build takes: the mean so far; before the first one has ended, what one has taken, if
 * that is long, so that the devices are open sooner; 0: unknown. */
static double build_ns(const struct ct_scheduler *scheduler)
{
    const uint64_t long_ns = 200000000;
    uint64_t longest_ns = 0;

    if (scheduler->built.count)
        return (double)scheduler->built.ns / (double)scheduler->built.count;
    for (unsigned i = 0; i < scheduler->builder_count && !scheduler->cpu_device; i++) {
        const struct ct_worker_slot *slot = &scheduler->builders[i];
        const struct ct_runner *runner = slot->runner;
        uint64_t taken_ns = slot->busy && runner->state == CT_RUNNER_WORKING &&
                                    runner->type == CT_MSG_BUILD &&
                                    runner->x.phase == CT_PHASE_BUILD
                                ? ct_clock_now_ns() - runner->x.since_ns
                                : 0;

        longest_ns = taken_ns > longest_ns ? taken_ns : longest_ns;
    }
    return longest_ns >= long_ns ? (double)longest_ns : 0;
}

bool ct_scheduler_worth_starting(const struct ct_scheduler *scheduler)
{
    const double start_ns = 2e9;
    double share = scheduler->early.programs > 0 ? scheduler->early.programs : 1;
    uint64_t expected = scheduler->options.expected;
    double left =
        expected ? share * ((double)expected - (double)scheduler->built.count) : 1e9;
    bool many = !scheduler->cpu_device && share * (double)expected >= CT_SCHEDULER_MANY;
    unsigned started = 0;

    for (unsigned i = 0; i < scheduler->builder_count; i++)
        started += scheduler->builders[i].started;
    if (started < CT_SCHEDULER_FEW ||
        (many && started < 2 * CT_SCHEDULER_FEW && left >= CT_SCHEDULER_MANY))
        return !started || left > started;
    /* Beside the first builds; after those of the start, which would wait for them. */
    if (many && !scheduler->early.closed && started < scheduler->options.contests &&
        build_ns(scheduler) > 0)
        return true;
    return build_ns(scheduler) * left / started > start_ns;
}

size_t ct_scheduler_prepared(const struct ct_scheduler *scheduler)
{
    size_t count = 0;

    for (unsigned i = 0; i < scheduler->spares.most; i++)
        count += scheduler->spares.items[i]->running;
    return count;
}

void ct_scheduler_dismiss(struct ct_scheduler *scheduler)
{
    for (unsigned i = 0; i < scheduler->spares.most; i++)
        if (scheduler->spares.items[i])
            ct_runner_dismiss(scheduler->spares.items[i]);
}

void ct_scheduler_see_off(struct ct_scheduler *scheduler, bool all)
{
    unsigned left = 0;

    for (unsigned i = 0; i < scheduler->leaving.count; i++) {
        struct ct_worker *worker = &scheduler->leaving.items[i];

        if (all || ct_worker_has_left(worker))
            ct_worker_end(worker, true);
        else
            scheduler->leaving.items[left++] = *worker;
    }
    scheduler->leaving.count = left;
}
