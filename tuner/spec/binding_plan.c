// SPDX-License-Identifier: Apache-2.0
// Making a configuration concrete: buffers, launches and host functions.
#include "spec/binding_plan.h"

#include <stdlib.h>
#include <string.h>

void *ct_planner_alloc(struct ct_planner *p, size_t count, size_t size_bytes)
{
    void *memory = ct_arena_array(p->arena, count, size_bytes);

    if (!memory && !p->status)
        p->status = ct_err_nomem(p->err);
    return memory;
}

enum ct_eval ct_planner_eval(struct ct_planner *p, const struct ct_expr *expr,
                             const char *what, struct ct_value *out)
{
    enum ct_eval failed = ct_expr_eval(expr, p->env, out);
    struct ct_str why;

    if (!failed)
        return CT_EVAL_OK;
    ct_str_init(&why);
    ct_binding_explain(p->binding, expr, failed, p->env, &why);
    CT_PLANNER_FAIL(p, expr->place, "%s '%s' cannot be computed: %s", what, expr->text,
                    why.data);
    ct_str_release(&why);
    return failed;
}

bool ct_planner_holds(struct ct_planner *p, const struct ct_expr *condition)
{
    struct ct_value value;

    return !condition || (!ct_planner_eval(p, condition, "the condition", &value) &&
                          ct_value_true(value));
}

/* Evaluates to an integer of at least `least`. */
static bool eval_int(struct ct_planner *p, const struct ct_expr *expr, const char *what,
                     int64_t least, uint64_t *out)
{
    struct ct_value value;

    if (ct_planner_eval(p, expr, what, &value))
        return false;
    if (value.kind != CT_INT) {
        CT_PLANNER_FAIL(p, expr->place, "%s '%s' is not an integer", what, expr->text);
        return false;
    }
    if (value.u.i < least) {
        CT_PLANNER_FAIL(p, expr->place, "%s '%s' is %lld; it must be at least %lld", what,
                        expr->text, (long long)value.u.i, (long long)least);
        return false;
    }
    *out = (uint64_t)value.u.i;
    return true;
}

static double eval_real(struct ct_planner *p, const struct ct_expr *expr)
{
    struct ct_value value;

    if (!expr || ct_planner_eval(p, expr, "the fill's argument", &value))
        return 0;
    if (value.kind == CT_TEXT) {
        CT_PLANNER_FAIL(p, expr->place, "the fill's argument '%s' is text", expr->text);
        return 0;
    }
    return value.kind == CT_INT ? (double)value.u.i : value.u.r;
}

/* --- buffers --- */

/* The first 64 bits of the name's hash: adding a buffer changes no other's contents. */
static uint64_t seed_of(const char *name)
{
    struct ct_hash hash = ct_hash_bytes(name, strlen(name));

    hash.text[16] = '\0';
    return strtoull(hash.text, NULL, 16);
}

static void plan_fill(struct ct_planner *p, const struct ct_spec_buffer *from,
                      struct ct_fill *fill)
{
    fill->kind = from->fill;
    fill->a = eval_real(p, from->fill_a);
    fill->b = eval_real(p, from->fill_b);
    fill->seed = seed_of(from->name);
    if (fill->kind == CT_FILL_UNIFORM && fill->a > fill->b)
        CT_PLANNER_FAIL(p, from->fill_a->place, "uniform(%g, %g) is empty", fill->a,
                        fill->b);
    if (fill->kind == CT_FILL_NORMAL && fill->b < 0)
        CT_PLANNER_FAIL(p, from->fill_b->place, "normal(%g, %g) has a negative deviation",
                        fill->a, fill->b);
}

static void plan_buffer(struct ct_planner *p, const struct ct_spec_buffer *from,
                        struct ct_plan_buffer *buffer)
{
    uint64_t bytes;
    const char *type = ct_planner_fill(p, &from->type);

    buffer->name = from->name;
    if (!type)
        return;
    if (!ct_type_parse(type, &buffer->type)) {
        CT_PLANNER_FAIL(p, from->type.place, "'%s' is no type of OpenCL's", type);
        return;
    }
    if (!eval_int(p, from->count, "the count", 1, &buffer->count))
        return;
    if (__builtin_mul_overflow(buffer->count, ct_type_size(buffer->type), &bytes) ||
        bytes > INT64_MAX) {
        CT_PLANNER_FAIL(p, from->count->place,
                        "buffer '%s' has more bytes than 63 bits count", from->name);
        return;
    }
    plan_fill(p, from, &buffer->fill);
    buffer->check = from->check;
    buffer->tolerance = from->tolerance;
    buffer->compare = buffer->count;
    if (from->compare && eval_int(p, from->compare, "'compare'", 1, &buffer->compare) &&
        buffer->compare > buffer->count)
        CT_PLANNER_FAIL(p, from->compare->place,
                        "'compare' is %llu, but buffer '%s' has %llu elements",
                        (unsigned long long)buffer->compare, from->name,
                        (unsigned long long)buffer->count);
}

/* --- arguments --- */

static void plan_arg(struct ct_planner *p, const struct ct_spec_arg *from, size_t number,
                     struct ct_plan_arg *arg)
{
    struct ct_value value;
    struct ct_str text;
    char type[16];

    arg->kind = from->kind;
    switch (from->kind) {
    case CT_ARG_BUFFER:
        arg->buffer = (uint32_t)from->buffer;
        break;
    case CT_ARG_LOCAL:
        eval_int(p, from->value, "the size of local memory", 1, &arg->local_bytes);
        break;
    case CT_ARG_SCALAR:
        arg->type = from->type;
        if (ct_planner_eval(p, from->value, "the argument", &value) ||
            ct_type_store(from->type, value, arg->bytes))
            break;
        ct_str_init(&text);
        ct_value_print(&text, value);
        ct_type_name(from->type, type);
        CT_PLANNER_FAIL(p, from->value->place,
                        "argument %zu is %s, which does not fit %s", number, text.data,
                        type);
        ct_str_release(&text);
        break;
    }
}

static void plan_args(struct ct_planner *p, const struct ct_spec_arg *from,
                      size_t from_count, struct ct_plan_arg **args, size_t *count)
{
    *count = 0;
    *args = ct_planner_alloc(p, from_count, sizeof(**args));
    for (size_t i = 0; *args && !p->status && i < from_count; i++)
        if (ct_planner_holds(p, from[i].condition) && !p->status) {
            plan_arg(p, &from[i], *count + 1, &(*args)[*count]);
            ++*count;
        }
}

/* --- launches --- */

/* Reads the local sizes: all positive, or all zero. */
static void plan_local(struct ct_planner *p, const struct ct_spec_launch *from,
                       struct ct_plan_launch *launch)
{
    uint64_t items = 1;

    for (size_t i = 0; i < from->local_count; i++) {
        if (!eval_int(p, from->local[i], "the local size", 0, &launch->local[i]))
            return;
        if (!launch->local[i] != !launch->local[0]) {
            CT_PLANNER_FAIL(p, from->local[i]->place,
                            "local sizes are all zero (the driver chooses) or none is");
            return;
        }
        if (launch->local[i] &&
            (__builtin_mul_overflow(items, launch->local[i], &items) ||
             items > INT64_MAX)) {
            CT_PLANNER_FAIL(p, from->local[i]->place,
                            "the work-group has more work-items than 63 bits count");
            return;
        }
    }
}

static void plan_sizes(struct ct_planner *p, const struct ct_spec_launch *from,
                       struct ct_plan_launch *launch)
{
    uint64_t items = 1;

    launch->dims = (uint32_t)from->global_count;
    plan_local(p, from, launch);
    for (size_t i = 0; !p->status && i < from->global_count; i++) {
        uint64_t local = launch->local[i] ? launch->local[i] : 1;
        uint64_t size;

        if (!eval_int(p, from->global[i], "the global size", 1, &size))
            return;
        /* Both are below 2^63, so the sum fits. */
        size = (size + local - 1) / local;
        if (__builtin_mul_overflow(size, local, &size) ||
            __builtin_mul_overflow(items, size, &items) || items > INT64_MAX) {
            CT_PLANNER_FAIL(p, from->global[i]->place,
                            "the launch has more work-items than 63 bits count");
            return;
        }
        launch->global[i] = size;
    }
}

static void plan_launch(struct ct_planner *p, const struct ct_spec_launch *from,
                        struct ct_plan_launch *launch)
{
    launch->name = from->name;
    launch->kernel = ct_planner_fill(p, &from->kernel);
    if (!launch->kernel)
        return;
    if (!ct_expr_is_word(launch->kernel, strlen(launch->kernel))) {
        CT_PLANNER_FAIL(p, from->kernel.place, "'%s' is no name of a kernel",
                        launch->kernel);
        return;
    }
    plan_sizes(p, from, launch);
    if (!p->status)
        plan_args(p, from->args, from->arg_count, &launch->args, &launch->arg_count);
}

/* --- host functions --- */

static void plan_host(struct ct_planner *p, const struct ct_spec_host *from,
                      const struct ct_binding_host *file, struct ct_plan_host *host)
{
    if (!from->present)
        return;
    if (file->error) {
        CT_PLANNER_FAIL(p, from->c_place, "cannot read '%s': %s", from->c_text,
                        strerror(file->error));
        return;
    }
    host->c_path = from->c_path;
    host->function = from->function;
    host->libs = from->libs;
    host->c_hash = file->hash;
    plan_args(p, from->args, from->arg_count, &host->args, &host->arg_count);
}

static void plan_data(struct ct_planner *p, struct ct_plan *plan)
{
    const struct ct_spec *spec = p->binding->spec;

    plan->buffers = ct_planner_alloc(p, spec->buffer_count, sizeof(*plan->buffers));
    plan->launches = ct_planner_alloc(p, spec->launch_count, sizeof(*plan->launches));
    for (size_t i = 0; !p->status && i < spec->buffer_count; i++)
        plan_buffer(p, &spec->buffers[i], &plan->buffers[plan->buffer_count++]);
    for (size_t i = 0; !p->status && i < spec->launch_count; i++)
        plan_launch(p, &spec->launches[i], &plan->launches[plan->launch_count++]);
    if (!p->status)
        plan_host(p, &spec->reference, &p->binding->hosts[0], &plan->reference);
    if (!p->status)
        plan_host(p, &spec->baseline, &p->binding->hosts[1], &plan->baseline);
}

enum ct_status ct_binding_plan(const struct ct_binding *binding,
                               const struct ct_value *values,
                               struct ct_source_cache *cache, struct ct_arena *arena,
                               struct ct_plan *plan, struct ct_err *err)
{
    struct ct_planner p = {
        .binding = binding, .values = values, .arena = arena, .err = err};

    memset(plan, 0, sizeof(*plan));
    if (!binding->spec->has_kernel)
        return ct_err_at(err, CT_E_SPEC, binding->spec->path, 0, 0,
                         "the file declares a space only: there is no [kernel] to run");
    p.env = ct_planner_alloc(&p, binding->spec->symbol_count, sizeof(*p.env));
    if (p.status)
        return p.status;
    ct_binding_evaluate_values(binding, values, p.env);
    ct_planner_program(&p, cache, plan);
    if (!p.status)
        plan_data(&p, plan);
    return p.status;
}
