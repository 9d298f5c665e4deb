// SPDX-License-Identifier: Apache-2.0
// A value of the space file's language: integer, real or text.
#ifndef CT_BASE_VALUE_H
#define CT_BASE_VALUE_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum ct_kind {
    CT_NONE, /* unknown: a device limit without a device, a kernel fact before building */
    CT_INT,
    CT_REAL,
    CT_TEXT,
};

struct ct_value {
    enum ct_kind kind;
    union {
        int64_t i;
        double r;
        const char *s; /* borrowed from the value's creator */
    } u;
};

/* No value, and none to come: the device is there and does not report it. */
static inline struct ct_value ct_value_absent(void)
{
    struct ct_value v = {.kind = CT_NONE};

    v.u.i = 1;
    return v;
}

/* Only for values of devices: those of other names have no such mark. */
static inline bool ct_value_is_absent(struct ct_value v)
{
    return v.kind == CT_NONE && v.u.i == 1;
}

static inline struct ct_value ct_value_int(int64_t i)
{
    struct ct_value v = {.kind = CT_INT};

    v.u.i = i;
    return v;
}

static inline struct ct_value ct_value_real(double r)
{
    struct ct_value v = {.kind = CT_REAL};

    v.u.r = r;
    return v;
}

static inline struct ct_value ct_value_text(const char *s)
{
    struct ct_value v = {.kind = CT_TEXT};

    v.u.s = s;
    return v;
}

/* The value of an integer or a real. */
static inline double ct_value_number(struct ct_value v)
{
    return v.kind == CT_INT ? (double)v.u.i : v.u.r;
}

/* Equal in kind and value (an integer equals a real of the same value). */
bool ct_value_equal(struct ct_value a, struct ct_value b);

/* Appends the value as in macros and tables: integers in decimal, reals in the shortest form that
 * reads back the same and always with a point or an exponent, text unchanged, nothing for
 * CT_NONE. */
void ct_value_print(struct ct_str *out, struct ct_value value);

#endif
