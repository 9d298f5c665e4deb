// SPDX-License-Identifier: Apache-2.0
// Simplifies operations of the graph: constants are folded, `!` is moved inwards, chains become
// one node.
#include "space/space_dag.h"

#include <stdlib.h>
#include <string.h>

static bool is_const(const struct ct_dag *dag, uint32_t node)
{
    return dag->nodes[node].op == CT_OP_CONST;
}

/* Whether a constant has no value. */
static bool is_failure(const struct ct_dag *dag, uint32_t node)
{
    return is_const(dag, node) && dag->nodes[node].tag >= CT_TAG_FAIL;
}

static uint32_t make_plain(struct ct_dag *dag, int op, int function, const uint32_t *args,
                           size_t count)
{
    struct ct_dag_node node = {
        .op = op, .function = function, .param = CT_DAG_NO_PARAM, .arg_count = count};

    node.args = args;
    return ct_dag_intern(dag, &node);
}

/* 1 if a number is not zero. */
static uint32_t truth_of(struct ct_dag *dag, uint32_t node)
{
    uint32_t args[2] = {node, CT_DAG_FALSE};

    return dag->nodes[node].boolean ? node : ct_dag_make(dag, CT_OP_NE, 0, args, 2);
}

/* Operands of a chain of `op`, with nested chains flattened. */
struct operands {
    uint32_t *items;
    size_t count;
    size_t room;
};

static bool put_operand(struct ct_dag *dag, struct operands *all, uint32_t node)
{
    if (!ct_space_memory_grow(dag->memory, &all->items, &all->room, all->count + 1,
                              sizeof(*all->items))) {
        dag->failed = true;
        return false;
    }
    all->items[all->count++] = node;
    return true;
}

static void put_operands(struct ct_dag *dag, struct operands *all, int op, uint32_t node,
                         bool chains)
{
    const struct ct_dag_node *at = &dag->nodes[node];

    if (at->op != op || !chains) {
        put_operand(dag, all, node);
        return;
    }
    for (size_t i = 0; i < at->arg_count; i++)
        put_operand(dag, all, dag->nodes[node].args[i]);
}

static void drop(struct ct_dag *dag, struct operands *all)
{
    ct_space_memory_free(dag->memory, all->items, all->room, sizeof(*all->items));
}

/* `&&` and `||`: operands are evaluated in order up to the one that decides. */
static uint32_t make_logical(struct ct_dag *dag, int op, const uint32_t *args,
                             size_t count)
{
    uint32_t decides = op == CT_OP_OR ? CT_DAG_TRUE : CT_DAG_FALSE;
    struct operands all = {0};
    size_t kept = 0;
    uint32_t result;

    for (size_t i = 0; i < count; i++)
        put_operands(dag, &all, op, truth_of(dag, args[i]), true);
    for (size_t i = 0; i < all.count && !dag->failed; i++) {
        uint32_t node = all.items[i];

        if (is_const(dag, node) && !is_failure(dag, node) && node != decides)
            continue;
        all.items[kept++] = node;
        if (node == decides || is_failure(dag, node))
            break; /* what follows is never evaluated */
    }
    if (dag->failed || !kept)
        result = CT_DAG_TRUE + CT_DAG_FALSE - decides;
    else if (kept == 1)
        result = all.items[0];
    else
        result = UINT32_MAX;
    /* Operands that cannot fail before the deciding one do not matter. */
    if (result == UINT32_MAX && all.items[kept - 1] == decides) {
        bool fails = false;

        for (size_t i = 0; i + 1 < kept; i++)
            fails = fails || dag->nodes[all.items[i]].may_fail;
        if (!fails)
            result = decides;
    }
    if (result == UINT32_MAX)
        result = make_plain(dag, op, 0, all.items, kept);
    drop(dag, &all);
    return result;
}

/* Whether every product (sum) of some of the operands is exact. */
static bool never_overflows(const struct ct_dag *dag, int op, const struct operands *all)
{
    double most = op == CT_OP_MUL ? 1 : 0;

    for (size_t i = 0; i < all->count; i++) {
        const struct ct_dag_node *node = &dag->nodes[all->items[i]];
        double size = -node->low > node->high ? -node->low : node->high;

        if (node->tag != CT_TAG_INT || node->may_fail || !(size <= CT_DAG_EXACT))
            return false;
        if (op == CT_OP_MUL)
            most *= size < 1 ? 1 : size;
        else
            most += size;
    }
    return most <= CT_DAG_EXACT;
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* `*` and `+` of integers as a chain: one constant first, then the rest by number. */
static uint32_t make_chain(struct ct_dag *dag, int op, const uint32_t *args, size_t count)
{
    struct operands all = {0};
    int64_t constant = op == CT_OP_MUL;
    uint32_t result;
    size_t kept = 1;

    for (size_t i = 0; i < count; i++)
        put_operands(dag, &all, op, args[i], ct_dag_is_chain(dag, args[i]));
    if (dag->failed || !all.items || !never_overflows(dag, op, &all)) {
        drop(dag, &all);
        return make_plain(dag, op, 0, args, count);
    }
    qsort(all.items, all.count, sizeof(*all.items), compare_ids);
    put_operand(dag, &all, 0);
    if (!dag->failed)
        memmove(all.items + 1, all.items, (all.count - 1) * sizeof(*all.items));
    for (size_t i = 1; i < all.count && !dag->failed; i++) {
        const struct ct_dag_node *node = &dag->nodes[all.items[i]];

        if (node->op != CT_OP_CONST)
            all.items[kept++] = all.items[i];
        else if (op == CT_OP_MUL)
            constant *= node->bits;
        else
            constant += node->bits;
    }
    if (kept == 1 || (op == CT_OP_MUL && constant == 0))
        result = ct_dag_make_const(dag, constant, CT_TAG_INT);
    else if (constant == (op == CT_OP_MUL))
        result =
            kept == 2 ? all.items[1] : make_plain(dag, op, 0, all.items + 1, kept - 1);
    else {
        all.items[0] = ct_dag_make_const(dag, constant, CT_TAG_INT);
        result = make_plain(dag, op, 0, all.items, kept);
    }
    drop(dag, &all);
    return result;
}

/* Operations that evaluate all their operands: constants are folded, and a constant without a
 * value is the result if nothing before it can fail otherwise. */
static bool fold_operands(struct ct_dag *dag, int op, int function, const uint32_t *args,
                          size_t count, uint32_t *result)
{
    struct ct_value values[16];
    struct ct_value value;
    /* Sums and products of more than two are for make_chain: as operations, only two of their
     * operands would count. */
    bool all = count <= sizeof(values) / sizeof(values[0]) &&
               (count <= 2 || (op != CT_OP_ADD && op != CT_OP_MUL));

    for (size_t i = 0; i < count; i++) {
        const struct ct_dag_node *node = &dag->nodes[args[i]];

        if (is_failure(dag, args[i])) {
            *result = args[i];
            return true;
        }
        if (node->may_fail)
            return false;
        /* A function checks each argument before it evaluates the next. */
        if (op == CT_OP_CALL && i + 1 < count &&
            (node->tag > CT_TAG_TEXT ||
             !ct_expr_accepts(&ct_expr_functions[function], i, (enum ct_kind)node->tag)))
            return false;
        all = all && node->op == CT_OP_CONST;
        if (all)
            values[i] = ct_dag_value(node->bits, node->tag);
    }
    if (!all)
        return false;
    if (ct_expr_apply((enum ct_op)op, function, values, count, &value))
        *result = ct_dag_make_const(dag, 0, CT_TAG_FAIL);
    else
        *result = ct_dag_const(dag, value);
    return true;
}

static uint32_t make_cond(struct ct_dag *dag, const uint32_t *args)
{
    uint32_t parts[3] = {truth_of(dag, args[0]), args[1], args[2]};

    if (is_failure(dag, parts[0]))
        return parts[0];
    if (is_const(dag, parts[0]))
        return parts[0] == CT_DAG_TRUE ? parts[1] : parts[2];
    if (parts[1] == parts[2] && !dag->nodes[parts[0]].may_fail)
        return parts[1];
    return make_plain(dag, CT_OP_COND, 0, parts, 3);
}

/* Operations on failures. */
static uint32_t make_special(struct ct_dag *dag, int op, const uint32_t *args,
                             size_t count)
{
    const struct ct_dag_node *x = &dag->nodes[args[0]];
    bool text = x->tag == CT_TAG_TEXT || x->tag == CT_TAG_MIXED;

    if (op == CT_DAG_LET) {
        if (x->op == CT_OP_CONST && x->tag == CT_TAG_FAIL)
            return CT_DAG_UNKNOWN;
        return x->may_fail && x->op != CT_OP_CONST ? make_plain(dag, op, 0, args, count)
                                                   : args[0];
    }
    if (op == CT_DAG_IS_UNKNOWN) {
        if (x->op == CT_OP_CONST)
            return x->tag == CT_TAG_UNKNOWN;
        return x->may_fail ? make_plain(dag, op, 0, args, count) : CT_DAG_FALSE;
    }
    /* If no device limit is missing, a failure is just a failure. */
    if (!text && (!x->may_fail || (op == CT_DAG_DECIDE && args[1] == CT_DAG_FALSE)))
        return truth_of(dag, args[0]);
    return make_plain(dag, op, 0, args, count);
}

static uint32_t negation_of(struct ct_dag *dag, uint32_t id);

uint32_t ct_dag_make(struct ct_dag *dag, int op, int function, const uint32_t *args,
                     size_t count)
{
    uint32_t turned[2];
    uint32_t result;

    if (dag->failed)
        return CT_DAG_FALSE;
    if (op == CT_OP_AND || op == CT_OP_OR)
        return make_logical(dag, op, args, count);
    if (op == CT_OP_COND)
        return make_cond(dag, args);
    if (op >= CT_DAG_LET)
        return make_special(dag, op, args, count);
    if (fold_operands(dag, op, function, args, count, &result))
        return result;
    if (op == CT_OP_NOT)
        return negation_of(dag, args[0]);
    if (op == CT_OP_MUL || op == CT_OP_ADD)
        return make_chain(dag, op, args, count);
    if ((op == CT_OP_GT || op == CT_OP_GE) && !dag->nodes[args[0]].may_fail) {
        turned[0] = args[1];
        turned[1] = args[0];
        return make_plain(dag, op == CT_OP_GT ? CT_OP_LT : CT_OP_LE, 0, turned, 2);
    }
    return make_plain(dag, op, function, args, count);
}

static uint32_t negation_of(struct ct_dag *dag, uint32_t id)
{
    static const int opposite[][2] = {{CT_OP_LT, CT_OP_GE}, {CT_OP_GE, CT_OP_LT},
                                      {CT_OP_LE, CT_OP_GT}, {CT_OP_GT, CT_OP_LE},
                                      {CT_OP_EQ, CT_OP_NE}, {CT_OP_NE, CT_OP_EQ}};
    uint32_t result = truth_of(dag, id);
    const struct ct_dag_node *node;

    if (dag->failed || is_failure(dag, result))
        return result;
    node = &dag->nodes[result];
    if (node->op == CT_OP_CONST)
        return node->bits ? CT_DAG_FALSE : CT_DAG_TRUE;
    if (node->op == CT_OP_NOT)
        return node->args[0];
    for (size_t i = 0; i < sizeof(opposite) / sizeof(opposite[0]); i++)
        if (node->op == opposite[i][0])
            return ct_dag_make(dag, opposite[i][1], 0, node->args, 2);
    if (node->op == CT_OP_AND || node->op == CT_OP_OR) {
        int op = node->op == CT_OP_AND ? CT_OP_OR : CT_OP_AND;
        size_t count = node->arg_count;
        uint32_t *args = ct_arena_array(&dag->arena, count, sizeof(*args));

        if (!args) {
            dag->failed = true;
            return CT_DAG_FALSE;
        }
        for (size_t i = 0; i < count; i++)
            args[i] = negation_of(dag, dag->nodes[result].args[i]);
        return ct_dag_make(dag, op, 0, args, count);
    }
    return make_plain(dag, CT_OP_NOT, 0, &result, 1);
}

bool ct_dag_is_chain(const struct ct_dag *dag, uint32_t id)
{
    const struct ct_dag_node *node = &dag->nodes[id];
    struct operands all;

    if (node->op == CT_OP_AND || node->op == CT_OP_OR) {
        /* Some of the operands alone, in order, decide like all. */
        for (size_t i = 0; i < node->arg_count; i++)
            if (dag->nodes[node->args[i]].may_fail)
                return false;
        return true;
    }
    if (node->op != CT_OP_MUL && node->op != CT_OP_ADD)
        return false;
    all.items = (uint32_t *)(uintptr_t)node->args;
    all.count = node->arg_count;
    return never_overflows(dag, node->op, &all);
}

uint32_t ct_dag_partial(struct ct_dag *dag, uint32_t id, const uint64_t *set)
{
    const struct ct_dag_node *node = &dag->nodes[id];
    uint32_t few[64];
    uint32_t *found = few;
    uint32_t result = UINT32_MAX;
    size_t count = 0;

    if (node->arg_count > sizeof(few) / sizeof(few[0]))
        found = ct_mem_array(node->arg_count, sizeof(*found));
    if (!found) {
        dag->failed = true;
        return UINT32_MAX;
    }
    for (size_t i = 0; i < node->arg_count; i++) {
        const struct ct_dag_node *arg = &dag->nodes[node->args[i]];

        if (arg->op == CT_OP_CONST || !ct_dag_within(dag, arg->support, set))
            continue;
        found[count++] = node->args[i];
    }
    if (count)
        result = count > 1 ? make_plain(dag, node->op, 0, found, count) : found[0];
    if (found != few)
        free(found);
    return result;
}
