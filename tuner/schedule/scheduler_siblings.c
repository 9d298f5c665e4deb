// SPDX-License-Identifier: Apache-2.0
// Several devices of one kind in one search: each has a runner, and any of them measures what is
// built.
//
// What must be of one device stays on the first: the default, the A/A test, drift and play-offs.
// A failure on another device is the device's as likely as the configuration's, so the first one
// tries it again and decides.
#include "schedule/scheduler_impl.h"

#include "base/clock.h"

#include <stdlib.h>

void ct_scheduler_release_siblings(struct ct_scheduler *scheduler)
{
    for (unsigned i = 0; i < scheduler->sibling_count; i++)
        ct_runner_free(scheduler->siblings[i].slot.runner);
    free(scheduler->siblings);
}

void ct_scheduler_abandon_siblings(struct ct_scheduler *scheduler)
{
    for (unsigned i = 0; i < scheduler->sibling_count; i++) {
        if (scheduler->siblings[i].slot.runner)
            ct_runner_abandon(scheduler->siblings[i].slot.runner);
        scheduler->siblings[i].slot.busy = false;
    }
}

unsigned ct_scheduler_busy_siblings(const struct ct_scheduler *scheduler)
{
    unsigned count = 0;

    for (unsigned i = 0; i < scheduler->sibling_count; i++)
        count += scheduler->siblings[i].slot.busy;
    return count;
}

void ct_scheduler_leave_out(struct ct_scheduler *scheduler, size_t sibling)
{
    struct ct_scheduler_sibling *left = &scheduler->siblings[sibling - 1];

    left->out = true;
    ct_runner_dismiss(left->slot.runner);
    left->slot.busy = false;
}

uint64_t ct_scheduler_measured(const struct ct_scheduler *scheduler, size_t sibling)
{
    return scheduler->siblings[sibling - 1].measured;
}

static void lose(struct ct_scheduler *scheduler, unsigned device,
                 const struct ct_err *why)
{
    ct_scheduler_leave_out(scheduler, device);
    if (scheduler->options.lost)
        scheduler->options.lost(scheduler->options.lost_user, device, why);
}

/* --- jobs --- */

enum ct_status ct_scheduler_feed_siblings(struct ct_scheduler *scheduler,
                                          struct ct_err *err)
{
    enum ct_status status = CT_OK;
    size_t index;

    for (unsigned i = 0; i < scheduler->sibling_count && !scheduler->cpu_device; i++) {
        struct ct_scheduler_sibling *sibling = &scheduler->siblings[i];

        if (status || sibling->slot.busy || sibling->out ||
            !ct_scheduler_find_built_anywhere(scheduler, &index))
            continue;
        status = ct_scheduler_send_runner(scheduler, &sibling->slot, index, err);
    }
    return status;
}

/* Whether an error is one of this device, not of the space file or the whole machine. */
static bool is_own(enum ct_status status)
{
    return status == CT_E_WORKER || status == CT_E_DEVICE || status == CT_E_NO_DEVICE;
}

bool ct_scheduler_took_sibling(struct ct_scheduler *scheduler,
                               struct ct_worker_slot *slot, enum ct_status status,
                               const struct ct_err *why, struct ct_outcome *outcome)
{
    struct ct_scheduler_job *job = scheduler->jobs.items[slot->at];

    if (status && !is_own(status))
        return false;
    if (!status && outcome->status == CT_RESULT_OK) {
        scheduler->siblings[slot->device - 1].measured++;
        return false;
    }
    /* Without its binaries the runner builds it. */
    job->stage = CT_STAGE_BUILT;
    job->first_only = true;
    if (status)
        lose(scheduler, slot->device, why);
    else
        ct_outcome_release(outcome);
    return true;
}

/* --- all devices with the same plan --- */

/* What is timed on one device. */
struct timing {
    struct ct_runner *runner;
    unsigned device;
    double *time_ns;
    bool busy;
};

static void begin_timing(struct ct_scheduler *scheduler, struct timing *timing,
                         const struct ct_plan *plan)
{
    struct ct_job job = {.plan = plan, .full = true, .again = true};
    struct ct_request request = ct_scheduler_request(scheduler, &job);
    struct ct_str payload;

    ct_runner_renew(timing->runner);
    ct_str_init(&payload);
    ct_request_put(&payload, &request);
    ct_plan_put(&payload, plan);
    ct_handover_put(&payload, &(struct ct_handover){0});
    ct_runner_begin(timing->runner, CT_MSG_EVALUATE, plan, &payload,
                    &scheduler->options.deadlines);
    timing->busy = true;
}

static enum ct_status step_timing(struct ct_scheduler *scheduler, struct timing *timing,
                                  struct ct_err *err)
{
    struct ct_err why = CT_ERR_INIT;
    struct ct_outcome outcome;
    bool done = false;
    enum ct_status status = ct_runner_step(timing->runner, &done, &outcome, &why);

    timing->busy = !done;
    if (!done)
        return CT_OK;
    if (!status) {
        if (outcome.status == CT_RESULT_OK)
            *timing->time_ns = outcome.time_ns;
        ct_outcome_release(&outcome);
        return CT_OK;
    }
    if (timing->device && is_own(status)) {
        lose(scheduler, timing->device, &why);
        return CT_OK;
    }
    *err = why;
    return status;
}

/* Until all of them have ended. */
static enum ct_status finish_timings(struct ct_scheduler *scheduler,
                                     struct timing *timings, size_t count,
                                     struct ct_err *err)
{
    struct ct_worker *workers[1 + CT_SCHEDULER_SIBLINGS];
    enum ct_status status = CT_OK;
    size_t busy = 1;

    while (!status && busy) {
        uint64_t until_ns = UINT64_MAX;

        busy = 0;
        for (size_t i = 0; i < count && !status; i++) {
            uint64_t deadline_ns;

            if (timings[i].busy)
                status = step_timing(scheduler, &timings[i], err);
            if (status || !timings[i].busy)
                continue;
            workers[busy++] = &timings[i].runner->worker;
            deadline_ns = ct_runner_deadline(timings[i].runner);
            until_ns = deadline_ns < until_ns ? deadline_ns : until_ns;
        }
        if (!status && busy)
            ct_worker_poll(workers, busy, until_ns);
    }
    for (size_t i = 0; i < count; i++)
        if (timings[i].busy)
            ct_runner_abandon(timings[i].runner);
    return status;
}

enum ct_status ct_scheduler_time_all(struct ct_scheduler *scheduler,
                                     const struct ct_plan *plan, double *times_ns,
                                     struct ct_err *err)
{
    struct timing timings[1 + CT_SCHEDULER_SIBLINGS];
    enum ct_status status = CT_OK;
    uint64_t begun_ns = ct_clock_now_ns();
    size_t count = 0;

    ct_scheduler_end_ahead(scheduler);
    if (scheduler->member)
        status = ct_pool_enter_wait(scheduler->member, err);
    timings[count++] = (struct timing){.runner = scheduler->runner.runner};
    for (unsigned i = 0; i < scheduler->sibling_count; i++)
        if (!scheduler->siblings[i].out)
            timings[count++] = (struct timing){
                .runner = scheduler->siblings[i].slot.runner, .device = i + 1};
    for (unsigned i = 0; i <= scheduler->sibling_count; i++)
        times_ns[i] = 0;
    for (size_t i = 0; i < count && !status; i++) {
        timings[i].time_ns = &times_ns[timings[i].device];
        begin_timing(scheduler, &timings[i], plan);
        if (scheduler->cpu_device)
            status = finish_timings(scheduler, &timings[i], 1, err);
    }
    if (!status)
        status = finish_timings(scheduler, timings, count, err);
    scheduler->stats.run_wall_ns += ct_clock_now_ns() - begun_ns;
    ct_scheduler_note_rest(scheduler);
    return status;
}
