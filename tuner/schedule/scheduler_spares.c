// SPDX-License-Identifier: Apache-2.0
// Processes that are made ready for the runner before they are needed, side by side, before timing
// begins.
//
// Opening a context takes a fifth of a second on some GPUs, whose drivers open one after the other,
// so that twenty take seconds.  Builders have open ones: where they need no processor of their own
// while the device is timed, idle builders give the runner their processes.
#include "schedule/scheduler_impl.h"
#include "schedule/measure.h"

#include "base/clock.h"

/* One alone is as fast when it is needed. */
enum { WORTHWHILE = 2 };

/* Ends the runner's process.  Closing a context takes a tenth of a second: nobody waits for it if
 * the next process has one already, so that memory suffices for both, and needs no processor that
 * is timed. */
static void end_process(struct ct_scheduler *scheduler, bool wait)
{
    unsigned *count = &scheduler->leaving.count;

    ct_scheduler_see_off(scheduler, *count == CT_SCHEDULER_SPARES);
    if (wait || scheduler->cpu_device)
        ct_runner_renew(scheduler->runner.runner);
    else
        *count +=
            ct_runner_part(scheduler->runner.runner, &scheduler->leaving.items[*count]);
}

void ct_scheduler_next_process(struct ct_scheduler *scheduler)
{
    unsigned at = 0;

    while (at < scheduler->spares.most &&
           !ct_runner_is_ready(scheduler->spares.items[at]))
        at++;
    end_process(scheduler, at == scheduler->spares.most);
    if (at < scheduler->spares.most)
        ct_runner_take(scheduler->runner.runner, scheduler->spares.items[at]);
}

/* Takes processes of idle builders for the first `wanted` spares, `*count` of which have one. */
static void borrow(struct ct_scheduler *scheduler, const struct ct_plan *plan,
                   size_t wanted, size_t *count)
{
    for (unsigned i = 0; i < scheduler->builder_count && *count < wanted; i++) {
        struct ct_worker_slot *slot = &scheduler->builders[i];

        if (slot->busy ||
            !ct_runner_lend(slot->runner, plan, scheduler->spares.items[*count]))
            continue;
        /* The builder starts another one if that is worthwhile. */
        slot->started = false;
        ++*count;
    }
}

/* Whether a builder may give its process soon, or is opening the device: that takes the device's
 * time, and what was timed meanwhile varied by a tenth. */
static bool must_wait(const struct ct_scheduler *scheduler, bool for_any)
{
    for (unsigned i = 0; i < scheduler->builder_count; i++)
        if (scheduler->builders[i].busy &&
            (for_any || scheduler->builders[i].runner->state != CT_RUNNER_WORKING))
            return true;
    return false;
}

/* The same, also of builders that are about to end what they do; a build may take minutes, and a
 * device may not open: then a process of the spare's own is the sooner. */
static enum ct_status borrow_all(struct ct_scheduler *scheduler,
                                 const struct ct_plan *plan, size_t wanted, size_t *count,
                                 struct ct_err *err)
{
    const uint64_t builds_ns = 1000000000;
    const uint64_t openings_ns = 5000000000;
    uint64_t begun_ns = ct_clock_now_ns();
    uint64_t waited_ns = 0;
    enum ct_status status = CT_OK;

    if (scheduler->cpu_device)
        return CT_OK;
    borrow(scheduler, plan, wanted, count);
    while (!status && waited_ns < openings_ns &&
           must_wait(scheduler, *count < wanted && waited_ns < builds_ns)) {
        ct_scheduler_poll(scheduler);
        status = ct_scheduler_step_builders(scheduler, err);
        if (!status)
            borrow(scheduler, plan, wanted, count);
        waited_ns = ct_clock_now_ns() - begun_ns;
    }
    return status;
}

/* What spares are to do before they are needed. */
struct preparation {
    const struct ct_plan *const *plans;
    size_t count;
    size_t begun[CT_SCHEDULER_SPARES]; /* of each spare: how many of the plans */
};

/* The next thing that a spare does: it opens the device, and where that costs no processor
 * time of others, makes the data, too. */
static void make_ready(struct ct_scheduler *scheduler, struct preparation *preparation,
                       size_t spare)
{
    struct ct_request request = ct_scheduler_request(scheduler, NULL);
    const struct ct_plan *plan = preparation->plans[preparation->begun[spare]++];
    bool load = ct_scheduler_loads_programs(scheduler);
    bool opens = scheduler->cpu_device && !load;
    struct ct_str payload;

    ct_str_init(&payload);
    request.load = load;
    if (!opens) {
        ct_request_put(&payload, &request);
        ct_plan_put(&payload, plan);
    }
    if (!load)
        preparation->begun[spare] = preparation->count;
    ct_runner_begin(scheduler->spares.items[spare], opens ? CT_MSG_OPEN : CT_MSG_PREPARE,
                    plan, &payload, &scheduler->options.deadlines);
}

/* Advances all that are being prepared; false once there are none. */
static bool advance(struct ct_scheduler *scheduler, struct preparation *preparation,
                    enum ct_status *status, struct ct_err *err)
{
    struct ct_worker *workers[CT_SCHEDULER_SPARES];
    uint64_t until_ns = UINT64_MAX;
    size_t count = 0;

    for (unsigned i = 0; i < scheduler->spares.most; i++) {
        struct ct_runner *runner = scheduler->spares.items[i];
        struct ct_err why = CT_ERR_INIT;
        struct ct_outcome outcome;
        bool done = false;
        enum ct_status failed;

        if (runner->state == CT_RUNNER_IDLE)
            continue;
        failed = ct_runner_step(runner, &done, &outcome, &why);
        if (failed) {
            /* Whatever it is, the process of a renewal will meet it, and report it. */
            scheduler->spares.off = true;
            if (failed == CT_E_INTERRUPTED)
                *status = ct_runner_interrupted(err);
        } else if (done) {
            ct_outcome_release(&outcome);
            if (preparation->begun[i] < preparation->count)
                make_ready(scheduler, preparation, i);
        }
        if (runner->state != CT_RUNNER_IDLE) {
            uint64_t deadline_ns = ct_runner_deadline(runner);

            workers[count++] = &runner->worker;
            until_ns = deadline_ns < until_ns ? deadline_ns : until_ns;
        }
    }
    if (count && !*status)
        ct_worker_poll(workers, count, until_ns);
    return count && !*status;
}

enum ct_status ct_scheduler_prepare(struct ct_scheduler *scheduler,
                                    const struct ct_plan *const *plans, size_t count,
                                    size_t wanted, struct ct_err *err)
{
    struct preparation preparation = {.plans = plans, .count = count};
    size_t most = scheduler->spares.most;
    uint64_t begun_ns = ct_clock_now_ns();
    size_t borrowed = 0;
    enum ct_status status = CT_OK;

    wanted = wanted < most ? wanted : most;
    if (wanted < WORTHWHILE || scheduler->spares.off || ct_scheduler_prepared(scheduler))
        return CT_OK;
    ct_scheduler_end_ahead(scheduler);
    if (scheduler->member)
        status = ct_pool_enter_wait(scheduler->member, err);
    if (status)
        return status;
    scheduler->quiet = !scheduler->cpu_device;
    status = borrow_all(scheduler, plans[0], wanted, &borrowed, err);
    for (size_t i = 0; !status && i < wanted; i++)
        make_ready(scheduler, &preparation, i);
    while (!status && advance(scheduler, &preparation, &status, err)) {
    }
    scheduler->stats.run_wall_ns += ct_clock_now_ns() - begun_ns;
    if (status)
        ct_scheduler_dismiss(scheduler);
    return status;
}
