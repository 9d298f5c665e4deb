// SPDX-License-Identifier: Apache-2.0
// Properties of an expression that hold for all configurations: the kind of its value, its
// bounds, and whether it can fail.  Interval arithmetic on doubles, exact for numbers within 2^53
// and unbounded beyond.
#include "space/space_dag.h"

#include <math.h>
#include <string.h>

struct bounds {
    double low;
    double high;
};

static const struct bounds any = {-INFINITY, INFINITY};

static bool bounded(struct bounds x)
{
    return x.low >= -CT_DAG_EXACT && x.high <= CT_DAG_EXACT;
}

static struct bounds of(const struct ct_dag_node *node)
{
    return (struct bounds){node->low, node->high};
}

static struct bounds corners(double a, double b, double c, double d)
{
    struct bounds result;

    result.low = fmin(fmin(a, b), fmin(c, d));
    result.high = fmax(fmax(a, b), fmax(c, d));
    return result;
}

static bool has_zero(struct bounds x)
{
    return x.low <= 0 && x.high >= 0;
}

static struct bounds product(struct bounds x, struct bounds y)
{
    if (!bounded(x) || !bounded(y))
        return any;
    return corners(x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high);
}

static struct bounds quotient(struct bounds x, struct bounds y, bool real)
{
    struct bounds r;

    if (!bounded(x) || !bounded(y) || has_zero(y))
        return any;
    r = corners(x.low / y.low, x.low / y.high, x.high / y.low, x.high / y.high);
    if (!real) {
        r.low = trunc(r.low);
        r.high = trunc(r.high);
    }
    return r;
}

static struct bounds remainder_of(struct bounds x, struct bounds y)
{
    double most = fmax(fabs(y.low), fabs(y.high)) - 1;
    struct bounds r = {-most, most};

    if (!bounded(x) || !bounded(y))
        return any;
    r.low = fmax(r.low, fmin(x.low, 0));
    r.high = fmin(r.high, fmax(x.high, 0));
    return r;
}

static void set(struct ct_dag_node *node, enum ct_tag tag, struct bounds bounds,
                bool may_fail)
{
    node->tag = tag;
    node->low = bounds.low;
    node->high = bounds.high;
    node->may_fail = may_fail;
    node->boolean = tag == CT_TAG_INT && !may_fail && bounds.low >= 0 && bounds.high <= 1;
}

static void set_expected(struct ct_dag_node *node, bool may_fail)
{
    set(node, CT_TAG_INT, (struct bounds){0, 1}, may_fail);
    node->boolean = true;
}

/* A comparison of x and y: decided by their bounds if these do not overlap. */
static void set_comparison(struct ct_dag_node *node, const struct ct_dag_node *a,
                           const struct ct_dag_node *b, bool may_fail)
{
    struct bounds x = of(a);
    struct bounds y = of(b);
    bool numbers = a->tag <= CT_TAG_REAL && b->tag <= CT_TAG_REAL;
    int outcome = -1;

    set_expected(node, may_fail);
    if (!numbers || !bounded(x) || !bounded(y))
        return;
    switch (node->op) {
    case CT_OP_LT:
        outcome = x.high < y.low ? 1 : x.low >= y.high ? 0 : -1;
        break;
    case CT_OP_LE:
        outcome = x.high <= y.low ? 1 : x.low > y.high ? 0 : -1;
        break;
    case CT_OP_GT:
        outcome = x.low > y.high ? 1 : x.high <= y.low ? 0 : -1;
        break;
    case CT_OP_GE:
        outcome = x.low >= y.high ? 1 : x.high < y.low ? 0 : -1;
        break;
    default:
        if (x.high < y.low || x.low > y.high)
            outcome = node->op == CT_OP_NE;
        break;
    }
    if (outcome >= 0)
        node->low = node->high = outcome;
}

static struct bounds arithmetic(int op, struct bounds x, struct bounds y, bool real)
{
    switch (op) {
    case CT_OP_ADD:
        return (struct bounds){x.low + y.low, x.high + y.high};
    case CT_OP_SUB:
        return (struct bounds){x.low - y.high, x.high - y.low};
    case CT_OP_MUL:
        return product(x, y);
    case CT_OP_DIV:
        return quotient(x, y, real);
    case CT_OP_MOD:
        return remainder_of(x, y);
    case CT_OP_SHL:
        if (y.low < 0 || y.high > 52)
            return any;
        return product(x, (struct bounds){ldexp(1, (int)y.low), ldexp(1, (int)y.high)});
    case CT_OP_SHR:
        if (y.low < 0 || y.high > 63 || !bounded(x))
            return any;
        return (struct bounds){fmin(x.low, 0), fmax(x.high, 0)};
    default: /* bits: of numbers that are not negative */
        if (x.low < 0 || y.low < 0)
            return any;
        return (struct bounds){0, op == CT_OP_BITAND ? fmin(x.high, y.high)
                                                     : x.high + y.high};
    }
}

static void set_arithmetic(const struct ct_dag *dag, struct ct_dag_node *node)
{
    const struct ct_dag_node *a = &dag->nodes[node->args[0]];
    struct bounds r = of(a);
    enum ct_tag tag = a->tag;
    bool may_fail = a->may_fail;
    bool divides = node->op == CT_OP_DIV || node->op == CT_OP_MOD;

    for (size_t i = 1; i < node->arg_count; i++) {
        const struct ct_dag_node *b = &dag->nodes[node->args[i]];

        if (tag == CT_TAG_MIXED || b->tag == CT_TAG_MIXED)
            tag = CT_TAG_MIXED;
        else if (tag == CT_TAG_REAL || b->tag == CT_TAG_REAL)
            tag = CT_TAG_REAL;
        may_fail = may_fail || b->may_fail || b->tag > CT_TAG_REAL || tag > CT_TAG_REAL;
        r = tag == CT_TAG_MIXED ? any
                                : arithmetic(node->op, r, of(b), tag == CT_TAG_REAL);
        may_fail = may_fail || (divides && has_zero(of(b))) || !bounded(r);
        if (node->op >= CT_OP_MOD && node->op != CT_OP_ADD && node->op != CT_OP_SUB &&
            tag != CT_TAG_INT)
            may_fail = true;
        if (!bounded(r))
            r = any;
        /* Reals are rounded: widen the bounds. */
        if (tag == CT_TAG_REAL && bounded(r)) {
            r.low -= fabs(r.low) * 1e-12;
            r.high += fabs(r.high) * 1e-12;
        }
    }
    if (tag == CT_TAG_TEXT) {
        tag = CT_TAG_INT;
        may_fail = true;
    }
    set(node, tag, r, may_fail);
}

static void set_comparing(const struct ct_dag *dag, struct ct_dag_node *node)
{
    const struct ct_dag_node *a = &dag->nodes[node->args[0]];
    const struct ct_dag_node *b = &dag->nodes[node->args[1]];
    bool equality = node->op == CT_OP_EQ || node->op == CT_OP_NE;
    bool may_fail = a->may_fail || b->may_fail || a->tag == CT_TAG_MIXED ||
                    b->tag == CT_TAG_MIXED ||
                    (a->tag == CT_TAG_TEXT) != (b->tag == CT_TAG_TEXT) ||
                    (a->tag == CT_TAG_TEXT && !equality);

    set_comparison(node, a, b, may_fail);
}

static void set_unary(const struct ct_dag *dag, struct ct_dag_node *node)
{
    const struct ct_dag_node *a = &dag->nodes[node->args[0]];
    struct bounds r = {-a->high, -a->low};
    bool may_fail = a->may_fail || a->tag > CT_TAG_REAL;

    if (node->op == CT_OP_NOT) {
        set_expected(node, may_fail);
    } else if (node->op == CT_OP_NEG && a->tag != CT_TAG_TEXT) {
        set(node, a->tag, bounded(r) ? r : any, may_fail || !bounded(r));
    } else {
        r = (struct bounds){-a->high - 1, -a->low - 1};
        set(node, CT_TAG_INT, bounded(r) && a->tag == CT_TAG_INT ? r : any,
            may_fail || a->tag != CT_TAG_INT);
    }
}

static void set_logical(const struct ct_dag *dag, struct ct_dag_node *node)
{
    bool decides = node->op == CT_OP_OR; /* the operand value that decides */
    bool may_fail = false;
    bool decided = false;
    bool all = true;

    for (size_t i = 0; i < node->arg_count; i++) {
        const struct ct_dag_node *a = &dag->nodes[node->args[i]];

        may_fail = may_fail || a->may_fail;
        decided = decided || (!a->may_fail && a->low == decides && a->high == decides);
        all = all && a->low == !decides && a->high == !decides;
    }
    set_expected(node, may_fail);
    if (decided && !may_fail)
        node->low = node->high = decides;
    else if (all)
        node->low = node->high = !decides;
}

static void set_cond(const struct ct_dag *dag, struct ct_dag_node *node)
{
    const struct ct_dag_node *test = &dag->nodes[node->args[0]];
    const struct ct_dag_node *a = &dag->nodes[node->args[1]];
    const struct ct_dag_node *b = &dag->nodes[node->args[2]];
    bool same = a->tag == b->tag;

    /* A branch that never has a value leaves the kind to the other branch. */
    if (a->op == CT_OP_CONST && a->tag >= CT_TAG_FAIL)
        a = b;
    if (b->op == CT_OP_CONST && b->tag >= CT_TAG_FAIL)
        b = a;
    set(node, a->tag == b->tag && a->tag <= CT_TAG_TEXT ? a->tag : CT_TAG_MIXED,
        a->tag <= CT_TAG_REAL && b->tag <= CT_TAG_REAL
            ? (struct bounds){fmin(a->low, b->low), fmax(a->high, b->high)}
            : any,
        test->may_fail || a->may_fail || b->may_fail || !same);
    if (a->boolean && b->boolean)
        node->boolean = true;
}

/* Functions by name: which of them keep bounds and cannot fail. */
static void set_call(const struct ct_dag *dag, struct ct_dag_node *node)
{
    const struct ct_expr_function *function = &ct_expr_functions[node->function];
    const struct ct_dag_node *a = &dag->nodes[node->args[0]];
    struct bounds x = of(a);
    struct bounds y = node->arg_count > 1 ? of(&dag->nodes[node->args[1]]) : x;
    enum ct_tag tag = (enum ct_tag)function->result;
    bool may_fail = false;
    bool real = false;
    struct bounds r = x;

    for (size_t i = 0; i < node->arg_count; i++) {
        const struct ct_dag_node *arg = &dag->nodes[node->args[i]];

        may_fail = may_fail || arg->may_fail || arg->tag > CT_TAG_TEXT ||
                   !ct_expr_accepts(function, i, (enum ct_kind)arg->tag);
        real = real || arg->tag != CT_TAG_INT;
        if (strcmp(function->name, "min") == 0)
            r = (struct bounds){fmin(r.low, arg->low), fmin(r.high, arg->high)};
        else if (strcmp(function->name, "max") == 0)
            r = (struct bounds){fmax(r.low, arg->low), fmax(r.high, arg->high)};
    }
    if (function->result == CT_NONE)
        tag = !real ? CT_TAG_INT : may_fail ? CT_TAG_MIXED : CT_TAG_REAL;
    if (strcmp(function->name, "min") == 0 || strcmp(function->name, "max") == 0) {
        set(node, tag, tag == CT_TAG_MIXED ? any : r, may_fail);
        return;
    }
    if (strcmp(function->name, "abs") == 0 && bounded(x) && tag != CT_TAG_MIXED) {
        r.high = fmax(fabs(x.low), fabs(x.high));
        r.low = has_zero(x) ? 0 : fmin(fabs(x.low), fabs(x.high));
        set(node, tag, r, may_fail);
        return;
    }
    if (strcmp(function->name, "ceildiv") == 0 && bounded(x) && bounded(y) &&
        !has_zero(y)) {
        r = quotient(x, y, false);
        r.high += 1;
        set(node, tag, r, may_fail);
        return;
    }
    if (strcmp(function->name, "ispow2") == 0 || strcmp(function->name, "divides") == 0) {
        set_expected(node,
                     may_fail || (strcmp(function->name, "divides") == 0 && has_zero(x)));
        return;
    }
    if (strcmp(function->name, "contains") == 0) {
        set_expected(node, may_fail);
        return;
    }
    if (strcmp(function->name, "float") == 0 && bounded(x)) {
        set(node, tag, x, may_fail);
        return;
    }
    set(node, tag, any, true);
}

static void set_leaf(struct ct_dag *dag, struct ct_dag_node *node)
{
    switch (node->op) {
    case CT_OP_CONST: {
        struct ct_value value = ct_dag_value(node->bits, node->tag);
        double number = ct_value_number(value);

        if (node->tag > CT_TAG_REAL) {
            set(node, node->tag, any, node->tag >= CT_TAG_FAIL);
            return;
        }
        set(node, node->tag,
            fabs(number) <= CT_DAG_EXACT ? (struct bounds){number, number} : any, false);
        return;
    }
    case CT_DAG_PARAM:
        set(node, node->tag, of(node), false);
        return;
    case CT_DAG_IS_INDEX:
    case CT_DAG_ACTIVE:
    case CT_DAG_IS_UNKNOWN:
        set_expected(node, false);
        return;
    case CT_DAG_DECIDE:
        set(node, CT_TAG_INT, (struct bounds){0, 2}, true);
        node->boolean = false;
        return;
    default: { /* a name */
        const struct ct_dag_node *a = &dag->nodes[node->args[0]];

        set(node, a->tag, of(a), a->may_fail);
        node->boolean = a->boolean;
        return;
    }
    }
}

void ct_dag_analyse(struct ct_dag *dag, uint32_t id)
{
    struct ct_dag_node *node = &dag->nodes[id];

    switch (node->op) {
    case CT_OP_NEG:
    case CT_OP_NOT:
    case CT_OP_BITNOT:
        set_unary(dag, node);
        break;
    case CT_OP_AND:
    case CT_OP_OR:
        set_logical(dag, node);
        break;
    case CT_OP_COND:
        set_cond(dag, node);
        break;
    case CT_OP_CALL:
        set_call(dag, node);
        break;
    case CT_OP_LT:
    case CT_OP_LE:
    case CT_OP_GT:
    case CT_OP_GE:
    case CT_OP_EQ:
    case CT_OP_NE:
        set_comparing(dag, node);
        break;
    case CT_OP_MUL:
    case CT_OP_DIV:
    case CT_OP_MOD:
    case CT_OP_ADD:
    case CT_OP_SUB:
    case CT_OP_SHL:
    case CT_OP_SHR:
    case CT_OP_BITAND:
    case CT_OP_BITXOR:
    case CT_OP_BITOR:
        set_arithmetic(dag, node);
        break;
    default:
        set_leaf(dag, node);
        break;
    }
}
