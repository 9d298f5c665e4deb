// SPDX-License-Identifier: Apache-2.0
// The functions of expressions.
#include "spacefile/expr/expr_impl.h"

#include <math.h>
#include <string.h>

static enum ct_eval real_result(double r, struct ct_value *out)
{
    if (!isfinite(r))
        return CT_EVAL_OVERFLOW;
    *out = ct_value_real(r);
    return CT_EVAL_OK;
}

static enum ct_eval int_result(int64_t i, struct ct_value *out)
{
    *out = ct_value_int(i);
    return CT_EVAL_OK;
}

static enum ct_eval extreme(const struct ct_value *args, size_t count, bool largest,
                            struct ct_value *out)
{
    struct ct_value best = args[0];
    bool real = args[0].kind == CT_REAL;

    for (size_t i = 1; i < count; i++) {
        bool more = args[i].kind == CT_INT && best.kind == CT_INT
                        ? args[i].u.i > best.u.i
                        : ct_value_number(args[i]) > ct_value_number(best);

        real = real || args[i].kind == CT_REAL;
        if (more == largest)
            best = args[i];
    }
    *out = real ? ct_value_real(ct_value_number(best)) : best;
    return CT_EVAL_OK;
}

static enum ct_eval call_min(const struct ct_value *args, size_t count,
                             struct ct_value *out)
{
    return extreme(args, count, false, out);
}

static enum ct_eval call_max(const struct ct_value *args, size_t count,
                             struct ct_value *out)
{
    return extreme(args, count, true, out);
}

static enum ct_eval call_abs(const struct ct_value *args, size_t count,
                             struct ct_value *out)
{
    (void)count;
    if (args[0].kind == CT_REAL)
        return real_result(fabs(args[0].u.r), out);
    if (args[0].u.i == INT64_MIN)
        return CT_EVAL_OVERFLOW;
    return int_result(args[0].u.i < 0 ? -args[0].u.i : args[0].u.i, out);
}

static enum ct_eval ceil_quotient(int64_t a, int64_t b, int64_t *out)
{
    int64_t q;

    if (!b)
        return CT_EVAL_DIVISION;
    if (a == INT64_MIN && b == -1)
        return CT_EVAL_OVERFLOW;
    q = a / b;
    if (a % b && (a < 0) == (b < 0))
        q++;
    *out = q;
    return CT_EVAL_OK;
}

static enum ct_eval call_ceildiv(const struct ct_value *args, size_t count,
                                 struct ct_value *out)
{
    int64_t q;
    enum ct_eval eval = ceil_quotient(args[0].u.i, args[1].u.i, &q);

    (void)count;
    return eval ? eval : int_result(q, out);
}

static enum ct_eval call_roundup(const struct ct_value *args, size_t count,
                                 struct ct_value *out)
{
    int64_t q;
    enum ct_eval eval = ceil_quotient(args[0].u.i, args[1].u.i, &q);

    (void)count;
    if (eval)
        return eval;
    if (args[1].u.i < 0)
        return CT_EVAL_DOMAIN;
    if (__builtin_mul_overflow(q, args[1].u.i, &q))
        return CT_EVAL_OVERFLOW;
    return int_result(q, out);
}

static enum ct_eval call_ispow2(const struct ct_value *args, size_t count,
                                struct ct_value *out)
{
    int64_t x = args[0].u.i;

    (void)count;
    return int_result(x > 0 && !(x & (x - 1)), out);
}

static enum ct_eval call_ilog2(const struct ct_value *args, size_t count,
                               struct ct_value *out)
{
    (void)count;
    if (args[0].u.i < 1)
        return CT_EVAL_DOMAIN;
    return int_result(63 - __builtin_clzll((unsigned long long)args[0].u.i), out);
}

static enum ct_eval call_gcd(const struct ct_value *args, size_t count,
                             struct ct_value *out)
{
    int64_t a = args[0].u.i;
    int64_t b = args[1].u.i;

    (void)count;
    if (a == INT64_MIN || b == INT64_MIN)
        return CT_EVAL_OVERFLOW;
    while (b) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return int_result(a < 0 ? -a : a, out);
}

static enum ct_eval call_divides(const struct ct_value *args, size_t count,
                                 struct ct_value *out)
{
    (void)count;
    if (!args[0].u.i)
        return CT_EVAL_DIVISION;
    /* INT64_MIN % -1 traps, and -1 divides everything. */
    return int_result(args[0].u.i == -1 || args[1].u.i % args[0].u.i == 0, out);
}

static enum ct_eval call_sqrt(const struct ct_value *args, size_t count,
                              struct ct_value *out)
{
    (void)count;
    return ct_value_number(args[0]) < 0
               ? CT_EVAL_DOMAIN
               : real_result(sqrt(ct_value_number(args[0])), out);
}

static enum ct_eval call_exp(const struct ct_value *args, size_t count,
                             struct ct_value *out)
{
    (void)count;
    return real_result(exp(ct_value_number(args[0])), out);
}

static enum ct_eval call_log(const struct ct_value *args, size_t count,
                             struct ct_value *out)
{
    (void)count;
    return ct_value_number(args[0]) <= 0
               ? CT_EVAL_DOMAIN
               : real_result(log(ct_value_number(args[0])), out);
}

static enum ct_eval call_pow(const struct ct_value *args, size_t count,
                             struct ct_value *out)
{
    double base = ct_value_number(args[0]);
    double power = ct_value_number(args[1]);

    (void)count;
    if (base == 0 && power < 0)
        return CT_EVAL_DIVISION;
    if (base < 0 && power != floor(power))
        return CT_EVAL_DOMAIN;
    return real_result(pow(base, power), out);
}

static enum ct_eval call_float(const struct ct_value *args, size_t count,
                               struct ct_value *out)
{
    (void)count;
    return real_result(ct_value_number(args[0]), out);
}

static enum ct_eval call_int(const struct ct_value *args, size_t count,
                             struct ct_value *out)
{
    (void)count;
    if (args[0].kind == CT_INT)
        return int_result(args[0].u.i, out);
    if (!(args[0].u.r > -9223372036854775808.0 && args[0].u.r < 9223372036854775808.0))
        return CT_EVAL_OVERFLOW;
    return int_result((int64_t)args[0].u.r, out);
}

const struct ct_expr_function ct_expr_functions[] = {
    {"min", 1, CT_EXPR_ARGS_MAX, "n", CT_NONE, call_min, "the smallest of its arguments"},
    {"max", 1, CT_EXPR_ARGS_MAX, "n", CT_NONE, call_max, "the largest of its arguments"},
    {"abs", 1, 1, "n", CT_NONE, call_abs, "the absolute value"},
    {"ceildiv", 2, 2, "i", CT_INT, call_ceildiv, "a / b rounded up"},
    {"roundup", 2, 2, "i", CT_INT, call_roundup, "a rounded up to a multiple of b"},
    {"ispow2", 1, 1, "i", CT_INT, call_ispow2, "1 for a power of two, else 0"},
    {"ilog2", 1, 1, "i", CT_INT, call_ilog2, "the logarithm to base 2, rounded down"},
    {"gcd", 2, 2, "i", CT_INT, call_gcd, "the greatest common divisor"},
    {"divides", 2, 2, "i", CT_INT, call_divides, "1 if a divides b, else 0"},
    {"sqrt", 1, 1, "n", CT_REAL, call_sqrt, "the square root"},
    {"exp", 1, 1, "n", CT_REAL, call_exp, "e to the power of x"},
    {"log", 1, 1, "n", CT_REAL, call_log, "the natural logarithm"},
    {"pow", 2, 2, "n", CT_REAL, call_pow, "a to the power of b"},
    {"float", 1, 1, "n", CT_REAL, call_float, "the number as a real"},
    {"int", 1, 1, "n", CT_INT, call_int, "the number rounded towards zero"},
    {"contains", 2, 2, "tw", CT_INT, ct_expr_contains,
     "1 if b is one of the words of a, which blanks separate, else 0"},
    {"version_at_least", 2, 2, "tt", CT_INT, ct_expr_version_at_least,
     "1 if the version in a is that in b or a later one, else 0"},
    {"known", 1, 1, "d", CT_INT, NULL, "1 if the device reports this limit, else 0"},
};
const size_t ct_expr_function_count =
    sizeof(ct_expr_functions) / sizeof(ct_expr_functions[0]);

char ct_expr_takes(const struct ct_expr_function *function, size_t index)
{
    size_t last = strlen(function->takes) - 1;

    return function->takes[index < last ? index : last];
}

bool ct_expr_accepts(const struct ct_expr_function *function, size_t index,
                     enum ct_kind kind)
{
    switch (ct_expr_takes(function, index)) {
    case CT_TAKES_NUMBER:
        return kind == CT_INT || kind == CT_REAL;
    case CT_TAKES_INTEGER:
        return kind == CT_INT;
    case CT_TAKES_TEXT:
        return kind == CT_TEXT;
    case CT_TAKES_WORD:
        return kind == CT_TEXT || kind == CT_INT;
    default:
        return true;
    }
}

int ct_expr_find_function(const char *name, size_t length)
{
    for (size_t i = 0; i < ct_expr_function_count; i++)
        if (strlen(ct_expr_functions[i].name) == length &&
            memcmp(ct_expr_functions[i].name, name, length) == 0)
            return (int)i;
    return -1;
}

bool ct_expr_is_function(const char *name, size_t length)
{
    return ct_expr_find_function(name, length) >= 0;
}
