// SPDX-License-Identifier: Apache-2.0
// One evaluation inside a worker: build, data, first launch, check, measure.
#include "base/clock.h"
#include "measure/args.h"
#include "measure/dataset.h"
#include "measure/include.h"
#include "measure/sample.h"
#include "measure/session.h"
#include "measure/signature.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct evaluation {
    struct ct_session *session;
    const struct ct_plan *plan;
    const struct ct_request *request;
    struct ct_outcome *outcome;
    struct ct_dataset *data;
    struct ct_program **programs; /* as in the plan */
    struct ct_kernel **kernels;   /* one a launch: each keeps its own arguments */
    bool *written;                /* one a buffer: a launch may write it */
};

/* --- building --- */

/* Compiles one program from source.  Whoever compiles ahead in another process replaces
 * this by ct_program_load of what ct_program_binary gave there. */
static enum ct_step build_program(struct evaluation *ev, size_t index, struct ct_str *log,
                                  struct ct_err *err)
{
    const struct ct_plan_program *program = &ev->plan->programs[index];
    struct ct_str options;
    enum ct_status status;

    ct_str_init(&options);
    status = ct_include_options(program, &options, err);
    if (!status)
        status = ct_program_build(ev->session->device, program->source, options.data,
                                  &ev->programs[index], log, err);
    ct_str_release(&options);
    if (!status)
        return CT_STEP_DONE;
    return ct_session_device_failed(ev->session, ev->outcome, CT_RESULT_BUILD_FAILED,
                                    err);
}

static enum ct_step build(struct evaluation *ev, struct ct_err *err)
{
    struct ct_str log;
    enum ct_step step = CT_STEP_DONE;
    const char *copy;

    ct_session_phase(ev->session, CT_PHASE_BUILD, CT_CULPRIT_CONFIGURATION);
    ct_str_init(&log);
    for (size_t i = 0; step == CT_STEP_DONE && i < ev->plan->program_count; i++)
        step = build_program(ev, i, &log, err);
    copy = ct_arena_copy(&ev->outcome->arena, log.data,
                         log.length < CT_DEVICE_LOG_MAX ? log.length : CT_DEVICE_LOG_MAX);
    if (copy)
        ev->outcome->build_log = copy;
    ct_str_release(&log);
    return step;
}

/* --- kernels --- */

static enum ct_step no_such_kernel(struct evaluation *ev,
                                   const struct ct_plan_launch *launch,
                                   struct ct_err *err)
{
    struct ct_str names;

    ct_str_init(&names);
    ct_program_kernels(ev->programs[launch->program], &names, NULL);
    ct_err_set(err, CT_E_SPEC, "launch %s: %s has no kernel '%s'; it has: %s",
               launch->name, ev->plan->programs[launch->program].source_path,
               launch->kernel, names.length ? names.data : "none");
    ct_str_release(&names);
    return CT_STEP_ERROR;
}

static uint64_t local_arg_bytes(const struct ct_plan_launch *launch)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < launch->arg_count; i++)
        if (launch->args[i].kind == CT_ARG_LOCAL) {
            if (launch->args[i].local_bytes > UINT64_MAX - sum)
                return UINT64_MAX;
            sum += launch->args[i].local_bytes;
        }
    return sum;
}

/* Refuses work-groups that the device or the kernel cannot have. */
static enum ct_step check_group(struct evaluation *ev,
                                const struct ct_plan_launch *launch,
                                uint64_t kernel_limit)
{
    const struct ct_devinfo *info = ct_device_info(ev->session->device);
    int64_t device_limit = ct_devinfo_int(info, CT_DEVICE_MAX_WORK_GROUP_SIZE, INT64_MAX);
    uint64_t group = 1;

    for (uint32_t d = 0; d < launch->dims; d++) {
        int64_t items = ct_devinfo_int(
            info, (enum ct_devprop)(CT_DEVICE_MAX_WORK_ITEM_SIZES_0 + d), INT64_MAX);

        if (!launch->global[d])
            return ct_session_fail(ev->session, ev->outcome, CT_RESULT_INVALID,
                                   "launch %s: a global size of 0", launch->name);
        if (launch->local[d] > (uint64_t)items)
            return ct_session_fail(ev->session, ev->outcome, CT_RESULT_INVALID,
                                   "launch %s: a local size of %" PRIu64
                                   " in dimension %u is more than the device's %" PRId64,
                                   launch->name, launch->local[d], (unsigned)d, items);
        if (launch->local[d] && group > UINT64_MAX / launch->local[d])
            group = UINT64_MAX;
        else
            group *= launch->local[d];
    }
    if (group > (uint64_t)device_limit)
        return ct_session_fail(ev->session, ev->outcome, CT_RESULT_INVALID,
                               "launch %s: a work-group of %" PRIu64
                               " is larger than the device's %" PRId64,
                               launch->name, group, device_limit);
    if (kernel_limit && group > kernel_limit)
        return ct_session_fail(ev->session, ev->outcome, CT_RESULT_INVALID,
                               "launch %s: a work-group of %" PRIu64
                               " is larger than kernel %s allows (%" PRIu64 ")",
                               launch->name, group, launch->kernel, kernel_limit);
    return CT_STEP_DONE;
}

/* Drivers are not trusted to refuse what is too large: PoCL asserts. */
static enum ct_step check_limits(struct evaluation *ev, size_t index)
{
    const struct ct_plan_launch *launch = &ev->plan->launches[index];
    const struct ct_devinfo *info = ct_device_info(ev->session->device);
    int64_t room = ct_devinfo_int(info, CT_DEVICE_LOCAL_MEM_SIZE, INT64_MAX);
    struct ct_kernel_facts *facts = &ev->outcome->facts[index];
    uint64_t args_bytes = local_arg_bytes(launch);
    struct ct_kernel_limits limits;

    ct_kernel_limits(ev->kernels[index], &limits);
    if (args_bytes > UINT64_MAX - limits.local_mem_bytes)
        args_bytes = UINT64_MAX - limits.local_mem_bytes;
    *facts = (struct ct_kernel_facts){
        .work_group_size = limits.work_group_size,
        .local_mem_bytes = limits.local_mem_bytes + args_bytes,
        .private_mem_bytes = limits.private_mem_bytes,
        .preferred_multiple = limits.preferred_multiple,
    };
    if (facts->local_mem_bytes > (uint64_t)room)
        return ct_session_fail(ev->session, ev->outcome, CT_RESULT_INVALID,
                               "launch %s: %" PRIu64
                               " bytes of local memory are more than "
                               "the device's %" PRId64,
                               launch->name, facts->local_mem_bytes, room);
    return check_group(ev, launch, limits.work_group_size);
}

/* Creates the kernel of a launch and compares its arguments and limits. */
static enum ct_step prepare(struct evaluation *ev, size_t index, struct ct_err *err)
{
    const struct ct_plan_launch *launch = &ev->plan->launches[index];
    const struct ct_signature *signature;
    enum ct_status status = ct_kernel_new(ev->programs[launch->program], launch->kernel,
                                          &ev->kernels[index], err);

    if (status == CT_E_NOT_FOUND)
        return no_such_kernel(ev, launch, err);
    if (!status)
        status = ct_signature_check(ev->session, ev->plan, index, ev->kernels[index],
                                    &signature, err);
    if (status)
        return ct_session_device_failed(ev->session, ev->outcome, CT_RESULT_INVALID, err);
    for (size_t i = 0; i < launch->arg_count; i++)
        if (launch->args[i].kind == CT_ARG_BUFFER && !signature->is_const[i])
            ev->written[launch->args[i].buffer] = true;
    /* Before arguments are set: some drivers count local ones among the kernel's own. */
    return check_limits(ev, index);
}

static enum ct_step prepare_all(struct evaluation *ev, struct ct_err *err)
{
    size_t count = ev->plan->launch_count;
    enum ct_step step = CT_STEP_DONE;

    ev->outcome->facts =
        ct_arena_array(&ev->outcome->arena, count, sizeof(*ev->outcome->facts));
    if (!ev->outcome->facts) {
        ct_err_nomem(err);
        return CT_STEP_ERROR;
    }
    ev->outcome->fact_count = count;
    for (size_t i = 0; step == CT_STEP_DONE && i < count; i++)
        step = prepare(ev, i, err);
    return step;
}

/* --- running --- */

/* Enqueues the pipeline `repeats` times; events of the very first and very last launch
 * where asked for (the same one when there is only one). */
static enum ct_status enqueue(struct evaluation *ev, uint32_t repeats,
                              struct ct_event *first, struct ct_event *last,
                              struct ct_err *err)
{
    size_t count = ev->plan->launch_count;
    uint64_t total = (uint64_t)repeats * count;

    for (uint64_t n = 0; n < total; n++) {
        size_t i = (size_t)(n % count);
        const struct ct_plan_launch *launch = &ev->plan->launches[i];
        struct ct_event *event = n == 0 ? first : n == total - 1 ? last : NULL;
        enum ct_status status =
            ct_kernel_launch(ev->kernels[i], launch->dims, launch->global,
                             launch->local[0] ? launch->local : NULL, event, err);

        if (status) {
            ct_err_prefix(err, "launch %s", launch->name);
            return status;
        }
    }
    return CT_OK;
}

/* One sample: `repeats` pipelines behind one clFinish. */
static enum ct_status take(struct evaluation *ev, uint32_t repeats,
                           struct ct_sample *sample, struct ct_err *err)
{
    struct ct_device *device = ev->session->device;
    struct ct_event first = {NULL};
    struct ct_event last = {NULL};
    uint64_t start_ns = 0;
    uint64_t end_ns = 0;
    uint64_t unused;
    uint64_t begin_ns = ct_clock_now_ns();
    enum ct_status status = enqueue(ev, repeats, &first, &last, err);
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

static enum ct_status set_arg(struct evaluation *ev, size_t index, size_t i,
                              struct ct_err *err)
{
    const struct ct_plan_arg *arg = &ev->plan->launches[index].args[i];
    struct ct_kernel *kernel = ev->kernels[index];

    switch (arg->kind) {
    case CT_ARG_BUFFER:
        return ct_kernel_set_buffer(kernel, i, ev->data->buffers[arg->buffer].device,
                                    err);
    case CT_ARG_SCALAR:
        return ct_kernel_set_value(kernel, i, arg->bytes, ct_type_size(arg->type), err);
    default:
        return ct_kernel_set_local(kernel, i, (size_t)arg->local_bytes, err);
    }
}

static enum ct_step set_args(struct evaluation *ev, struct ct_err *err)
{
    for (size_t index = 0; index < ev->plan->launch_count; index++) {
        const struct ct_plan_launch *launch = &ev->plan->launches[index];

        for (size_t i = 0; i < launch->arg_count; i++) {
            char given[300];

            if (set_arg(ev, index, i, err) == CT_OK)
                continue;
            /* Types were compared where the device tells them; here it says no itself. */
            ct_args_name(ev->plan, &launch->args[i], given, sizeof(given));
            ct_err_prefix(err, "launch %s: argument %zu of kernel %s, given as %s",
                          launch->name, i + 1, launch->kernel, given);
            return ct_session_device_failed(ev->session, ev->outcome, CT_RESULT_INVALID,
                                            err);
        }
    }
    return CT_STEP_DONE;
}

/* Fresh data; the session is in CT_PHASE_DATA. */
static enum ct_step restore(struct evaluation *ev, struct ct_err *err)
{
    enum ct_status status = ct_dataset_restore(ev->data, err);

    if (!status)
        status = ct_device_finish(ev->session->device, err);
    if (status)
        return ct_session_device_failed(ev->session, ev->outcome, CT_RESULT_INVALID, err);
    return CT_STEP_DONE;
}

/* The first launch, on fresh data. */
static enum ct_step first_launch(struct evaluation *ev, struct ct_err *err)
{
    struct ct_sample thrown_away;
    enum ct_step step;

    ct_session_phase(ev->session, CT_PHASE_FIRST, CT_CULPRIT_CONFIGURATION);
    step = set_args(ev, err);
    if (step != CT_STEP_DONE)
        return step;
    for (size_t i = 0; i < ev->data->count; i++)
        ev->data->buffers[i].clean &= !ev->written[i];
    if (take(ev, 1, &thrown_away, err))
        return ct_session_device_failed(ev->session, ev->outcome, CT_RESULT_INVALID, err);
    return CT_STEP_DONE;
}

/* --- checking --- */

/* The index, in scalars, of a hit behind the buffer; 0 for one before it. */
static uint64_t hit_element(const struct ct_plan_buffer *buffer,
                            const struct ct_guard_hit *hit)
{
    if (hit->before)
        return 0;
    return (buffer->count * ct_type_size(buffer->type) + hit->offset_bytes) /
           ct_scalar_size(buffer->type.scalar);
}

static enum ct_step check_guards(struct evaluation *ev, struct ct_err *err)
{
    for (size_t i = 0; i < ev->data->count; i++) {
        struct ct_guard_hit hit = {0};
        bool intact;

        if (ct_buffer_guard_check(ev->data->buffers[i].device, &intact, &hit, err))
            return ct_session_device_failed(ev->session, ev->outcome, CT_RESULT_INVALID,
                                            err);
        if (intact)
            continue;
        ev->outcome->mismatch = (struct ct_mismatch){
            .buffer = (uint32_t)i,
            .element = hit_element(&ev->plan->buffers[i], &hit),
            .wrong_count = 1,
            .guard = true,
        };
        return ct_session_fail(ev->session, ev->outcome, CT_RESULT_WRONG,
                               "a write outside buffer %s, %" PRIu64 " bytes %s it",
                               ev->plan->buffers[i].name, hit.offset_bytes,
                               hit.before ? "before" : "behind the end of");
    }
    return CT_STEP_DONE;
}

static enum ct_step compare(struct evaluation *ev, struct ct_err *err)
{
    for (size_t i = 0; i < ev->data->count; i++) {
        struct ct_dataset_buffer *buffer = &ev->data->buffers[i];
        struct ct_mismatch mismatch = {0};

        if (!buffer->expected)
            continue;
        if (ct_buffer_read(buffer->device, ev->data->scratch, err))
            return ct_session_device_failed(ev->session, ev->outcome, CT_RESULT_INVALID,
                                            err);
        ev->outcome->verified = true;
        if (!ct_dataset_right(ev->data, ev->plan, i, ev->data->scratch, &mismatch))
            return ct_dataset_wrong(ev->session, ev->plan, &mismatch, ev->outcome);
    }
    return CT_STEP_DONE;
}

static enum ct_step check(struct evaluation *ev, struct ct_err *err)
{
    enum ct_step step;

    ct_session_phase(ev->session, CT_PHASE_CHECK, CT_CULPRIT_CONFIGURATION);
    step = check_guards(ev, err);
    if (step != CT_STEP_DONE)
        return step;
    return compare(ev, err);
}

/* First launch and check.  Buffers that kernels only read are not restored every time; a
 * wrong result counts only if they really were as they should be. */
static enum ct_step run_checked(struct evaluation *ev, struct ct_err *err)
{
    enum ct_step step = restore(ev, err);
    bool intact = true;

    if (step == CT_STEP_DONE)
        step = first_launch(ev, err);
    if (step == CT_STEP_DONE)
        step = check(ev, err);
    if (step != CT_STEP_FAILED || ev->outcome->status != CT_RESULT_WRONG ||
        ev->outcome->mismatch.guard)
        return step;
    if (ct_dataset_intact(ev->data, &intact, err))
        return ct_session_device_failed(ev->session, ev->outcome, CT_RESULT_INVALID, err);
    if (intact)
        return step;
    ev->outcome->status = CT_RESULT_OK;
    ev->outcome->message = "";
    memset(&ev->outcome->mismatch, 0, sizeof(ev->outcome->mismatch));
    ct_session_phase(ev->session, CT_PHASE_DATA, CT_CULPRIT_NONE);
    step = restore(ev, err);
    if (step == CT_STEP_DONE)
        step = first_launch(ev, err);
    return step == CT_STEP_DONE ? check(ev, err) : step;
}

/* --- measuring --- */

/* Samples until the sampler has enough. */
static enum ct_status sample(struct evaluation *ev, struct ct_sampler *sampler,
                             struct ct_err *err)
{
    struct ct_session *session = ev->session;
    uint64_t patience_ns = ev->request->measure_deadline_ns / 2;
    uint32_t repeats;

    /* Announcements wake the main process: not oftener than ten times a second, unless
     * the deadline is shorter than that. */
    if (patience_ns > 100000000)
        patience_ns = 100000000;
    while ((repeats = ct_sampler_next(sampler)) > 0) {
        struct ct_sample taken;
        enum ct_status status;

        if (ct_clock_now_ns() - session->announced_ns + ct_sampler_next_ns(sampler) >
            patience_ns)
            ct_session_alive(session, CT_CULPRIT_CONFIGURATION);
        status = take(ev, repeats, &taken, err);
        if (!status)
            status = ct_sampler_add(sampler, &taken, err);
        if (status)
            return status;
    }
    return CT_OK;
}

static enum ct_step measure(struct evaluation *ev, struct ct_err *err)
{
    struct ct_sampler sampler;
    struct ct_sample warm;
    enum ct_status status;

    ct_session_phase(ev->session, CT_PHASE_MEASURE, CT_CULPRIT_CONFIGURATION);
    status = take(ev, 1, &warm, err);
    if (!status) {
        ct_sampler_init(&sampler, ev->request->samples, ev->request->leader_ns,
                        warm.wall_ns);
        status = sample(ev, &sampler, err);
        if (!status)
            status = ct_sampler_finish(&sampler, ev->outcome, err);
        ct_sampler_release(&sampler);
    }
    if (status)
        return ct_session_device_failed(ev->session, ev->outcome, CT_RESULT_INVALID, err);
    return CT_STEP_DONE;
}

/* --- the whole --- */

static enum ct_step evaluate(struct evaluation *ev, struct ct_err *err)
{
    const struct ct_plan *plan = ev->plan;
    enum ct_step step;

    ev->programs = ct_mem_array(plan->program_count, sizeof(*ev->programs));
    ev->kernels = ct_mem_array(plan->launch_count, sizeof(*ev->kernels));
    ev->written = ct_mem_array(plan->buffer_count, sizeof(*ev->written));
    if (!ev->programs || !ev->kernels || !ev->written) {
        ct_err_nomem(err);
        return CT_STEP_ERROR;
    }
    if (!plan->launch_count) {
        ct_err_set(err, CT_E_SPEC, "there is no launch");
        return CT_STEP_ERROR;
    }
    /* Building first: what the compiler refuses needs no data, and a wrong argument list
     * is better reported against the kernel than by the reference's compiler. */
    step = build(ev, err);
    if (step == CT_STEP_DONE)
        step = prepare_all(ev, err);
    if (step == CT_STEP_DONE) {
        ct_session_phase(ev->session, CT_PHASE_DATA, CT_CULPRIT_NONE);
        step = ct_dataset_get(ev->session, plan, ev->request->seed, &ev->data,
                              ev->outcome, err);
    }
    if (step == CT_STEP_DONE)
        step = run_checked(ev, err);
    if (step == CT_STEP_DONE)
        step = measure(ev, err);
    return step;
}

enum ct_status ct_session_evaluate(struct ct_session *session, const struct ct_plan *plan,
                                   const struct ct_request *request,
                                   struct ct_outcome *outcome, struct ct_err *err)
{
    struct evaluation ev = {
        .session = session, .plan = plan, .request = request, .outcome = outcome};
    enum ct_step step;

    outcome->message = "";
    outcome->build_log = "";
    ct_session_start(session, CT_PHASE_BUILD);
    step = evaluate(&ev, err);
    for (size_t i = 0; ev.kernels && i < plan->launch_count; i++)
        ct_kernel_free(ev.kernels[i]);
    for (size_t i = 0; ev.programs && i < plan->program_count; i++)
        ct_program_free(ev.programs[i]);
    free(ev.kernels);
    free(ev.programs);
    free(ev.written);
    ct_session_book(session);
    memcpy(outcome->spent_ns, session->spent_ns, sizeof(outcome->spent_ns));
    return step == CT_STEP_ERROR ? err->code : CT_OK;
}
