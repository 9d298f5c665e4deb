// SPDX-License-Identifier: Apache-2.0
// Prints expressions as text, without unnecessary parentheses.
#include "spacefile/expr/expr_impl.h"

#include <math.h>
#include <string.h>

/* Binding strength of an expression; binary operators have 1 to 10. */
enum { HOLD_ANY = 0, HOLD_BINARY = 1, HOLD_UNARY = 11, HOLD_PRIMARY = 12 };

struct printer {
    void (*name)(void *context, int slot, struct ct_str *out);
    void *context;
    struct ct_str *out;
};

static int hold_of(const struct ct_node *node)
{
    int precedence;

    switch (node->op) {
    case CT_OP_CONST:
    case CT_OP_NAME:
    case CT_OP_CALL:
        return HOLD_PRIMARY;
    case CT_OP_NEG:
    case CT_OP_NOT:
    case CT_OP_BITNOT:
        return HOLD_UNARY;
    case CT_OP_COND:
        return HOLD_ANY;
    default:
        return ct_expr_operator(node->op, &precedence) ? precedence : HOLD_UNARY;
    }
}

void ct_expr_print_value(struct ct_str *out, struct ct_value value)
{
    if (value.kind == CT_TEXT) {
        ct_str_putc(out, '\'');
        ct_str_puts(out, value.u.s);
        ct_str_putc(out, '\'');
    } else if (value.kind == CT_INT && value.u.i == INT64_MIN) {
        /* Its digits alone are beyond 64 bits. */
        ct_str_puts(out, "(-9223372036854775807 - 1)");
    } else if ((value.kind == CT_INT && value.u.i < 0) ||
               (value.kind == CT_REAL && signbit(value.u.r))) {
        ct_str_putc(out, '(');
        ct_value_print(out, value);
        ct_str_putc(out, ')');
    } else {
        ct_value_print(out, value);
    }
}

static void print_node(const struct printer *p, const struct ct_node *node, int least);

static void print_call(const struct printer *p, const struct ct_node *node)
{
    ct_str_puts(p->out, ct_expr_functions[node->function].name);
    ct_str_putc(p->out, '(');
    for (size_t i = 0; i < node->arg_count; i++) {
        if (i)
            ct_str_puts(p->out, ", ");
        print_node(p, node->args[i], HOLD_ANY);
    }
    ct_str_putc(p->out, ')');
}

static void print_binary(const struct printer *p, const struct ct_node *node)
{
    int precedence = HOLD_BINARY;
    const char *name = ct_expr_operator(node->op, &precedence);
    /* `(a < b) < c`: without its parentheses it would be rejected. */
    bool compares = node->op >= CT_OP_LT && node->op <= CT_OP_NE;

    print_node(p, node->args[0], precedence + compares);
    ct_str_addf(p->out, " %s ", name ? name : "?");
    print_node(p, node->args[1], precedence + 1);
}

static void print_bare(const struct printer *p, const struct ct_node *node)
{
    switch (node->op) {
    case CT_OP_CONST:
        ct_expr_print_value(p->out, node->value);
        break;
    case CT_OP_NAME:
        p->name(p->context, node->slot, p->out);
        break;
    case CT_OP_CALL:
        print_call(p, node);
        break;
    case CT_OP_NEG:
    case CT_OP_NOT:
    case CT_OP_BITNOT:
        ct_str_putc(p->out, node->op == CT_OP_NEG   ? '-'
                            : node->op == CT_OP_NOT ? '!'
                                                    : '~');
        print_node(p, node->args[0], HOLD_UNARY);
        break;
    case CT_OP_COND:
        print_node(p, node->args[0], HOLD_BINARY);
        ct_str_puts(p->out, " ? ");
        print_node(p, node->args[1], HOLD_ANY);
        ct_str_puts(p->out, " : ");
        print_node(p, node->args[2], HOLD_ANY);
        break;
    default:
        print_binary(p, node);
        break;
    }
}

static void print_node(const struct printer *p, const struct ct_node *node, int least)
{
    bool parentheses = hold_of(node) < least;

    if (parentheses)
        ct_str_putc(p->out, '(');
    print_bare(p, node);
    if (parentheses)
        ct_str_putc(p->out, ')');
}

void ct_expr_print(const struct ct_expr *expr,
                   void (*name)(void *context, int slot, struct ct_str *out),
                   void *context, struct ct_str *out)
{
    struct printer p = {name, context, out};

    print_node(&p, expr->root, HOLD_ANY);
}
