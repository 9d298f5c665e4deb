// SPDX-License-Identifier: Apache-2.0
// Fills buffers with computed and random numbers, by several threads.
#include "worker/data/data.h"

#include "base/rng.h"
#include "base/wide.h"
#include "worker/parallel.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

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

static bool is_whole(double value)
{
    return fabs(value) <= 0x1p64 && value == trunc(value);
}

static void store_integer(enum ct_scalar scalar, void *array, size_t index,
                          struct ct_wide value)
{
    size_t size = ct_scalar_size(scalar);
    bool is_signed = scalar == CT_T_CHAR || scalar == CT_T_SHORT || scalar == CT_T_INT ||
                     scalar == CT_T_LONG;
    unsigned bits = (unsigned)size * 8 - is_signed;
    uint64_t highest = UINT64_MAX >> (64 - bits);
    int64_t lowest = is_signed ? -(int64_t)highest - 1 : 0;
    uint64_t whole = value.low;

    if (ct_wide_compare(value, ct_wide_int(lowest)) < 0)
        whole = (uint64_t)lowest;
    else if (ct_wide_compare(value, ct_wide_uint(highest)) > 0)
        whole = highest;
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

/* --- by several threads --- */

/* The state of filling: a stream of random numbers that is cut wherever a thread takes over. */
struct filling {
    const struct ct_plan_buffer *buffer;
    void *bytes;
    bool integers;
    struct ct_wide first; /* the fill's numbers, if they are integers */
    struct ct_wide step;
    pthread_mutex_t mutex;
    struct ct_rng rng; /* at the numbers of element `taken` */
    size_t taken;      /* elements that threads have taken */
};

static struct ct_wide integer_at(const struct filling *filling, size_t index,
                                 struct ct_rng *rng)
{
    const struct ct_fill *fill = &filling->buffer->fill;
    uint64_t drawn;

    if (fill->kind == CT_FILL_RAMP)
        return ct_wide_add(filling->first, ct_wide_times(filling->step, index));
    if (fill->kind != CT_FILL_UNIFORM)
        return filling->first;
    drawn = ct_rng_below(rng, (uint64_t)(fill->b - fill->a) + 1);
    return ct_wide_add(filling->first, ct_wide_uint(drawn));
}

/* Elements [begin, end), whose random numbers come next. */
static void fill_range(const struct filling *filling, struct ct_rng *rng, size_t begin,
                       size_t end)
{
    const struct ct_plan_buffer *buffer = filling->buffer;
    const struct ct_fill *fill = &buffer->fill;
    enum ct_scalar scalar = buffer->type.scalar;
    size_t width = buffer->type.width;
    size_t stride = width == 3 ? 4 : width;
    size_t index = begin * width;

    for (size_t e = begin; e < end; e++) {
        for (size_t lane = 0; lane < width; lane++, index++) {
            double value = fill->a;

            if (filling->integers) {
                store_integer(scalar, filling->bytes, e * stride + lane,
                              integer_at(filling, index, rng));
                continue;
            }
            if (fill->kind == CT_FILL_RAMP)
                value = fill->a + (double)index * fill->b;
            else if (fill->kind != CT_FILL_CONSTANT)
                value = draw_scalar(fill, scalar, rng);
            ct_scalar_store(scalar, filling->bytes, e * stride + lane, value);
        }
    }
}

/* Moves on by the numbers that these scalars draw.  Rejections make their count unknown before. */
static void skip_scalars(const struct filling *filling, struct ct_rng *rng, size_t count)
{
    const struct ct_fill *fill = &filling->buffer->fill;
    double span = fill->b - fill->a;

    if (fill->kind == CT_FILL_NORMAL)
        ct_rng_skip_normal(rng, count);
    else if (fill->kind == CT_FILL_UNIFORM && !is_real(filling->buffer->type.scalar) &&
             span < 0x1p53)
        ct_rng_skip_below(rng, (uint64_t)span + 1, count);
    else if (fill->kind == CT_FILL_UNIFORM)
        ct_rng_skip_unit(rng, count);
}

/* Takes the next elements, as many as the part has, and leaves the stream behind them to others:
 * skipping is several times as fast as filling. */
static void fill_part(void *data, size_t begin, size_t end)
{
    struct filling *filling = data;
    size_t count = end - begin;
    struct ct_rng rng;

    pthread_mutex_lock(&filling->mutex);
    begin = filling->taken;
    filling->taken += count;
    rng = filling->rng;
    if (filling->taken < (size_t)filling->buffer->count)
        skip_scalars(filling, &filling->rng, count * filling->buffer->type.width);
    pthread_mutex_unlock(&filling->mutex);
    fill_range(filling, &rng, begin, begin + count);
}

static void fill_scalars(const struct ct_plan_buffer *buffer, uint64_t seed, void *bytes)
{
    const size_t least = 1 << 16;
    struct filling filling = {.buffer = buffer,
                              .bytes = bytes,
                              .integers =
                                  fills_integers(&buffer->fill, buffer->type.scalar)};

    if (filling.integers) {
        filling.first = ct_wide_from_real(buffer->fill.a);
        filling.step = ct_wide_from_real(buffer->fill.b);
    }
    /* Multiplied, so that the xors of neighbouring seeds do not coincide. */
    ct_rng_seed(&filling.rng, buffer->fill.seed ^ (seed * 0x9e3779b97f4a7c15u));
    pthread_mutex_init(&filling.mutex, NULL);
    ct_parallel((size_t)buffer->count, least, fill_part, &filling);
    pthread_mutex_destroy(&filling.mutex);
}

void ct_data_fill(const struct ct_plan_buffer *buffer, uint64_t seed, void *bytes)
{
    size_t size = 0;

    if (!ct_layout_size(buffer, &size))
        return;
    ct_parallel_set(bytes, buffer->fill.kind == CT_FILL_NONE ? 0xFF : 0, size);
    if (buffer->fill.kind != CT_FILL_NONE && buffer->fill.kind != CT_FILL_ZERO)
        fill_scalars(buffer, seed, bytes);
}
