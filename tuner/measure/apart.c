// SPDX-License-Identifier: Apache-2.0
// Setting outputs apart from the truth.
#include "measure/apart.h"

#include "measure/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The same as the device sees it. */
static enum ct_status pack(struct ct_dataset_buffer *data,
                           const struct ct_plan_buffer *buffer, struct ct_err *err)
{
    struct ct_layout host = ct_data_host_layout(buffer);
    struct ct_layout device = ct_data_device_layout(buffer);

    data->packed = ct_data_alloc(data->device_bytes);
    if (!data->packed)
        return ct_err_nomem(err);
    ct_data_convert(&host, data->initial, &device, data->packed);
    return CT_OK;
}

/* Every byte of this scalar set: perhaps never written. */
static bool all_set(const void *array, size_t unit, size_t index)
{
    const unsigned char *bytes = (const unsigned char *)array + index * unit;

    for (size_t i = 0; i < unit; i++)
        if (bytes[i] != 0xFF)
            return false;
    return true;
}

/* Scalars of a buffer that are compared, in memory; lanes of padding among them. */
static size_t compared(const struct ct_plan_buffer *buffer)
{
    return (size_t)buffer->compare *
           (ct_type_size(buffer->type) / ct_scalar_size(buffer->type.scalar));
}

static bool padding(const struct ct_plan_buffer *buffer, size_t index)
{
    return buffer->type.width == 3 && index % 4 == 3;
}

static bool real(const struct ct_plan_buffer *buffer)
{
    return buffer->type.scalar == CT_T_HALF || buffer->type.scalar == CT_T_FLOAT ||
           buffer->type.scalar == CT_T_DOUBLE;
}

/* Whether all bits set could pass for the right value of this scalar. */
static bool could_pass(const struct ct_plan_buffer *buffer, const void *expected,
                       size_t index)
{
    return !padding(buffer, index) &&
           (!real(buffer) || isnan(ct_scalar_load(buffer->type.scalar, expected, index)));
}

/* Gives a buffer without fill contents that no right result can be mistaken for, where
 * all bits set is not that already: for reals, a number where NaN is expected; for
 * integers, the expected value with every byte changed and half the type's range away,
 * which is beyond any tolerance.  Scalars that the reference does not write stay as they
 * are: kernels need not write them either.  `again` is what the reference made of a
 * buffer of zeros; NULL when it was not asked. */
static enum ct_status set_apart(struct ct_dataset_buffer *data,
                                const struct ct_plan_buffer *buffer,
                                const unsigned char *again, struct ct_err *err)
{
    size_t unit = ct_scalar_size(buffer->type.scalar);
    size_t count = compared(buffer);
    /* The byte with the sign. */
    const uint16_t one = 1;
    size_t top = *(const unsigned char *)&one ? unit - 1 : 0;
    unsigned char *bytes = ct_data_alloc(data->size_bytes);

    if (!bytes)
        return ct_err_nomem(err);
    memset(bytes, 0xFF, data->size_bytes);
    for (size_t i = 0; i < count; i++) {
        const unsigned char *right = (const unsigned char *)data->truth.bytes + i * unit;

        bool unsure = all_set(data->truth.bytes, unit, i);
        bool unwritten =
            unsure &&
            (!again || (!again[i * unit] &&
                        !memcmp(again + i * unit, again + i * unit + 1, unit - 1)));

        if (!could_pass(buffer, data->truth.bytes, i) || unwritten)
            continue;
        for (size_t k = 0; k < unit; k++)
            bytes[i * unit + k] = real(buffer) ? 0
                                  : k == top   ? right[k] ^ 0x80
                                               : (unsigned char)~right[k];
    }
    data->initial = bytes;
    data->packed = bytes;
    data->apart = true;
    return ct_data_has_planes(buffer) ? pack(data, buffer, err) : CT_OK;
}

/* What there is to do about a buffer's contents before a launch. */
enum apart {
    APART_NOTHING,
    APART_SET,   /* set_apart */
    APART_AGAIN, /* the same, when what the reference writes is known */
};

static enum apart apart(const struct ct_dataset_buffer *data,
                        const struct ct_plan_buffer *buffer)
{
    size_t unit = ct_scalar_size(buffer->type.scalar);
    size_t count = compared(buffer);
    enum apart found = APART_NOTHING;

    if (data->initial || !data->truth.bytes)
        return APART_NOTHING;
    for (size_t i = 0; i < count && found != APART_AGAIN; i++)
        if (could_pass(buffer, data->truth.bytes, i))
            found = all_set(data->truth.bytes, unit, i) ? APART_AGAIN : APART_SET;
    return found;
}

/* A truth of another size or a folded one says nothing of single elements. */
static bool comparable(const struct ct_plan *plan, size_t index)
{
    const struct ct_plan_buffer *buffer = &plan->buffers[index];
    const struct ct_plan_buffer *other = plan->reference_plan && !buffer->has_expect
                                             ? &plan->reference_plan->buffers[index]
                                             : buffer;

    return buffer->fold == CT_FOLD_NONE && other->count == buffer->count &&
           other->type.scalar == buffer->type.scalar &&
           other->type.width == buffer->type.width;
}

enum ct_status ct_apart_set(struct ct_dataset *dataset, const struct ct_plan *plan,
                            const struct ct_hostrun *second, bool *again,
                            struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && i < dataset->count; i++) {
        struct ct_dataset_buffer *data = &dataset->buffers[i];
        enum apart what =
            comparable(plan, i) ? apart(data, &plan->buffers[i]) : APART_NOTHING;

        if (what == APART_AGAIN && !second && again)
            *again = true;
        else if (what != APART_NOTHING)
            status = set_apart(data, &plan->buffers[i], second ? second->arrays[i] : NULL,
                               err);
    }
    return status;
}
