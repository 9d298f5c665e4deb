// SPDX-License-Identifier: Apache-2.0
// Plans a configuration: top level, references, host functions, environment.
#include "plan/binding_plan.h"

#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- which configuration is wrong --- */

enum { PARAMS_NAMED = 8 };

static void mark_last(const struct ct_planner *p, bool *marked)
{
    const struct ct_spec *spec = p->binding->spec;

    for (size_t i = 0; p->last && i < p->last->slot_count; i++)
        marked[p->last->slots[i]] = true;
    for (size_t i = 0; p->last_text && i < p->last_text->piece_count; i++)
        if (p->last_text->pieces[i].slot >= 0)
            marked[p->last_text->pieces[i].slot] = true;
    for (size_t i = 0; p->about_all && i < spec->param_count; i++)
        marked[spec->params[i].slot] = true;
}

/* Adds the parameters that an error depends on to its message: " (with WG=0)". */
static void name_configuration(struct ct_planner *p)
{
    const struct ct_spec *spec = p->binding->spec;
    bool *marked = ct_mem_array(spec->slots.count, sizeof(*marked));
    size_t named = 0;
    struct ct_str text;

    if (!marked || p->status != CT_E_SPEC || !p->err) {
        free(marked);
        return;
    }
    mark_last(p, marked);
    ct_binding_mark_uses(p->binding, marked);
    ct_str_init(&text);
    for (size_t i = 0; i < spec->param_count && named <= PARAMS_NAMED; i++) {
        if (!marked[spec->params[i].slot] || !ct_binding_active(p->binding, i, p->env))
            continue;
        if (named++ == PARAMS_NAMED) {
            ct_str_puts(&text, " ...");
            break;
        }
        ct_str_addf(&text, "%s%s=", named == 1 ? " (with " : " ",
                    spec->slots.symbols[spec->params[i].slot].name);
        ct_value_print(&text, p->values[i]);
    }
    if (named && !text.failed) {
        size_t length = strlen(p->err->message);

        snprintf(p->err->message + length, sizeof(p->err->message) - length, "%s)",
                 text.data);
    }
    ct_str_release(&text);
    free(marked);
}

/* The planner of a reference is done: its error is about its own values. */
static void take_status(struct ct_planner *p, struct ct_planner *other)
{
    name_configuration(other);
    p->status = other->status;
    p->last = NULL;
    p->last_text = NULL;
}

/* --- host functions --- */

static void plan_host(struct ct_planner *p, const struct ct_spec_host *from,
                      struct ct_plan_host *host)
{
    const char *written = from->present ? ct_planner_fill(p, &from->c) : NULL;
    char why[CT_FILE_WHY_SIZE];
    int error;

    host->c_path = written ? ct_planner_path(p, &from->c) : NULL;
    if (!host->c_path)
        return;
    error = ct_source_hash_file(p->cache, host->c_path, CT_FILE_HOST_MAX, &host->c_hash);
    if (error) {
        CT_PLANNER_FAIL(p, from->c.place, "cannot read '%s': %s", written,
                        ct_file_why(why, error, CT_FILE_HOST_MAX));
        return;
    }
    host->function = from->function;
    host->libs = from->libs;
    ct_planner_args(p, from->args, from->arg_count, false, &host->args, &host->arg_count);
}

/* --- the reference as another plan --- */

/* A planner of the same file for other values; false after noting that memory is short. */
static bool other_planner(struct ct_planner *p, const struct ct_value *values,
                          struct ct_planner *other)
{
    const struct ct_spec *spec = p->binding->spec;

    *other = *p;
    other->last = NULL;
    other->last_text = NULL;
    other->values = values;
    other->env = ct_planner_alloc(p, spec->slots.count, sizeof(*other->env));
    other->buffer_now =
        ct_planner_alloc(p, spec->buffer_count, sizeof(*other->buffer_now));
    other->in_launch = ct_planner_alloc(p, spec->buffer_count, sizeof(*other->in_launch));
    other->replaced = ct_planner_alloc(p, spec->param_count, sizeof(*other->replaced));
    if (p->status)
        return false;
    for (size_t i = 0; i < spec->buffer_count; i++)
        other->buffer_now[i] = (uint32_t)i;
    ct_binding_evaluate_values(p->binding, values, other->env);
    return true;
}

/* The values of `config`: the default's for parameters it does not name. */
static struct ct_value *reference_values(struct ct_planner *p)
{
    const struct ct_spec *spec = p->binding->spec;
    const struct ct_spec_reference *from = &spec->reference;
    struct ct_value *values = ct_planner_alloc(p, spec->param_count, sizeof(*values));
    struct ct_setting *settings =
        ct_planner_alloc(p, from->setting_count, sizeof(*settings));
    struct ct_err why = CT_ERR_INIT;

    if (p->status)
        return NULL;
    for (size_t i = 0; i < from->setting_count; i++)
        settings[i] = (struct ct_setting){from->settings[i].name, from->settings[i].text};
    p->status = ct_binding_start(p->binding, values, p->err);
    if (!p->status &&
        ct_binding_parse(p->binding, settings, from->setting_count, values, &why))
        CT_PLANNER_FAIL(p, from->config_place, "%s", why.message);
    return p->status ? NULL : values;
}

/* If the outputs are compared, the reference must have the same buffers and sizes. */
static void check_reference_sizes(struct ct_planner *p, const struct ct_planner *by,
                                  const struct ct_plan *plan)
{
    const struct ct_spec_reference *from = &p->binding->spec->reference;
    struct ct_place place = from->launch_count ? from->place : from->config_place;

    for (size_t i = 0; !p->status && i < plan->buffer_count; i++) {
        const struct ct_plan_buffer *buffer = &plan->buffers[i];
        const struct ct_plan_buffer *other = &plan->reference_plan->buffers[i];

        if (buffer->check == CT_CHECK_NONE || buffer->has_expect)
            continue;
        if (!by->in_launch[i]) {
            CT_PLANNER_FAIL(
                p, place,
                "buffer '%s' is checked, but no launch of the reference has it as an "
                "argument, so its expected contents are unknown",
                buffer->name);
            return;
        }
        if (buffer->reduce)
            continue;
        p->last = p->binding->spec->buffers[i].compare;
        if (!p->last)
            p->last = p->binding->spec->buffers[i].count;
        if (other->count < buffer->compare)
            CT_PLANNER_FAIL(p, place,
                            "the reference's buffer '%s' has %llu elements, but "
                            "%llu are compared: set 'compare' or 'fold'",
                            buffer->name, (unsigned long long)other->count,
                            (unsigned long long)buffer->compare);
    }
}

static void plan_config(struct ct_planner *p, struct ct_plan *plan)
{
    struct ct_value *values = reference_values(p);
    struct ct_planner other;

    if (!values || !other_planner(p, values, &other))
        return;
    ct_planner_launches(&other, plan->reference_plan);
    if (!other.status)
        ct_planner_buffers(&other, plan->reference_plan);
    take_status(p, &other);
    if (!p->status)
        check_reference_sizes(p, &other, plan);
}

/* On a device without images an image that no launch uses is just memory: a configuration that
 * avoids it works. */
static void drop_images(struct ct_planner *p, struct ct_plan *plan)
{
    for (size_t i = 0; ct_planner_lacks_images(p) && i < plan->buffer_count; i++)
        if (!p->in_launch[i])
            plan->buffers[i].image = (struct ct_plan_image){0};
}

/* A buffer that no launch of this configuration uses cannot be judged. */
static void drop_checks(struct ct_planner *p, struct ct_plan *plan)
{
    for (size_t i = 0; i < plan->buffer_count; i++) {
        struct ct_plan_buffer *buffer = &plan->buffers[i];

        if (p->in_launch[i])
            continue;
        buffer->check = CT_CHECK_NONE;
        buffer->tolerance = 0;
        buffer->compare = buffer->count;
        buffer->reduce = CT_REDUCE_NONE;
        buffer->has_expect = false;
        buffer->expect = (struct ct_fill){0};
    }
}

/* The values that reference kernels see: those of the tested configuration for the parameters that
 * they use, of the default for all others.  So configurations that differ in other parameters share
 * one run of the reference. */
static struct ct_value *kernel_values(struct ct_planner *p)
{
    const struct ct_spec *spec = p->binding->spec;
    struct ct_value *values = ct_planner_alloc(p, spec->param_count, sizeof(*values));
    bool *uses = ct_planner_alloc(p, spec->slots.count, sizeof(*uses));

    if (!p->status)
        p->status = ct_binding_start(p->binding, values, p->err);
    if (p->status)
        return NULL;
    memcpy(uses, spec->reference.uses, spec->slots.count * sizeof(*uses));
    ct_binding_mark_uses(p->binding, uses);
    for (size_t i = 0; i < spec->param_count; i++)
        if (uses[spec->params[i].slot])
            values[i] = p->values[i];
    return values;
}

/* Kernels of its own, one after the other; buffers have the sizes and planes of the values that the
 * kernels see. */
static void plan_kernels(struct ct_planner *p, struct ct_plan *plan)
{
    const struct ct_spec_reference *from = &p->binding->spec->reference;
    struct ct_plan *reference = plan->reference_plan;
    struct ct_value *values = kernel_values(p);
    struct ct_planner other;

    if (!values || !other_planner(p, values, &other))
        return;
    reference->programs =
        ct_planner_alloc(&other, from->launch_count, sizeof(*reference->programs));
    reference->launches =
        ct_planner_alloc(&other, from->launch_count, sizeof(*reference->launches));
    for (size_t i = 0; !other.status && i < from->launch_count; i++) {
        ct_planner_reference_program(&other, &from->launches[i].program,
                                     &reference->programs[i]);
        if (!other.status)
            ct_planner_kernel(&other, &from->launches[i], &reference->launches[i]);
        reference->launches[i].program = (uint32_t)i;
        reference->program_count = reference->launch_count = i + 1;
    }
    if (!other.status)
        ct_planner_buffers(&other, reference);
    if (!other.status)
        drop_images(&other, reference);
    take_status(p, &other);
    if (!p->status)
        check_reference_sizes(p, &other, plan);
}

static void plan_reference(struct ct_planner *p, struct ct_plan *plan)
{
    const struct ct_spec_reference *from = &p->binding->spec->reference;

    plan_host(p, &p->binding->spec->reference.host, &plan->reference);
    if (p->status || (!from->launch_count && !from->setting_count))
        return;
    plan->reference_plan = ct_planner_alloc(p, 1, sizeof(*plan->reference_plan));
    if (p->status)
        return;
    if (from->launch_count)
        plan_kernels(p, plan);
    else
        plan_config(p, plan);
}

/* --- programs --- */

/* A program, and a run of the default configuration, if that says what is right. */
static void plan_command(struct ct_planner *p, struct ct_plan *plan)
{
    struct ct_value *values;
    struct ct_planner other;

    ct_planner_command(p, plan);
    if (p->status || !plan->command->compare)
        return;
    values = ct_planner_alloc(p, p->binding->spec->param_count, sizeof(*values));
    plan->reference_plan = ct_planner_alloc(p, 1, sizeof(*plan->reference_plan));
    if (!p->status)
        p->status = ct_binding_start(p->binding, values, p->err);
    if (p->status || !other_planner(p, values, &other))
        return;
    ct_planner_command(&other, plan->reference_plan);
    take_status(p, &other);
}

/* --- the whole --- */

static void plan_env(struct ct_planner *p, struct ct_plan *plan)
{
    const struct ct_spec *spec = p->binding->spec;

    plan->env = ct_planner_alloc(p, spec->env_count, sizeof(*plan->env));
    for (size_t i = 0; !p->status && i < spec->env_count; i++) {
        struct ct_plan_env *env = &plan->env[plan->env_count++];

        env->name = spec->env[i].name;
        if (spec->env[i].value.text)
            env->value = ct_planner_fill(p, &spec->env[i].value);
    }
}

/* What the file's objective is computed from, if that is no metric. */
static uint32_t objective_uses(const struct ct_binding *binding)
{
    if (binding->spec->optimized.objective == CT_OBJECTIVE_END_TO_END)
        return 1u << CT_QUANTITY_END_TO_END_NS;
    return binding->spec->optimized.objective == CT_OBJECTIVE_QUANTITY
               ? 1u << binding->spec->optimized.quantity
               : 0;
}

enum ct_status ct_binding_plan_launches(const struct ct_binding *binding,
                                        const struct ct_value *values,
                                        struct ct_source_cache *cache,
                                        struct ct_arena *arena, struct ct_plan *plan,
                                        struct ct_err *err)
{
    struct ct_planner outer = {
        .binding = binding, .cache = cache, .arena = arena, .err = err};
    struct ct_planner p;

    memset(plan, 0, sizeof(*plan));
    if (!other_planner(&outer, values, &p))
        return outer.status;
    ct_planner_launches(&p, plan);
    return p.status;
}

enum ct_status ct_binding_plan(const struct ct_binding *binding,
                               const struct ct_value *values,
                               struct ct_source_cache *cache, struct ct_arena *arena,
                               struct ct_plan *plan, struct ct_err *err)
{
    struct ct_planner outer = {
        .binding = binding, .cache = cache, .arena = arena, .err = err};
    struct ct_planner p;

    memset(plan, 0, sizeof(*plan));
    if (!binding->spec->kernel.present)
        return ct_err_at(err, CT_E_SPEC, binding->spec->path, 0, 0,
                         "the file declares only a space: it has no [kernel] to run");
    if (!other_planner(&outer, values, &p))
        return outer.status;
    ct_plan_observe(plan, ct_spec_metrics_use(binding->spec) | objective_uses(binding));
    plan->cold = binding->spec->measure.cold;
    if (binding->spec->command.present)
        plan_command(&p, plan);
    else
        ct_planner_launches(&p, plan);
    if (!p.status)
        ct_planner_check_replaced(&p);
    if (!p.status)
        ct_planner_buffers(&p, plan);
    if (!p.status && !plan->command) {
        drop_images(&p, plan);
        drop_checks(&p, plan);
        plan_reference(&p, plan);
    }
    if (!p.status)
        plan_host(&p, &binding->spec->baseline, &plan->baseline);
    if (!p.status)
        plan_env(&p, plan);
    name_configuration(&p);
    return p.status;
}
