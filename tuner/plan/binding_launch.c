// SPDX-License-Identifier: Apache-2.0
// Plans a configuration: launches, their arguments and sizes, loops unrolled.
#include "plan/binding_plan.h"

#include <string.h>

/* --- arguments --- */

/* Stores the value of an expression as one element of a type. */
static void store_value(struct ct_planner *p, const struct ct_expr *expr, size_t number,
                        struct ct_type type, unsigned char *bytes)
{
    struct ct_value value;
    struct ct_str text;
    char name[16];

    if (ct_planner_eval(p, expr, "the argument", &value) ||
        ct_type_store(type, value, bytes))
        return;
    ct_str_init(&text);
    ct_value_print(&text, value);
    ct_type_name(type, name);
    CT_PLANNER_FAIL(p, expr->place, "argument %zu is %s, which does not fit into %s",
                    number, text.data, name);
    ct_str_release(&text);
}

/* One element; of a vector each component has the same value, or one of its own. */
static void plan_value(struct ct_planner *p, const struct ct_spec_arg *from,
                       size_t number, unsigned char bytes[CT_TYPE_SIZE_MAX])
{
    struct ct_type scalar = {from->type.scalar, 1};

    if (from->value_count == 1) {
        store_value(p, from->values[0], number, from->type, bytes);
        return;
    }
    memset(bytes, 0, ct_type_size(from->type));
    for (size_t i = 0; i < from->value_count && !p->status; i++)
        store_value(p, from->values[i], number, scalar,
                    bytes + i * ct_scalar_size(scalar.scalar));
}

/* --- structures --- */

/* The side of a choice that the configuration has. */
static const struct ct_spec_arg *choose(struct ct_planner *p,
                                        const struct ct_spec_arg *from)
{
    while (from->test && !p->status)
        from = ct_planner_holds(p, from->test) ? from->yes : from->no;
    return from;
}

/* OpenCL aligns every type to its size: on the host as on every device. */
static size_t alignment_of(struct ct_planner *p, const struct ct_spec_arg *from)
{
    size_t most = 1;

    from = choose(p, from);
    if (p->status || from->raw)
        return 1;
    if (from->kind == CT_ARG_SCALAR)
        return ct_type_size(from->type);
    for (size_t i = 0; i < from->part_count; i++) {
        size_t part = alignment_of(p, &from->parts[i]);

        most = part > most ? part : most;
    }
    return most;
}

/* More than any device takes as arguments. */
enum { RECORD_BYTES_MOST = 65536 };

/* A structure in the making. */
struct packed {
    struct ct_str bytes;
    size_t number; /* of the argument */
};

static void pad_packed(struct packed *packed, size_t alignment)
{
    while (!packed->bytes.failed && packed->bytes.length % alignment)
        ct_str_putc(&packed->bytes, '\0');
}

static void plan_part(struct ct_planner *p, struct packed *packed,
                      const struct ct_spec_arg *from)
{
    size_t alignment = alignment_of(p, from);
    struct ct_spec_arg one;

    from = choose(p, from);
    if (p->status)
        return;
    pad_packed(packed, alignment);
    if (from->raw)
        ct_str_add(&packed->bytes, (const char *)from->raw, from->raw_count);
    if (from->kind == CT_ARG_SCALAR) {
        bool array = from->type.width == 1;

        one = *from;
        one.value_count = array ? 1 : from->value_count;
        for (size_t i = 0; i < (array ? from->value_count : 1) && !p->status; i++) {
            unsigned char bytes[CT_TYPE_SIZE_MAX];

            one.values = from->values + i;
            plan_value(p, &one, packed->number, bytes);
            ct_str_add(&packed->bytes, (const char *)bytes, ct_type_size(from->type));
        }
    }
    for (size_t i = 0; i < from->part_count && !p->status; i++)
        plan_part(p, packed, &from->parts[i]);
    pad_packed(packed, alignment);
    if (!p->status && packed->bytes.length > RECORD_BYTES_MOST)
        CT_PLANNER_FAIL(p, from->place, "argument %zu has more than %d bytes",
                        packed->number, (int)RECORD_BYTES_MOST);
}

static void plan_record(struct ct_planner *p, const struct ct_spec_arg *from,
                        size_t number, struct ct_plan_arg *arg)
{
    struct packed packed = {.number = number};
    unsigned char *data;

    ct_str_init(&packed.bytes);
    plan_part(p, &packed, from);
    data = ct_planner_alloc(p, packed.bytes.length + 1, 1);
    if (data && !p->status) {
        memcpy(data, packed.bytes.data, packed.bytes.length);
        arg->data = data;
        arg->data_bytes = packed.bytes.length;
    }
    if (packed.bytes.failed && !p->status)
        p->status = ct_err_nomem(p->err);
    ct_str_release(&packed.bytes);
}

/* Arguments that this device does not support.  If that depends on a parameter, a constraint
 * excludes such configurations. */
static void check_device(struct ct_planner *p, const struct ct_spec_arg *from)
{
    const struct ct_spec_buffer *buffer =
        from->kind == CT_ARG_BUFFER ? &p->binding->spec->buffers[from->buffer] : NULL;
    struct ct_type type = from->type;

    if (((buffer && buffer->dims) || from->kind == CT_ARG_SAMPLER) &&
        ct_planner_lacks_images(p)) {
        CT_PLANNER_FAIL(
            p, from->place,
            "%s%s%s is an argument, but this device does not support images; add a "
            "constraint on DEVICE_IMAGE_SUPPORT",
            buffer ? "image '" : "a sampler", buffer ? buffer->name : "",
            buffer ? "'" : "");
        return;
    }
    if (buffer && (buffer->dims || buffer->type.piece_count != 1 ||
                   !ct_type_read(buffer->type.text, &type)))
        return;
    if ((buffer || from->kind == CT_ARG_SCALAR) && type.scalar == CT_T_DOUBLE &&
        ct_planner_lacks_extension(p, "cl_khr_fp64"))
        CT_PLANNER_FAIL(
            p, from->place,
            "this argument is a double, but this device does not support cl_khr_fp64");
}

static void plan_sampler(struct ct_planner *p, const struct ct_spec_arg *from,
                         struct ct_plan_arg *arg)
{
    const char *words;
    struct ct_str why;

    arg->sampler = from->sampler;
    if (!from->sampler_words.text)
        return;
    words = ct_planner_fill(p, &from->sampler_words);
    if (!words)
        return;
    ct_str_init(&why);
    if (!ct_spec_sampler(words, &arg->sampler, &why))
        CT_PLANNER_FAIL(p, from->place, "in 'sampler(%s)' %s", words, why.data);
    ct_str_release(&why);
}

static void plan_arg(struct ct_planner *p, const struct ct_spec_arg *from, size_t number,
                     bool device, struct ct_plan_arg *arg)
{
    from = choose(p, from);
    if (p->status)
        return;
    if (device)
        check_device(p, from);
    arg->kind = from->kind;
    switch (from->kind) {
    case CT_ARG_BUFFER:
        arg->buffer = device ? p->buffer_now[from->buffer] : (uint32_t)from->buffer;
        if (device)
            p->in_launch[arg->buffer] = true;
        break;
    case CT_ARG_LOCAL:
        ct_planner_int(p, from->value, "the size of local memory", 1, &arg->local_bytes);
        break;
    case CT_ARG_SCALAR:
        arg->type = from->type;
        plan_value(p, from, number, arg->bytes);
        break;
    case CT_ARG_BYTES:
        if (!from->name)
            plan_record(p, from, number, arg);
        break;
    case CT_ARG_SAMPLER:
        plan_sampler(p, from, arg);
        break;
    default:
        break;
    }
}

void ct_planner_args(struct ct_planner *p, const struct ct_spec_arg *from,
                     size_t from_count, bool device, struct ct_plan_arg **args,
                     size_t *count)
{
    *count = 0;
    *args = ct_planner_alloc(p, from_count, sizeof(**args));
    for (size_t i = 0; *args && !p->status && i < from_count; i++) {
        p->last = NULL;
        p->last_text = NULL;
        if (ct_planner_holds(p, from[i].condition) && !p->status) {
            plan_arg(p, &from[i], *count + 1, device, &(*args)[*count]);
            ++*count;
        }
    }
}

/* --- sizes --- */

/* Reads the local sizes: all positive, or all zero. */
static void plan_local(struct ct_planner *p, const struct ct_spec_launch *from,
                       struct ct_plan_launch *launch)
{
    uint64_t items = 1;

    for (size_t i = 0; i < from->local_count; i++) {
        if (!ct_planner_int(p, from->local[i], "the local size", 0, &launch->local[i]))
            return;
        if (!launch->local[i] != !launch->local[0]) {
            CT_PLANNER_FAIL(
                p, from->local[i]->place,
                "local sizes must be all zero (the driver chooses) or all positive");
            return;
        }
        if (launch->local[i] &&
            (__builtin_mul_overflow(items, launch->local[i], &items) ||
             items > INT64_MAX)) {
            CT_PLANNER_FAIL(p, from->local[i]->place,
                            "the work-group has more work-items than 63 bits can count");
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

        if (!ct_planner_int(p, from->global[i], "the global size", 1, &size))
            return;
        /* Both are below 2^63, so the sum fits. */
        size = (size + local - 1) / local;
        if (__builtin_mul_overflow(size, local, &size) ||
            __builtin_mul_overflow(items, size, &items) || items > INT64_MAX) {
            CT_PLANNER_FAIL(p, from->global[i]->place,
                            "the launch has more work-items than 63 bits can count");
            return;
        }
        launch->global[i] = size;
    }
}

/* --- require --- */

struct require {
    struct ct_planner *p;
    const struct ct_expr *expr;
};

/* Facts of the kernel keep their names, all other names are replaced by values. */
static void put_name(void *context, int slot, struct ct_str *out)
{
    struct require *require = context;
    struct ct_planner *p = require->p;
    const struct ct_symbol *symbol = &p->binding->spec->slots.symbols[slot];

    if (symbol->class == CT_SYM_KERNEL) {
        ct_str_puts(out, symbol->name);
    } else if (p->env[slot].kind == CT_NONE) {
        struct ct_str why;

        ct_str_init(&why);
        ct_binding_explain(p->binding, require->expr, CT_EVAL_UNKNOWN, p->env, &why);
        CT_PLANNER_FAIL(p, require->expr->place, "'require' '%s' cannot be computed: %s",
                        require->expr->text, why.data);
        ct_str_release(&why);
    } else if (p->env[slot].kind == CT_TEXT && strchr(p->env[slot].u.s, '\'')) {
        CT_PLANNER_FAIL(p, require->expr->place,
                        "'%s' contains a quote and cannot be used in 'require'",
                        symbol->name);
    } else {
        ct_expr_print_value(out, p->env[slot]);
    }
}

static const char *plan_require(struct ct_planner *p, const struct ct_expr *expr)
{
    struct require require = {p, expr};
    struct ct_str out;

    if (!expr)
        return NULL;
    ct_str_init(&out);
    ct_expr_print(expr, put_name, &require, &out);
    return ct_planner_keep(p, &out);
}

/* --- launches --- */

void ct_planner_kernel(struct ct_planner *p, const struct ct_spec_launch *from,
                       struct ct_plan_launch *launch)
{
    launch->name = from->name;
    launch->kernel = ct_planner_fill(p, &from->kernel);
    if (!launch->kernel)
        return;
    if (!ct_expr_is_word(launch->kernel, strlen(launch->kernel))) {
        CT_PLANNER_FAIL(p, from->kernel.place, "'%s' is not the name of a kernel",
                        launch->kernel);
        return;
    }
    plan_sizes(p, from, launch);
    if (!p->status)
        ct_planner_args(p, from->args, from->arg_count, true, &launch->args,
                        &launch->arg_count);
}

/* Launches being planned. */
struct unroll {
    struct ct_planner *p;
    struct ct_plan *plan;
    int main_program; /* index of that of [kernel], or -1 */
    struct prepared { /* by launch of the specification: common to all passes */
        bool done;
        uint32_t program;
        const char *require;
    } * prepared;
};

static void prepare_launch(struct unroll *u, const struct ct_spec_launch *from,
                           struct prepared *prepared)
{
    struct ct_plan *plan = u->plan;

    prepared->done = true;
    prepared->require = plan_require(u->p, from->require);
    if (!from->has_program && u->main_program >= 0) {
        prepared->program = (uint32_t)u->main_program;
        return;
    }
    prepared->program = (uint32_t)plan->program_count++;
    ct_planner_program(u->p, from->has_program ? &from->program : NULL,
                       &plan->programs[prepared->program]);
    if (!from->has_program)
        u->main_program = (int)prepared->program;
}

static void plan_weight(struct ct_planner *p, const struct ct_spec_launch *from,
                        struct ct_plan_launch *launch)
{
    uint64_t weight;

    if (!from->weight || !ct_planner_int(p, from->weight, "the weight", 1, &weight))
        return;
    if (weight > CT_PLAN_WEIGHT_MOST)
        CT_PLANNER_FAIL(p, from->weight->place, "the weight is more than %d",
                        (int)CT_PLAN_WEIGHT_MOST);
    else
        launch->extra = (uint32_t)weight - 1;
}

static void plan_launch(struct unroll *u, size_t index)
{
    struct ct_planner *p = u->p;
    const struct ct_spec_launch *from = &p->binding->spec->launches[index];
    struct prepared *prepared = &u->prepared[index];
    struct ct_plan_launch *launch;

    if (!ct_planner_holds(p, from->when) || p->status)
        return;
    launch = &u->plan->launches[u->plan->launch_count++];
    launch->kind = from->kind;
    launch->name = from->name;
    plan_weight(p, from, launch);
    launch->kernel = "";
    if (from->kind != CT_LAUNCH_KERNEL) {
        launch->to = p->buffer_now[from->to];
        launch->from = from->kind == CT_LAUNCH_COPY ? p->buffer_now[from->from] : 0;
        p->in_launch[launch->to] = true;
        p->in_launch[launch->from] |= from->kind == CT_LAUNCH_COPY;
        return;
    }
    if (!prepared->done)
        prepare_launch(u, from, prepared);
    if (p->status)
        return;
    launch->require = prepared->require;
    launch->program = prepared->program;
    ct_planner_kernel(p, from, launch);
}

/* The names that depend on a loop's pass, for env's pass, or without one. */
static void evaluate_pass(struct ct_planner *p, const struct ct_spec_loop *loop)
{
    const struct ct_spec *spec = p->binding->spec;

    for (size_t i = 0; i < spec->slots.order_count; i++) {
        int slot = spec->slots.order[i];

        if (spec->slots.symbols[slot].loop_slot != loop->slot)
            continue;
        p->env[slot].kind = CT_NONE;
        ct_expr_eval(spec->slots.symbols[slot].expr, p->env, &p->env[slot]);
    }
}

static bool has_pass_names(const struct ct_spec *spec, const struct ct_spec_loop *loop)
{
    for (size_t i = 0; i < spec->slots.order_count; i++)
        if (spec->slots.symbols[spec->slots.order[i]].loop_slot == loop->slot)
            return true;
    return false;
}

static void plan_loop(struct unroll *u, const struct ct_spec_loop *loop, uint64_t count)
{
    struct ct_planner *p = u->p;
    bool named = has_pass_names(p->binding->spec, loop);

    for (uint64_t pass = 0; pass < count && !p->status; pass++) {
        p->env[loop->slot] = ct_value_int((int64_t)pass);
        if (named)
            evaluate_pass(p, loop);
        for (size_t i = 0; i < loop->launch_count && !p->status; i++)
            plan_launch(u, loop->first + i);
        if (loop->swap[0] >= 0) {
            uint32_t kept = p->buffer_now[loop->swap[0]];

            p->buffer_now[loop->swap[0]] = p->buffer_now[loop->swap[1]];
            p->buffer_now[loop->swap[1]] = kept;
        }
    }
    p->env[loop->slot].kind = CT_NONE;
    if (named)
        evaluate_pass(p, loop);
}

/* Passes of every loop, and the total number of launches. */
static uint64_t count_launches(struct ct_planner *p, uint64_t *passes)
{
    const struct ct_spec *spec = p->binding->spec;
    uint64_t total = spec->launch_count;

    for (size_t i = 0; !p->status && i < spec->loop_count; i++) {
        const struct ct_spec_loop *loop = &spec->loops[i];
        uint64_t launches;

        if (!ct_planner_int(p, loop->count, "the count", 0, &passes[i]))
            break;
        if (__builtin_mul_overflow(passes[i], loop->launch_count, &launches) ||
            __builtin_add_overflow(total, launches, &total) ||
            total > CT_BINDING_LAUNCHES_MAX)
            CT_PLANNER_FAIL(p, loop->count->place,
                            "%llu passes of %zu launch%s exceed the %d launches that a "
                            "configuration can have",
                            (unsigned long long)passes[i], loop->launch_count,
                            loop->launch_count == 1 ? "" : "es", CT_BINDING_LAUNCHES_MAX);
    }
    return total;
}

/* The program of [kernel] comes first: its options are those for builds elsewhere. */
static void put_main_first(struct unroll *u)
{
    struct ct_plan *plan = u->plan;
    struct ct_plan_program first;
    uint32_t at = (uint32_t)u->main_program;

    if (u->main_program <= 0)
        return;
    first = plan->programs[at];
    plan->programs[at] = plan->programs[0];
    plan->programs[0] = first;
    for (size_t i = 0; i < plan->launch_count; i++) {
        struct ct_plan_launch *launch = &plan->launches[i];

        if (launch->kind == CT_LAUNCH_KERNEL &&
            (launch->program == 0 || launch->program == at))
            launch->program = at - launch->program;
    }
}

void ct_planner_launches(struct ct_planner *p, struct ct_plan *plan)
{
    const struct ct_spec *spec = p->binding->spec;
    struct unroll u = {.p = p, .plan = plan, .main_program = -1};
    uint64_t *passes = ct_planner_alloc(p, spec->loop_count, sizeof(*passes));
    uint64_t total = passes ? count_launches(p, passes) : 0;

    if (!passes || p->status)
        return;
    u.prepared = ct_planner_alloc(p, spec->launch_count, sizeof(*u.prepared));
    plan->launches = ct_planner_alloc(p, (size_t)total, sizeof(*plan->launches));
    plan->programs = ct_planner_alloc(p, spec->launch_count, sizeof(*plan->programs));
    for (size_t i = 0; !p->status && i < spec->launch_count;) {
        int loop = spec->launches[i].loop;

        if (loop >= 0) {
            plan_loop(&u, &spec->loops[loop], passes[loop]);
            i += spec->loops[loop].launch_count;
        } else {
            plan_launch(&u, i++);
        }
    }
    p->about_all = !p->status && !plan->launch_count;
    if (p->about_all)
        CT_PLANNER_FAIL(p, spec->launches[0].place,
                        "nothing is launched in this configuration: exclude it with a "
                        "constraint");
    if (!p->status)
        put_main_first(&u);
}
