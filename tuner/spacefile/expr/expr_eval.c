// SPDX-License-Identifier: Apache-2.0
// Evaluates expressions: a walk over the tree with checked arithmetic.
#include "spacefile/expr/expr_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static enum ct_eval eval(const struct ct_node *node, const struct ct_value *env,
                         struct ct_value *out);

static enum ct_eval set_int(struct ct_value *out, int64_t i)
{
    *out = ct_value_int(i);
    return CT_EVAL_OK;
}

static enum ct_eval int_divide(enum ct_op op, int64_t a, int64_t b, struct ct_value *out)
{
    if (!b)
        return CT_EVAL_DIVISION;
    if (b == -1) {
        if (op == CT_OP_MOD)
            return set_int(out, 0);
        if (a == INT64_MIN)
            return CT_EVAL_OVERFLOW;
    }
    return set_int(out, op == CT_OP_DIV ? a / b : a % b);
}

static enum ct_eval int_shift(enum ct_op op, int64_t a, int64_t b, struct ct_value *out)
{
    int64_t result;

    if (b < 0 || b > 63)
        return CT_EVAL_DOMAIN;
    if (op == CT_OP_SHR) /* towards minus infinity, without relying on the compiler */
        return set_int(out, a < 0 ? ~(~a >> b) : a >> b);
    if (b == 63)
        return a ? CT_EVAL_OVERFLOW : set_int(out, 0);
    if (__builtin_mul_overflow(a, (int64_t)1 << b, &result))
        return CT_EVAL_OVERFLOW;
    return set_int(out, result);
}

static enum ct_eval int_binary(enum ct_op op, int64_t a, int64_t b, struct ct_value *out)
{
    int64_t result = 0;
    bool overflow = false;

    switch (op) {
    case CT_OP_ADD:
        overflow = __builtin_add_overflow(a, b, &result);
        break;
    case CT_OP_SUB:
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
    case CT_OP_MUL:
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
    case CT_OP_DIV:
    case CT_OP_MOD:
        return int_divide(op, a, b, out);
    case CT_OP_SHL:
    case CT_OP_SHR:
        return int_shift(op, a, b, out);
    case CT_OP_LT:
        result = a < b;
        break;
    case CT_OP_LE:
        result = a <= b;
        break;
    case CT_OP_GT:
        result = a > b;
        break;
    case CT_OP_GE:
        result = a >= b;
        break;
    case CT_OP_EQ:
        result = a == b;
        break;
    case CT_OP_NE:
        result = a != b;
        break;
    case CT_OP_BITAND:
        result = a & b;
        break;
    case CT_OP_BITXOR:
        result = a ^ b;
        break;
    case CT_OP_BITOR:
        result = a | b;
        break;
    default:
        return CT_EVAL_TYPE;
    }
    return overflow ? CT_EVAL_OVERFLOW : set_int(out, result);
}

static enum ct_eval real_binary(enum ct_op op, double a, double b, struct ct_value *out)
{
    double result;

    switch (op) {
    case CT_OP_ADD:
        result = a + b;
        break;
    case CT_OP_SUB:
        result = a - b;
        break;
    case CT_OP_MUL:
        result = a * b;
        break;
    case CT_OP_DIV:
        if (b == 0)
            return CT_EVAL_DIVISION;
        result = a / b;
        break;
    case CT_OP_LT:
        return set_int(out, a < b);
    case CT_OP_LE:
        return set_int(out, a <= b);
    case CT_OP_GT:
        return set_int(out, a > b);
    case CT_OP_GE:
        return set_int(out, a >= b);
    case CT_OP_EQ:
        return set_int(out, a == b);
    case CT_OP_NE:
        return set_int(out, a != b);
    default:
        return CT_EVAL_TYPE; /* remainder, shifts and bits are for integers */
    }
    if (!isfinite(result))
        return CT_EVAL_OVERFLOW;
    *out = ct_value_real(result);
    return CT_EVAL_OK;
}

static enum ct_eval apply_binary(enum ct_op op, struct ct_value a, struct ct_value b,
                                 struct ct_value *out)
{
    if (a.kind == CT_INT && b.kind == CT_INT)
        return int_binary(op, a.u.i, b.u.i, out);
    if (a.kind == CT_TEXT && b.kind == CT_TEXT) {
        bool same = strcmp(a.u.s, b.u.s) == 0;

        if (op != CT_OP_EQ && op != CT_OP_NE)
            return CT_EVAL_TYPE;
        return set_int(out, same == (op == CT_OP_EQ));
    }
    if (a.kind == CT_TEXT || b.kind == CT_TEXT)
        return CT_EVAL_TYPE;
    return real_binary(op, ct_value_number(a), ct_value_number(b), out);
}

static enum ct_eval binary(const struct ct_node *node, const struct ct_value *env,
                           struct ct_value *out)
{
    struct ct_value a;
    struct ct_value b;
    enum ct_eval failed = eval(node->args[0], env, &a);

    if (failed || (failed = eval(node->args[1], env, &b)))
        return failed;
    return apply_binary(node->op, a, b, out);
}

static enum ct_eval apply_unary(enum ct_op op, struct ct_value a, struct ct_value *out)
{
    if (a.kind == CT_TEXT)
        return CT_EVAL_TYPE;
    if (op == CT_OP_NOT)
        return set_int(out, !ct_value_true(a));
    if (op == CT_OP_NEG && a.kind == CT_REAL) {
        *out = ct_value_real(-a.u.r);
        return CT_EVAL_OK;
    }
    if (a.kind != CT_INT)
        return CT_EVAL_TYPE;
    if (op == CT_OP_BITNOT)
        return set_int(out, ~a.u.i);
    return a.u.i == INT64_MIN ? CT_EVAL_OVERFLOW : set_int(out, -a.u.i);
}

static enum ct_eval unary(const struct ct_node *node, const struct ct_value *env,
                          struct ct_value *out)
{
    struct ct_value a;
    enum ct_eval failed = eval(node->args[0], env, &a);

    return failed ? failed : apply_unary(node->op, a, out);
}

static enum ct_eval logical(const struct ct_node *node, const struct ct_value *env,
                            struct ct_value *out)
{
    struct ct_value a;
    enum ct_eval failed = eval(node->args[0], env, &a);

    if (failed)
        return failed;
    if (a.kind == CT_TEXT)
        return CT_EVAL_TYPE;
    if (node->op == CT_OP_COND) {
        failed = eval(node->args[ct_value_true(a) ? 1 : 2], env, out);
        /* As in C the type depends on both branches: an integer beside a real is a real. */
        if (!failed && node->kind == CT_REAL && out->kind == CT_INT)
            *out = ct_value_real((double)out->u.i);
        return failed;
    }
    if (ct_value_true(a) == (node->op == CT_OP_OR))
        return set_int(out, node->op == CT_OP_OR);
    failed = eval(node->args[1], env, &a);
    if (failed)
        return failed;
    return a.kind == CT_TEXT ? CT_EVAL_TYPE : set_int(out, ct_value_true(a));
}

enum ct_eval ct_expr_known(struct ct_value value, struct ct_value *out)
{
    if (value.kind == CT_NONE && !ct_value_is_absent(value))
        return CT_EVAL_UNKNOWN;
    return set_int(out, value.kind != CT_NONE);
}

static enum ct_eval apply_call(int index, const struct ct_value *args, size_t count,
                               struct ct_value *out)
{
    const struct ct_expr_function *function = &ct_expr_functions[index];

    for (size_t i = 0; i < count; i++)
        if (!ct_expr_accepts(function, i, args[i].kind))
            return CT_EVAL_TYPE;
    return function->call ? function->call(args, count, out)
                          : ct_expr_known(args[0], out);
}

static enum ct_eval call(const struct ct_node *node, const struct ct_value *env,
                         struct ct_value *out)
{
    const struct ct_expr_function *function = &ct_expr_functions[node->function];
    struct ct_value args[CT_EXPR_ARGS_MAX];

    if (!function->call)
        return ct_expr_known(env[node->args[0]->slot], out);
    for (size_t i = 0; i < node->arg_count; i++) {
        enum ct_eval failed = eval(node->args[i], env, &args[i]);

        if (failed)
            return failed;
        if (!ct_expr_accepts(function, i, args[i].kind))
            return CT_EVAL_TYPE;
    }
    return function->call(args, node->arg_count, out);
}

enum ct_eval ct_expr_apply(enum ct_op op, int function, const struct ct_value *args,
                           size_t count, struct ct_value *out)
{
    switch (op) {
    case CT_OP_CALL:
        return apply_call(function, args, count, out);
    case CT_OP_NEG:
    case CT_OP_NOT:
    case CT_OP_BITNOT:
        return apply_unary(op, args[0], out);
    default:
        return apply_binary(op, args[0], args[1], out);
    }
}

static enum ct_eval eval(const struct ct_node *node, const struct ct_value *env,
                         struct ct_value *out)
{
    switch (node->op) {
    case CT_OP_CONST:
        *out = node->value;
        return CT_EVAL_OK;
    case CT_OP_NAME:
        *out = env[node->slot];
        return out->kind == CT_NONE ? CT_EVAL_UNKNOWN : CT_EVAL_OK;
    case CT_OP_NEG:
    case CT_OP_NOT:
    case CT_OP_BITNOT:
        return unary(node, env, out);
    case CT_OP_AND:
    case CT_OP_OR:
    case CT_OP_COND:
        return logical(node, env, out);
    case CT_OP_CALL:
        return call(node, env, out);
    default:
        return binary(node, env, out);
    }
}

enum ct_eval ct_expr_eval(const struct ct_expr *expr, const struct ct_value *env,
                          struct ct_value *out)
{
    struct ct_value value;
    enum ct_eval failed = eval(expr->root, env, &value);

    if (!failed)
        *out = value;
    return failed;
}

/* --- reasons for failures --- */

/* The operand of a failing node that fails itself, or NULL. */
static const struct ct_node *failing_operand(const struct ct_node *node,
                                             const struct ct_value *env)
{
    struct ct_value value;

    for (size_t i = 0; i < node->arg_count; i++) {
        if (eval(node->args[i], env, &value))
            return node->args[i];
        if (node->op == CT_OP_COND && value.kind != CT_TEXT) {
            const struct ct_node *chosen = node->args[ct_value_true(value) ? 1 : 2];

            return eval(chosen, env, &value) ? chosen : NULL;
        }
        if ((node->op == CT_OP_AND || node->op == CT_OP_OR) && value.kind == CT_TEXT)
            return NULL;
    }
    return NULL;
}

static const char *operation(const struct ct_node *node)
{
    int precedence;
    const char *name = ct_expr_operator(node->op, &precedence);

    if (node->op == CT_OP_CALL)
        return ct_expr_functions[node->function].name;
    return name                       ? name
           : node->op == CT_OP_NEG    ? "-"
           : node->op == CT_OP_NOT    ? "!"
           : node->op == CT_OP_BITNOT ? "~"
                                      : "?:";
}

/* `ilog2(0)`, or `1 << 70`. */
static void put_operation(const struct ct_node *node, const struct ct_value *env,
                          struct ct_str *out)
{
    bool call = node->op == CT_OP_CALL;

    if (call)
        ct_str_addf(out, "%s(", operation(node));
    for (size_t i = 0; i < node->arg_count; i++) {
        struct ct_value value = {0};

        if (i && call)
            ct_str_puts(out, ", ");
        else if (i)
            ct_str_addf(out, " %s ", operation(node));
        if (eval(node->args[i], env, &value))
            continue;
        /* Texts can be long, and what they contain looks like further arguments. */
        if (call && value.kind == CT_TEXT)
            ct_str_addf(out, "'%.40s%s'", value.u.s, strlen(value.u.s) > 40 ? "..." : "");
        else
            ct_value_print(out, value);
    }
    ct_str_puts(out, call ? ")" : "");
}

/* The first argument of a function of texts whose kind is wrong; false if there is none. */
static bool put_wrong_text(const struct ct_node *node, const struct ct_value *env,
                           struct ct_str *out)
{
    const struct ct_expr_function *function = &ct_expr_functions[node->function];

    for (size_t i = 0; node->op == CT_OP_CALL && i < node->arg_count; i++) {
        char takes = ct_expr_takes(function, i);
        struct ct_value value = {0};

        if ((takes != CT_TAKES_TEXT && takes != CT_TAKES_WORD) ||
            eval(node->args[i], env, &value) || ct_expr_accepts(function, i, value.kind))
            continue;
        ct_str_addf(out, "'%s' requires text%s, not ", function->name,
                    takes == CT_TAKES_WORD ? " or an integer" : "");
        ct_value_print(out, value);
        return true;
    }
    return false;
}

/* The operand whose kind is wrong. */
static void put_wrong_kind(const struct ct_node *node, const struct ct_value *env,
                           struct ct_str *out)
{
    struct ct_value worst = {0};

    if (put_wrong_text(node, env, out))
        return;
    for (size_t i = 0; i < node->arg_count; i++) {
        struct ct_value value = {0};

        if (!eval(node->args[i], env, &value) &&
            (value.kind == CT_TEXT || (value.kind == CT_REAL && worst.kind != CT_TEXT)))
            worst = value;
    }
    if (node->op == CT_OP_EQ || node->op == CT_OP_NE) {
        ct_str_addf(out, "'%s' compares text with a number", operation(node));
    } else if (worst.kind == CT_TEXT) {
        ct_str_addf(out, "'%s' requires a number, not the text '%s'", operation(node),
                    worst.u.s);
    } else {
        ct_str_addf(out, "'%s' requires an integer, not ", operation(node));
        ct_value_print(out, worst);
        ct_str_puts(out, "; convert it with int()");
    }
}

const char *ct_expr_why(const struct ct_expr *expr, enum ct_eval failed,
                        const struct ct_value *env, char text[CT_EVAL_WHY_SIZE])
{
    const struct ct_node *node = expr->root;
    const struct ct_node *deeper;
    struct ct_str out;

    while ((deeper = failing_operand(node, env)))
        node = deeper;
    ct_str_init(&out);
    if (failed == CT_EVAL_DOMAIN) {
        put_operation(node, env, &out);
        ct_str_puts(&out, node->op == CT_OP_CALL ? " is not defined"
                                                 : ": the shift must be from 0 to 63");
    } else if (failed == CT_EVAL_TYPE) {
        put_wrong_kind(node, env, &out);
    } else {
        ct_str_puts(&out, ct_eval_text(failed));
    }
    snprintf(text, CT_EVAL_WHY_SIZE, "%s",
             out.failed || !out.length ? ct_eval_text(failed) : out.data);
    ct_str_release(&out);
    return text;
}
