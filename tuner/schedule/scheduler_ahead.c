// SPDX-License-Identifier: Apache-2.0
// The first data set is made while the first programs are compiled.
//
// Opening the device, filling inputs and running a reference take seconds for large problems, and
// an evaluation needs them only once its program is built.  So the runner, which has nothing else
// to do then, begins with them.  What fails there fails again when a configuration is evaluated,
// and is reported then, as if nothing had been prepared: until a program is built it is unknown
// whether the data matter.
#include "schedule/scheduler_impl.h"

#include <string.h>

/* Whether a builder compiles a job. */
static bool is_building(const struct ct_scheduler *scheduler)
{
    for (unsigned i = 0; i < scheduler->builder_count; i++)
        if (scheduler->builders[i].busy && !scheduler->builders[i].warming)
            return true;
    return false;
}

void ct_scheduler_begin_ahead(struct ct_scheduler *scheduler)
{
    const struct ct_plan *plan = &scheduler->duplicates.first_plan;
    struct ct_request request = ct_scheduler_request(scheduler, NULL);
    struct ct_str payload;

    if (scheduler->options.build_only || scheduler->ahead.begun ||
        scheduler->cpu_device || scheduler->runner.busy ||
        !scheduler->duplicates.has_first_plan || !is_building(scheduler))
        return;
    scheduler->ahead.begun = true;
    scheduler->ahead.data = ct_plan_data_hash(plan);
    ct_str_init(&payload);
    ct_request_put(&payload, &request);
    ct_plan_put(&payload, plan);
    ct_runner_begin(scheduler->runner.runner, CT_MSG_PREPARE, plan, &payload,
                    &scheduler->options.deadlines);
    scheduler->runner.preparing = scheduler->runner.busy = true;
}

enum ct_status ct_scheduler_took_ahead(struct ct_scheduler *scheduler,
                                       enum ct_status status, const struct ct_err *why,
                                       struct ct_outcome *outcome, struct ct_err *err)
{
    scheduler->runner.preparing = false;
    if (!status)
        ct_outcome_release(outcome);
    if (status == CT_E_INTERRUPTED) {
        *err = *why;
        return status;
    }
    if (status && scheduler->runner.runner->x.end == CT_WORKER_LATE)
        scheduler->ahead.failed = *why;
    return CT_OK;
}

enum ct_status ct_scheduler_failed_ahead(const struct ct_scheduler *scheduler,
                                         const struct ct_job *job, struct ct_err *err)
{
    struct ct_hash data;

    if (!scheduler->ahead.failed.code || job->trusted)
        return CT_OK;
    data = ct_plan_data_hash(job->plan);
    if (strcmp(data.text, scheduler->ahead.data.text) != 0)
        return CT_OK;
    *err = scheduler->ahead.failed;
    return err->code;
}

void ct_scheduler_end_ahead(struct ct_scheduler *scheduler)
{
    if (!scheduler->runner.preparing)
        return;
    ct_runner_abandon(scheduler->runner.runner);
    scheduler->runner.preparing = scheduler->runner.busy = false;
}
