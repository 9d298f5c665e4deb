// SPDX-License-Identifier: Apache-2.0
// Sums, minima and maxima of buffers, and their comparison.
#include "worker/reference/reduce.h"

#include "worker/reference/verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- integers --- */

/* Additions to 64 bits before they can overflow, for types of up to 32 bits. */
enum { NARROW_RUN = 1 << 30 };

/* One component of a type of up to 32 bits: sums that compilers can vectorize, because the host's
 * part of a reduction counts if time is measured end to end. */
#define REDUCE_NARROW(name, type)                                                        \
    static struct ct_wide sum_##name(const type *x, size_t count, size_t step)           \
    {                                                                                    \
        struct ct_wide sum = {0, 0};                                                     \
                                                                                         \
        for (size_t from = 0; from < count; from += NARROW_RUN) {                        \
            size_t end = count - from < NARROW_RUN ? count : from + NARROW_RUN;          \
            int64_t part = 0;                                                            \
                                                                                         \
            for (size_t i = from; i < end; i++)                                          \
                part += (int64_t)x[i * step];                                            \
            sum = ct_wide_add(sum, ct_wide_int(part));                                   \
        }                                                                                \
        return sum;                                                                      \
    }                                                                                    \
    REDUCE_EXTREMES(name, type, ct_wide_int)

#define REDUCE_LONG(name, type, widen)                                                   \
    static struct ct_wide sum_##name(const type *x, size_t count, size_t step)           \
    {                                                                                    \
        struct ct_wide sum = {0, 0};                                                     \
                                                                                         \
        for (size_t i = 0; i < count; i++)                                               \
            sum = ct_wide_add(sum, widen(x[i * step]));                                  \
        return sum;                                                                      \
    }                                                                                    \
    REDUCE_EXTREMES(name, type, widen)

/* Of at least one element. */
#define REDUCE_EXTREMES(name, type, widen)                                               \
    static struct ct_wide least_##name(const type *x, size_t count, size_t step)         \
    {                                                                                    \
        type least = x[0];                                                               \
                                                                                         \
        for (size_t i = 1; i < count; i++)                                               \
            least = x[i * step] < least ? x[i * step] : least;                           \
        return widen(least);                                                             \
    }                                                                                    \
                                                                                         \
    static struct ct_wide largest_##name(const type *x, size_t count, size_t step)       \
    {                                                                                    \
        type largest = x[0];                                                             \
                                                                                         \
        for (size_t i = 1; i < count; i++)                                               \
            largest = x[i * step] > largest ? x[i * step] : largest;                     \
        return widen(largest);                                                           \
    }

REDUCE_NARROW(char, int8_t)
REDUCE_NARROW(uchar, uint8_t)
REDUCE_NARROW(short, int16_t)
REDUCE_NARROW(ushort, uint16_t)
REDUCE_NARROW(int, int32_t)
REDUCE_NARROW(uint, uint32_t)
REDUCE_LONG(long, int64_t, ct_wide_int)
REDUCE_LONG(ulong, uint64_t, ct_wide_uint)

#define CASE_INTEGER(constant, name, type)                                               \
    case constant: {                                                                     \
        const type *x = (const type *)array + at;                                        \
                                                                                         \
        *whole = reduce == CT_REDUCE_SUM   ? sum_##name(x, count, step)                  \
                 : reduce == CT_REDUCE_MIN ? least_##name(x, count, step)                \
                                           : largest_##name(x, count, step);             \
        return true;                                                                     \
    }

/* False for reals, and for the extremes of no integers. */
static bool reduce_integers(enum ct_reduce reduce, enum ct_scalar scalar,
                            const void *array, size_t at, size_t count, size_t step,
                            struct ct_wide *whole)
{
    if (!count && reduce != CT_REDUCE_SUM)
        return false;
    switch (scalar) {
        CASE_INTEGER(CT_T_CHAR, char, int8_t)
        CASE_INTEGER(CT_T_UCHAR, uchar, uint8_t)
        CASE_INTEGER(CT_T_SHORT, short, int16_t)
        CASE_INTEGER(CT_T_USHORT, ushort, uint16_t)
        CASE_INTEGER(CT_T_INT, int, int32_t)
        CASE_INTEGER(CT_T_UINT, uint, uint32_t)
        CASE_INTEGER(CT_T_LONG, long, int64_t)
        CASE_INTEGER(CT_T_ULONG, ulong, uint64_t)
    default:
        return false;
    }
}

/* --- reals --- */

/* One component.  Four partial results: a single one would wait for each addition. */
#define REDUCE_REAL(name, type)                                                          \
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
        /* Written so that NaN wins and persists. */                                     \
        for (size_t i = 0; i < count; i++)                                               \
            if (!(sign * (double)x[i * step] >= least) && !isnan(least))                 \
                least = sign * (double)x[i * step];                                      \
        return sign * least;                                                             \
    }

REDUCE_REAL(float, float)
REDUCE_REAL(double, double)

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

#define CASE_REAL(constant, name, type)                                                  \
    case constant: {                                                                     \
        const type *x = (const type *)array + at;                                        \
                                                                                         \
        return reduce == CT_REDUCE_SUM ? sum_##name(x, count, step)                      \
                                       : least_##name(x, count, step, sign);             \
    }

static double reduce_reals(enum ct_reduce reduce, enum ct_scalar scalar,
                           const void *array, size_t at, size_t count, size_t step)
{
    double sign = reduce == CT_REDUCE_MAX ? -1 : 1;

    switch (scalar) {
        CASE_REAL(CT_T_HALF, half, uint16_t)
        CASE_REAL(CT_T_FLOAT, float, float)
        CASE_REAL(CT_T_DOUBLE, double, double)
    default: /* the extremes of no integers */
        return sign * (double)INFINITY;
    }
}

/* --- both --- */

void ct_reduce_outputs(const struct ct_plan_buffer *buffer,
                       const struct ct_layout *layout, const void *bytes,
                       struct ct_reduced *out)
{
    size_t unit = buffer->type.width == 1 ? layout->components : 1;
    size_t whole = (size_t)buffer->compare / unit;
    /* Scalars beyond the last whole record. */
    size_t rest = (size_t)buffer->compare % unit;

    for (size_t c = 0; c < layout->components; c++) {
        size_t at = c * layout->scalar_step;
        size_t count = whole + (c < rest);

        out[c] = (struct ct_reduced){0};
        out[c].exact = reduce_integers(buffer->reduce, layout->scalar, bytes, at, count,
                                       layout->record_step, &out[c].whole);
        out[c].value = out[c].exact ? ct_wide_real(out[c].whole)
                                    : reduce_reals(buffer->reduce, layout->scalar, bytes,
                                                   at, count, layout->record_step);
    }
}

static double rms(const struct ct_reduced *values, size_t count)
{
    double sum = 0;
    size_t finite = 0;

    for (size_t i = 0; i < count; i++) {
        if (isfinite(values[i].value)) {
            sum += values[i].value * values[i].value;
            finite++;
        }
    }
    return finite && isfinite(sum) ? sqrt(sum / (double)finite) : 0;
}

/* The difference; 0 only if they are equal. */
static double value_distance(const struct ct_reduced *a, const struct ct_reduced *b)
{
    if (a->exact && b->exact)
        return fabs(ct_wide_real(ct_wide_add(a->whole, ct_wide_negate(b->whole))));
    if (a->value == b->value || (isnan(a->value) && isnan(b->value)))
        return 0;
    return fabs(a->value - b->value);
}

static void put_text(const struct ct_reduced *reduced, char text[CT_MISMATCH_TEXT])
{
    char digits[CT_WIDE_TEXT_SIZE];

    if (!reduced->exact) {
        ct_verify_real_text(reduced->value, 9, text);
        return;
    }
    ct_wide_print(reduced->whole, digits);
    snprintf(text, CT_MISMATCH_TEXT, "%s", digits);
}

static void note_difference(const struct ct_reduced *actual,
                            const struct ct_reduced *expected, size_t component,
                            struct ct_mismatch *mismatch)
{
    mismatch->element = component;
    mismatch->expected = expected->value;
    mismatch->seen = actual->value;
    put_text(expected, mismatch->expected_text);
    put_text(actual, mismatch->seen_text);
    if (strcmp(mismatch->expected_text, mismatch->seen_text) != 0)
        return;
    ct_verify_real_text(expected->value, 17, mismatch->expected_text);
    ct_verify_real_text(actual->value, 17, mismatch->seen_text);
}

bool ct_reduce_right(const struct ct_plan_buffer *buffer, const struct ct_reduced *actual,
                     const struct ct_reduced *expected, size_t components,
                     struct ct_mismatch *mismatch)
{
    double scale = buffer->check == CT_CHECK_RELATIVE ? rms(expected, components) : 0;
    double worst = 0;
    uint64_t wrong = 0;

    if (buffer->check == CT_CHECK_NONE)
        return true;
    for (size_t c = 0; c < components; c++) {
        double off = value_distance(&actual[c], &expected[c]);
        double limit = 0;

        if (off == 0)
            continue;
        if (buffer->check == CT_CHECK_RELATIVE)
            limit = buffer->tolerance * fmax(fabs(expected[c].value), scale);
        else if (buffer->check == CT_CHECK_ABSOLUTE)
            limit = buffer->tolerance;
        if (off <= limit && isfinite(off))
            continue;
        off = isfinite(off) && limit > 0 ? off / limit : (double)INFINITY;
        wrong++;
        if (off > worst) {
            worst = off;
            note_difference(&actual[c], &expected[c], c, mismatch);
        }
    }
    mismatch->wrong_count = wrong;
    mismatch->guard = false;
    return !wrong;
}

const char *ct_reduce_name(enum ct_reduce reduce)
{
    return reduce == CT_REDUCE_SUM   ? "sum"
           : reduce == CT_REDUCE_MIN ? "minimum"
                                     : "maximum";
}
