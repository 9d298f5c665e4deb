// SPDX-License-Identifier: Apache-2.0
// Finds roots that already certainly hold, and gives these the same keys.
#include "space/space_settle.h"

#include <stdlib.h>
#include <string.h>

/* Share of the combinations for which a root must hold early for this to pay. */
#define SETTLE_PASS 0.02

static bool is_key(const struct ct_frontier *keys, uint32_t node)
{
    for (size_t k = 0; k < keys->count; k++)
        if (keys->nodes[k] == node)
            return true;
    return false;
}

/* Whether a program with `keys` as leaves (of the parameters in `before`) and the values of
 * `param` can compute a node. */
static bool is_computable(struct ct_build *build, uint32_t id, size_t param,
                          const uint64_t *before, const struct ct_frontier *keys)
{
    struct ct_dag *dag = &build->dag;
    const struct ct_dag_node *node = ct_dag_at(dag, id);
    uint32_t part = UINT32_MAX;

    if (node->op == CT_OP_CONST || node->param == (int)param || is_key(keys, id))
        return true;
    if (!node->arg_count)
        return false;
    if (ct_dag_is_chain(dag, id)) {
        part = ct_dag_partial(dag, id, before);
        if (part != UINT32_MAX && (part == id || !is_key(keys, part)))
            part = UINT32_MAX;
    }
    for (size_t i = 0; i < ct_dag_at(dag, id)->arg_count; i++) {
        uint32_t arg = ct_dag_at(dag, id)->args[i];

        if (part != UINT32_MAX &&
            ct_dag_within(dag, ct_dag_at(dag, arg)->support, before))
            continue;
        if (!is_computable(build, arg, param, before, keys))
            return false;
    }
    return !dag->failed;
}

/* Makes two groups one. */
static void join_groups(struct ct_settle *settle, size_t a, size_t b)
{
    size_t keep = settle->group_of[a];
    size_t gone = settle->group_of[b];

    if (keep == gone)
        return;
    settle->groups[keep].possible =
        settle->groups[keep].possible && settle->groups[gone].possible;
    for (size_t k = 0; k < settle->key_count; k++)
        if (settle->group_of[k] == gone)
            settle->group_of[k] = keep;
    for (size_t r = 0; r < settle->root_count; r++)
        if (settle->roots[r].group == gone)
            settle->roots[r].group = keep;
}

void ct_settle_join(struct ct_settle *settle, const struct ct_column *const *columns)
{
    for (size_t k = 0; settle->root_count && k < settle->key_count; k++)
        for (size_t i = 0; i < k; i++)
            if (columns[i] == columns[k])
                join_groups(settle, i, k);
}

/* A node that implies that a root certainly holds; CT_DAG_FALSE if none is worth it. */
static bool find_certain(struct ct_build *build, uint32_t root, size_t param,
                         const uint64_t *before, const uint64_t *after,
                         const struct ct_frontier *keys, uint32_t *certain)
{
    uint32_t node = ct_build_relax(build, root, after, false);
    double pass = 1;

    *certain = CT_DAG_FALSE;
    if (build->dag.failed)
        return false;
    if (node == CT_DAG_FALSE || !ct_dag_at(&build->dag, node)->boolean ||
        !is_computable(build, node, param, before, keys))
        return true;
    if (!ct_build_estimate(build, node, &pass))
        return false;
    if (pass >= SETTLE_PASS)
        *certain = node;
    return true;
}

/* Adds a root that is not decided yet; its keys become one group. */
static bool add_root(struct ct_settle *settle, const struct ct_frontier *next,
                     struct ct_frontier *own, uint32_t certain)
{
    size_t group = SIZE_MAX;

    for (size_t k = 0; k < next->count; k++) {
        if (!is_key(own, next->nodes[k]))
            continue;
        if (group == SIZE_MAX)
            group = k;
        else
            join_groups(settle, group, k);
    }
    if (group == SIZE_MAX)
        return true;
    group = settle->group_of[group];
    if (certain == CT_DAG_FALSE)
        settle->groups[group].possible = false;
    else
        settle->roots[settle->root_count++] = (struct ct_settle_root){certain, 0, group};
    return true;
}

/* Drops the roots of groups with one that cannot be settled. */
static void keep_possible(struct ct_settle *settle)
{
    size_t kept = 0;

    for (size_t r = 0; r < settle->root_count; r++)
        if (settle->groups[settle->roots[r].group].possible)
            settle->roots[kept++] = settle->roots[r];
    settle->root_count = kept;
}

static bool allocate_groups(struct ct_settle *settle, size_t keys, size_t roots)
{
    settle->group_of = ct_mem_array(keys, sizeof(*settle->group_of));
    settle->groups = ct_mem_array(keys, sizeof(*settle->groups));
    settle->bits = ct_mem_array(keys, sizeof(*settle->bits));
    settle->tags = ct_mem_array(keys, sizeof(*settle->tags));
    settle->roots = ct_mem_array(roots, sizeof(*settle->roots));
    settle->key_count = keys;
    if (!settle->group_of || !settle->groups || !settle->bits || !settle->tags ||
        !settle->roots)
        return false;
    for (size_t k = 0; k < keys; k++) {
        settle->group_of[k] = k;
        settle->groups[k].possible = true;
    }
    return true;
}

bool ct_settle_init(struct ct_settle *settle, struct ct_build *build,
                    const struct ct_component_build *component, size_t param,
                    const uint64_t *before, const uint64_t *after,
                    const struct ct_frontier *keys, const struct ct_frontier *next)
{
    struct ct_dag *dag = &build->dag;
    struct ct_frontier own = {0};
    bool ok = allocate_groups(settle, next->count, component->root_count);

    settle->build = build;
    for (size_t i = 0; ok && i < component->root_count; i++) {
        uint32_t root = build->roots[component->roots[i]].node;
        const uint64_t *support = ct_dag_at(dag, root)->support;
        uint32_t certain = CT_DAG_FALSE;

        if (ct_dag_within(dag, support, after) || !ct_dag_touches(dag, support, after))
            continue;
        own.count = 0;
        own.mark = ++dag->last_mark;
        ok = ct_build_frontier(build, root, after, &own) &&
             find_certain(build, root, param, before, after, keys, &certain) &&
             add_root(settle, next, &own, certain);
    }
    ct_space_memory_free(&build->memory, own.nodes, own.room, sizeof(*own.nodes));
    if (!ok)
        return false;
    keep_possible(settle);
    if (settle->root_count)
        settle->holds = ct_mem_array(settle->key_count, CT_VECTOR_ROWS);
    return !settle->root_count || settle->holds;
}

void ct_settle_release(struct ct_settle *settle)
{
    free(settle->group_of);
    free(settle->groups);
    free(settle->bits);
    free(settle->tags);
    free(settle->roots);
    free(settle->holds);
    memset(settle, 0, sizeof(*settle));
}

/* Records the keys of the first row that settles a group. */
static void meet(struct ct_settle *settle, size_t group,
                 const struct ct_column *const *columns, size_t row)
{
    settle->groups[group].met = true;
    for (size_t k = 0; k < settle->key_count; k++)
        if (settle->group_of[k] == group) {
            settle->bits[k] = columns[k]->bits[row];
            settle->tags[k] = columns[k]->tags ? columns[k]->tags[row] : 0;
        }
}

/* Which rows settle which groups: determined before any key changes, because it may depend on
 * keys. */
static void find_settled(struct ct_settle *settle, const struct ct_program *program,
                         size_t rows)
{
    for (size_t k = 0; k < settle->key_count; k++)
        memset(settle->holds + k * CT_VECTOR_ROWS, settle->groups[k].possible, rows);
    for (size_t r = 0; r < settle->root_count; r++) {
        const int64_t *certain = program->columns[settle->roots[r].reg].bits;
        uint8_t *holds = settle->holds + settle->roots[r].group * CT_VECTOR_ROWS;

        for (size_t i = 0; i < rows; i++)
            holds[i] &= certain[i] != 0;
    }
}

void ct_settle_apply(struct ct_settle *settle, const struct ct_program *program,
                     const struct ct_column *const *columns, size_t rows)
{
    if (!settle->root_count)
        return;
    find_settled(settle, program, rows);
    for (size_t k = 0; k < settle->key_count; k++) {
        size_t group = settle->group_of[k];
        const uint8_t *holds = settle->holds + group * CT_VECTOR_ROWS;
        const struct ct_column *column = columns[k];

        if (!settle->groups[group].possible)
            continue;
        for (size_t i = 0; i < rows; i++) {
            if (!holds[i])
                continue;
            if (!settle->groups[group].met)
                meet(settle, group, columns, i);
            column->bits[i] = settle->bits[k];
            if (column->tags)
                column->tags[i] = settle->tags[k];
        }
    }
}
