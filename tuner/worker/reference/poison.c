// SPDX-License-Identifier: Apache-2.0
// Poisons outputs: initial contents differ from the expected ones.
#include "worker/reference/poison.h"

#include "worker/data/data.h"
#include "worker/parallel.h"
#include "worker/reference/expected.h"

#include <math.h>

/* Scalars of a buffer in memory, including pad lanes and those that this plan does not compare:
 * another one with the same data may. */
static size_t scalars(const struct ct_plan_buffer *buffer)
{
    return (size_t)buffer->count *
           (ct_type_size(buffer->type) / ct_scalar_size(buffer->type.scalar));
}

static bool padding(const struct ct_plan_buffer *buffer, size_t index)
{
    return buffer->type.width == 3 && index % 4 == 3;
}

static bool holds_reals(const struct ct_plan_buffer *buffer)
{
    return buffer->type.scalar == CT_T_HALF || buffer->type.scalar == CT_T_FLOAT ||
           buffer->type.scalar == CT_T_DOUBLE;
}

/* Whether all bits set could pass for the expected value of this scalar. */
static bool could_pass(const struct ct_plan_buffer *buffer,
                       const struct ct_expected *expected, size_t index)
{
    return !padding(buffer, index) &&
           !(expected->unwritten && expected->unwritten[index]) &&
           (!holds_reals(buffer) ||
            isnan(ct_scalar_load(buffer->type.scalar, expected->bytes, index)));
}

/* Where a buffer is poisoned. */
struct poisoning {
    const struct ct_plan_buffer *buffer;
    const struct ct_expected *expected;
    unsigned char *bytes;
};

static void poison_part(void *data, size_t begin, size_t end)
{
    const struct poisoning *p = data;
    size_t unit = ct_scalar_size(p->buffer->type.scalar);
    /* The byte with the sign. */
    const uint16_t one = 1;
    size_t top = *(const unsigned char *)&one ? unit - 1 : 0;

    for (size_t i = begin; i < end; i++) {
        const unsigned char *right = (const unsigned char *)p->expected->bytes + i * unit;

        if (!could_pass(p->buffer, p->expected, i))
            continue;
        for (size_t k = 0; k < unit; k++)
            p->bytes[i * unit + k] = holds_reals(p->buffer) ? 0
                                     : k == top             ? right[k] ^ 0x80
                                                            : (unsigned char)~right[k];
    }
}

/* Gives a buffer without fill contents that cannot be mistaken for a right result, if all bits
 * set could be: for reals, a number where NaN is expected; for integers, the expected value with
 * every byte changed and half the type's range away, which is beyond any tolerance. */
static enum ct_status set_apart(struct ct_dataset_buffer *data,
                                const struct ct_plan_buffer *buffer, struct ct_err *err)
{
    const size_t least = 1 << 20;
    unsigned char *bytes = ct_data_alloc(data->size_bytes);
    struct poisoning poisoning = {buffer, &data->expected, bytes};

    if (!bytes)
        return ct_err_nomem(err);
    ct_parallel_set(bytes, 0xFF, data->size_bytes);
    ct_parallel(scalars(buffer), least, poison_part, &poisoning);
    data->initial = bytes;
    data->poisoned = true;
    return ct_dataset_pack(data, buffer, err);
}

enum { BLOCK = 1024 };

/* Whether one of `count` floats is NaN; without branches, as most arrays have none. */
static bool any_nan(const float *x, size_t count)
{
    uint32_t found = 0;

    for (size_t i = 0; i < count; i++)
        found |= isnan(x[i]) != 0;
    return found != 0;
}

/* Whether there is anything to poison. */
static bool needed(const struct ct_dataset_buffer *data,
                   const struct ct_plan_buffer *buffer)
{
    size_t count = scalars(buffer);

    if (data->initial || !data->expected.bytes)
        return false;
    for (size_t from = 0; from < count; from += BLOCK) {
        size_t end = count - from < BLOCK ? count : from + BLOCK;

        if (buffer->type.scalar == CT_T_FLOAT &&
            !any_nan((const float *)data->expected.bytes + from, end - from))
            continue;
        for (size_t i = from; i < end; i++)
            if (could_pass(buffer, &data->expected, i))
                return true;
    }
    return false;
}

/* Expected values of another size, or reduced ones, do not determine single elements. */
static bool comparable(const struct ct_plan *plan, size_t index)
{
    const struct ct_plan_buffer *buffer = &plan->buffers[index];
    const struct ct_plan_buffer *expected = ct_expected_buffer(plan, index);

    return buffer->reduce == CT_REDUCE_NONE && expected->count == buffer->count &&
           expected->type.scalar == buffer->type.scalar &&
           expected->type.width == buffer->type.width;
}

enum ct_status ct_poison_set(struct ct_dataset *dataset, const struct ct_plan *plan,
                             struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && i < dataset->count; i++)
        if (comparable(plan, i) && needed(&dataset->buffers[i], &plan->buffers[i]))
            status = set_apart(&dataset->buffers[i], &plan->buffers[i], err);
    return status;
}
