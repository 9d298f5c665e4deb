// SPDX-License-Identifier: Apache-2.0
// The order of a component's parameters.
//
// The work of the levels is the number of pairs of state and value.  The number of states after
// some parameters is estimated as the smaller of two numbers: the combinations of their values,
// times the pass rates of the decided roots; and the combinations of the values that the other
// roots still need of them.  A beam search over sets of parameters looks for the order with the
// least sum.  In large components it only continues with parameters that share an open root with
// the current ones: others would be remembered for nothing, and examining all of them for each
// takes too long.
#include "space/space_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BEAM_MAX = 8, RANGE_MAX = 4096 };

/* Parameters of a component from which only some are examined, and how many. */
enum { NEAR_FROM = 65, NEAR_MAX = 24 };

/* Pairs that take longer than searching for another order, and the most parameters for which that
 * is quick. */
enum { LOOK_AHEAD_COST = 100000, LOOK_AHEAD_PARAMS = 200 };

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

/* Distinct values in a table; its size if counting would cost too much. */
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
    bool ahead; /* compare partial orders as if their states stayed to the end */
    struct ct_frontier frontier;
    size_t *next; /* parameters that an order may continue with */
    size_t next_count;
    uint64_t *visited; /* set of them, while they are collected */
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
    size_t number; /* breaks ties, so that the order is the same everywhere */
};

static int compare_rank(const void *a, const void *b)
{
    const struct partial_order *x = a;
    const struct partial_order *y = b;

    if (x->rank < y->rank || x->rank > y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Adds the parameters of a root that are not in `set`. */
static void add_open(struct search *search, const uint64_t *support, const uint64_t *set)
{
    for (size_t w = 0; w < search->words; w++) {
        uint64_t open = support[w] & ~set[w] & ~search->visited[w];

        for (; open && search->next_count < NEAR_MAX; open &= open - 1) {
            size_t bit = (size_t)__builtin_ctzll(open);

            search->visited[w] |= (uint64_t)1 << bit;
            search->next[search->next_count++] = w * 64 + bit;
        }
    }
}

/* Number of the root's parameters that are not in `set`; 0 if none is in it. */
static size_t open_count(const struct search *search, const uint64_t *support,
                         const uint64_t *set)
{
    size_t count = 0;

    if (!ct_dag_touches(&search->build->dag, support, set))
        return 0;
    for (size_t w = 0; w < search->words; w++)
        count += (size_t)__builtin_popcountll(support[w] & ~set[w]);
    return count;
}

/* Finds the parameters that a set may continue with: in a large component those that share a root
 * with it, starting with the roots that miss fewest parameters. */
static void find_next(struct search *search, const uint64_t *set)
{
    const struct ct_component_build *component = search->component;
    size_t most = 1;

    search->next_count = 0;
    memset(search->visited, 0, search->words * sizeof(*search->visited));
    for (size_t missing = 1; component->param_count >= NEAR_FROM && missing <= most;
         missing *= 2)
        for (size_t i = 0; i < component->root_count; i++) {
            uint32_t root = search->build->roots[component->roots[i]].node;
            const uint64_t *support = ct_dag_at(&search->build->dag, root)->support;
            size_t open = open_count(search, support, set);

            if (open > most && search->next_count < NEAR_MAX)
                most = open * 2;
            if (open > 0 && open <= missing)
                add_open(search, support, set);
        }
    if (search->next_count)
        return;
    for (size_t i = 0; i < component->param_count; i++)
        if (!has(set, component->params[i]))
            search->next[search->next_count++] = component->params[i];
}

/* The approximate remaining cost of a partial order: another level examines each state at least
 * twice. */
static double still_to_pay(const struct search *search, const struct partial_order *item)
{
    const struct ct_component_build *component = search->component;
    double values = 0;

    if (!search->ahead)
        return 2 * item->states;
    for (size_t i = 0; i < component->param_count; i++)
        if (!has(item->set, component->params[i]))
            values += (double)search->build->values[component->params[i]].count;
    return item->states * values;
}

/* Extends a beam's orders by one parameter; of those with the same set the cheapest is kept. */
static size_t extend(struct search *search, const struct partial_order *beam,
                     size_t width, size_t depth, struct partial_order *next)
{
    size_t set_bytes = search->words * sizeof(uint64_t);
    size_t count = 0;

    for (size_t b = 0; b < width; b++) {
        find_next(search, beam[b].set);
        for (size_t i = 0; i < search->next_count; i++) {
            size_t p = search->next[i];
            struct partial_order *item = &next[count];
            size_t same = 0;

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
            next[same].rank = next[same].cost + still_to_pay(search, &next[same]);
        }
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

/* The best order found, into `order`, and its cost. */
static bool find_order(struct search *search, size_t *order, double *cost)
{
    size_t count = search->component->param_count;
    size_t beam_max = count <= 24 ? BEAM_MAX : count <= 64 ? 2 : 1;
    size_t room = beam_max * count;
    /* Both grow with the square of the parameters. */
    uint64_t bytes = 2 * (uint64_t)room *
                     (sizeof(struct partial_order) + search->words * sizeof(uint64_t) +
                      count * sizeof(size_t));
    struct partial_order *beam;
    struct partial_order *next;
    size_t width = 1;
    bool ok;

    if (!ct_space_memory_hold(&search->build->memory, bytes))
        return false;
    beam = ct_mem_array(room, sizeof(*beam));
    next = ct_mem_array(room, sizeof(*next));
    ok = beam && next && make_items(beam, room, search->words, count) &&
         make_items(next, room, search->words, count);
    if (ok)
        beam[0].states = 1;
    for (size_t depth = 0; ok && depth < count; depth++) {
        struct partial_order *swap = beam;
        size_t found = extend(search, beam, width, depth, next);

        qsort(next, found, sizeof(*next), compare_rank);
        beam = next;
        next = swap;
        width = found < beam_max ? found : beam_max;
        ok = !search->failed && !search->build->dag.failed;
    }
    if (ok) {
        memcpy(order, beam[0].order, count * sizeof(*order));
        *cost = beam[0].cost;
    }
    free_items(beam, room);
    free_items(next, room);
    search->build->memory.held_bytes -= bytes;
    return ok;
}

bool ct_build_set_order(struct ct_build *build, struct ct_component_build *component)
{
    struct search search = {
        .build = build, .component = component, .words = build->dag.words};
    size_t count = component->param_count;
    size_t *order = ct_mem_array(2 * count, sizeof(*order));
    double cost[2] = {0, INFINITY};
    bool ok;

    search.next = ct_mem_array(count, sizeof(*search.next));
    search.visited = ct_mem_array(search.words, sizeof(*search.visited));
    ok = order && search.next && search.visited && find_order(&search, order, &cost[0]);
    /* Small parameters first is a bad order if each of them is remembered until a larger one
     * comes: checked only if worth the time. */
    if (ok && cost[0] > LOOK_AHEAD_COST && count <= LOOK_AHEAD_PARAMS) {
        search.ahead = true;
        ok = find_order(&search, order + count, &cost[1]);
    }
    if (ok)
        memcpy(component->params, cost[1] < cost[0] ? order + count : order,
               count * sizeof(*order));
    free(order);
    free(search.next);
    free(search.visited);
    ct_space_memory_free(&build->memory, search.frontier.nodes, search.frontier.room,
                         sizeof(*search.frontier.nodes));
    return ok;
}
