// SPDX-License-Identifier: Apache-2.0
// Running a pipeline.
#include "measure/pipeline.h"

#include "base/clock.h"
#include "measure/args.h"

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
    }
    return false;
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
    default:
        return ct_kernel_set_local(kernel, i, (size_t)arg->local_bytes, err);
    }
}

/* Gives the kernel the launch's arguments, where it does not hold them yet. */
static enum ct_status set_args(struct ct_pipeline *p, struct ct_pipeline_kernel *kernel,
                               const struct ct_plan_launch *launch, struct ct_err *err)
{
    const struct ct_plan_launch *held = kernel->set;

    if (held == launch)
        return CT_OK;
    kernel->set = NULL;
    for (size_t i = 0; i < launch->arg_count; i++) {
        char given[300];
        enum ct_status status;

        if (held && same_arg(&held->args[i], &launch->args[i]))
            continue;
        status = set_arg(p, kernel->kernel, i, &launch->args[i], err);
        if (!status)
            continue;
        /* Types were compared where the device tells them; here it says no itself. */
        ct_args_name(p->plan, &launch->args[i], given, sizeof(given));
        ct_err_prefix(err, "argument %zu of kernel %s, given as %s", i + 1,
                      launch->kernel, given);
        return status;
    }
    kernel->set = launch;
    return CT_OK;
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

enum ct_status ct_pipeline_enqueue(struct ct_pipeline *pipeline, uint32_t repeats,
                                   struct ct_event *first, struct ct_event *last,
                                   struct ct_err *err)
{
    size_t count = pipeline->plan->launch_count;
    uint64_t total = (uint64_t)repeats * count;

    for (uint64_t n = 0; n < total; n++) {
        size_t i = (size_t)(n % count);
        struct ct_event *event = n == 0 ? first : n == total - 1 ? last : NULL;
        enum ct_status status = command(pipeline, i, event, err);

        if (status) {
            ct_err_prefix(err, "launch %s", pipeline->plan->launches[i].name);
            return status;
        }
    }
    return CT_OK;
}

enum ct_status ct_pipeline_take(struct ct_pipeline *pipeline, uint32_t repeats,
                                struct ct_sample *sample, struct ct_err *err)
{
    struct ct_device *device = pipeline->session->device;
    struct ct_event first = {NULL};
    struct ct_event last = {NULL};
    uint64_t start_ns = 0;
    uint64_t end_ns = 0;
    uint64_t unused;
    uint64_t begin_ns = ct_clock_now_ns();
    enum ct_status status = ct_pipeline_enqueue(pipeline, repeats, &first, &last, err);
    /* Also after a refusal: what was accepted before must not run into what comes. */
    enum ct_status finished = ct_device_finish(device, status ? NULL : err);

    sample->repeats = repeats;
    sample->wall_ns = ct_clock_now_ns() - begin_ns;
    sample->event_ns = 0;
    if (!status)
        status = finished;
    if (!status && ct_event_times(device, first, &start_ns, &unused) &&
        ct_event_times(device, last.handle ? last : first, &unused, &end_ns) &&
        start_ns && end_ns > start_ns)
        sample->event_ns = end_ns - start_ns;
    ct_event_free(device, &first);
    ct_event_free(device, &last);
    return status;
}

void ct_pipeline_touch(struct ct_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->data->count; i++)
        pipeline->data->buffers[i].clean &= !pipeline->written[i];
}
