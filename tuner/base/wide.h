// SPDX-License-Identifier: Apache-2.0
// Integers of 128 bits, for sums and products of those of 64 bits.  Compilers for 32-bit processors
// have none.
#ifndef CT_BASE_WIDE_H
#define CT_BASE_WIDE_H

#include <stdint.h>

/* high * 2^64 + low: two's complement.  What exceeds 128 bits wraps around. */
struct ct_wide {
    uint64_t low;
    int64_t high;
};

static inline struct ct_wide ct_wide_int(int64_t value)
{
    return (struct ct_wide){(uint64_t)value, value < 0 ? -1 : 0};
}

static inline struct ct_wide ct_wide_uint(uint64_t value)
{
    return (struct ct_wide){value, 0};
}

static inline struct ct_wide ct_wide_add(struct ct_wide a, struct ct_wide b)
{
    uint64_t low = a.low + b.low;

    return (struct ct_wide){
        low, (int64_t)((uint64_t)a.high + (uint64_t)b.high + (low < a.low))};
}

static inline struct ct_wide ct_wide_negate(struct ct_wide a)
{
    return (struct ct_wide){0 - a.low, (int64_t)(~(uint64_t)a.high + (a.low == 0))};
}

/* Negative, 0 or positive, as a is less than, equal to or greater than b. */
static inline int ct_wide_compare(struct ct_wide a, struct ct_wide b)
{
    if (a.high != b.high)
        return a.high < b.high ? -1 : 1;
    return (a.low > b.low) - (a.low < b.low);
}

struct ct_wide ct_wide_times(struct ct_wide a, uint64_t factor);

/* The integer that a double is, of less than 2^127 in absolute value; fractions are cut off. */
struct ct_wide ct_wide_from_real(double value);

/* The nearest double. */
double ct_wide_real(struct ct_wide value);

enum { CT_WIDE_TEXT_SIZE = 41 };

/* Decimal. */
void ct_wide_print(struct ct_wide value, char text[CT_WIDE_TEXT_SIZE]);

#endif
