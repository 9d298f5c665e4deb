// SPDX-License-Identifier: Apache-2.0
// Runs a pipeline.
#include "worker/build/pipeline.h"

#include "base/clock.h"
#include "worker/build/args.h"
#include "worker/timing/cold_rotation.h"

#include <stdlib.h>
#include <string.h>

/* --- arguments --- */

static bool same_arg(const struct ct_plan_arg *a, const struct ct_plan_arg *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case CT_ARG_BUFFER:
        return a->buffer == b->buffer;
    case CT_ARG_SCALAR:
        return !memcmp(a->bytes, b->bytes, ct_type_size(a->type));
    case CT_ARG_LOCAL:
        return a->local_bytes == b->local_bytes;
    case CT_ARG_SAMPLER:
        return a->sampler.normalized == b->sampler.normalized &&
               a->sampler.linear == b->sampler.linear &&
               a->sampler.addressing == b->sampler.addressing;
    case CT_ARG_BYTES:
        return a->data_bytes == b->data_bytes &&
               !memcmp(a->data, b->data, (size_t)a->data_bytes);
    default:
        return true;
    }
}

static enum ct_status set_sampler(struct ct_pipeline *p, struct ct_kernel *kernel,
                                  size_t i, const struct ct_plan_sampler *sampler,
                                  struct ct_err *err)
{
    static const char *const addressings[] = {
        [CT_ADDRESS_NONE] = "NONE",
        [CT_ADDRESS_CLAMP] = "CLAMP",
        [CT_ADDRESS_CLAMP_TO_EDGE] = "CLAMP_TO_EDGE",
        [CT_ADDRESS_REPEAT] = "REPEAT",
        [CT_ADDRESS_MIRRORED_REPEAT] = "MIRRORED_REPEAT",
    };
    struct ct_texture_sampler **slot =
        &p->samplers[sampler->addressing * 4u + sampler->normalized * 2u +
                     sampler->linear];
    enum ct_status status = CT_OK;

    if (!*slot)
        status = ct_texture_sampler_new(p->session->device, sampler->normalized,
                                        addressings[sampler->addressing], sampler->linear,
                                        slot, err);
    return status ? status : ct_kernel_set_sampler(kernel, i, *slot, err);
}

static enum ct_status set_arg(struct ct_pipeline *p, struct ct_kernel *kernel, size_t i,
                              const struct ct_plan_arg *arg, struct ct_err *err)
{
    switch (arg->kind) {
    case CT_ARG_BUFFER:
        return ct_kernel_set_buffer(kernel, i, p->data->buffers[arg->buffer].device, err);
    case CT_ARG_SCALAR:
        return ct_kernel_set_value(kernel, i, arg->bytes, ct_type_size(arg->type), err);
    case CT_ARG_SAMPLER:
        return set_sampler(p, kernel, i, &arg->sampler, err);
    case CT_ARG_BYTES:
        return ct_kernel_set_value(kernel, i, arg->data, (size_t)arg->data_bytes, err);
    case CT_ARG_NULL:
        return ct_kernel_set_null(kernel, i, err);
    default:
        return ct_kernel_set_local(kernel, i, (size_t)arg->local_bytes, err);
    }
}

/* Sets the kernel's arguments to the launch's, unless it holds them already. */
static enum ct_status set_args(struct ct_pipeline *p, struct ct_pipeline_kernel *kernel,
                               const struct ct_plan_launch *launch, struct ct_err *err)
{
    const struct ct_plan_launch *held = kernel->set;
    bool turned = kernel->set_turn != p->turn;

    if (held == launch && !turned)
        return CT_OK;
    kernel->set = NULL;
    for (size_t i = 0; i < launch->arg_count; i++) {
        char given[300];
        enum ct_status status;

        if (held && same_arg(&held->args[i], &launch->args[i]) &&
            !(turned && launch->args[i].kind == CT_ARG_BUFFER))
            continue;
        status = set_arg(p, kernel->kernel, i, &launch->args[i], err);
        if (!status)
            continue;
        /* Types were compared if the device reports them; otherwise its own error is reported. */
        ct_args_name(p->plan, &launch->args[i], given, sizeof(given));
        ct_err_prefix(err, "argument %zu of kernel %s, given as %s", i + 1,
                      launch->kernel, given);
        return status;
    }
    kernel->set = launch;
    kernel->set_turn = p->turn;
    return CT_OK;
}

/* --- cold caches --- */

enum ct_status ct_pipeline_cold(struct ct_pipeline *pipeline, struct ct_err *err)
{
    struct ct_dataset *data = pipeline->data;
    enum ct_status status =
        ct_cold_rotation_get(pipeline->session, data, pipeline->plan, err);

    if (status)
        return status;
    pipeline->turning = true;
    pipeline->outcome->cold.copies = (uint32_t)ct_cold_rotation_copies(data->rotation);
    pipeline->outcome->cold.incomplete = ct_cold_rotation_short(data->rotation);
    status = ct_cold_rotation_restore(data, pipeline->plan, false, err);
    return status ? status : ct_device_finish(pipeline->session->device, err);
}

void ct_pipeline_warm(struct ct_pipeline *pipeline)
{
    ct_cold_rotation_home(pipeline->data);
    pipeline->turning = false;
    pipeline->turn++;
}

void ct_pipeline_turn(struct ct_pipeline *pipeline)
{
    if (!pipeline->turning)
        return;
    ct_cold_rotation_turn(pipeline->data);
    pipeline->turn++;
    ct_pipeline_touch(pipeline);
}

/* --- running --- */

static enum ct_status command(struct ct_pipeline *p, size_t index, struct ct_event *event,
                              struct ct_err *err)
{
    const struct ct_plan_launch *launch = &p->plan->launches[index];
    struct ct_dataset_buffer *buffers = p->data->buffers;
    struct ct_pipeline_kernel *kernel;
    enum ct_status status;

    if (launch->kind == CT_LAUNCH_COPY)
        return ct_buffer_copy(buffers[launch->from].device, buffers[launch->to].device,
                              event, err);
    if (launch->kind == CT_LAUNCH_ZERO)
        return ct_buffer_zero(buffers[launch->to].device, event, err);
    kernel = &p->kernels[p->kernel_of[index]];
    status = set_args(p, kernel, launch, err);
    if (status)
        return status;
    return ct_kernel_launch(kernel->kernel, launch->dims, launch->global,
                            launch->local[0] ? launch->local : NULL, event, err);
}

/* Divides the sample into parts of about the same number of pipelines. */
static void divide_sample(struct ct_pipeline_marks *marks, uint32_t repeats)
{
    marks->count = repeats < CT_SAMPLE_PARTS ? repeats : CT_SAMPLE_PARTS;
    for (uint64_t i = 0; i < marks->count; i++)
        marks->runs[i] =
            (uint32_t)((i + 1) * repeats / marks->count - i * repeats / marks->count);
}

enum ct_status ct_pipeline_enqueue(struct ct_pipeline *pipeline, uint32_t repeats,
                                   struct ct_pipeline_marks *marks, struct ct_err *err)
{
    size_t count = pipeline->plan->launch_count;
    size_t part = 0;
    uint32_t left = 0; /* pipelines of this part */

    if (marks) {
        divide_sample(marks, repeats);
        left = marks->runs[0];
    }
    for (uint32_t run = 0; run < repeats; run++) {
        bool ends = marks && --left == 0;

        if (run)
            ct_pipeline_turn(pipeline);
        for (size_t i = 0; i < count; i++) {
            uint32_t weight = 1 + pipeline->plan->launches[i].extra;
            enum ct_status status = CT_OK;

            for (uint32_t turn = 0; !status && turn < weight; turn++) {
                struct ct_event *event = NULL;

                if (marks && !run && !i && !turn)
                    event = &marks->first;
                else if (ends && i == count - 1 && turn == weight - 1)
                    event = &marks->ends[part];
                else if (marks && !turn && run * (uint64_t)count + i == marks->probe_at)
                    event = &marks->probe;
                status = command(pipeline, i, event, err);
            }
            if (status) {
                ct_err_prefix(err, "launch %s", pipeline->plan->launches[i].name);
                return status;
            }
        }
        if (ends && ++part < marks->count)
            left = marks->runs[part];
    }
    return CT_OK;
}

enum ct_status ct_pipeline_executed(const struct ct_pipeline *pipeline,
                                    const struct ct_pipeline_marks *marks,
                                    struct ct_err *err)
{
    struct ct_device *device = pipeline->session->device;
    enum ct_status status = ct_event_executed(device, marks->first, err);

    if (!status)
        status = ct_event_executed(device, marks->probe, err);
    for (size_t i = 0; !status && i < marks->count; i++)
        status = ct_event_executed(device, marks->ends[i], err);
    if (status)
        ct_err_prefix(err, "a launch of a sample");
    return status;
}

void ct_pipeline_marks_free(const struct ct_pipeline *pipeline,
                            struct ct_pipeline_marks *marks)
{
    struct ct_device *device = pipeline->session->device;

    ct_event_free(device, &marks->first);
    ct_event_free(device, &marks->probe);
    for (size_t i = 0; i < marks->count; i++)
        ct_event_free(device, &marks->ends[i]);
}

/* When the parts ended; false if the device does not report that, or reports the impossible: an
 * event that ends before it starts shows that its clock is wrong, whatever the total. */
static bool read_marks(struct ct_device *device, const struct ct_pipeline_marks *marks,
                       struct ct_sample_parts *parts)
{
    uint64_t end_ns;
    uint64_t before_ns;

    if (!ct_event_times(device, marks->first, &parts->start_ns, &before_ns) ||
        !parts->start_ns || before_ns < parts->start_ns)
        return false;
    parts->count = marks->count;
    for (size_t i = 0; i < marks->count; i++) {
        uint64_t start_ns = parts->start_ns;

        end_ns = before_ns;
        if (marks->ends[i].handle &&
            !ct_event_times(device, marks->ends[i], &start_ns, &end_ns))
            return false;
        if (end_ns < start_ns || start_ns < parts->start_ns || end_ns < before_ns)
            return false;
        parts->ends_ns[i] = before_ns = end_ns;
        parts->runs[i] = marks->runs[i];
    }
    return true;
}

enum ct_status ct_pipeline_take(struct ct_pipeline *pipeline, uint32_t repeats,
                                struct ct_sample *sample, struct ct_err *err)
{
    struct ct_device *device = pipeline->session->device;
    struct ct_pipeline_marks marks = {0};
    struct ct_sample_parts parts = {0};
    uint64_t begin_ns;
    enum ct_status status;
    enum ct_status finished;

    ct_pipeline_turn(pipeline);
    /* Multiples of the golden ratio visit all commands evenly. */
    marks.probe_at = (pipeline->taken++ * 0x9E3779B97F4A7C15u >> 32) %
                     (repeats * (uint64_t)pipeline->plan->launch_count);
    begin_ns = ct_clock_now_ns();
    status = ct_pipeline_enqueue(pipeline, repeats, &marks, err);
    /* Also after a refusal: accepted commands must not run into later ones. */
    finished = ct_device_finish(device, status ? NULL : err);

    *sample = (struct ct_sample){.repeats = repeats};
    pipeline->session->busy_ns = ct_clock_now_ns();
    sample->wall_ns = pipeline->session->busy_ns - begin_ns;
    if (!status)
        status = finished;
    if (!status)
        status = ct_pipeline_executed(pipeline, &marks, err);
    if (!status && read_marks(device, &marks, &parts)) {
        sample->event_ns = parts.ends_ns[parts.count - 1] - parts.start_ns;
        sample->accidents_ns = ct_sample_accidents(&parts);
    }
    if (!status && pipeline->counting)
        ct_watch_event(pipeline->session->watch, marks.first, &pipeline->counters);
    ct_pipeline_marks_free(pipeline, &marks);
    return status;
}

/* --- counters --- */

/* Adds up the facts of all launches; a fact that one of them lacks is unknown. */
static void count_facts(struct ct_pipeline *pipeline, const struct ct_event *events,
                        size_t event_count)
{
    struct ct_quantities *sum = &pipeline->counters;

    for (size_t i = 0; i < event_count; i++) {
        struct ct_quantities one = {0};

        ct_watch_event(pipeline->session->watch, events[i], &one);
        if (i == 0) {
            *sum = one;
            continue;
        }
        for (int k = 0; k < CT_QUANTITY_COUNT; k++)
            sum->value[k] += one.value[k];
        sum->known &= one.known;
    }
}

/* Runs the pipeline once with an event for every `stride`-th launch: `events`, one per launch, which
 * the caller frees. */
static enum ct_status run_with_events(struct ct_pipeline *pipeline, size_t stride,
                                      struct ct_event *events, struct ct_err *err)
{
    struct ct_device *device = pipeline->session->device;
    size_t launches = pipeline->plan->launch_count;
    size_t failed = 0;
    enum ct_status status = CT_OK;
    enum ct_status finished;

    ct_pipeline_turn(pipeline);
    for (size_t i = 0; !status && i < launches; i++) {
        status =
            command(pipeline, i, i % stride && i + 1 < launches ? NULL : &events[i], err);
        failed = i;
    }
    finished = ct_device_finish(device, status ? NULL : err);
    if (!status && finished)
        return finished;
    for (size_t i = 0; !status && i < launches; i++) {
        status = ct_event_executed(device, events[i], err);
        failed = i;
    }
    if (status)
        ct_err_prefix(err, "launch %s", pipeline->plan->launches[failed].name);
    return status;
}

static void free_events(struct ct_pipeline *pipeline, struct ct_event *events)
{
    for (size_t i = 0; i < pipeline->plan->launch_count; i++)
        ct_event_free(pipeline->session->device, &events[i]);
    free(events);
}

enum ct_status ct_pipeline_first(struct ct_pipeline *pipeline, struct ct_sample *sample,
                                 struct ct_err *err)
{
    const size_t most = 1024; /* so that their events cost little */
    size_t launches = pipeline->plan->launch_count;
    struct ct_event *events = calloc(launches, sizeof(*events));
    uint64_t begin_ns = ct_clock_now_ns();
    enum ct_status status;

    if (!events)
        return ct_err_nomem(err);
    status = run_with_events(pipeline, (launches + most - 1) / most, events, err);
    pipeline->session->busy_ns = ct_clock_now_ns();
    if (!status && sample) {
        struct ct_pipeline_marks marks = {
            .first = events[0], .count = 1, .ends = {events[launches - 1]}, .runs = {1}};
        struct ct_sample_parts parts = {0};

        *sample = (struct ct_sample){.repeats = 1,
                                     .wall_ns = pipeline->session->busy_ns - begin_ns};
        if (read_marks(pipeline->session->device, &marks, &parts))
            sample->event_ns = parts.ends_ns[0] - parts.start_ns;
    }
    free_events(pipeline, events);
    return status;
}

enum ct_status ct_pipeline_count(struct ct_pipeline *pipeline, struct ct_err *err)
{
    size_t launches = pipeline->plan->launch_count;
    struct ct_event *events = calloc(launches, sizeof(*events));
    enum ct_status status;

    if (!events)
        return ct_err_nomem(err);
    status = run_with_events(pipeline, 1, events, err);
    if (!status)
        count_facts(pipeline, events, launches);
    free_events(pipeline, events);
    return status;
}

void ct_pipeline_touch(struct ct_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->data->count; i++)
        if (pipeline->written[i])
            ct_buffer_set_clean(pipeline->data->buffers[i].device, false);
}
