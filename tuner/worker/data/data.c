// SPDX-License-Identifier: Apache-2.0
// Fills buffers.
#include "worker/data/data.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool ct_data_size(const struct ct_plan_buffer *buffer, size_t *size_bytes)
{
    size_t unit = ct_type_size(buffer->type);

    if (buffer->count > SIZE_MAX / 4 / unit)
        return false;
    *size_bytes = (size_t)buffer->count * unit;
    return true;
}

bool ct_data_has_planes(const struct ct_plan_buffer *buffer)
{
    return buffer->planes > 1;
}

struct ct_layout ct_data_host_layout(const struct ct_plan_buffer *buffer)
{
    size_t width = buffer->type.width;
    struct ct_layout layout = {
        .scalar = buffer->type.scalar,
        .records = (size_t)buffer->count,
        .components = width,
        .record_step = width == 3 ? 4 : width,
        .scalar_step = 1,
    };

    if (width == 1 && ct_data_has_planes(buffer)) {
        layout.records = (size_t)(buffer->count / buffer->planes);
        layout.components = buffer->planes;
        layout.record_step = buffer->planes;
    }
    return layout;
}

struct ct_layout ct_data_device_layout(const struct ct_plan_buffer *buffer)
{
    struct ct_layout layout = ct_data_host_layout(buffer);

    if (ct_data_has_planes(buffer)) {
        layout.record_step = 1;
        layout.scalar_step = layout.records;
    }
    return layout;
}

bool ct_data_device_size(const struct ct_plan_buffer *buffer, size_t *size_bytes)
{
    struct ct_layout layout = ct_data_host_layout(buffer);

    if (!ct_data_size(buffer, size_bytes))
        return false;
    if (ct_data_has_planes(buffer))
        *size_bytes = layout.records * layout.components * ct_scalar_size(layout.scalar);
    return true;
}

/* Inlined for each size, so that the copies become moves. */
static inline void convert(const struct ct_layout *from, const unsigned char *source,
                           const struct ct_layout *to, unsigned char *target, size_t size)
{
    for (size_t r = 0; r < from->records; r++)
        for (size_t c = 0; c < from->components; c++)
            memcpy(target + (r * to->record_step + c * to->scalar_step) * size,
                   source + (r * from->record_step + c * from->scalar_step) * size, size);
}

void ct_data_convert(const struct ct_layout *from, const void *source,
                     const struct ct_layout *to, void *target)
{
    switch (ct_scalar_size(from->scalar)) {
    case 1:
        convert(from, source, to, target, 1);
        break;
    case 2:
        convert(from, source, to, target, 2);
        break;
    case 4:
        convert(from, source, to, target, 4);
        break;
    default:
        convert(from, source, to, target, 8);
        break;
    }
}

static bool is_real(enum ct_scalar scalar)
{
    return scalar == CT_T_HALF || scalar == CT_T_FLOAT || scalar == CT_T_DOUBLE;
}

/* One random scalar. */
static double draw_scalar(const struct ct_fill *fill, enum ct_scalar scalar,
                          struct ct_rng *rng)
{
    if (fill->kind == CT_FILL_NORMAL)
        return fill->a + fill->b * ct_rng_normal(rng);
    if (is_real(scalar))
        return fill->a + (fill->b - fill->a) * ct_rng_unit(rng);
    /* Integers: both ends included; a span beyond 2^53 loses low bits, not range. */
    if (fill->b - fill->a < 0x1p53)
        return fill->a + (double)ct_rng_below(rng, (uint64_t)(fill->b - fill->a) + 1);
    return fill->a + (fill->b - fill->a) * ct_rng_unit(rng);
}

/* --- integers: doubles are exact up to 2^53 only --- */

__extension__ typedef __int128 wide;

static bool is_whole(double value)
{
    return fabs(value) <= 0x1p64 && value == trunc(value);
}

static void store_integer(enum ct_scalar scalar, void *array, size_t index, wide value)
{
    size_t size = ct_scalar_size(scalar);
    bool is_signed = scalar == CT_T_CHAR || scalar == CT_T_SHORT || scalar == CT_T_INT ||
                     scalar == CT_T_LONG;
    unsigned bits = (unsigned)size * 8 - is_signed;
    wide highest = ((wide)1 << bits) - 1;
    wide lowest = is_signed ? -highest - 1 : 0;
    uint64_t whole;

    value = value < lowest ? lowest : value > highest ? highest : value;
    whole = (uint64_t)value;
    if (size == 1)
        ((uint8_t *)array)[index] = (uint8_t)whole;
    else if (size == 2)
        ((uint16_t *)array)[index] = (uint16_t)whole;
    else if (size == 4)
        ((uint32_t *)array)[index] = (uint32_t)whole;
    else
        ((uint64_t *)array)[index] = whole;
}

/* Whether all values of the fill can be computed in integers. */
static bool fills_integers(const struct ct_fill *fill, enum ct_scalar scalar)
{
    if (is_real(scalar) || !is_whole(fill->a) || !is_whole(fill->b))
        return false;
    return fill->kind == CT_FILL_CONSTANT || fill->kind == CT_FILL_RAMP ||
           (fill->kind == CT_FILL_UNIFORM && fill->b - fill->a < 0x1p53);
}

static wide integer_at(const struct ct_fill *fill, size_t index, struct ct_rng *rng)
{
    wide first = (wide)fill->a;

    if (fill->kind == CT_FILL_RAMP)
        return first + (wide)fill->b * (wide)index;
    if (fill->kind == CT_FILL_UNIFORM)
        return first + (wide)ct_rng_below(rng, (uint64_t)(fill->b - fill->a) + 1);
    return first;
}

static void fill_scalars(const struct ct_plan_buffer *buffer, uint64_t seed, void *bytes)
{
    const struct ct_fill *fill = &buffer->fill;
    enum ct_scalar scalar = buffer->type.scalar;
    size_t width = buffer->type.width;
    size_t stride = width == 3 ? 4 : width;
    bool integers = fills_integers(fill, scalar);
    size_t index = 0;
    struct ct_rng rng;

    /* Multiplied, so that the xors of neighbouring seeds do not coincide. */
    ct_rng_seed(&rng, fill->seed ^ (seed * 0x9e3779b97f4a7c15u));
    for (size_t e = 0; e < (size_t)buffer->count; e++) {
        for (size_t lane = 0; lane < width; lane++, index++) {
            double value = fill->a;

            if (integers) {
                store_integer(scalar, bytes, e * stride + lane,
                              integer_at(fill, index, &rng));
                continue;
            }
            if (fill->kind == CT_FILL_RAMP)
                value = fill->a + (double)index * fill->b;
            else if (fill->kind != CT_FILL_CONSTANT)
                value = draw_scalar(fill, scalar, &rng);
            ct_scalar_store(scalar, bytes, e * stride + lane, value);
        }
    }
}

void ct_data_fill(const struct ct_plan_buffer *buffer, uint64_t seed, void *bytes)
{
    size_t size = 0;

    if (!ct_data_size(buffer, &size))
        return;
    memset(bytes, buffer->fill.kind == CT_FILL_NONE ? 0xFF : 0, size);
    if (buffer->fill.kind != CT_FILL_NONE && buffer->fill.kind != CT_FILL_ZERO)
        fill_scalars(buffer, seed, bytes);
}

enum { CANARY_BYTES = 64, CANARY = 0xA5 };

void *ct_data_alloc(size_t size_bytes)
{
    void *whole = NULL;
    unsigned char *array;

    if (size_bytes > SIZE_MAX / 2 ||
        posix_memalign(&whole, CANARY_BYTES, size_bytes + 2 * (size_t)CANARY_BYTES))
        return NULL;
    array = (unsigned char *)whole + CANARY_BYTES;
    memset(whole, CANARY, CANARY_BYTES);
    memset(array + size_bytes, CANARY, CANARY_BYTES);
    return array;
}

void ct_data_free(void *array)
{
    if (array)
        free((unsigned char *)array - CANARY_BYTES);
}

bool ct_data_intact(const void *array, size_t size_bytes)
{
    const unsigned char *before = (const unsigned char *)array - CANARY_BYTES;
    const unsigned char *after = (const unsigned char *)array + size_bytes;

    for (size_t i = 0; i < CANARY_BYTES; i++)
        if (before[i] != CANARY || after[i] != CANARY)
            return false;
    return true;
}
