// SPDX-License-Identifier: Apache-2.0
// Conditions that a root implies for the known parameters, for all values of the others: `A * B *
// C <= 4096` cannot hold any more once `A * B` times the least C is too large, and certainly
// holds while `A * B` times the largest C is not.
//
// Parts of the root that depend on unknown parameters alone are replaced by their largest or
// least value, whichever lets the root hold (or fail); this is right if everything between such a
// part and the root is monotone.
#include "space/space_build.h"

#include <math.h>
#include <string.h>

struct relax {
    struct ct_dag *dag;
    const uint64_t *known;
    bool failed; /* some part cannot be bounded */
};

static uint32_t bound(struct relax *r, uint32_t id, bool upper);

/* The upper or lower end of a node's own bounds. */
static uint32_t end_of(struct relax *r, uint32_t id, bool upper)
{
    const struct ct_dag_node *node = ct_dag_at(r->dag, id);
    double number = upper ? node->high : node->low;

    if (!(fabs(number) <= CT_DAG_EXACT)) {
        r->failed = true;
        return CT_DAG_FALSE;
    }
    return ct_dag_const(r->dag, node->tag == CT_TAG_INT ? ct_value_int((int64_t)number)
                                                        : ct_value_real(number));
}

/* The operation with all operands bounded on the same side. */
static uint32_t bound_all(struct relax *r, uint32_t id, bool upper)
{
    uint32_t few[16];
    uint32_t *args = few;
    size_t count = ct_dag_at(r->dag, id)->arg_count;

    if (count > sizeof(few) / sizeof(few[0]))
        args = ct_arena_array(&r->dag->arena, count, sizeof(*args));
    if (!args) {
        r->dag->failed = true;
        return CT_DAG_FALSE;
    }
    for (size_t i = 0; i < count && !r->failed; i++)
        args[i] = bound(r, ct_dag_at(r->dag, id)->args[i], upper);
    if (r->failed)
        return CT_DAG_FALSE;
    return ct_dag_make(r->dag, ct_dag_at(r->dag, id)->op, ct_dag_at(r->dag, id)->function,
                       args, count);
}

/* `op` of the first operand bounded on one side and the second on the other. */
static uint32_t bound_apart(struct relax *r, uint32_t id, int op, bool first_upper)
{
    const uint32_t *args = ct_dag_at(r->dag, id)->args;
    uint32_t pair[2];

    pair[0] = bound(r, args[0], first_upper);
    pair[1] = bound(r, args[1], !first_upper);
    return r->failed ? CT_DAG_FALSE : ct_dag_make(r->dag, op, 0, pair, 2);
}

/* Whether two sides can be equal (upper), or certainly differ. */
static uint32_t bound_equality(struct relax *r, uint32_t id, bool equal, bool upper)
{
    uint32_t pair[2];

    if (equal != upper) /* certainly equal, perhaps different: unknown */
        return upper ? CT_DAG_TRUE : CT_DAG_FALSE;
    pair[0] = bound_apart(r, id, upper ? CT_OP_LE : CT_OP_LT, !upper);
    pair[1] = bound_apart(r, id, upper ? CT_OP_GE : CT_OP_GT, upper);
    if (r->failed)
        return CT_DAG_FALSE;
    return ct_dag_make(r->dag, upper ? CT_OP_AND : CT_OP_OR, 0, pair, 2);
}

static bool not_negative(const struct relax *r, uint32_t id)
{
    const struct ct_dag_node *node = ct_dag_at(r->dag, id);

    for (size_t i = 0; i < node->arg_count; i++)
        if (!(ct_dag_at(r->dag, node->args[i])->low >= 0))
            return false;
    return true;
}

static uint32_t bound_operation(struct relax *r, uint32_t id, bool upper)
{
    const struct ct_dag_node *node = ct_dag_at(r->dag, id);

    switch (node->op) {
    case CT_OP_ADD:
    case CT_OP_AND:
    case CT_OP_OR:
        return bound_all(r, id, upper);
    case CT_OP_MUL:
        return not_negative(r, id) ? bound_all(r, id, upper) : end_of(r, id, upper);
    case CT_OP_NEG:
    case CT_OP_NOT:
        return bound_all(r, id, !upper);
    case CT_OP_SUB:
        return bound_apart(r, id, CT_OP_SUB, upper);
    case CT_OP_DIV:
        if (!not_negative(r, id) || ct_dag_at(r->dag, node->args[1])->low <= 0)
            return end_of(r, id, upper);
        return bound_apart(r, id, CT_OP_DIV, upper);
    case CT_OP_LT:
    case CT_OP_LE:
        return bound_apart(r, id, node->op, !upper);
    case CT_OP_GT:
    case CT_OP_GE:
        return bound_apart(r, id, node->op, upper);
    case CT_OP_EQ:
    case CT_OP_NE:
        return bound_equality(r, id, node->op == CT_OP_EQ, upper);
    case CT_OP_CALL:
        if (strcmp(ct_expr_functions[node->function].name, "min") == 0 ||
            strcmp(ct_expr_functions[node->function].name, "max") == 0)
            return bound_all(r, id, upper);
        return end_of(r, id, upper);
    default:
        return end_of(r, id, upper);
    }
}

static uint32_t bound(struct relax *r, uint32_t id, bool upper)
{
    const struct ct_dag_node *node = ct_dag_at(r->dag, id);

    if (r->failed || r->dag->failed || node->may_fail || node->tag > CT_TAG_REAL) {
        r->failed = true;
        return CT_DAG_FALSE;
    }
    if (ct_dag_within(r->dag, node->support, r->known))
        return id;
    if (!ct_dag_touches(r->dag, node->support, r->known))
        return end_of(r, id, upper);
    return bound_operation(r, id, upper);
}

uint32_t ct_build_relax(struct ct_build *build, uint32_t root, const uint64_t *known,
                        bool upper)
{
    struct relax r = {.dag = &build->dag, .known = known};
    uint32_t result = bound(&r, root, upper);

    if (r.failed || build->dag.failed || ct_dag_at(&build->dag, result)->may_fail)
        return upper ? CT_DAG_TRUE : CT_DAG_FALSE;
    return result;
}
