// SPDX-License-Identifier: Apache-2.0
// What the runner does while builders compile: the first data set, and what it will load.
//
// Opening the device, filling inputs and running a reference take seconds for large problems, and
// an evaluation needs them only once its program is built.  So the runner, which has nothing else
// to do then, begins with them.  What fails there fails again when a configuration is evaluated,
// and is reported then, as if nothing had been prepared: until a program is built it is unknown
// whether the data matter.
//
// PoCL preprocesses a source whenever it is built, even if its cache has the program: 25 ms for each
// configuration, one after the other, unless it is done while other processors compile.
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

/* Has the idle runner make a plan's data, or with `load` only its programs. */
static void prepare(struct ct_scheduler *scheduler, const struct ct_plan *plan, bool load)
{
    struct ct_request request = ct_scheduler_request(scheduler, NULL);
    struct ct_str payload;

    request.load = request.load_only = load;
    ct_str_init(&payload);
    ct_request_put(&payload, &request);
    ct_plan_put(&payload, plan);
    ct_runner_begin(scheduler->runner.runner, CT_MSG_PREPARE, plan, &payload,
                    &scheduler->options.deadlines);
    scheduler->runner.preparing = scheduler->runner.busy = true;
}

void ct_scheduler_begin_ahead(struct ct_scheduler *scheduler)
{
    const struct ct_plan *plan = &scheduler->duplicates.first_plan;

    if (scheduler->options.build_only || scheduler->ahead.begun ||
        scheduler->cpu_device || scheduler->runner.busy ||
        !scheduler->duplicates.has_first_plan || !is_building(scheduler))
        return;
    scheduler->ahead.begun = true;
    scheduler->ahead.data = ct_plan_data_hash(plan);
    prepare(scheduler, plan, false);
}

/* Whether the runner would keep a job's programs. */
static bool can_load(const struct ct_scheduler_job *job)
{
    return job->stage == CT_STAGE_BUILT && !job->loaded && !job->from_cache &&
           !job->job.again && !job->job.plan->command && !job->job.plan->env_count &&
           *job->twins.text;
}

/* Others come in between: the default's, those of a second try. */
enum { LOADED_MOST = CT_PROGRAMS_KEPT * 3 / 4 };

/* A built job whose programs are to be loaded; false if none is, or the runner would forget others for them. */
static bool next_to_load(const struct ct_scheduler *scheduler, size_t *index)
{
    size_t programs = 0;
    bool found = false;

    for (size_t i = scheduler->jobs.first; i < scheduler->jobs.count; i++) {
        const struct ct_scheduler_job *job = scheduler->jobs.items[i];
        bool this_one;

        if (!job)
            continue;
        this_one = !found && can_load(job);
        if (this_one || (job->loaded && job->stage < CT_STAGE_DONE))
            programs += job->job.plan->program_count;
        if (this_one)
            *index = i;
        found = found || this_one;
    }
    return found && programs <= LOADED_MOST;
}

/* Whether the runner builds from source what the driver's cache has, and builders leave it the time: one alone
 * works while it has the processors to itself.  With a pool others may be timed. */
static bool loads(const struct ct_scheduler *scheduler)
{
    return scheduler->cpu_device && !scheduler->options.build_only &&
           !scheduler->ahead.no_loads && !scheduler->member &&
           scheduler->builder_count > 1 &&
           scheduler->duplicates.calibration == CT_CALIBRATION_DONE &&
           ct_scheduler_loads_programs(scheduler);
}

void ct_scheduler_load_ahead(struct ct_scheduler *scheduler)
{
    struct ct_scheduler_job *job;
    size_t index = 0;

    if (scheduler->running || scheduler->runner.busy || !is_building(scheduler) ||
        !loads(scheduler) || !next_to_load(scheduler, &index))
        return;
    job = scheduler->jobs.items[index];
    job->loaded = true;
    prepare(scheduler, job->job.plan, true);
}

enum ct_status ct_scheduler_took_ahead(struct ct_scheduler *scheduler,
                                       enum ct_status status, const struct ct_err *why,
                                       struct ct_outcome *outcome, struct ct_err *err)
{
    bool loading = ct_scheduler_is_loading(scheduler);

    scheduler->runner.preparing = false;
    if (!status)
        ct_outcome_release(outcome);
    if (status == CT_E_INTERRUPTED) {
        *err = *why;
        return status;
    }
    if (status && scheduler->runner.runner->x.end == CT_WORKER_LATE) {
        if (loading)
            scheduler->ahead.no_loads = true;
        else
            scheduler->ahead.failed = *why;
    }
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
