// SPDX-License-Identifier: Apache-2.0
// Compares and prints values.
#include "base/value.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exact even if converting the integer to a real would round it. */
static bool int_equals_real(int64_t i, double r)
{
    // cppcheck-suppress incorrectLogicOperator ; it misreads hexadecimal reals
    return r >= -0x1p63 && r < 0x1p63 && (int64_t)r == i && (double)(int64_t)r == r;
}

bool ct_value_equal(struct ct_value a, struct ct_value b)
{
    if (a.kind == CT_INT && b.kind == CT_REAL)
        return int_equals_real(a.u.i, b.u.r);
    if (a.kind == CT_REAL && b.kind == CT_INT)
        return int_equals_real(b.u.i, a.u.r);
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case CT_INT:
        return a.u.i == b.u.i;
    case CT_REAL:
        return a.u.r == b.u.r;
    case CT_TEXT:
        return strcmp(a.u.s, b.u.s) == 0;
    case CT_NONE:
        break;
    }
    return true;
}

/* Without printf, which takes twenty times as long: tables and look-ups print many of them. */
static void print_int(struct ct_str *out, int64_t i)
{
    char text[24];
    char *at = text + sizeof(text);
    uint64_t rest = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;

    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (i < 0)
        *--at = '-';
    ct_str_add(out, at, (size_t)(text + sizeof(text) - at));
}

/* The number of digits to begin with: with fewer, a real is certain to be read back as another
 * one.  A decimal of at most DBL_DIG digits survives the way to a normal real and back, so if
 * there is one that means `r`, it is what printing with DBL_DIG digits gives. */
static int digits_needed(double r)
{
    char text[40]; /* -d.dd...e+xx */
    int digits = DBL_DIG;

    if (!isnormal(r))
        return 1;
    snprintf(text, sizeof(text), "%.*e", DBL_DIG - 1, fabs(r));
    if (strtod(text, NULL) != fabs(r))
        return DBL_DIG + 1;
    while (digits > 1 && text[digits] == '0')
        digits--;
    return digits;
}

static void print_real(struct ct_str *out, double r)
{
    char text[40];

    for (int digits = digits_needed(r); digits <= DBL_DECIMAL_DIG; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, r);
        if (!isfinite(r) || strtod(text, NULL) == r)
            break;
    }
    ct_str_puts(out, text);
    if (isfinite(r) && !strpbrk(text, ".e"))
        ct_str_puts(out, ".0");
}

void ct_value_print(struct ct_str *out, struct ct_value value)
{
    switch (value.kind) {
    case CT_INT:
        print_int(out, value.u.i);
        break;
    case CT_REAL:
        print_real(out, value.u.r);
        break;
    case CT_TEXT:
        ct_str_puts(out, value.u.s);
        break;
    case CT_NONE:
        break;
    }
}
