// SPDX-License-Identifier: Apache-2.0
// Sums, minima and maxima of buffers, and their comparison.
#include "measure/fold.h"

#include <math.h>

/* One component.  Four partial results: a single one would wait for each addition, and
 * the host's part of a fold counts where time is measured end to end. */
#define FOLD(name, type)                                                                 \
    static double sum_##name(const type *x, size_t count, size_t step)                   \
    {                                                                                    \
        double part[4] = {0, 0, 0, 0};                                                   \
        size_t i = 0;                                                                    \
                                                                                         \
        for (; i + 4 <= count; i += 4)                                                   \
            for (size_t k = 0; k < 4; k++)                                               \
                part[k] += (double)x[(i + k) * step];                                    \
        for (; i < count; i++)                                                           \
            part[0] += (double)x[i * step];                                              \
        return (part[0] + part[1]) + (part[2] + part[3]);                                \
    }                                                                                    \
                                                                                         \
    static double least_##name(const type *x, size_t count, size_t step, double sign)    \
    {                                                                                    \
        double least = (double)INFINITY;                                                 \
                                                                                         \
        /* Written so that NaN wins, and stays. */                                       \
        for (size_t i = 0; i < count; i++)                                               \
            if (!(sign * (double)x[i * step] >= least) && !isnan(least))                 \
                least = sign * (double)x[i * step];                                      \
        return sign * least;                                                             \
    }

FOLD(char, int8_t)
FOLD(uchar, uint8_t)
FOLD(short, int16_t)
FOLD(ushort, uint16_t)
FOLD(int, int32_t)
FOLD(uint, uint32_t)
FOLD(long, int64_t)
FOLD(ulong, uint64_t)
FOLD(float, float)
FOLD(double, double)

static double sum_half(const uint16_t *x, size_t count, size_t step)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += ct_scalar_load(CT_T_HALF, x, i * step);
    return sum;
}

static double least_half(const uint16_t *x, size_t count, size_t step, double sign)
{
    double least = (double)INFINITY;

    for (size_t i = 0; i < count; i++) {
        double value = sign * ct_scalar_load(CT_T_HALF, x, i * step);

        if (!(value >= least) && !isnan(least))
            least = value;
    }
    return sign * least;
}

#define CASE(constant, name, type)                                                       \
    case constant: {                                                                     \
        const type *x = (const type *)array + at;                                        \
                                                                                         \
        return fold == CT_FOLD_SUM ? sum_##name(x, count, step)                          \
                                   : least_##name(x, count, step, sign);                 \
    }

static double fold_component(enum ct_fold fold, enum ct_scalar scalar, const void *array,
                             size_t at, size_t count, size_t step)
{
    double sign = fold == CT_FOLD_MAX ? -1 : 1;

    switch (scalar) {
        CASE(CT_T_CHAR, char, int8_t)
        CASE(CT_T_UCHAR, uchar, uint8_t)
        CASE(CT_T_SHORT, short, int16_t)
        CASE(CT_T_USHORT, ushort, uint16_t)
        CASE(CT_T_INT, int, int32_t)
        CASE(CT_T_UINT, uint, uint32_t)
        CASE(CT_T_LONG, long, int64_t)
        CASE(CT_T_ULONG, ulong, uint64_t)
        CASE(CT_T_HALF, half, uint16_t)
        CASE(CT_T_FLOAT, float, float)
        CASE(CT_T_DOUBLE, double, double)
    default:
        return 0;
    }
}

void ct_fold(const struct ct_plan_buffer *buffer, const struct ct_layout *layout,
             const void *bytes, double *out)
{
    size_t unit = buffer->type.width == 1 ? layout->components : 1;
    size_t whole = (size_t)buffer->compare / unit;
    /* Scalars beyond the last whole record. */
    size_t rest = (size_t)buffer->compare % unit;

    for (size_t c = 0; c < layout->components; c++)
        out[c] =
            fold_component(buffer->fold, layout->scalar, bytes, c * layout->scalar_step,
                           whole + (c < rest), layout->record_step);
}

static double rms(const double *values, size_t count)
{
    double sum = 0;
    size_t finite = 0;

    for (size_t i = 0; i < count; i++) {
        if (isfinite(values[i])) {
            sum += values[i] * values[i];
            finite++;
        }
    }
    return finite && isfinite(sum) ? sqrt(sum / (double)finite) : 0;
}

bool ct_fold_right(const struct ct_plan_buffer *buffer, const double *seen,
                   const double *expected, size_t components,
                   struct ct_mismatch *mismatch)
{
    double scale = buffer->check == CT_CHECK_RELATIVE ? rms(expected, components) : 0;
    double worst = 0;
    uint64_t wrong = 0;

    if (buffer->check == CT_CHECK_NONE)
        return true;
    for (size_t c = 0; c < components; c++) {
        double off = fabs(seen[c] - expected[c]);
        double limit = 0;

        if (seen[c] == expected[c] || (isnan(seen[c]) && isnan(expected[c])))
            continue;
        if (buffer->check == CT_CHECK_RELATIVE)
            limit = buffer->tolerance * fmax(fabs(expected[c]), scale);
        else if (buffer->check == CT_CHECK_ABSOLUTE)
            limit = buffer->tolerance;
        if (off <= limit && isfinite(off))
            continue;
        off = isfinite(off) && limit > 0 ? off / limit : (double)INFINITY;
        wrong++;
        if (off > worst) {
            worst = off;
            mismatch->element = c;
            mismatch->expected = expected[c];
            mismatch->seen = seen[c];
        }
    }
    mismatch->wrong_count = wrong;
    mismatch->guard = false;
    return !wrong;
}

const char *ct_fold_name(enum ct_fold fold)
{
    return fold == CT_FOLD_SUM ? "sum" : fold == CT_FOLD_MIN ? "minimum" : "maximum";
}
