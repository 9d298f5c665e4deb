// SPDX-License-Identifier: Apache-2.0
// Plans a configuration: buffers, images and their contents.
#include "plan/binding_plan.h"

#include "base/file.h"
#include "base/wide.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- fills --- */

/* An argument of a fill; 0 if there is none or it is not a number. */
static struct ct_value eval_number(struct ct_planner *p, const struct ct_expr *expr)
{
    struct ct_value none = {.kind = CT_INT};
    struct ct_value value;

    if (!expr || ct_planner_eval(p, expr, "the fill's argument", &value))
        return none;
    if (value.kind == CT_TEXT) {
        CT_PLANNER_FAIL(p, expr->place, "the fill's argument '%s' is text", expr->text);
        return none;
    }
    return value;
}

/* The first 64 bits of the name's hash: adding a buffer changes no other's contents. */
static uint64_t seed_of(const char *name)
{
    struct ct_hash hash = ct_hash_bytes(name, strlen(name));

    hash.text[16] = '\0';
    return strtoull(hash.text, NULL, 16);
}

/* Bytes of a buffer; planning has checked that they do not overflow. */
static uint64_t bytes_of(const struct ct_plan_buffer *buffer)
{
    return buffer->count * ct_type_size(buffer->type);
}

/* --- values that do not fit the type --- */

static bool is_real(enum ct_scalar scalar)
{
    return scalar == CT_T_HALF || scalar == CT_T_FLOAT || scalar == CT_T_DOUBLE;
}

static bool is_signed(enum ct_scalar scalar)
{
    return scalar == CT_T_CHAR || scalar == CT_T_SHORT || scalar == CT_T_INT ||
           scalar == CT_T_LONG;
}

static uint64_t highest_of(enum ct_scalar scalar)
{
    unsigned bits = (unsigned)ct_scalar_size(scalar) * 8 - is_signed(scalar);

    return UINT64_MAX >> (64 - bits);
}

static int64_t lowest_of(enum ct_scalar scalar)
{
    return is_signed(scalar) ? -(int64_t)highest_of(scalar) - 1 : 0;
}

/* "uchar (0 to 255)"; reals alone by their name. */
static const char *type_text(enum ct_scalar scalar, char text[64])
{
    struct ct_type type = {scalar, 1};
    char name[16];

    ct_type_name(type, name);
    if (is_real(scalar))
        snprintf(text, 64, "%s", name);
    else
        snprintf(text, 64, "%s (%lld to %llu)", name, (long long)lowest_of(scalar),
                 (unsigned long long)highest_of(scalar));
    return text;
}

/* Whether a double represents the integer exactly. */
static bool is_exact(struct ct_value value)
{
    double real;

    if (value.kind != CT_INT)
        return true;
    real = (double)value.u.i;
    return real < 0x1p63 && (int64_t)real == value.u.i;
}

/* One argument that must be a value of the buffer's type; plans hold it as a double. */
static void check_value(struct ct_planner *p, const struct ct_expr *expr,
                        struct ct_value value, bool exact, enum ct_scalar scalar)
{
    unsigned char bytes[CT_TYPE_SIZE_MAX];
    struct ct_type type = {scalar, 1};
    struct ct_str text;
    char range[64];

    if (!ct_type_store(type, value, bytes)) {
        ct_str_init(&text);
        ct_value_print(&text, value);
        CT_PLANNER_FAIL(p, expr->place, "%s is not a value of %s", text.data,
                        type_text(scalar, range));
        ct_str_release(&text);
    } else if (exact && !is_real(scalar) && !is_exact(value)) {
        CT_PLANNER_FAIL(p, expr->place,
                        "%lld cannot be represented exactly here (above 2^53, only some "
                        "multiples of powers of two can): use c(file.c, function)",
                        (long long)value.u.i);
    }
}

/* Whether scalar number `index` of a ramp fits the type. */
static bool ramp_fits(const struct ct_fill *fill, enum ct_scalar scalar, uint64_t index)
{
    unsigned char bytes[CT_TYPE_SIZE_MAX];
    struct ct_type type = {scalar, 1};
    struct ct_wide value;

    if (is_real(scalar)) {
        struct ct_value real = {.kind = CT_REAL,
                                .u.r = fill->a + (double)index * fill->b};

        return ct_type_store(type, real, bytes);
    }
    value = ct_wide_add(ct_wide_from_real(fill->a),
                        ct_wide_times(ct_wide_from_real(fill->b), index));
    return ct_wide_compare(value, ct_wide_int(lowest_of(scalar))) >= 0 &&
           ct_wide_compare(value, ct_wide_uint(highest_of(scalar))) <= 0;
}

/* The numbers of a ramp are a + index * b; the first of them fits, and where one does not
 * fit, none after it does. */
static void check_ramp(struct ct_planner *p, const struct ct_spec_fill *from,
                       struct ct_value step, const struct ct_plan_buffer *to,
                       const struct ct_fill *fill)
{
    enum ct_scalar scalar = to->type.scalar;
    uint64_t count = to->count * to->type.width;
    uint64_t good = 0;
    uint64_t bad = count - 1;
    char range[64];

    if (count < 2)
        return;
    if (!is_real(scalar) && (fill->b != trunc(fill->b) || !(fabs(fill->b) < 0x1p64))) {
        CT_PLANNER_FAIL(p, from->b->place, "steps of %g do not give values of %s",
                        fill->b, type_text(scalar, range));
        return;
    }
    if (!is_real(scalar) && !is_exact(step)) {
        CT_PLANNER_FAIL(p, from->b->place,
                        "the step %lld cannot be represented exactly here",
                        (long long)step.u.i);
        return;
    }
    if (ramp_fits(fill, scalar, bad))
        return;
    while (bad - good > 1) {
        uint64_t middle = good + (bad - good) / 2;

        *(ramp_fits(fill, scalar, middle) ? &good : &bad) = middle;
    }
    CT_PLANNER_FAIL(p, from->place,
                    "the ramp leaves %s: of its %llu numbers, number %llu (counted from "
                    "0) is the first that does not fit",
                    type_text(scalar, range), (unsigned long long)count,
                    (unsigned long long)bad);
}

/* Rounding or truncation is an error: it would not be reported later. */
static void check_numbers(struct ct_planner *p, const struct ct_spec_fill *from,
                          struct ct_value a, struct ct_value b,
                          const struct ct_plan_buffer *to, const struct ct_fill *fill)
{
    enum ct_scalar scalar = to->type.scalar;

    if (fill->kind != CT_FILL_CONSTANT && fill->kind != CT_FILL_RAMP &&
        fill->kind != CT_FILL_UNIFORM)
        return;
    check_value(p, from->a, a, fill->kind != CT_FILL_UNIFORM, scalar);
    if (fill->kind == CT_FILL_UNIFORM)
        check_value(p, from->b, b, false, scalar);
    else if (!p->status && fill->kind == CT_FILL_RAMP)
        check_ramp(p, from, b, to, fill);
}

/* --- other kinds --- */

static void check_copy(struct ct_planner *p, const struct ct_spec_fill *from,
                       const struct ct_plan_buffer *to, const struct ct_plan_buffer *all)
{
    const struct ct_plan_buffer *source = &all[from->sources[0]];

    if (bytes_of(source) != bytes_of(to))
        CT_PLANNER_FAIL(p, from->place,
                        "buffer '%s' has %llu bytes, but '%s', which it copies, has %llu",
                        to->name, (unsigned long long)bytes_of(to), source->name,
                        (unsigned long long)bytes_of(source));
}

static void check_interleave(struct ct_planner *p, const struct ct_spec_fill *from,
                             const struct ct_plan_buffer *to,
                             const struct ct_plan_buffer *all)
{
    const struct ct_plan_buffer *first = &all[from->sources[0]];
    uint64_t bytes;

    for (size_t i = 1; i < from->source_count; i++) {
        const struct ct_plan_buffer *source = &all[from->sources[i]];

        if (source->count != first->count || source->type.scalar != first->type.scalar ||
            source->type.width != first->type.width)
            CT_PLANNER_FAIL(p, from->place,
                            "'%s' and '%s' cannot be interleaved: they differ in type or "
                            "count",
                            first->name, source->name);
    }
    if (__builtin_mul_overflow(bytes_of(first), from->source_count, &bytes) ||
        bytes != bytes_of(to))
        CT_PLANNER_FAIL(p, from->place,
                        "buffer '%s' has %llu bytes, but each of the %zu buffers that it "
                        "interleaves has %llu",
                        to->name, (unsigned long long)bytes_of(to), from->source_count,
                        (unsigned long long)bytes_of(first));
}

/* A data file may be as large as the buffer requires. */
static uint64_t fill_limit(const struct ct_spec_fill *from,
                           const struct ct_plan_buffer *to)
{
    uint64_t bytes = bytes_of(to);

    if (from->kind == CT_FILL_C)
        return CT_FILE_HOST_MAX;
    return bytes < INT64_MAX ? bytes + CT_FILE_FILL_EXTRA : INT64_MAX;
}

static void plan_file(struct ct_planner *p, const struct ct_spec_fill *from,
                      const struct ct_plan_buffer *to, struct ct_fill *fill)
{
    const char *written = ct_planner_fill(p, &from->path);
    uint64_t limit_bytes = fill_limit(from, to);
    char why[CT_FILE_WHY_SIZE];
    int error;

    fill->path = written ? ct_planner_path(p, &from->path) : NULL;
    if (!fill->path)
        return;
    error = ct_source_hash_file(p->cache, fill->path, limit_bytes, &fill->path_hash);
    if (error)
        CT_PLANNER_FAIL(p, from->path.place, "cannot read '%s': %s", written,
                        ct_file_why(why, error, limit_bytes));
}

/* A seed that is given makes the contents the same whatever the buffer's name is. */
static uint64_t plan_seed(struct ct_planner *p, const struct ct_spec_fill *from,
                          const char *name)
{
    struct ct_value seed;
    char text[48];

    if (!from->seed || ct_planner_eval(p, from->seed, "the seed", &seed))
        return seed_of(name);
    if (seed.kind != CT_INT) {
        CT_PLANNER_FAIL(p, from->seed->place, "a seed must be an integer");
        return 0;
    }
    snprintf(text, sizeof(text), "seed %lld", (long long)seed.u.i);
    return seed_of(text);
}

/* Arguments of a function in C. */
static void plan_args(struct ct_planner *p, const struct ct_spec_fill *from,
                      const struct ct_plan_buffer *to, struct ct_fill *fill)
{
    ct_planner_args(p, from->args, from->arg_count, false, &fill->args, &fill->arg_count);
    for (size_t i = 0; fill->args && i < fill->arg_count; i++)
        if (from->args[i].name) {
            fill->args[i].data = (const unsigned char *)to->name;
            fill->args[i].data_bytes = strlen(to->name) + 1;
        }
}

/* The contents of `to`; `all` are the buffers of the plan, of which the fill's sources are done. */
static void plan_fill(struct ct_planner *p, const struct ct_spec_fill *from,
                      const struct ct_plan_buffer *to, const struct ct_plan_buffer *all,
                      struct ct_fill *fill)
{
    struct ct_value a = eval_number(p, from->a);
    struct ct_value b = eval_number(p, from->b);

    fill->kind = from->kind;
    fill->a = ct_value_number(a);
    fill->b = ct_value_number(b);
    fill->seed = plan_seed(p, from, to->name);
    fill->source_count = from->source_count;
    fill->sources = ct_planner_alloc(p, from->source_count, sizeof(*fill->sources));
    fill->function = from->function;
    plan_args(p, from, to, fill);
    for (size_t i = 0; fill->sources && i < from->source_count; i++)
        fill->sources[i] = (uint32_t)from->sources[i];
    if (!p->status)
        check_numbers(p, from, a, b, to, fill);
    if (p->status)
        return;
    switch (fill->kind) {
    case CT_FILL_UNIFORM:
        if (fill->a > fill->b)
            CT_PLANNER_FAIL(p, from->a->place, "uniform(%g, %g) is empty", fill->a,
                            fill->b);
        break;
    case CT_FILL_NORMAL:
        if (fill->b < 0)
            CT_PLANNER_FAIL(p, from->b->place, "normal(%g, %g) has a negative deviation",
                            fill->a, fill->b);
        break;
    case CT_FILL_COPY:
        check_copy(p, from, to, all);
        break;
    case CT_FILL_INTERLEAVE:
        check_interleave(p, from, to, all);
        break;
    case CT_FILL_FILE:
    case CT_FILL_C:
        plan_file(p, from, to, fill);
        break;
    case CT_FILL_NONE:
    case CT_FILL_ZERO:
    case CT_FILL_CONSTANT:
    case CT_FILL_RAMP:
        break;
    }
}

/* --- types and sizes --- */

static struct ct_type pixel_type(enum ct_channel_order order,
                                 enum ct_channel_type channel)
{
    static const unsigned widths[] = {
        [CT_ORDER_R] = 1, [CT_ORDER_RG] = 2, [CT_ORDER_RGBA] = 4, [CT_ORDER_BGRA] = 4};
    static const enum ct_scalar scalars[] = {
        [CT_CHANNEL_FLOAT] = CT_T_FLOAT,
        [CT_CHANNEL_HALF_FLOAT] = CT_T_HALF,
        [CT_CHANNEL_UNORM_INT8] = CT_T_UCHAR,
        [CT_CHANNEL_UNORM_INT16] = CT_T_USHORT,
        [CT_CHANNEL_SIGNED_INT8] = CT_T_CHAR,
        [CT_CHANNEL_SIGNED_INT16] = CT_T_SHORT,
        [CT_CHANNEL_SIGNED_INT32] = CT_T_INT,
        [CT_CHANNEL_UNSIGNED_INT8] = CT_T_UCHAR,
        [CT_CHANNEL_UNSIGNED_INT16] = CT_T_USHORT,
        [CT_CHANNEL_UNSIGNED_INT32] = CT_T_UINT,
    };

    return (struct ct_type){scalars[channel], widths[order]};
}

static void plan_image(struct ct_planner *p, const struct ct_spec_buffer *from,
                       struct ct_plan_buffer *buffer)
{
    struct ct_plan_image *image = &buffer->image;

    image->dims = (uint32_t)from->dims;
    image->order = from->order;
    image->channel = from->channel;
    buffer->type = pixel_type(from->order, from->channel);
    buffer->count = 1;
    for (size_t i = 0; i < 3; i++) {
        image->size[i] = 1;
        if (i < from->dims && !ct_planner_int(p, from->size[i], "the size of the image",
                                              1, &image->size[i]))
            return;
        if (__builtin_mul_overflow(buffer->count, image->size[i], &buffer->count))
            CT_PLANNER_FAIL(p, from->place,
                            "image '%s' has more pixels than 64 bits can count",
                            from->name);
    }
}

static void plan_type(struct ct_planner *p, const struct ct_spec_buffer *from,
                      struct ct_plan_buffer *buffer)
{
    const char *type;
    uint64_t bytes;

    if (from->dims) {
        plan_image(p, from, buffer);
    } else {
        type = ct_planner_fill(p, &from->type);
        if (!type)
            return;
        if (!ct_type_read(type, &buffer->type)) {
            CT_PLANNER_FAIL(p, from->type.place, "'%s' is not an OpenCL type", type);
            return;
        }
        ct_planner_int(p, from->count, "the count", 1, &buffer->count);
    }
    if (!p->status &&
        (__builtin_mul_overflow(buffer->count, ct_type_size(buffer->type), &bytes) ||
         bytes > INT64_MAX))
        CT_PLANNER_FAIL(p, from->dims ? from->place : from->count->place,
                        "%s '%s' has more bytes than 63 bits can count",
                        from->dims ? "image" : "buffer", from->name);
}

/* --- the rest --- */

static void plan_planes(struct ct_planner *p, const struct ct_spec_buffer *from,
                        struct ct_plan_buffer *buffer)
{
    uint64_t planes;
    char type[16];

    if (!from->planes || !ct_planner_int(p, from->planes, "'planes'", 0, &planes))
        return;
    if (planes <= 1) /* one plane is a plain buffer */
        return;
    ct_type_name(buffer->type, type);
    if (buffer->type.width == 3)
        CT_PLANNER_FAIL(
            p, from->planes->place,
            "a %s occupies four scalars: declare its scalars, three per record", type);
    else if (buffer->type.width != 1 && planes != buffer->type.width)
        CT_PLANNER_FAIL(p, from->planes->place,
                        "'planes' is %llu, but a %s has %u scalars",
                        (unsigned long long)planes, type, buffer->type.width);
    else if (buffer->type.width == 1 && buffer->count % planes)
        CT_PLANNER_FAIL(p, from->planes->place,
                        "'planes' is %llu, which does not divide the count %llu of "
                        "buffer '%s'",
                        (unsigned long long)planes, (unsigned long long)buffer->count,
                        from->name);
    else if (planes > UINT32_MAX)
        CT_PLANNER_FAIL(p, from->planes->place, "'planes' does not fit 32 bits");
    buffer->planes = (uint32_t)planes;
}

static void plan_transfer(struct ct_planner *p, const struct ct_spec_buffer *from,
                          struct ct_plan_buffer *buffer)
{
    struct ct_value value;
    int word = -1;

    buffer->transfer = from->transfer;
    if (!from->transfer_by || ct_planner_eval(p, from->transfer_by, "'transfer'", &value))
        return;
    if (value.kind == CT_TEXT)
        word = ct_spec_find_word(ct_spec_transfers, 3, value.u.s);
    if (word < 0)
        CT_PLANNER_FAIL(
            p, from->transfer_by->place, "'%s' is %s%s%s; use 'write', 'map' or 'host'",
            from->transfer_by->text, value.kind == CT_TEXT ? "'" : "a number",
            value.kind == CT_TEXT ? value.u.s : "", value.kind == CT_TEXT ? "'" : "");
    else
        buffer->transfer = (enum ct_transfer)word;
}

static double plan_tolerance(struct ct_planner *p, const struct ct_spec_buffer *from)
{
    struct ct_value value;
    double tolerance;

    if (!from->tolerance || ct_planner_eval(p, from->tolerance, "the tolerance", &value))
        return 0;
    if (value.kind == CT_TEXT) {
        CT_PLANNER_FAIL(p, from->tolerance->place, "the tolerance '%s' is text",
                        from->tolerance->text);
        return 0;
    }
    tolerance = ct_value_number(value);
    if (tolerance < 0)
        CT_PLANNER_FAIL(p, from->tolerance->place, "the tolerance is negative");
    return tolerance;
}

static void plan_buffer(struct ct_planner *p, const struct ct_spec_buffer *from,
                        struct ct_plan_buffer *buffer, const struct ct_plan_buffer *all)
{
    buffer->name = from->name;
    plan_type(p, from, buffer);
    if (!p->status)
        plan_planes(p, from, buffer);
    if (!p->status)
        plan_transfer(p, from, buffer);
    if (p->status)
        return;
    plan_fill(p, &from->fill, buffer, all, &buffer->fill);
    buffer->check = from->check;
    if (from->check == CT_CHECK_C)
        plan_fill(p, &from->check_by, buffer, all, &buffer->check_by);
    buffer->tolerance = plan_tolerance(p, from);
    buffer->reduce = from->reduce;
    buffer->restore = from->restore;
    buffer->compare = buffer->count;
    if (from->compare &&
        ct_planner_int(p, from->compare, "'compare'", 1, &buffer->compare) &&
        buffer->compare > buffer->count)
        CT_PLANNER_FAIL(p, from->compare->place,
                        "'compare' is %llu, but buffer '%s' has %llu elements",
                        (unsigned long long)buffer->compare, from->name,
                        (unsigned long long)buffer->count);
}

/* The shape of an image or a buffer, for messages that compare two: "8 float4", or "8 float4 in 4
 * planes". */
static void put_shape(struct ct_str *out, const struct ct_plan_buffer *buffer)
{
    char type[16];

    ct_type_name(buffer->type, type);
    for (uint32_t i = 0; i < buffer->image.dims; i++)
        ct_str_addf(out, "%s%llu", i ? " x " : "",
                    (unsigned long long)buffer->image.size[i]);
    if (buffer->image.dims)
        ct_str_addf(out, " of %s %s", ct_spec_orders[buffer->image.order],
                    ct_spec_channels[buffer->image.channel]);
    else
        ct_str_addf(out, "%llu %s", (unsigned long long)buffer->count, type);
    if (buffer->planes)
        ct_str_addf(out, " in %u planes", buffer->planes);
}

/* Swapped buffers must be alike: a kernel given the smaller one would write beyond its end. */
static void check_swaps(struct ct_planner *p, const struct ct_plan *plan)
{
    const struct ct_spec *spec = p->binding->spec;

    for (size_t i = 0; !p->status && i < spec->loop_count; i++) {
        const struct ct_spec_loop *loop = &spec->loops[i];
        struct ct_str shapes[2];

        if (loop->swap[0] < 0)
            continue;
        for (int j = 0; j < 2; j++) {
            ct_str_init(&shapes[j]);
            put_shape(&shapes[j], &plan->buffers[loop->swap[j]]);
        }
        if (shapes[0].failed || shapes[1].failed)
            p->status = ct_err_nomem(p->err);
        p->last = spec->buffers[loop->swap[0]].count; /* NULL for an image */
        p->last_text = NULL;
        if (!p->status && strcmp(shapes[0].data, shapes[1].data) != 0)
            CT_PLANNER_FAIL(p, loop->swap_place,
                            "'%s' and '%s' cannot be exchanged: one is %s, the other %s",
                            plan->buffers[loop->swap[0]].name,
                            plan->buffers[loop->swap[1]].name, shapes[0].data,
                            shapes[1].data);
        ct_str_release(&shapes[0]);
        ct_str_release(&shapes[1]);
    }
}

void ct_planner_buffers(struct ct_planner *p, struct ct_plan *plan)
{
    const struct ct_spec *spec = p->binding->spec;

    plan->buffers = ct_planner_alloc(p, spec->buffer_count, sizeof(*plan->buffers));
    for (size_t i = 0; !p->status && i < spec->buffer_count; i++)
        plan_buffer(p, &spec->buffers[i], &plan->buffers[plan->buffer_count++],
                    plan->buffers);
    /* Expected outputs may depend on any buffer's initial contents. */
    for (size_t i = 0; !p->status && i < spec->buffer_count; i++) {
        plan->buffers[i].has_expect = spec->buffers[i].has_expect;
        if (spec->buffers[i].has_expect)
            plan_fill(p, &spec->buffers[i].expect, &plan->buffers[i], plan->buffers,
                      &plan->buffers[i].expect);
    }
    check_swaps(p, plan);
}
