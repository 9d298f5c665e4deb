// SPDX-License-Identifier: Apache-2.0
// The order of a component's parameters.
//
// The work of the levels is the number of pairs of state and value.  The number of states
// after some parameters is estimated as the smaller of two numbers: the combinations of
// their values, times the shares that the decided roots let pass; and the combinations of
// the values of what the other roots still need of them.  A beam search over sets of
// parameters looks for the order with the least sum.
#include "space/space_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BEAM_MAX = 8, RANGE_MAX = 4096 };

/* --- what roots need of the assigned parameters --- */

static bool add_node(struct ct_build *build, struct ct_frontier *frontier, uint32_t id)
{
    struct ct_dag_node *node = ct_dag_at(&build->dag, id);

    if (node->mark == frontier->mark)
        return true;
    node->mark = frontier->mark;
    if (!ct_space_memory_grow(&build->memory, &frontier->nodes, &frontier->room,
                              frontier->count + 1, sizeof(*frontier->nodes)))
        return false;
    frontier->nodes[frontier->count++] = id;
    return true;
}

bool ct_build_frontier(struct ct_build *build, uint32_t id, const uint64_t *assigned,
                       struct ct_frontier *frontier)
{
    struct ct_dag *dag = &build->dag;
    const struct ct_dag_node *node = ct_dag_at(dag, id);
    uint32_t part = UINT32_MAX;

    if (!ct_dag_touches(dag, node->support, assigned))
        return true;
    if (ct_dag_within(dag, node->support, assigned))
        return add_node(build, frontier, id);
    if (node->mark == frontier->mark)
        return true;
    ct_dag_at(dag, id)->mark = frontier->mark;
    if (ct_dag_is_chain(dag, id)) {
        part = ct_dag_partial(dag, id, assigned);
        if (dag->failed || (part != UINT32_MAX && !add_node(build, frontier, part)))
            return false;
    }
    for (size_t i = 0; i < ct_dag_at(dag, id)->arg_count; i++) {
        uint32_t arg = ct_dag_at(dag, id)->args[i];

        if (part != UINT32_MAX &&
            ct_dag_within(dag, ct_dag_at(dag, arg)->support, assigned))
            continue;
        if (!ct_build_frontier(build, arg, assigned, frontier))
            return false;
    }
    return true;
}

/* --- estimating --- */

static int compare_bits(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

/* Different values in a table; its size where counting would cost too much. */
static double count_distinct(const struct ct_dag_node *node)
{
    int64_t sorted[RANGE_MAX];
    size_t count = 1;

    if (node->table_size > RANGE_MAX)
        return (double)node->table_size;
    memcpy(sorted, node->table, node->table_size * sizeof(*sorted));
    qsort(sorted, node->table_size, sizeof(*sorted), compare_bits);
    for (size_t i = 1; i < node->table_size; i++)
        count += sorted[i] != sorted[i - 1];
    return (double)count;
}

static double distinct_of(struct ct_build *build, uint32_t id)
{
    struct ct_dag_node *node = ct_dag_at(&build->dag, id);
    double most = 1;

    if (node->distinct > 0)
        return node->distinct;
    if (node->op == CT_OP_CONST)
        return node->distinct = 1;
    if (node->param >= 0) {
        most = (double)build->values[node->param].count;
        if (node->boolean)
            most = fmin(most, 2);
        else if (node->table)
            most = count_distinct(node);
        return node->distinct = most;
    }
    for (size_t i = 0; i < node->arg_count; i++)
        most *= distinct_of(build, ct_dag_at(&build->dag, id)->args[i]);
    if (node->tag == CT_TAG_INT && node->high - node->low < most)
        most = node->high - node->low + 1;
    if (node->may_fail)
        most += 1;
    return node->distinct = most;
}

struct search {
    struct ct_build *build;
    const struct ct_component_build *component;
    size_t words;
    struct ct_frontier frontier;
    bool failed;
};

static bool has(const uint64_t *set, size_t p)
{
    return set[p / 64] >> p % 64 & 1;
}

static double states_after(struct search *search, const uint64_t *set)
{
    struct ct_build *build = search->build;
    struct ct_dag *dag = &build->dag;
    double combinations = 1;
    double kept = 1;

    search->frontier.count = 0;
    search->frontier.mark = ++dag->last_mark;
    for (size_t i = 0; i < search->component->param_count; i++)
        if (has(set, search->component->params[i]))
            combinations *= (double)build->values[search->component->params[i]].count;
    for (size_t i = 0; i < search->component->root_count; i++) {
        const struct ct_root *root = &build->roots[search->component->roots[i]];

        if (ct_dag_within(dag, ct_dag_at(dag, root->node)->support, set))
            combinations *= root->pass;
        else if (!ct_build_frontier(build, root->node, set, &search->frontier))
            search->failed = true;
    }
    for (size_t i = 0; i < search->frontier.count && !search->failed; i++)
        kept *= distinct_of(build, search->frontier.nodes[i]);
    return fmax(1, fmin(combinations, kept));
}

/* --- searching --- */

struct partial_order {
    uint64_t *set;
    size_t *order;
    double states;
    double cost;
    double rank;
    size_t number; /* decides between equals, so that the order is the same everywhere */
};

static int compare_rank(const void *a, const void *b)
{
    const struct partial_order *x = a;
    const struct partial_order *y = b;

    if (x->rank < y->rank || x->rank > y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* The orders that a beam's items lead to with one parameter more; among those of the same
 * set the cheapest. */
static size_t extend(struct search *search, const struct partial_order *beam,
                     size_t width, size_t depth, struct partial_order *next)
{
    const struct ct_component_build *component = search->component;
    size_t set_bytes = search->words * sizeof(uint64_t);
    size_t count = 0;

    for (size_t b = 0; b < width; b++)
        for (size_t i = 0; i < component->param_count; i++) {
            size_t p = component->params[i];
            struct partial_order *item = &next[count];
            size_t same = 0;

            if (has(beam[b].set, p))
                continue;
            memcpy(item->set, beam[b].set, set_bytes);
            item->set[p / 64] |= (uint64_t)1 << p % 64;
            item->cost =
                beam[b].cost + beam[b].states * (double)search->build->values[p].count;
            while (same < count && memcmp(next[same].set, item->set, set_bytes) != 0)
                same++;
            if (same < count && next[same].cost <= item->cost)
                continue;
            memcpy(next[same].order, beam[b].order, depth * sizeof(size_t));
            next[same].order[depth] = p;
            next[same].cost = item->cost;
            if (same == count) {
                item->number = count;
                item->states = states_after(search, item->set);
                count++;
            }
            /* Another level at least looks at each state twice. */
            next[same].rank = next[same].cost + 2 * next[same].states;
        }
    return count;
}

static bool make_items(struct partial_order *items, size_t count, size_t words,
                       size_t params)
{
    bool ok = true;

    for (size_t i = 0; i < count; i++) {
        items[i].set = ct_mem_array(words, sizeof(uint64_t));
        items[i].order = ct_mem_array(params, sizeof(size_t));
        ok = ok && items[i].set && items[i].order;
    }
    return ok;
}

static void free_items(struct partial_order *items, size_t count)
{
    for (size_t i = 0; items && i < count; i++) {
        free(items[i].set);
        free(items[i].order);
    }
    free(items);
}

bool ct_build_order(struct ct_build *build, struct ct_component_build *component)
{
    struct search search = {
        .build = build, .component = component, .words = build->dag.words};
    size_t count = component->param_count;
    size_t beam_max = count <= 24 ? BEAM_MAX : count <= 64 ? 2 : 1;
    size_t room = beam_max * count;
    struct partial_order *beam = ct_mem_array(room, sizeof(*beam));
    struct partial_order *next = ct_mem_array(room, sizeof(*next));
    size_t width = 1;
    bool ok = beam && next && make_items(beam, room, search.words, count) &&
              make_items(next, room, search.words, count);

    if (ok)
        beam[0].states = 1;
    for (size_t depth = 0; ok && depth < count; depth++) {
        struct partial_order *swap = beam;
        size_t found = extend(&search, beam, width, depth, next);

        qsort(next, found, sizeof(*next), compare_rank);
        beam = next;
        next = swap;
        width = found < beam_max ? found : beam_max;
        ok = !search.failed && !build->dag.failed;
    }
    if (ok)
        memcpy(component->params, beam[0].order, count * sizeof(*component->params));
    free_items(beam, room);
    free_items(next, room);
    ct_space_memory_free(&build->memory, search.frontier.nodes, search.frontier.room,
                         sizeof(*search.frontier.nodes));
    return ok;
}
