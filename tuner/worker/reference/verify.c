// SPDX-License-Identifier: Apache-2.0
// Comparisons in two passes: a branch-free one that finds blocks with anything unusual, and a
// precise one for those blocks.
#include "worker/reference/verify.h"

#include "worker/parallel.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 1024 };

/* The number of scalars that are not plainly within the tolerance.  NaNs and infinities count
 * here even if they match. */
#define PLAIN_REAL(name, type)                                                           \
    static inline uint64_t plain_##name(const void *actual, const void *reference,       \
                                        size_t count, struct ct_tolerance t)             \
    {                                                                                    \
        const type *x = actual;                                                          \
        const type *r = reference;                                                       \
        uint64_t bad = 0;                                                                \
                                                                                         \
        for (size_t i = 0; i < count; i++) {                                             \
            double off = fabs((double)x[i] - (double)r[i]);                              \
            double limit = t.slope * fabs((double)r[i]);                                 \
                                                                                         \
            limit = limit > t.floor ? limit : t.floor;                                   \
            bad += !(off <= limit) | !(off < (double)INFINITY);                          \
        }                                                                                \
        return bad;                                                                      \
    }

/* Integers of up to 64 bits: the difference is exact before it becomes a double. */
#define PLAIN_INTEGER(name, type)                                                        \
    static inline uint64_t plain_##name(const void *actual, const void *reference,       \
                                        size_t count, struct ct_tolerance t)             \
    {                                                                                    \
        const type *x = actual;                                                          \
        const type *r = reference;                                                       \
        uint64_t bad = 0;                                                                \
                                                                                         \
        for (size_t i = 0; i < count; i++) {                                             \
            uint64_t a = (uint64_t)x[i];                                                 \
            uint64_t b = (uint64_t)r[i];                                                 \
            double off = (double)(x[i] > r[i] ? a - b : b - a);                          \
            double limit = t.slope * fabs((double)r[i]);                                 \
                                                                                         \
            limit = limit > t.floor ? limit : t.floor;                                   \
            bad += !(off <= limit);                                                      \
        }                                                                                \
        return bad;                                                                      \
    }

PLAIN_INTEGER(char, int8_t)
PLAIN_INTEGER(uchar, uint8_t)
PLAIN_INTEGER(short, int16_t)
PLAIN_INTEGER(ushort, uint16_t)
PLAIN_INTEGER(int, int32_t)
PLAIN_INTEGER(uint, uint32_t)
PLAIN_INTEGER(long, int64_t)
PLAIN_INTEGER(ulong, uint64_t)
PLAIN_REAL(float, float)
PLAIN_REAL(double, double)

static uint64_t plain_half(const void *actual, const void *reference, size_t count,
                           struct ct_tolerance t)
{
    uint64_t bad = 0;

    for (size_t i = 0; i < count; i++) {
        double r = ct_scalar_load(CT_T_HALF, reference, i);
        double off = fabs(ct_scalar_load(CT_T_HALF, actual, i) - r);
        double limit = t.slope * fabs(r);

        limit = limit > t.floor ? limit : t.floor;
        bad += !(off <= limit) | !(off < (double)INFINITY);
    }
    return bad;
}

typedef uint64_t (*plain_fn)(const void *, const void *, size_t, struct ct_tolerance);

static const plain_fn plain[CT_T_COUNT] = {
    [CT_T_CHAR] = plain_char,     [CT_T_UCHAR] = plain_uchar,
    [CT_T_SHORT] = plain_short,   [CT_T_USHORT] = plain_ushort,
    [CT_T_INT] = plain_int,       [CT_T_UINT] = plain_uint,
    [CT_T_LONG] = plain_long,     [CT_T_ULONG] = plain_ulong,
    [CT_T_HALF] = plain_half,     [CT_T_FLOAT] = plain_float,
    [CT_T_DOUBLE] = plain_double,
};

/* A whole block of floats in single precision: twice as many per vector, and a loop count that
 * compilers know.  The tolerance is narrowed by a little more than rounding could widen it, so
 * that blocks that pass here are right; the others are checked again. */
static bool block_of_floats(const float *x, const float *r, struct ct_tolerance t)
{
    const float slope = (float)(t.slope * (1 - 1e-6));
    const float floor = (float)(t.floor * (1 - 1e-6));
    uint32_t bad = 0;

    for (size_t i = 0; i < BLOCK; i++) {
        float off = fabsf(x[i] - r[i]);
        float limit = slope * fabsf(r[i]);

        limit = limit > floor ? limit : floor;
        bad += (uint32_t) !(off <= limit) | (uint32_t) !(off < INFINITY);
    }
    return !bad;
}

/* Whether all of `count` scalars, at most a block, are plainly right. */
static bool all_plain(enum ct_scalar scalar, const void *actual, const void *reference,
                      size_t count, struct ct_tolerance t)
{
    if (scalar == CT_T_FLOAT && count == BLOCK)
        return block_of_floats(actual, reference, t);
    return !plain[scalar](actual, reference, count, t);
}

/* Scalars in memory per element: a vector of three takes four. */
static size_t lanes_of(struct ct_type type)
{
    return type.width == 3 ? 4 : type.width;
}

/* By how many times its tolerance scalar `i` is off; 0 if it is right. */
static double badness(enum ct_scalar scalar, const void *actual, const void *reference,
                      size_t i, struct ct_tolerance t)
{
    double x = ct_scalar_load(scalar, actual, i);
    double r = ct_scalar_load(scalar, reference, i);
    size_t size = ct_scalar_size(scalar);
    double off;
    double limit;

    if (isnan(x) || isnan(r))
        return isnan(x) && isnan(r) ? 0 : (double)INFINITY;
    if (!plain[scalar]((const char *)actual + i * size,
                       (const char *)reference + i * size, 1, t))
        return 0;
    if (x == r && (isinf(x) || scalar == CT_T_HALF || scalar == CT_T_FLOAT ||
                   scalar == CT_T_DOUBLE))
        return 0;
    off = fabs(x - r);
    limit = fmax(t.slope * fabs(r), t.floor);
    /* At 64 bits a wrong integer may differ by less than a double can resolve. */
    return limit > 0 && off / limit > 1 ? off / limit : (double)INFINITY;
}

/* Inlined for the common types, so that each has a loop of its own. */
static inline double load_scalar(enum ct_scalar scalar, const void *array, size_t index)
{
    return scalar == CT_T_FLOAT    ? (double)((const float *)array)[index]
           : scalar == CT_T_DOUBLE ? ((const double *)array)[index]
                                   : ct_scalar_load(scalar, array, index);
}

static inline uint64_t add_squares(const struct ct_plan_buffer *buffer,
                                   enum ct_scalar scalar, const void *reference,
                                   double *sum)
{
    size_t stride = lanes_of(buffer->type);
    uint64_t count = 0;

    for (uint64_t e = 0; e < buffer->compare; e++) {
        for (size_t lane = 0; lane < buffer->type.width; lane++) {
            double r = load_scalar(scalar, reference, (size_t)e * stride + lane);

            if (isfinite(r)) {
                *sum += r * r;
                count++;
            }
        }
    }
    return count;
}

double ct_verify_rms(const struct ct_plan_buffer *buffer, const void *reference)
{
    enum ct_scalar scalar = buffer->type.scalar;
    double sum = 0;
    uint64_t count =
        scalar == CT_T_FLOAT    ? add_squares(buffer, CT_T_FLOAT, reference, &sum)
        : scalar == CT_T_DOUBLE ? add_squares(buffer, CT_T_DOUBLE, reference, &sum)
                                : add_squares(buffer, scalar, reference, &sum);

    /* Squares of huge values overflow; then only the value itself sets the tolerance. */
    return count && isfinite(sum) ? sqrt(sum / (double)count) : 0;
}

static inline void add_differences(const struct ct_plan_buffer *buffer,
                                   enum ct_scalar scalar, const void *actual,
                                   const void *reference, double *largest, double *sum)
{
    size_t stride = lanes_of(buffer->type);

    for (uint64_t e = 0; e < buffer->compare; e++) {
        for (size_t lane = 0; lane < buffer->type.width; lane++) {
            double x = load_scalar(scalar, actual, (size_t)e * stride + lane);
            double r = load_scalar(scalar, reference, (size_t)e * stride + lane);
            double off = fabs(x - r);

            if (isnan(off))
                off = x == r || (isnan(x) && isnan(r)) ? 0 : (double)INFINITY;
            *largest = off > *largest ? off : *largest;
            *sum += off * off;
        }
    }
}

struct ct_verify_error ct_verify_error_of(const struct ct_plan_buffer *buffer,
                                          const void *actual, const void *reference,
                                          double rms)
{
    enum ct_scalar scalar = buffer->type.scalar;
    double count = (double)buffer->compare * buffer->type.width;
    double unit = rms > 0 ? rms : 1;
    double largest = 0;
    double sum = 0;

    if (scalar == CT_T_FLOAT)
        add_differences(buffer, CT_T_FLOAT, actual, reference, &largest, &sum);
    else if (scalar == CT_T_DOUBLE)
        add_differences(buffer, CT_T_DOUBLE, actual, reference, &largest, &sum);
    else
        add_differences(buffer, scalar, actual, reference, &largest, &sum);
    return (struct ct_verify_error){largest / unit,
                                    count > 0 ? sqrt(sum / count) / unit : 0};
}

void ct_verify_real_text(double value, int digits, char text[CT_MISMATCH_TEXT])
{
    if (isnan(value))
        snprintf(text, CT_MISMATCH_TEXT, "NaN");
    else
        snprintf(text, CT_MISMATCH_TEXT, "%.*g", digits, value);
}

/* One scalar; nine digits distinguish all floats, seventeen all doubles. */
static void put_text(enum ct_scalar scalar, const void *array, size_t index, int digits,
                     char text[CT_MISMATCH_TEXT])
{
    double value = ct_scalar_load(scalar, array, index);
    const unsigned char *at =
        (const unsigned char *)array + index * ct_scalar_size(scalar);
    uint64_t bits;

    if (scalar == CT_T_HALF || scalar == CT_T_FLOAT || scalar == CT_T_DOUBLE) {
        ct_verify_real_text(value, digits, text);
    } else if (scalar == CT_T_LONG || scalar == CT_T_ULONG) {
        memcpy(&bits, at, sizeof(bits));
        if (scalar == CT_T_LONG)
            snprintf(text, CT_MISMATCH_TEXT, "%" PRId64, (int64_t)bits);
        else
            snprintf(text, CT_MISMATCH_TEXT, "%" PRIu64, bits);
    } else {
        snprintf(text, CT_MISMATCH_TEXT, "%.0f", value);
    }
}

static void note_mismatch(enum ct_scalar scalar, const void *actual,
                          const void *reference, size_t index,
                          struct ct_mismatch *mismatch)
{
    mismatch->element = index;
    mismatch->expected = ct_scalar_load(scalar, reference, index);
    mismatch->seen = ct_scalar_load(scalar, actual, index);
    put_text(scalar, reference, index, 9, mismatch->expected_text);
    put_text(scalar, actual, index, 9, mismatch->seen_text);
    if (strcmp(mismatch->expected_text, mismatch->seen_text) != 0)
        return;
    put_text(scalar, reference, index, 17, mismatch->expected_text);
    put_text(scalar, actual, index, 17, mismatch->seen_text);
}

void ct_verify_note_first(const struct ct_plan_buffer *buffer, const void *actual,
                          const void *reference, struct ct_mismatch *mismatch)
{
    size_t size = ct_scalar_size(buffer->type.scalar);
    size_t stride = lanes_of(buffer->type);
    size_t total = (size_t)buffer->compare * stride;
    size_t at = 0;

    while (at + 1 < total && (at % stride >= buffer->type.width ||
                              !memcmp((const char *)actual + at * size,
                                      (const char *)reference + at * size, size)))
        at++;
    note_mismatch(buffer->type.scalar, actual, reference, at, mismatch);
}

struct ct_tolerance ct_verify_tolerance(const struct ct_plan_buffer *buffer, double rms)
{
    struct ct_tolerance t = {0, 0};

    if (buffer->check == CT_CHECK_RELATIVE)
        t = (struct ct_tolerance){buffer->tolerance, buffer->tolerance * rms};
    else if (buffer->check == CT_CHECK_ABSOLUTE)
        t.floor = buffer->tolerance;
    return t;
}

enum ct_vacuous ct_verify_vacuous(const struct ct_plan_buffer *buffer,
                                  const void *reference, double rms)
{
    enum ct_scalar scalar = buffer->type.scalar;
    struct ct_tolerance t = ct_verify_tolerance(buffer, rms);
    size_t stride = lanes_of(buffer->type);
    bool all_nan = true;
    bool any_value = false;

    if (buffer->check == CT_CHECK_NONE || !buffer->compare)
        return CT_VACUOUS_NOT;
    for (uint64_t e = 0; e < buffer->compare; e++)
        for (size_t lane = 0; lane < buffer->type.width; lane++) {
            double r = load_scalar(scalar, reference, (size_t)e * stride + lane);

            all_nan = all_nan && isnan(r);
            any_value = any_value || r > 0 || r < 0;
            /* A zero would be wrong here, or NaN is expected beside other values. */
            if (isnan(r) ? !all_nan : !(fabs(r) <= fmax(t.slope * fabs(r), t.floor)))
                return CT_VACUOUS_NOT;
        }
    return all_nan ? CT_VACUOUS_NAN : any_value ? CT_VACUOUS_TOLERANCE : CT_VACUOUS_NOT;
}

/* What threads find of a comparison. */
struct comparison {
    const struct ct_plan_buffer *buffer;
    const void *actual;
    const void *reference;
    struct ct_tolerance tolerance;
    pthread_mutex_t mutex;
    uint64_t wrong;
    double worst;
    size_t element; /* the first of the worst */
};

static void note_wrong(struct comparison *c, uint64_t wrong, double worst, size_t element)
{
    pthread_mutex_lock(&c->mutex);
    if (worst > c->worst || (!(worst < c->worst) && element < c->element)) {
        c->worst = worst;
        c->element = element;
    }
    c->wrong += wrong;
    pthread_mutex_unlock(&c->mutex);
}

/* Compares a range of scalars that begins with a block. */
static void compare_part(void *data, size_t begin, size_t end)
{
    struct comparison *c = data;
    enum ct_scalar scalar = c->buffer->type.scalar;
    size_t size = ct_scalar_size(scalar);
    size_t stride = lanes_of(c->buffer->type);
    uint64_t wrong = 0;
    double worst = 0;
    size_t element = 0;

    for (size_t from = begin; from < end; from += BLOCK) {
        size_t count = end - from < BLOCK ? end - from : BLOCK;

        if (all_plain(scalar, (const char *)c->actual + from * size,
                      (const char *)c->reference + from * size, count, c->tolerance))
            continue;
        for (size_t i = from; i < from + count; i++) {
            double bad;

            if (i % stride >= c->buffer->type.width)
                continue;
            bad = badness(scalar, c->actual, c->reference, i, c->tolerance);
            wrong += bad > 0;
            if (bad > worst) {
                worst = bad;
                element = i;
            }
        }
    }
    if (wrong)
        note_wrong(c, wrong, worst, element);
}

bool ct_verify_buffer(const struct ct_plan_buffer *buffer, const void *actual,
                      const void *reference, double rms, struct ct_mismatch *mismatch)
{
    struct comparison c = {.buffer = buffer,
                           .actual = actual,
                           .reference = reference,
                           .tolerance = ct_verify_tolerance(buffer, rms)};
    size_t total = (size_t)buffer->compare * lanes_of(buffer->type);

    if (buffer->check == CT_CHECK_NONE || !total)
        return true;
    pthread_mutex_init(&c.mutex, NULL);
    ct_parallel(total, (size_t)BLOCK * 256, compare_part, &c);
    pthread_mutex_destroy(&c.mutex);
    if (!c.wrong)
        return true;
    note_mismatch(buffer->type.scalar, actual, reference, c.element, mismatch);
    mismatch->wrong_count = c.wrong;
    mismatch->guard = false;
    return false;
}

size_t ct_verify_differences(const struct ct_plan_buffer *buffer, const void *actual,
                             const void *reference, double rms, struct ct_mismatch *out,
                             size_t most)
{
    enum ct_scalar scalar = buffer->type.scalar;
    size_t size = ct_scalar_size(scalar);
    size_t stride = lanes_of(buffer->type);
    size_t total = (size_t)buffer->compare * stride;
    struct ct_tolerance t = ct_verify_tolerance(buffer, rms);
    size_t found = 0;

    if (buffer->check == CT_CHECK_NONE)
        return 0;
    for (size_t from = 0; from < total && found < most; from += BLOCK) {
        size_t count = total - from < BLOCK ? total - from : BLOCK;

        if (all_plain(scalar, (const char *)actual + from * size,
                      (const char *)reference + from * size, count, t))
            continue;
        for (size_t i = from; i < from + count && found < most; i++)
            if (i % stride < buffer->type.width &&
                badness(scalar, actual, reference, i, t) > 0)
                note_mismatch(scalar, actual, reference, i, &out[found++]);
    }
    return found;
}
