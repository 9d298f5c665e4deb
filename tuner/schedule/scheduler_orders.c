// SPDX-License-Identifier: Apache-2.0
// What builders and runners are told to do.
#include "schedule/scheduler_impl.h"

#include "plan/small_launch.h"

#include <stdint.h>

/* Programs in the keys of stored binaries: without the macros that they cannot depend on, so that
 * configurations share them. */
static enum ct_status add_texts(struct ct_scheduler *scheduler,
                                const struct ct_plan *plan, struct ct_arena *arena,
                                struct ct_build_order *order, struct ct_err *err)
{
    order->texts = ct_arena_array(arena, plan->program_count, sizeof(*order->texts));
    if (!order->texts)
        return ct_err_nomem(err);
    order->text_count = plan->program_count;
    for (size_t i = 0; i < plan->program_count; i++) {
        const struct ct_program_text *text;
        enum ct_status status =
            ct_program_text_get(scheduler->texts, &plan->programs[i], &text, err);

        if (status)
            return status;
        order->texts[i] =
            (struct ct_build_text){.file_count = text->file_count, .files = text->files};
        if (*text->hash.text)
            order->texts[i].hash = ct_program_text_build_key(scheduler->texts, plan, i);
    }
    return CT_OK;
}

bool ct_scheduler_compiles_late(const struct ct_scheduler *scheduler)
{
    return scheduler->cpu_device &&
           (scheduler->duplicates.late_compiler ||
            scheduler->duplicates.calibration != CT_CALIBRATION_DONE);
}

bool ct_scheduler_loads_programs(const struct ct_scheduler *scheduler)
{
    return ct_scheduler_compiles_late(scheduler) && !scheduler->duplicates.binaries_pay;
}

/* What a builder does with a plan.  Where the driver compiles at the first launch (PoCL),
 * requesting a binary compiles once more, for unknown local sizes; without it, the runner builds
 * from source, and finds what was compiled in the driver's own cache, which all workers share. */
static struct ct_build_order order_of(const struct ct_scheduler *scheduler, bool sample)
{
    bool late = ct_scheduler_compiles_late(scheduler);

    return (struct ct_build_order){
        .launch = !late    ? CT_BUILD_LAUNCH_NEVER
                  : sample ? CT_BUILD_LAUNCH_TWICE
                           : CT_BUILD_LAUNCH_ONCE,
        /* A builder's failure is the last word where nothing else runs. */
        .small = late && !scheduler->options.build_only &&
                 !scheduler->duplicates.small_kills &&
                 (sample || scheduler->duplicates.small_is_enough),
        .data_limit_bytes = scheduler->memory_bytes / 4,
        .binaries = !late || (sample ? scheduler->duplicates.samples_begun == 1
                                     : scheduler->duplicates.binaries_pay),
        .code = late && (sample || !scheduler->options.no_duplicates),
        .cache = (!sample || !scheduler->cpu_device) && !scheduler->options.no_cache,
    };
}

enum ct_status ct_scheduler_send_builder(struct ct_scheduler *scheduler,
                                         struct ct_worker_slot *slot,
                                         const struct ct_plan *plan,
                                         const struct ct_job *job, bool sample,
                                         struct ct_err *err)
{
    struct ct_request request = ct_scheduler_request(scheduler, job);
    struct ct_build_order order = order_of(scheduler, sample);
    struct ct_arena arena = {0};
    struct ct_plan few;
    struct ct_str payload;
    enum ct_status status = CT_OK;

    if (job && job->fresh)
        order.cache = false;
    order.small = order.small && ct_small_launch(plan, &arena, &few);
    slot->small = order.small;
    /* Those of more programs are not kept at a time. */
    if (order.cache && plan->program_count <= CT_PROGRAM_TEXTS)
        status = add_texts(scheduler, plan, &arena, &order, err);
    ct_str_init(&payload);
    ct_request_put(&payload, &request);
    ct_plan_put(&payload, plan);
    ct_build_order_put(&payload, &order);
    ct_arena_release(&arena);
    if (status) {
        ct_str_release(&payload);
        return status;
    }
    ct_runner_begin(slot->runner, CT_MSG_BUILD, plan, &payload,
                    &scheduler->options.deadlines);
    slot->started = slot->busy = true;
    slot->warming = false;
    slot->twins.text[0] = '\0';
    return CT_OK;
}

/* Programs whose turns come next, for their set-ups to run beside this one's; as many as there are
 * builders.  Other devices' programs may be timed meanwhile: not with a pool. */
static uint32_t find_ahead(const struct ct_scheduler *scheduler, size_t index,
                           const struct ct_plan **plans)
{
    const struct ct_scheduler_job *own = scheduler->jobs.items[index];
    const struct ct_plan *plan = own->job.plan;
    uint32_t count = 0;

    if (!plan->command || !plan->command->parallel_setup || scheduler->member ||
        own->second_try || own->job.step.slot)
        return 0;
    for (size_t i = scheduler->jobs.first;
         i < scheduler->jobs.count && count + 1 < scheduler->builder_count; i++) {
        const struct ct_scheduler_job *job = scheduler->jobs.items[i];

        if (i != index && job && job->stage == CT_STAGE_BUILT && !job->job.step.slot &&
            job->job.plan->command && job->job.plan->command->parallel_setup &&
            ct_plan_same_env(job->job.plan, plan))
            plans[count++] = job->job.plan;
    }
    return count;
}

enum ct_status ct_scheduler_send_runner(struct ct_scheduler *scheduler,
                                        struct ct_worker_slot *slot, size_t index,
                                        struct ct_err *err)
{
    struct ct_scheduler_job *job = scheduler->jobs.items[index];
    struct ct_request request = ct_scheduler_request(scheduler, &job->job);
    struct ct_deadlines deadlines = ct_scheduler_deadlines(scheduler, job);
    const struct ct_plan *ahead[CT_SCHEDULER_JOBS_MAX];
    struct ct_str payload;
    enum ct_status status = ct_scheduler_failed_ahead(scheduler, &job->job, err);

    if (status)
        return status;
    request.measure_deadline_ns = deadlines.ns[CT_PHASE_MEASURE];
    request.build_deadline_ns = deadlines.ns[CT_PHASE_BUILD];
    request.ahead = find_ahead(scheduler, index, ahead);
    ct_str_init(&payload);
    ct_request_put(&payload, &request);
    ct_plan_put(&payload, job->job.plan);
    if (job->handover.length)
        ct_str_add(&payload, job->handover.data, job->handover.length);
    else
        ct_handover_put(&payload, &(struct ct_handover){0});
    ct_str_release(&job->handover);
    for (uint32_t i = 0; i < request.ahead; i++)
        ct_plan_put(&payload, ahead[i]);
    ct_runner_begin(slot->runner, CT_MSG_EVALUATE, job->job.plan, &payload, &deadlines);
    job->stage = CT_STAGE_RUNNING;
    slot->busy = true;
    slot->at = index;
    return CT_OK;
}
