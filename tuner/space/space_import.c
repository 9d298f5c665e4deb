// SPDX-License-Identifier: Apache-2.0
// Turns the specification's constraints and conditions into roots of the graph.
#include "space/space_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Expressions, with names expanded, nest no deeper: all traversals of the graph recurse. */
enum { DEPTH_MAX = 4000 };

struct import {
    struct ct_build *build;
    struct ct_dag *dag;
    uint32_t *slot_node; /* by slot, UINT32_MAX: not yet */
    uint32_t *slot_lacks;
    /* A device limit without a value is used: then the reason for a failure matters. */
    bool unknown;
    size_t depth;
};

/* --- which names are used --- */

static bool uses_unknown(struct import *in, const struct ct_expr *expr, bool *visited)
{
    bool found = false;

    if (in->depth == DEPTH_MAX) {
        in->build->too_deep = true;
        return false;
    }
    in->depth++;
    for (size_t i = 0; expr && i < expr->slot_count; i++) {
        int slot = expr->slots[i];
        const struct ct_symbol *symbol = &in->build->spec->slots.symbols[slot];

        if (visited[slot])
            continue;
        visited[slot] = true;
        if (in->build->binding->fixed[slot].kind != CT_NONE)
            continue;
        if (symbol->class == CT_SYM_DEVICE ||
            (symbol->class != CT_SYM_PARAM && uses_unknown(in, symbol->expr, visited)))
            found = true;
    }
    in->depth--;
    return found;
}

static bool find_unknown(struct import *in)
{
    const struct ct_spec *spec = in->build->spec;
    bool *visited = ct_mem_array(spec->slots.count, sizeof(*visited));

    if (!visited)
        return false;
    for (size_t c = 0; c < spec->constraint_count; c++)
        in->unknown |= uses_unknown(in, spec->constraints[c].expr, visited);
    for (size_t p = 0; p < spec->param_count; p++)
        in->unknown |= uses_unknown(in, spec->params[p].condition, visited);
    free(visited);
    return !in->build->too_deep;
}

/* --- expressions --- */

static uint32_t import_node(struct import *in, const struct ct_node *node);

static uint32_t import_param(struct import *in, size_t param)
{
    const struct ct_domain *domain = &in->build->binding->domains[param];
    enum ct_tag tag = domain->count ? (enum ct_tag)domain->values[0].kind : CT_TAG_INT;
    double low = INFINITY;
    double high = -INFINITY;

    for (size_t i = 0; i < domain->count; i++) {
        struct ct_value value = domain->values[i];
        double number = ct_value_number(value);

        if ((enum ct_tag)value.kind != tag)
            tag = CT_TAG_MIXED;
        if (value.kind == CT_TEXT || !(fabs(number) <= CT_DAG_EXACT))
            number = INFINITY;
        low = fmin(low, number == INFINITY ? -INFINITY : number);
        high = fmax(high, number);
    }
    return ct_dag_param(in->dag, param, tag, low, high);
}

static uint32_t import_slot(struct import *in, int slot)
{
    const struct ct_symbol *symbol = &in->build->spec->slots.symbols[slot];
    struct ct_value fixed = in->build->binding->fixed[slot];
    uint32_t node;

    if (in->slot_node[slot] != UINT32_MAX)
        return in->slot_node[slot];
    if (fixed.kind != CT_NONE) {
        node = ct_dag_const(in->dag, fixed);
    } else if (symbol->class == CT_SYM_PARAM) {
        size_t p = 0;

        while (in->build->spec->params[p].slot != slot)
            p++;
        /* A single value is a constant: it connects no parameters. */
        if (in->build->binding->domains[p].count == 1)
            node = ct_dag_const(in->dag, in->build->binding->domains[p].values[0]);
        else
            node = import_param(in, p);
    } else if (symbol->expr) {
        node = import_node(in, symbol->expr->root);
        if (in->unknown)
            node = ct_dag_make(in->dag, CT_DAG_LET, 0, &node, 1);
    } else {
        node = CT_DAG_UNKNOWN;
    }
    in->slot_node[slot] = node;
    return node;
}

/* known() of a device limit, which no parameter changes. */
static uint32_t import_known(struct import *in, int slot)
{
    struct ct_value value;

    return ct_expr_known(in->build->binding->fixed[slot], &value)
               ? CT_DAG_UNKNOWN
               : ct_dag_const(in->dag, value);
}

static uint32_t import_operation(struct import *in, const struct ct_node *node)
{
    static const char to_real[] = "float";
    uint32_t few[4];
    uint32_t *args = few;
    uint32_t result;

    if (node->arg_count > sizeof(few) / sizeof(few[0]))
        args = ct_arena_array(&in->dag->arena, node->arg_count, sizeof(*args));
    if (!args) {
        in->dag->failed = true;
        return CT_DAG_FALSE;
    }
    for (size_t i = 0; i < node->arg_count; i++)
        args[i] = import_node(in, node->args[i]);
    /* As in C the type depends on both branches: an integer beside a real is a real. */
    if (node->op == CT_OP_COND && node->kind == CT_REAL)
        for (size_t i = 1; i < 3; i++)
            for (size_t f = 0; f < ct_expr_function_count; f++)
                if (strcmp(ct_expr_functions[f].name, to_real) == 0)
                    args[i] = ct_dag_make(in->dag, CT_OP_CALL, (int)f, &args[i], 1);
    result =
        ct_dag_make(in->dag, (int)node->op, node->op == CT_OP_CALL ? node->function : 0,
                    args, node->arg_count);
    return result;
}

static uint32_t import_node(struct import *in, const struct ct_node *node)
{
    uint32_t result;

    if (in->depth == DEPTH_MAX) {
        in->build->too_deep = in->dag->failed = true;
        return CT_DAG_FALSE;
    }
    in->depth++;
    if (node->op == CT_OP_CONST)
        result = ct_dag_const(in->dag, node->value);
    else if (node->op == CT_OP_NAME)
        result = import_slot(in, node->slot);
    else if (node->op == CT_OP_CALL && !ct_expr_functions[node->function].call)
        result = import_known(in, node->args[0]->slot);
    else
        result = import_operation(in, node);
    in->depth--;
    return result;
}

/* Whether evaluating `expr` fails for lack of a device limit, as in plan/binding_eval.c: a node,
 * constant in most cases. */
static uint32_t import_lacks(struct import *in, const struct ct_expr *expr)
{
    uint32_t result = CT_DAG_FALSE;

    if (!in->unknown)
        return CT_DAG_FALSE;
    for (size_t i = 0; i < expr->slot_count; i++) {
        int slot = expr->slots[i];
        const struct ct_symbol *symbol = &in->build->spec->slots.symbols[slot];
        uint32_t pair[2];

        if (in->build->binding->fixed[slot].kind != CT_NONE)
            continue;
        if (symbol->class == CT_SYM_DEVICE)
            return CT_DAG_TRUE;
        if (symbol->class == CT_SYM_PARAM || !symbol->expr)
            continue;
        if (in->slot_lacks[slot] == UINT32_MAX) {
            pair[0] = import_node(in, symbol->expr->root);
            pair[0] = ct_dag_make(in->dag, CT_DAG_IS_UNKNOWN, 0, pair, 1);
            pair[1] = import_lacks(in, symbol->expr);
            in->slot_lacks[slot] = ct_dag_make(in->dag, CT_OP_AND, 0, pair, 2);
        }
        pair[0] = result;
        pair[1] = in->slot_lacks[slot];
        result = ct_dag_make(in->dag, CT_OP_OR, 0, pair, 2);
    }
    return result;
}

/* --- roots --- */

static bool add_root(struct ct_build *build, uint32_t node, size_t constraint)
{
    struct ct_root root = {.node = node, .constraint = constraint, .pass = 1};

    if (build->dag.failed ||
        !ct_space_memory_grow(&build->memory, &build->roots, &build->root_room,
                              build->root_count + 1, sizeof(*build->roots)))
        return false;
    build->roots[build->root_count++] = root;
    return true;
}

/* A chain of `&&` gives one root per operand.  If a device limit is missing, an operand that
 * cannot be evaluated makes the whole constraint undecided whatever follows: only operands that
 * cannot fail are split off. */
static bool add_constraint(struct import *in, size_t c)
{
    const struct ct_expr *expr = in->build->spec->constraints[c].expr;
    uint32_t lacks = import_lacks(in, expr);
    uint32_t node = import_node(in, expr->root);
    uint32_t pair[2];
    size_t first = 0;
    size_t count;

    if (ct_dag_at(in->dag, node)->op != CT_OP_AND) {
        pair[0] = node;
        pair[1] = lacks;
        return add_root(in->build, ct_dag_make(in->dag, CT_DAG_DECIDE, 0, pair, 2), c);
    }
    count = ct_dag_at(in->dag, node)->arg_count;
    for (; first < count; first++) {
        uint32_t arg = ct_dag_at(in->dag, node)->args[first];

        if (lacks != CT_DAG_FALSE && ct_dag_at(in->dag, arg)->may_fail)
            break;
        if (!add_root(in->build, arg, c))
            return false;
    }
    if (first == count)
        return true;
    pair[0] = ct_dag_make(in->dag, CT_OP_AND, 0, ct_dag_at(in->dag, node)->args + first,
                          count - first);
    pair[1] = lacks;
    return add_root(in->build, ct_dag_make(in->dag, CT_DAG_DECIDE, 0, pair, 2), c);
}

/* Whether the configuration is canonical, for one parameter. */
static bool add_activity(struct import *in, size_t p)
{
    const struct ct_binding *binding = in->build->binding;
    const struct ct_expr *condition = in->build->spec->params[p].condition;
    uint32_t pair[2];

    if (condition) {
        pair[1] = import_lacks(in, condition);
        pair[0] = import_node(in, condition->root);
        pair[0] = ct_dag_make(in->dag, CT_DAG_ACTIVE, 0, pair, 2);
    } else {
        pair[0] = CT_DAG_TRUE;
    }
    pair[1] = binding->domains[p].count == 1
                  ? CT_DAG_TRUE
                  : ct_dag_is_index(in->dag, p, binding->inactive[p]);
    return add_root(
        in->build,
        ct_dag_make(in->dag, binding->only_inactive[p] ? CT_OP_NE : CT_OP_OR, 0, pair, 2),
        SIZE_MAX);
}

bool ct_build_import(struct ct_build *build, bool activity_only)
{
    const struct ct_spec *spec = build->spec;
    struct import in = {.build = build, .dag = &build->dag};
    size_t bytes = spec->slots.count * sizeof(*in.slot_node);
    bool ok;

    in.slot_node = malloc(bytes ? bytes : 1);
    in.slot_lacks = malloc(bytes ? bytes : 1);
    ok = in.slot_node && in.slot_lacks && find_unknown(&in);
    if (ok) {
        memset(in.slot_node, 0xff, bytes);
        memset(in.slot_lacks, 0xff, bytes);
    }
    for (size_t p = 0; ok && p < spec->param_count; p++)
        if (spec->params[p].condition || build->binding->only_inactive[p])
            ok = add_activity(&in, p);
    for (size_t c = 0; ok && !activity_only && c < spec->constraint_count; c++)
        ok = add_constraint(&in, c);
    free(in.slot_node);
    free(in.slot_lacks);
    return ok && !build->dag.failed;
}
