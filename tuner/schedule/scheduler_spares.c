// SPDX-License-Identifier: Apache-2.0
// Processes for the runner, made ready side by side before timing begins.
#include "schedule/scheduler_impl.h"
#include "schedule/measure.h"

#include "base/clock.h"

/* One alone is as fast when it is needed. */
enum { WORTHWHILE = 2 };

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

void ct_scheduler_take_spare(struct ct_scheduler *scheduler)
{
    for (unsigned i = 0; i < scheduler->spares.most; i++)
        if (ct_runner_is_ready(scheduler->spares.items[i])) {
            ct_runner_take(scheduler->runner.runner, scheduler->spares.items[i]);
            return;
        }
}

/* Advances all that are being opened; false once there are none. */
static bool advance(struct ct_scheduler *scheduler, enum ct_status *status,
                    struct ct_err *err)
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
        } else {
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
                                    const struct ct_plan *plan, size_t wanted,
                                    struct ct_err *err)
{
    size_t most = scheduler->spares.most;
    uint64_t begun_ns = ct_clock_now_ns();
    enum ct_status status = CT_OK;

    wanted = wanted < most ? wanted : most;
    if (wanted < WORTHWHILE || scheduler->spares.off || ct_scheduler_prepared(scheduler))
        return CT_OK;
    ct_scheduler_end_ahead(scheduler);
    for (size_t i = 0; i < wanted; i++) {
        struct ct_str nothing;

        ct_str_init(&nothing);
        ct_runner_begin(scheduler->spares.items[i], CT_MSG_OPEN, plan, &nothing,
                        &scheduler->options.deadlines);
    }
    while (advance(scheduler, &status, err)) {
    }
    scheduler->stats.run_wall_ns += ct_clock_now_ns() - begun_ns;
    if (status)
        ct_scheduler_dismiss(scheduler);
    return status;
}
