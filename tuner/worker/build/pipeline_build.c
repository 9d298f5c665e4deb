// SPDX-License-Identifier: Apache-2.0
// Builds a pipeline: programs, kernels, limits, requirements.
#include "plan/launch_limits.h"
#include "worker/build/facts_log.h"
#include "worker/build/pipeline.h"
#include "worker/build/require.h"
#include "worker/build/signature.h"
#include "worker/build/kept_programs.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- programs --- */

/* PoCL compiles a temporary file, and names it in its messages: in the log from `from` on,
 * "/.../tempfile_AbCd12.cl" is replaced by the user's file. */
static void name_source(struct ct_str *log, size_t from, const char *path)
{
    static const char stem[] = "/tempfile_";
    enum { STEM = sizeof(stem) - 1, RANDOM = 6, SUFFIX = 3 };
    struct ct_str renamed;
    const char *begin = log->data + from;
    const char *found;

    ct_str_init(&renamed);
    ct_str_add(&renamed, log->data, from);
    while ((found = strstr(begin, stem))) {
        const char *end = found + STEM + strnlen(found + STEM, RANDOM);

        if (strncmp(end, ".cl", SUFFIX) != 0) {
            ct_str_add(&renamed, begin, (size_t)(end - begin));
            begin = end;
            continue;
        }
        while (found > begin && !isspace((unsigned char)found[-1]))
            found--;
        ct_str_add(&renamed, begin, (size_t)(found - begin));
        ct_str_puts(&renamed, path);
        begin = end + SUFFIX;
    }
    ct_str_puts(&renamed, begin);
    /* A log is not worth a failure: without memory it stays unchanged. */
    if (renamed.failed) {
        ct_str_release(&renamed);
        return;
    }
    ct_str_release(log);
    *log = renamed;
}

static enum ct_status try_build(struct ct_pipeline *p, size_t index,
                                const struct ct_compile *compile, struct ct_str *log,
                                struct ct_err *err)
{
    if (p->maker)
        return p->maker->make(p->maker->data, p, index, compile, log, err);
    return ct_program_build(p->session->device, compile->source.data,
                            compile->options.data, &p->programs[index], log, err);
}

/* Some compilers (VC4C) fail now and then: a refused program is compiled once more, until that has
 * never helped this many times. */
enum { REBUILDS_IN_VAIN = 4 };

static enum ct_status build_twice(struct ct_pipeline *p, size_t index,
                                  const struct ct_compile *compile, struct ct_str *log,
                                  struct ct_err *err)
{
    struct ct_session *session = p->session;
    size_t from = log->length;
    struct ct_err first = CT_ERR_INIT;
    enum ct_status status = try_build(p, index, compile, log, &first);

    if (status == CT_E_DEVICE &&
        ct_device_failure_of(session->device) == CT_DEVICE_REFUSED &&
        !p->programs[index] &&
        (session->rebuilds.helped || session->rebuilds.count < REBUILDS_IN_VAIN)) {
        if (log->length > from) {
            log->length = from;
            log->data[from] = '\0';
        }
        session->rebuilds.count++;
        ct_session_alive(session, CT_CULPRIT_CONFIGURATION);
        status = try_build(p, index, compile, log, &first);
        session->rebuilds.helped |= !status;
    }
    if (status && err)
        *err = first;
    return status;
}

static enum ct_step build_program(struct ct_pipeline *p, size_t index, struct ct_str *log,
                                  struct ct_err *err)
{
    const struct ct_plan_program *program = &p->plan->programs[index];
    const struct ct_devinfo *info = ct_device_info(p->session->device);
    size_t from = log->length;
    bool facts =
        strstr(ct_devinfo_text(info, CT_DEVICE_EXTENSIONS), CT_FACTS_NV_EXTENSION);
    struct ct_compile compile;
    enum ct_status status = ct_compile_init(
        &compile, program, facts ? CT_FACTS_NV_OPTION : "", p->session->texts, err);

    if (!status)
        status = build_twice(p, index, &compile, log, err);
    ct_compile_release(&compile);
    if (log->length > from)
        name_source(log, from, program->source_path);
    p->log_ends[index] = log->length;
    if (!status)
        return CT_STEP_DONE;
    return ct_session_device_failed(p->session, p->outcome, CT_RESULT_BUILD_FAILED, err);
}

static enum ct_step build_programs(struct ct_pipeline *p, struct ct_str *log,
                                   struct ct_err *err)
{
    enum ct_step step = CT_STEP_DONE;
    const char *copy;

    for (size_t i = 0; step == CT_STEP_DONE && i < p->plan->program_count; i++)
        step = build_program(p, i, log, err);
    copy =
        ct_arena_copy(&p->outcome->arena, log->data,
                      log->length < CT_DEVICE_LOG_MAX ? log->length : CT_DEVICE_LOG_MAX);
    if (copy)
        p->outcome->build_log = copy;
    return step;
}

/* --- kernels --- */

static enum ct_step no_such_kernel(struct ct_pipeline *p,
                                   const struct ct_plan_launch *launch,
                                   struct ct_err *err)
{
    struct ct_str names;

    ct_str_init(&names);
    ct_program_kernels(p->programs[launch->program], &names, NULL);
    ct_err_set(err, CT_E_SPEC, "launch %s: %s has no kernel '%s'; it has: %s",
               launch->name, p->plan->programs[launch->program].source_path,
               launch->kernel, names.length ? names.data : "none");
    ct_str_release(&names);
    return CT_STEP_ERROR;
}

/* Reads the compiler's facts about the kernel from its own program's part of the log. */
static void read_log(const struct ct_pipeline *p, struct ct_pipeline_kernel *kernel,
                     const struct ct_str *log)
{
    size_t from = kernel->program ? p->log_ends[kernel->program - 1] : 0;
    size_t length = p->log_ends[kernel->program] - from;
    char *part = length ? ct_mem_copy(log->data + from, length) : NULL;
    struct ct_facts_log facts;

    if (!part)
        return;
    facts = ct_facts_log_read(part, kernel->name);
    kernel->registers = facts.registers;
    kernel->spill_bytes = facts.spill_bytes;
    free(part);
}

/* Finds or creates the kernel of a launch. */
static enum ct_step find_kernel(struct ct_pipeline *p, size_t index,
                                const struct ct_str *log, struct ct_err *err)
{
    const struct ct_plan_launch *launch = &p->plan->launches[index];
    struct ct_pipeline_kernel *kernel;
    enum ct_status status;

    for (size_t i = 0; i < p->kernel_count; i++) {
        if (p->kernels[i].program == launch->program &&
            !strcmp(p->kernels[i].name, launch->kernel)) {
            p->kernel_of[index] = (uint32_t)i;
            return CT_STEP_DONE;
        }
    }
    if (!ct_mem_grow(&p->kernels, &p->kernel_capacity, p->kernel_count + 1,
                     sizeof(*p->kernels))) {
        ct_err_nomem(err);
        return CT_STEP_ERROR;
    }
    kernel = &p->kernels[p->kernel_count];
    kernel->program = launch->program;
    kernel->name = launch->kernel;
    status =
        ct_kernel_new(p->programs[launch->program], launch->kernel, &kernel->kernel, err);
    if (status == CT_E_NOT_FOUND)
        return no_such_kernel(p, launch, err);
    if (status)
        return ct_session_device_failed(p->session, p->outcome, CT_RESULT_INVALID, err);
    p->kernel_of[index] = (uint32_t)p->kernel_count++;
    /* Before arguments are set: some drivers count local ones as the kernel's own. */
    ct_kernel_limits_get(kernel->kernel, &kernel->limits);
    read_log(p, kernel, log);
    return CT_STEP_DONE;
}

/* --- arguments --- */

/* Whether two launches of one kernel have arguments of the same kinds. */
static bool same_kinds(const struct ct_plan *plan, const struct ct_plan_launch *a,
                       const struct ct_plan_launch *b)
{
    if (a->arg_count != b->arg_count)
        return false;
    for (size_t i = 0; i < a->arg_count; i++) {
        const struct ct_plan_arg *x = &a->args[i];
        const struct ct_plan_arg *y = &b->args[i];

        if (x->kind != y->kind ||
            (x->kind == CT_ARG_SCALAR &&
             (x->type.scalar != y->type.scalar || x->type.width != y->type.width)) ||
            (x->kind == CT_ARG_BYTES && x->data_bytes != y->data_bytes) ||
            (x->kind == CT_ARG_BUFFER &&
             plan->buffers[x->buffer].image.dims != plan->buffers[y->buffer].image.dims))
            return false;
    }
    return true;
}

/* Compares given with declared arguments, and notes which buffers may be written. */
static enum ct_step check_args(struct ct_pipeline *p, size_t index, struct ct_err *err)
{
    const struct ct_plan_launch *launch = &p->plan->launches[index];
    struct ct_pipeline_kernel *kernel = &p->kernels[p->kernel_of[index]];
    const struct ct_signature *signature;

    if (!kernel->checked || !same_kinds(p->plan, kernel->checked, launch)) {
        if (ct_signature_check(p->session, p->plan, index, kernel->kernel, &signature,
                               err))
            return ct_session_device_failed(p->session, p->outcome, CT_RESULT_INVALID,
                                            err);
        kernel->is_const = signature->is_const;
    }
    for (size_t i = 0; i < launch->arg_count; i++)
        if (launch->args[i].kind == CT_ARG_BUFFER && !kernel->is_const[i])
            p->written[launch->args[i].buffer] = true;
    return CT_STEP_DONE;
}

/* --- limits --- */

/* Drivers cannot be relied on to refuse excessive sizes: PoCL asserts. */
static enum ct_step check_limits(struct ct_pipeline *p, size_t index)
{
    const struct ct_plan_launch *launch = &p->plan->launches[index];
    const struct ct_pipeline_kernel *kernel = &p->kernels[p->kernel_of[index]];
    const struct ct_launch_limits limits = {kernel->limits.work_group_size,
                                            kernel->limits.local_mem_bytes};
    struct ct_kernel_facts *facts = &p->outcome->facts[index];
    uint64_t args_bytes = ct_launch_local_bytes(launch);
    enum ct_step step = CT_STEP_DONE;
    struct ct_str why;

    if (args_bytes > UINT64_MAX - kernel->limits.local_mem_bytes)
        args_bytes = UINT64_MAX - kernel->limits.local_mem_bytes;
    *facts = (struct ct_kernel_facts){
        .work_group_size = kernel->limits.work_group_size,
        .local_mem_bytes = kernel->limits.local_mem_bytes + args_bytes,
        .private_mem_bytes = kernel->limits.private_mem_bytes,
        .preferred_multiple = kernel->limits.preferred_multiple,
        .registers = kernel->registers,
        .spill_bytes = kernel->spill_bytes,
    };
    ct_str_init(&why);
    if (ct_launch_refused(launch, ct_device_info(p->session->device), &limits, &why))
        step = ct_session_fail(p->session, p->outcome, CT_RESULT_INVALID, "%s", why.data);
    ct_str_release(&why);
    return step;
}

/* Passes of a loop have the same requirement: it is evaluated once. */
static bool asked_before(const struct ct_pipeline *p, const struct ct_plan_launch *launch,
                         const struct ct_plan_launch *before)
{
    return before && before->require && !strcmp(before->require, launch->require) &&
           p->outcome->facts[before - p->plan->launches].local_mem_bytes ==
               p->outcome->facts[launch - p->plan->launches].local_mem_bytes;
}

static enum ct_step check_require(struct ct_pipeline *p, size_t index, struct ct_err *err)
{
    const struct ct_plan_launch *launch = &p->plan->launches[index];
    struct ct_pipeline_kernel *kernel = &p->kernels[p->kernel_of[index]];
    const struct ct_plan_launch *before = kernel->checked;
    struct ct_str why;
    enum ct_step step = CT_STEP_DONE;
    bool met = true;

    kernel->checked = launch;
    if (!launch->require || asked_before(p, launch, before))
        return CT_STEP_DONE;
    ct_str_init(&why);
    if (ct_require_met(launch->require, &p->outcome->facts[index], &met, &why, err)) {
        ct_err_prefix(err, "launch %s", launch->name);
        step = CT_STEP_ERROR;
    } else if (!met) {
        step = ct_session_fail(p->session, p->outcome, CT_RESULT_SKIPPED, "launch %s: %s",
                               launch->name, why.data);
    }
    ct_str_release(&why);
    return step;
}

/* --- interface --- */

static enum ct_step prepare_program(struct ct_pipeline *p, size_t index,
                                    const struct ct_str *log, struct ct_err *err)
{
    const struct ct_plan_launch *launch = &p->plan->launches[index];
    enum ct_step step;

    if (launch->kind != CT_LAUNCH_KERNEL) {
        p->written[launch->to] = true;
        return CT_STEP_DONE;
    }
    step = find_kernel(p, index, log, err);
    if (step == CT_STEP_DONE)
        step = check_args(p, index, err);
    if (step == CT_STEP_DONE)
        step = check_limits(p, index);
    if (step == CT_STEP_DONE)
        step = check_require(p, index, err);
    return step;
}

enum ct_step ct_pipeline_build(struct ct_pipeline *pipeline, struct ct_session *session,
                               const struct ct_plan *plan,
                               const struct ct_program_maker *maker,
                               struct ct_outcome *outcome, struct ct_err *err)
{
    struct ct_str log;
    enum ct_step step;

    memset(pipeline, 0, sizeof(*pipeline));
    pipeline->session = session;
    pipeline->plan = plan;
    pipeline->maker = maker;
    pipeline->outcome = outcome;
    if (!plan->launch_count) {
        ct_err_set(err, CT_E_SPEC, "there is nothing to launch");
        return CT_STEP_ERROR;
    }
    pipeline->programs = ct_mem_array(plan->program_count, sizeof(*pipeline->programs));
    pipeline->log_ends = ct_mem_array(plan->program_count, sizeof(*pipeline->log_ends));
    pipeline->kernel_of = ct_mem_array(plan->launch_count, sizeof(*pipeline->kernel_of));
    pipeline->written = ct_mem_array(plan->buffer_count, sizeof(*pipeline->written));
    outcome->facts =
        ct_arena_array(&outcome->arena, plan->launch_count, sizeof(*outcome->facts));
    if (!pipeline->programs || !pipeline->log_ends || !pipeline->kernel_of ||
        !pipeline->written || !outcome->facts) {
        ct_err_nomem(err);
        return CT_STEP_ERROR;
    }
    if (!ct_objects_begin(&pipeline->objects, session->driver_cache, plan))
        ct_kept_programs_forget(session);
    ct_str_init(&log);
    step = build_programs(pipeline, &log, err);
    if (step == CT_STEP_DONE)
        outcome->fact_count = plan->launch_count;
    for (size_t i = 0; step == CT_STEP_DONE && i < plan->launch_count; i++)
        step = prepare_program(pipeline, i, &log, err);
    ct_str_release(&log);
    return step;
}

void ct_pipeline_release(struct ct_pipeline *pipeline)
{
    ct_objects_end(&pipeline->objects);
    for (size_t i = 0; i < pipeline->kernel_count; i++)
        ct_kernel_free(pipeline->kernels[i].kernel);
    for (size_t i = 0; pipeline->programs && i < pipeline->plan->program_count; i++)
        ct_program_free(pipeline->programs[i]);
    for (size_t i = 0; i < CT_PIPELINE_SAMPLERS; i++)
        ct_texture_sampler_free(pipeline->samplers[i]);
    free(pipeline->kernels);
    free(pipeline->programs);
    free(pipeline->log_ends);
    free(pipeline->kernel_of);
    free(pipeline->written);
    memset(pipeline, 0, sizeof(*pipeline));
}
