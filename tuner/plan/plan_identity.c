// SPDX-License-Identifier: Apache-2.0
// Build options and identity of a plan: compiler options and canonical hashes.
#include "plan/plan.h"

#include "plan/plan_command.h"

#include <stdlib.h>
#include <string.h>

/* --- options --- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/* Double quotes join a word with blanks, and protect a single quote, for PoCL and NVIDIA alike.
 * Single quotes around a word do so for NVIDIA only, and a backslash before a blank for neither:
 * it is literal, in quotes and outside. */
static void put_quoted(struct ct_str *out, const char *text)
{
    bool quote = false;

    for (const char *c = text; *c; c++)
        quote = quote || is_blank(*c) || *c == '\'';
    if (quote)
        ct_str_putc(out, '"');
    for (const char *c = text; *c; c++)
        ct_str_putc(out, is_blank(*c) ? ' ' : *c);
    if (quote)
        ct_str_putc(out, '"');
}

static void put_space(struct ct_str *out, size_t start)
{
    if (out->length > start)
        ct_str_putc(out, ' ');
}

bool ct_plan_options(const struct ct_plan_program *program, struct ct_str *out)
{
    const char *options = program->options ? program->options : "";
    size_t length = strlen(options);
    size_t start = out->length;

    /* An option that is empty in this configuration leaves its blank behind. */
    while (length && options[length - 1] == ' ')
        length--;
    ct_str_add(out, options, length);
    for (size_t i = 0; i < program->macro_count; i++) {
        put_space(out, start);
        ct_str_addf(out, "-D %s=", program->macros[i].name);
        put_quoted(out, program->macros[i].value ? program->macros[i].value : "");
    }
    for (size_t i = 0; i < program->include_count; i++) {
        put_space(out, start);
        ct_str_puts(out, "-I ");
        put_quoted(out, program->include_dirs[i]);
    }
    return !out->failed;
}

/* --- hashes --- */

/* Versions of the formats below: changing a format changes every identity, so that results stored
 * under the old one are measured again rather than mixed up. */
#define PLAN_FORM  "cltune plan 2"
#define DATA_FORM  "cltune data 2"
#define FRAME_FORM "cltune frame 1"
#define FILL_FORM  "cltune fill 1"

static int by_name(const void *a, const void *b)
{
    const struct ct_plan_macro *x = *(const struct ct_plan_macro *const *)a;
    const struct ct_plan_macro *y = *(const struct ct_plan_macro *const *)b;
    int names = strcmp(x->name, y->name);

    if (names)
        return names;
    /* Equal names in order of definition: the last one counts for the compiler. */
    return (x > y) - (x < y);
}

static int by_variable(const void *a, const void *b)
{
    const struct ct_plan_env *x = *(const struct ct_plan_env *const *)a;
    const struct ct_plan_env *y = *(const struct ct_plan_env *const *)b;
    int names = strcmp(x->name, y->name);

    return names ? names : (x > y) - (x < y);
}

static void form_env(struct ct_str *form, const struct ct_plan *plan)
{
    const struct ct_plan_env **sorted =
        ct_mem_array(plan->env_count, sizeof(const struct ct_plan_env *));

    if (!sorted) {
        form->failed = true;
        return;
    }
    for (size_t i = 0; i < plan->env_count; i++)
        sorted[i] = &plan->env[i];
    qsort(sorted, plan->env_count, sizeof(const struct ct_plan_env *), by_variable);
    ct_wire_put_u64(form, plan->env_count);
    for (size_t i = 0; i < plan->env_count; i++) {
        ct_wire_put_text(form, sorted[i]->name);
        ct_wire_put_text(form, sorted[i]->value);
    }
    free(sorted);
}

static void form_macros(struct ct_str *form, const struct ct_plan_program *program)
{
    const struct ct_plan_macro **sorted =
        ct_mem_array(program->macro_count, sizeof(const struct ct_plan_macro *));

    if (!sorted) {
        form->failed = true;
        return;
    }
    for (size_t i = 0; i < program->macro_count; i++)
        sorted[i] = &program->macros[i];
    qsort(sorted, program->macro_count, sizeof(const struct ct_plan_macro *), by_name);
    ct_wire_put_u64(form, program->macro_count);
    for (size_t i = 0; i < program->macro_count; i++) {
        ct_wire_put_text(form, sorted[i]->name);
        ct_wire_put_text(form, sorted[i]->value ? sorted[i]->value : "");
    }
    free(sorted);
}

/* Options without redundant blanks: an empty `${MATH}` in the middle changes nothing. */
static void form_options(struct ct_str *form, const char *options)
{
    struct ct_str text;
    bool quoted = false;

    ct_str_init(&text);
    for (const char *c = options ? options : ""; *c; c++) {
        if (*c == '"')
            quoted = !quoted;
        if (quoted || !is_blank(*c))
            ct_str_putc(&text, *c);
        else if (text.length && text.data[text.length - 1] != ' ')
            ct_str_putc(&text, ' ');
    }
    if (!quoted && text.length && text.data[text.length - 1] == ' ')
        text.length--;
    ct_wire_put_bytes(form, text.data, text.length);
    form->failed = form->failed || text.failed;
    ct_str_release(&text);
}

static void form_type(struct ct_str *form, struct ct_type type)
{
    ct_wire_put_u32(form, type.scalar);
    ct_wire_put_u32(form, type.width);
}

/* -0 and 0 fill and compare alike. */
static void form_real(struct ct_str *form, double value)
{
    ct_wire_put_f64(form, value == 0 ? 0.0 : value);
}

static void form_args(struct ct_str *form, size_t count, const struct ct_plan_arg *args);

static void form_fill(struct ct_str *form, const struct ct_fill *fill)
{
    bool random = fill->kind == CT_FILL_UNIFORM || fill->kind == CT_FILL_NORMAL;
    bool a = random || fill->kind == CT_FILL_CONSTANT || fill->kind == CT_FILL_RAMP;
    bool b = random || fill->kind == CT_FILL_RAMP;

    /* Only the fields of this kind: the others may hold anything. */
    ct_wire_put_u32(form, fill->kind);
    form_real(form, a ? fill->a : 0);
    form_real(form, b ? fill->b : 0);
    ct_wire_put_u64(form, random ? fill->seed : 0);
    ct_wire_put_u64(form, fill->source_count);
    for (size_t i = 0; i < fill->source_count; i++)
        ct_wire_put_u32(form, fill->sources[i]);
    /* The file's contents, not its path. */
    ct_wire_put_text(form, fill->path ? fill->path_hash.text : NULL);
    ct_wire_put_text(form, fill->function);
    if (fill->arg_count)
        form_args(form, fill->arg_count, fill->args);
}

static void form_image(struct ct_str *form, const struct ct_plan_image *image)
{
    ct_wire_put_u32(form, image->dims);
    if (!image->dims)
        return;
    for (uint32_t i = 0; i < image->dims && i < 3; i++)
        ct_wire_put_u64(form, image->size[i]);
    ct_wire_put_u32(form, image->order);
    ct_wire_put_u32(form, image->channel);
}

static void form_args(struct ct_str *form, size_t count, const struct ct_plan_arg *args)
{
    ct_wire_put_u64(form, count);
    for (size_t i = 0; i < count; i++) {
        ct_wire_put_u32(form, args[i].kind);
        switch (args[i].kind) {
        case CT_ARG_BUFFER:
            ct_wire_put_u32(form, args[i].buffer);
            break;
        case CT_ARG_SCALAR:
            form_type(form, args[i].type);
            ct_str_add(form, args[i].bytes, ct_type_size(args[i].type));
            break;
        case CT_ARG_LOCAL:
            ct_wire_put_u64(form, args[i].local_bytes);
            break;
        case CT_ARG_SAMPLER:
            ct_wire_put_u32(form, args[i].sampler.normalized);
            ct_wire_put_u32(form, args[i].sampler.addressing);
            ct_wire_put_u32(form, args[i].sampler.linear);
            break;
        case CT_ARG_BYTES:
            ct_wire_put_u64(form, args[i].data_bytes);
            ct_str_add(form, args[i].data, (size_t)args[i].data_bytes);
            break;
        default:
            break;
        }
    }
}

static void form_reference(struct ct_str *form, const struct ct_plan_host *host)
{
    ct_wire_put_text(form, host->function);
    if (!host->function)
        return;
    ct_wire_put_text(form, host->c_hash.text);
    ct_wire_put_text(form, host->libs ? host->libs : "");
    form_args(form, host->arg_count, host->args);
}

static void form_work(struct ct_str *form, const struct ct_plan *plan);

static void form_data(struct ct_str *form, const struct ct_plan *plan)
{
    ct_wire_put_u64(form, plan->buffer_count);
    for (size_t i = 0; i < plan->buffer_count; i++) {
        const struct ct_plan_buffer *buffer = &plan->buffers[i];

        form_type(form, buffer->type);
        ct_wire_put_u64(form, buffer->count);
        form_fill(form, &buffer->fill);
        ct_wire_put_u32(form, buffer->planes);
        form_image(form, &buffer->image);
        ct_wire_put_u32(form, buffer->check != CT_CHECK_NONE);
        ct_wire_put_u32(form, buffer->has_expect);
        if (buffer->has_expect)
            form_fill(form, &buffer->expect);
    }
    form_reference(form, &plan->reference);
    ct_wire_put_u32(form, plan->reference_plan != NULL);
    if (plan->reference_plan)
        form_work(form, plan->reference_plan);
}

static void form_checks(struct ct_str *form, const struct ct_plan *plan)
{
    for (size_t i = 0; i < plan->buffer_count; i++) {
        const struct ct_plan_buffer *buffer = &plan->buffers[i];
        bool tolerant =
            buffer->check == CT_CHECK_RELATIVE || buffer->check == CT_CHECK_ABSOLUTE;

        ct_wire_put_u32(form, buffer->check);
        if (buffer->check == CT_CHECK_C)
            form_fill(form, &buffer->check_by);
        form_real(form, tolerant ? buffer->tolerance : 0);
        ct_wire_put_u64(form, buffer->check != CT_CHECK_NONE ? buffer->compare : 0);
        ct_wire_put_u32(form, buffer->check != CT_CHECK_NONE ? buffer->reduce : 0);
        ct_wire_put_u32(form, buffer->restore);
        ct_wire_put_u32(form, buffer->transfer);
    }
}

static void form_launch(struct ct_str *form, const struct ct_plan_launch *launch)
{
    ct_wire_put_u32(form, launch->kind);
    if (launch->kind != CT_LAUNCH_KERNEL) {
        ct_wire_put_u32(form, launch->kind == CT_LAUNCH_COPY ? launch->from : 0);
        ct_wire_put_u32(form, launch->to);
        return;
    }
    ct_wire_put_text(form, launch->require);
    ct_wire_put_text(form, launch->kernel);
    ct_wire_put_u32(form, launch->program);
    ct_wire_put_u32(form, launch->dims);
    for (uint32_t i = 0; i < launch->dims && i < 3; i++) {
        ct_wire_put_u64(form, launch->global[i]);
        ct_wire_put_u64(form, launch->local[i]);
    }
    form_args(form, launch->arg_count, launch->args);
}

/* What is computed from which inputs, independent of checks and timing. */
static void form_work(struct ct_str *form, const struct ct_plan *plan)
{
    if (plan->command)
        ct_plan_command_form(form, plan->command);
    ct_wire_put_u64(form, plan->program_count);
    for (size_t i = 0; i < plan->program_count; i++) {
        ct_wire_put_text(form, plan->programs[i].source_hash.text);
        form_options(form, plan->programs[i].options);
        form_macros(form, &plan->programs[i]);
    }
    form_data(form, plan);
    ct_wire_put_u64(form, plan->launch_count);
    for (size_t i = 0; i < plan->launch_count; i++)
        form_launch(form, &plan->launches[i]);
}

bool ct_plan_weighted(const struct ct_plan *plan)
{
    for (size_t i = 0; i < plan->launch_count; i++)
        if (plan->launches[i].extra)
            return true;
    return false;
}

/* How it is timed, if not as usual: nothing is added otherwise, so that results stored before
 * there were such options keep their identity. */
static void form_timing(struct ct_str *form, const struct ct_plan *plan)
{
    bool weighted = ct_plan_weighted(plan);

    if (plan->cold)
        ct_wire_put_text(form, "cold");
    if (plan->error)
        ct_wire_put_text(form, "error");
    if (weighted)
        ct_wire_put_text(form, "weights");
    for (size_t i = 0; weighted && i < plan->launch_count; i++)
        ct_wire_put_u32(form, plan->launches[i].extra);
}

/* A hash of an incomplete form would make different plans equal: none in that case. */
static struct ct_hash finish_hash(struct ct_str *form)
{
    struct ct_hash hash = {""};

    if (!form->failed)
        hash = ct_hash_bytes(form->data, form->length);
    ct_str_release(form);
    return hash;
}

struct ct_hash ct_plan_hash(const struct ct_plan *plan)
{
    struct ct_str form;

    ct_str_init(&form);
    ct_str_puts(&form, PLAN_FORM);
    form_env(&form, plan);
    ct_wire_put_u32(&form, plan->end_to_end);
    form_work(&form, plan);
    form_checks(&form, plan);
    form_timing(&form, plan);
    return finish_hash(&form);
}

struct ct_hash ct_plan_frame_hash(const struct ct_plan *plan)
{
    struct ct_str form;

    ct_str_init(&form);
    ct_str_puts(&form, FRAME_FORM);
    form_env(&form, plan);
    ct_wire_put_u32(&form, plan->end_to_end);
    form_data(&form, plan);
    ct_wire_put_u64(&form, plan->launch_count);
    for (size_t i = 0; i < plan->launch_count; i++)
        form_launch(&form, &plan->launches[i]);
    form_checks(&form, plan);
    form_timing(&form, plan);
    return finish_hash(&form);
}

struct ct_hash ct_plan_data_hash(const struct ct_plan *plan)
{
    struct ct_str form;

    ct_str_init(&form);
    ct_str_puts(&form, DATA_FORM);
    form_data(&form, plan);
    return finish_hash(&form);
}

struct ct_hash ct_plan_fill_hash(const struct ct_plan_buffer *buffer)
{
    const struct ct_hash none = {""};
    struct ct_str form;

    switch (buffer->fill.kind) {
    case CT_FILL_UNIFORM:
    case CT_FILL_NORMAL:
    case CT_FILL_RAMP:
        break;
    case CT_FILL_FILE:
    case CT_FILL_C:
        /* Two unreadable files are not the same file. */
        if (!*buffer->fill.path_hash.text)
            return none;
        break;
    default:
        return none;
    }
    ct_str_init(&form);
    ct_str_puts(&form, FILL_FORM);
    form_type(&form, buffer->type);
    ct_wire_put_u64(&form, buffer->count);
    form_fill(&form, &buffer->fill);
    return finish_hash(&form);
}

bool ct_plan_same_env(const struct ct_plan *a, const struct ct_plan *b)
{
    if (a->env_count != b->env_count)
        return false;
    for (size_t i = 0; i < a->env_count; i++)
        if (!ct_str_same(a->env[i].name, b->env[i].name) ||
            !ct_str_same(a->env[i].value, b->env[i].value))
            return false;
    return true;
}
