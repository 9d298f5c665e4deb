// SPDX-License-Identifier: Apache-2.0
// Serializes plans, and reads them without trusting the message.
#include "plan/plan.h"

#include "plan/plan_command.h"

#include "base/quantity.h"

#include <string.h>

/* First word of a plan, to detect messages of another kind. */
enum { PLAN_MAGIC = 0x4e4c5043 };

void ct_plan_observe(struct ct_plan *plan, uint32_t quantities)
{
    const uint32_t others = 1u << CT_QUANTITY_TIME_NS | 1u << CT_QUANTITY_END_TO_END_NS |
                            1u << CT_QUANTITY_ERROR | 1u << CT_QUANTITY_ERROR_RMS;

    plan->watched = (quantities & ~others) != 0;
    plan->end_to_end = quantities >> CT_QUANTITY_END_TO_END_NS & 1;
    plan->error =
        (quantities >> CT_QUANTITY_ERROR | quantities >> CT_QUANTITY_ERROR_RMS) & 1;
}

/* --- writing --- */

static void put_type(struct ct_str *out, struct ct_type type)
{
    ct_wire_put_u32(out, type.scalar);
    ct_wire_put_u32(out, type.width);
}

static void put_args(struct ct_str *out, size_t count, const struct ct_plan_arg *args)
{
    ct_wire_put_u64(out, count);
    for (size_t i = 0; i < count; i++) {
        const struct ct_plan_arg *arg = &args[i];

        ct_wire_put_u32(out, arg->kind);
        switch (arg->kind) {
        case CT_ARG_BUFFER:
            ct_wire_put_u32(out, arg->buffer);
            break;
        case CT_ARG_SCALAR:
            put_type(out, arg->type);
            ct_str_add(out, arg->bytes, ct_type_size(arg->type));
            break;
        case CT_ARG_LOCAL:
            ct_wire_put_u64(out, arg->local_bytes);
            break;
        case CT_ARG_SAMPLER:
            ct_wire_put_u32(out, arg->sampler.normalized);
            ct_wire_put_u32(out, arg->sampler.addressing);
            ct_wire_put_u32(out, arg->sampler.linear);
            break;
        case CT_ARG_BYTES:
            ct_wire_put_u64(out, arg->data_bytes);
            ct_str_add(out, arg->data, (size_t)arg->data_bytes);
            break;
        default:
            break;
        }
    }
}

static void put_program(struct ct_str *out, const struct ct_plan_program *program)
{
    ct_wire_put_text(out, program->source);
    ct_wire_put_text(out, program->source_path);
    ct_wire_put_text(out, program->options);
    ct_wire_put_u64(out, program->macro_count);
    for (size_t i = 0; i < program->macro_count; i++) {
        ct_wire_put_text(out, program->macros[i].name);
        ct_wire_put_text(out, program->macros[i].value);
    }
    ct_wire_put_u64(out, program->include_count);
    for (size_t i = 0; i < program->include_count; i++)
        ct_wire_put_text(out, program->include_dirs[i]);
    ct_str_add(out, program->source_hash.text, sizeof(program->source_hash.text));
}

static void put_fill(struct ct_str *out, const struct ct_fill *fill)
{
    ct_wire_put_u32(out, fill->kind);
    ct_wire_put_f64(out, fill->a);
    ct_wire_put_f64(out, fill->b);
    ct_wire_put_u64(out, fill->seed);
    ct_wire_put_u64(out, fill->source_count);
    for (size_t i = 0; i < fill->source_count; i++)
        ct_wire_put_u32(out, fill->sources[i]);
    ct_wire_put_text(out, fill->path);
    ct_str_add(out, fill->path_hash.text, sizeof(fill->path_hash.text));
    ct_wire_put_text(out, fill->function);
    put_args(out, fill->arg_count, fill->args);
}

static void put_buffer(struct ct_str *out, const struct ct_plan_buffer *buffer)
{
    ct_wire_put_text(out, buffer->name);
    put_type(out, buffer->type);
    ct_wire_put_u64(out, buffer->count);
    put_fill(out, &buffer->fill);
    ct_wire_put_u32(out, buffer->check);
    if (buffer->check == CT_CHECK_C)
        put_fill(out, &buffer->check_by);
    ct_wire_put_f64(out, buffer->tolerance);
    ct_wire_put_u64(out, buffer->compare);
    ct_wire_put_u32(out, buffer->reduce);
    ct_wire_put_u32(out, buffer->planes);
    ct_wire_put_u32(out, buffer->restore);
    ct_wire_put_u32(out, buffer->transfer);
    ct_wire_put_u32(out, buffer->image.dims);
    for (int i = 0; i < 3; i++)
        ct_wire_put_u64(out, buffer->image.size[i]);
    ct_wire_put_u32(out, buffer->image.order);
    ct_wire_put_u32(out, buffer->image.channel);
    ct_wire_put_u32(out, buffer->has_expect);
    if (buffer->has_expect)
        put_fill(out, &buffer->expect);
}

static void put_launch(struct ct_str *out, const struct ct_plan_launch *launch)
{
    ct_wire_put_u32(out, launch->kind);
    ct_wire_put_text(out, launch->name);
    ct_wire_put_u32(out, launch->extra);
    if (launch->kind != CT_LAUNCH_KERNEL) {
        ct_wire_put_u32(out, launch->from);
        ct_wire_put_u32(out, launch->to);
        return;
    }
    ct_wire_put_text(out, launch->require);
    ct_wire_put_text(out, launch->kernel);
    ct_wire_put_u32(out, launch->program);
    ct_wire_put_u32(out, launch->dims);
    for (int i = 0; i < 3; i++) {
        ct_wire_put_u64(out, launch->global[i]);
        ct_wire_put_u64(out, launch->local[i]);
    }
    put_args(out, launch->arg_count, launch->args);
}

static void put_host(struct ct_str *out, const struct ct_plan_host *host)
{
    ct_wire_put_text(out, host->c_path);
    ct_wire_put_text(out, host->function);
    ct_wire_put_text(out, host->libs);
    ct_str_add(out, host->c_hash.text, sizeof(host->c_hash.text));
    put_args(out, host->arg_count, host->args);
}

void ct_plan_put(struct ct_str *out, const struct ct_plan *plan)
{
    ct_wire_put_u32(out, PLAN_MAGIC);
    ct_wire_put_u64(out, plan->env_count);
    for (size_t i = 0; i < plan->env_count; i++) {
        ct_wire_put_text(out, plan->env[i].name);
        ct_wire_put_text(out, plan->env[i].value);
    }
    ct_wire_put_u64(out, plan->program_count);
    for (size_t i = 0; i < plan->program_count; i++)
        put_program(out, &plan->programs[i]);
    ct_wire_put_u64(out, plan->buffer_count);
    for (size_t i = 0; i < plan->buffer_count; i++)
        put_buffer(out, &plan->buffers[i]);
    ct_wire_put_u64(out, plan->launch_count);
    for (size_t i = 0; i < plan->launch_count; i++)
        put_launch(out, &plan->launches[i]);
    put_host(out, &plan->reference);
    put_host(out, &plan->baseline);
    ct_plan_command_put(out, plan->command);
    ct_wire_put_u32(out, plan->end_to_end);
    ct_wire_put_u32(out, plan->cold);
    ct_wire_put_u32(out, plan->error);
    ct_wire_put_u32(out, plan->watched);
    ct_wire_put_u32(out, plan->reference_plan != NULL);
    if (plan->reference_plan)
        ct_plan_put(out, plan->reference_plan);
}

/* --- reading --- */

/* The fewest bytes that each kind of element takes, so that a damaged count is caught
 * before it becomes an allocation: a text is at least its "is NULL" word. */
enum {
    TEXT_BYTES = 4,
    TYPE_BYTES = 8,
    ARG_BYTES = 4, /* of null */
    MACRO_BYTES = 2 * TEXT_BYTES,
    PROGRAM_BYTES = 3 * TEXT_BYTES + 2 * 8 + CT_HASH_TEXT_SIZE,
    FILL_BYTES = 4 + 5 * 8 + 2 * TEXT_BYTES + CT_HASH_TEXT_SIZE,
    IMAGE_BYTES = 3 * 4 + 3 * 8,
    BUFFER_BYTES =
        TEXT_BYTES + TYPE_BYTES + 8 + FILL_BYTES + 4 + 2 * 8 + 4 * 4 + IMAGE_BYTES + 4,
    LAUNCH_BYTES = TEXT_BYTES + 4 * 4, /* of a copy */
    ENV_BYTES = 2 * TEXT_BYTES,
};

struct reader {
    struct ct_wire_reader *in;
    struct ct_arena *arena;
    bool no_memory;
    bool inner; /* within a reference plan, which has none itself */
};

static void *get_array(struct reader *r, size_t *count, size_t least_bytes, size_t size)
{
    void *array;

    *count = ct_wire_get_count(r->in, least_bytes);
    if (r->in->failed)
        *count = 0;
    array = ct_arena_array(r->arena, *count, size);
    if (!array) {
        r->no_memory = true;
        r->in->failed = true;
        *count = 0;
    }
    return array;
}

/* A text that may not be NULL. */
static const char *get_text(struct reader *r)
{
    const char *text = ct_wire_get_text(r->in, r->arena);

    if (!text) {
        r->in->failed = true;
        return "";
    }
    return text;
}

/* A number below `limit`: an index or an enumerator. */
static uint32_t get_below(struct reader *r, size_t limit)
{
    uint32_t value = ct_wire_get_u32(r->in);

    if (value >= limit) {
        r->in->failed = true;
        return 0;
    }
    return value;
}

static void get_raw(struct reader *r, void *bytes, size_t size)
{
    if (r->in->failed || r->in->length - r->in->at < size) {
        r->in->failed = true;
        memset(bytes, 0, size);
        return;
    }
    memcpy(bytes, r->in->data + r->in->at, size);
    r->in->at += size;
}

static void get_hash(struct reader *r, struct ct_hash *hash)
{
    get_raw(r, hash->text, sizeof(hash->text));
    hash->text[sizeof(hash->text) - 1] = '\0';
}

static struct ct_type get_type(struct reader *r)
{
    struct ct_type type;

    type.scalar = (enum ct_scalar)get_below(r, CT_T_COUNT);
    type.width = ct_wire_get_u32(r->in);
    switch (type.width) {
    case 1:
    case 2:
    case 3:
    case 4:
    case 8:
    case 16:
        break;
    default:
        r->in->failed = true;
        type.width = 1;
        break;
    }
    return type;
}

static bool get_bool(struct reader *r)
{
    return get_below(r, 2) != 0;
}

static void get_sampler(struct reader *r, struct ct_plan_sampler *sampler)
{
    sampler->normalized = get_bool(r);
    sampler->addressing =
        (enum ct_addressing)get_below(r, CT_ADDRESS_MIRRORED_REPEAT + 1);
    sampler->linear = get_bool(r);
}

static struct ct_plan_arg *get_args(struct reader *r, size_t *count, size_t buffer_count,
                                    bool host)
{
    struct ct_plan_arg *args = get_array(r, count, ARG_BYTES, sizeof(*args));
    size_t size_bytes;

    for (size_t i = 0; i < *count; i++) {
        args[i].kind = (enum ct_arg_kind)get_below(r, CT_ARG_COUNT);
        /* Host functions have neither. */
        if (host && (args[i].kind == CT_ARG_LOCAL || args[i].kind == CT_ARG_SAMPLER))
            r->in->failed = true;
        switch (args[i].kind) {
        case CT_ARG_BUFFER:
            args[i].buffer = get_below(r, buffer_count);
            break;
        case CT_ARG_SCALAR:
            args[i].type = get_type(r);
            get_raw(r, args[i].bytes, ct_type_size(args[i].type));
            break;
        case CT_ARG_LOCAL:
            args[i].local_bytes = ct_wire_get_u64(r->in);
            break;
        case CT_ARG_SAMPLER:
            get_sampler(r, &args[i].sampler);
            break;
        case CT_ARG_BYTES:
            args[i].data = get_array(r, &size_bytes, 1, 1);
            args[i].data_bytes = size_bytes;
            get_raw(r, (unsigned char *)(uintptr_t)args[i].data, size_bytes);
            break;
        default:
            break;
        }
    }
    return args;
}

static void get_program(struct reader *r, struct ct_plan_program *program)
{
    program->source = get_text(r);
    program->source_path = get_text(r);
    program->options = get_text(r);
    program->macros =
        get_array(r, &program->macro_count, MACRO_BYTES, sizeof(*program->macros));
    for (size_t i = 0; i < program->macro_count; i++) {
        program->macros[i].name = get_text(r);
        program->macros[i].value = get_text(r);
    }
    program->include_dirs =
        get_array(r, &program->include_count, TEXT_BYTES, sizeof(*program->include_dirs));
    for (size_t i = 0; i < program->include_count; i++)
        program->include_dirs[i] = get_text(r);
    get_hash(r, &program->source_hash);
}

/* `buffers`: how many there are to be a source. */
static void get_fill(struct reader *r, size_t buffers, struct ct_fill *fill)
{
    bool wants_sources;
    bool wants_path;

    fill->kind = (enum ct_fill_kind)get_below(r, CT_FILL_C + 1);
    fill->a = ct_wire_get_f64(r->in);
    fill->b = ct_wire_get_f64(r->in);
    fill->seed = ct_wire_get_u64(r->in);
    fill->sources = get_array(r, &fill->source_count, 4, sizeof(*fill->sources));
    for (size_t i = 0; i < fill->source_count; i++)
        fill->sources[i] = get_below(r, buffers);
    fill->path = ct_wire_get_text(r->in, r->arena);
    get_hash(r, &fill->path_hash);
    fill->function = ct_wire_get_text(r->in, r->arena);
    fill->args = get_args(r, &fill->arg_count, 1, true);
    wants_sources = fill->kind == CT_FILL_COPY || fill->kind == CT_FILL_INTERLEAVE;
    wants_path = fill->kind == CT_FILL_FILE || fill->kind == CT_FILL_C;
    if (wants_sources != (fill->source_count > 0) ||
        (fill->kind == CT_FILL_COPY && fill->source_count != 1) ||
        wants_path != (fill->path != NULL) ||
        (fill->kind == CT_FILL_C) != (fill->function != NULL) ||
        (fill->kind != CT_FILL_C && fill->arg_count))
        r->in->failed = true;
}

static void get_image(struct reader *r, const struct ct_plan_buffer *buffer,
                      struct ct_plan_image *image)
{
    uint64_t pixels = 1;

    image->dims = get_below(r, 4);
    for (int i = 0; i < 3; i++) {
        image->size[i] = ct_wire_get_u64(r->in);
        if (image->dims && __builtin_mul_overflow(pixels, image->size[i], &pixels))
            r->in->failed = true;
    }
    image->order = (enum ct_channel_order)get_below(r, CT_ORDER_BGRA + 1);
    image->channel = (enum ct_channel_type)get_below(r, CT_CHANNEL_UNSIGNED_INT32 + 1);
    if (image->dims && pixels != buffer->count)
        r->in->failed = true;
}

/* Whether an array of the buffer's type can be split into its planes. */
static bool planes_fit(const struct ct_plan_buffer *buffer)
{
    if (!buffer->planes || buffer->planes == buffer->type.width)
        return true;
    return buffer->type.width == 1 && buffer->count % buffer->planes == 0;
}

/* Buffer number `index` of `total`. */
static void get_buffer(struct reader *r, size_t index, size_t total,
                       struct ct_plan_buffer *buffer)
{
    buffer->name = get_text(r);
    buffer->type = get_type(r);
    buffer->count = ct_wire_get_u64(r->in);
    /* Sources come before the buffers made of them, so that filling in order is right. */
    get_fill(r, index, &buffer->fill);
    buffer->check = (enum ct_check_kind)get_below(r, CT_CHECK_COUNT);
    if (buffer->check == CT_CHECK_C) {
        get_fill(r, 0, &buffer->check_by);
        if (buffer->check_by.kind != CT_FILL_C)
            r->in->failed = true;
    }
    buffer->tolerance = ct_wire_get_f64(r->in);
    buffer->compare = ct_wire_get_u64(r->in);
    buffer->reduce = (enum ct_reduce)get_below(r, CT_REDUCE_MAX + 1);
    buffer->planes = ct_wire_get_u32(r->in);
    buffer->restore = (enum ct_restore)get_below(r, CT_RESTORE_EACH + 1);
    buffer->transfer = (enum ct_transfer)get_below(r, CT_TRANSFER_HOST + 1);
    get_image(r, buffer, &buffer->image);
    buffer->has_expect = get_bool(r);
    if (buffer->has_expect)
        get_fill(r, total, &buffer->expect);
    /* Sizes in bytes are computed from these in many places: they must not overflow. */
    if (buffer->count > UINT64_MAX / ct_type_size(buffer->type) ||
        buffer->compare > buffer->count || !planes_fit(buffer))
        r->in->failed = true;
}

static void get_launch(struct reader *r, const struct ct_plan *plan,
                       struct ct_plan_launch *launch)
{
    launch->kind = (enum ct_launch_kind)get_below(r, CT_LAUNCH_ZERO + 1);
    launch->name = get_text(r);
    launch->extra = get_below(r, CT_PLAN_WEIGHT_MOST);
    launch->kernel = "";
    if (launch->kind != CT_LAUNCH_KERNEL) {
        launch->from = get_below(r, plan->buffer_count);
        launch->to = get_below(r, plan->buffer_count);
        return;
    }
    launch->require = ct_wire_get_text(r->in, r->arena);
    launch->kernel = get_text(r);
    launch->program = get_below(r, plan->program_count);
    launch->dims = get_below(r, 4);
    if (launch->dims == 0)
        r->in->failed = true;
    for (int i = 0; i < 3; i++) {
        launch->global[i] = ct_wire_get_u64(r->in);
        launch->local[i] = ct_wire_get_u64(r->in);
    }
    launch->args = get_args(r, &launch->arg_count, plan->buffer_count, false);
}

static void get_host(struct reader *r, const struct ct_plan *plan,
                     struct ct_plan_host *host)
{
    host->c_path = ct_wire_get_text(r->in, r->arena);
    host->function = ct_wire_get_text(r->in, r->arena);
    host->libs = ct_wire_get_text(r->in, r->arena);
    if (host->function && !host->c_path)
        r->in->failed = true;
    get_hash(r, &host->c_hash);
    host->args = get_args(r, &host->arg_count, plan->buffer_count, true);
}

static void get_plan(struct reader *r, struct ct_plan *plan);

/* The buffers of a reference plan belong to those of the plan, one by one. */
static void get_reference_plan(struct reader *r, struct ct_plan *plan)
{
    if (!get_bool(r))
        return;
    plan->reference_plan = ct_arena_alloc(r->arena, sizeof(*plan->reference_plan));
    r->no_memory = r->no_memory || !plan->reference_plan;
    if (!plan->reference_plan || r->inner) {
        r->in->failed = true;
        return;
    }
    r->inner = true;
    get_plan(r, plan->reference_plan);
    r->inner = false;
    if (plan->reference_plan->buffer_count != plan->buffer_count ||
        plan->reference_plan->reference.function)
        r->in->failed = true;
}

static void get_plan(struct reader *r, struct ct_plan *plan)
{
    memset(plan, 0, sizeof(*plan));
    if (ct_wire_get_u32(r->in) != PLAN_MAGIC)
        r->in->failed = true;
    plan->env = get_array(r, &plan->env_count, ENV_BYTES, sizeof(*plan->env));
    for (size_t i = 0; i < plan->env_count; i++) {
        plan->env[i].name = get_text(r);
        plan->env[i].value = ct_wire_get_text(r->in, r->arena);
    }
    plan->programs =
        get_array(r, &plan->program_count, PROGRAM_BYTES, sizeof(*plan->programs));
    for (size_t i = 0; i < plan->program_count; i++)
        get_program(r, &plan->programs[i]);
    plan->buffers =
        get_array(r, &plan->buffer_count, BUFFER_BYTES, sizeof(*plan->buffers));
    for (size_t i = 0; i < plan->buffer_count; i++)
        get_buffer(r, i, plan->buffer_count, &plan->buffers[i]);
    plan->launches =
        get_array(r, &plan->launch_count, LAUNCH_BYTES, sizeof(*plan->launches));
    for (size_t i = 0; i < plan->launch_count; i++)
        get_launch(r, plan, &plan->launches[i]);
    get_host(r, plan, &plan->reference);
    get_host(r, plan, &plan->baseline);
    plan->command = ct_plan_command_get(r->in, r->arena);
    plan->end_to_end = get_bool(r);
    plan->cold = get_bool(r);
    plan->error = get_bool(r);
    plan->watched = get_bool(r);
    get_reference_plan(r, plan);
}

enum ct_status ct_plan_get(struct ct_wire_reader *in, struct ct_arena *arena,
                           struct ct_plan *plan, struct ct_err *err)
{
    struct reader r = {in, arena, false, false};

    get_plan(&r, plan);
    if (!in->failed)
        return CT_OK;
    memset(plan, 0, sizeof(*plan));
    if (r.no_memory)
        return ct_err_nomem(err);
    return ct_err_set(err, CT_E_WORKER, "a message with a plan is damaged");
}
