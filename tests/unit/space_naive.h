// SPDX-License-Identifier: Apache-2.0
// Diagrams made in the slow and obvious way, from a list of all valid configurations, for tests
// of queries on diagrams.
#ifndef CT_TESTS_SPACE_NAIVE_H
#define CT_TESTS_SPACE_NAIVE_H

#include "binding_canonical.h"

#include "base/mem.h"
#include "base/rng.h"
#include "space/space_impl.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>

#include <cmocka.h>

enum { NAIVE_PARAMS = 32 };

enum naive_form {
    NAIVE_TRIE,   /* nothing shared, an edge for each value */
    NAIVE_MERGED, /* equal nodes shared, values in ranges */
    NAIVE_LISTED,
    NAIVE_ANY, /* one of these at random, for each component */
};

struct naive {
    struct ct_space space;
    struct ct_config_list all; /* every configuration, in order of its index */
};

static inline void *naive_array(size_t count, size_t size)
{
    void *memory = ct_mem_array(count, size);

    assert_non_null(memory);
    return memory;
}

static inline void naive_append(struct ct_config_list *list, size_t params,
                                const uint32_t *config)
{
    list->param_count = params;
    assert_true(ct_mem_grow(&list->configs, &list->room, (list->count + 1) * params + 1,
                            sizeof(*config)));
    memcpy(list->configs + list->count++ * params, config, params * sizeof(*config));
}

/* --- brute force --- */

static inline bool naive_valid(const struct ct_binding *binding, const uint32_t *config,
                               struct ct_value *env)
{
    ct_binding_evaluate(binding, config, env);
    if (!binding_canonical(binding, config, env))
        return false;
    for (size_t c = 0; c < binding->spec->constraint_count; c++) {
        enum ct_verdict verdict = ct_binding_decide(binding, c, env);

        if (verdict == CT_VIOLATED || verdict == CT_FAILED)
            return false;
    }
    return true;
}

/* All valid configurations, in any order. */
static inline void naive_enumerate(const struct ct_binding *binding,
                                   struct ct_config_list *list)
{
    size_t params = binding->spec->param_count;
    struct ct_value *env = naive_array(binding->spec->slots.count, sizeof(*env));
    uint32_t config[NAIVE_PARAMS] = {0};
    size_t p;

    assert_true(params <= NAIVE_PARAMS);
    list->param_count = params;
    do {
        if (naive_valid(binding, config, env))
            naive_append(list, params, config);
        for (p = params; p-- > 0;) {
            if (++config[p] < binding->domains[p].count)
                break;
            config[p] = 0;
        }
    } while (p < params);
    free(env);
}

/* --- components --- */

/* Marks the parameters that an expression depends on, also through names. */
static inline void naive_mark(const struct ct_spec *spec, const struct ct_expr *expr,
                              bool *marked)
{
    for (size_t i = 0; expr && i < expr->slot_count; i++) {
        for (size_t p = 0; p < spec->param_count; p++)
            if (spec->params[p].slot == expr->slots[i])
                marked[p] = true;
        naive_mark(spec, spec->slots.symbols[expr->slots[i]].expr, marked);
    }
}

static inline void naive_tie(size_t params, const bool *marked, size_t *group)
{
    size_t first = SIZE_MAX;

    for (size_t p = 0; p < params; p++) {
        size_t old = group[p];

        if (!marked[p])
            continue;
        if (first == SIZE_MAX)
            first = group[p];
        for (size_t q = 0; q < params; q++)
            if (group[q] == old)
                group[q] = first;
    }
}

/* A group number for each parameter. */
static inline void naive_groups(const struct ct_spec *spec, size_t *group)
{
    for (size_t p = 0; p < spec->param_count; p++)
        group[p] = p;
    for (size_t c = 0; c < spec->constraint_count; c++) {
        bool marked[NAIVE_PARAMS] = {false};

        naive_mark(spec, spec->constraints[c].expr, marked);
        naive_tie(spec->param_count, marked, group);
    }
    for (size_t p = 0; p < spec->param_count; p++) {
        bool marked[NAIVE_PARAMS] = {false};

        naive_mark(spec, spec->params[p].condition, marked);
        marked[p] = true;
        naive_tie(spec->param_count, marked, group);
    }
}

/* --- one diagram --- */

static inline int naive_compare(const void *a, const void *b, size_t params)
{
    const uint32_t *x = a;
    const uint32_t *y = b;

    for (size_t i = 0; i < params; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* The different combinations of the component's values, ascending. */
static inline void naive_project(const struct ct_config_list *all, struct ct_diagram *d,
                                 struct ct_config_list *rows)
{
    rows->param_count = d->param_count;
    for (size_t i = 0; i < all->count; i++) {
        uint32_t row[NAIVE_PARAMS];
        size_t at = 0;
        size_t end = rows->count;

        for (size_t l = 0; l < d->param_count; l++)
            row[l] = ct_config_list_at(all, i)[d->params[l]];
        while (at < end) {
            size_t middle = at + (end - at) / 2;

            if (naive_compare(ct_config_list_at(rows, middle), row, d->param_count) < 0)
                at = middle + 1;
            else
                end = middle;
        }
        if (at < rows->count &&
            naive_compare(ct_config_list_at(rows, at), row, d->param_count) == 0)
            continue;
        naive_append(rows, d->param_count, row);
        memmove(rows->configs + (at + 1) * d->param_count,
                rows->configs + at * d->param_count,
                (rows->count - 1 - at) * d->param_count * sizeof(*row));
        memcpy(rows->configs + at * d->param_count, row, d->param_count * sizeof(*row));
    }
}

/* A level's nodes under construction; those of all levels are joined at the end. */
struct naive_level {
    size_t nodes;
    size_t edges;
    uint32_t *node_edge; /* nodes + 1 */
    uint64_t *valid;
    struct ct_edge *edge;
};

static inline bool naive_same_node(const struct naive_level *level, size_t node,
                                   const struct ct_edge *edges, size_t count)
{
    size_t from = level->node_edge[node];

    if (level->node_edge[node + 1] - from != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (level->edge[from + i].first != edges[i].first ||
            level->edge[from + i].last != edges[i].last ||
            level->edge[from + i].child != edges[i].child)
            return false;
    return true;
}

/* Makes the nodes of level `l` from the rows: `class_of[row]` is the node of the next level that
 * the row goes through, and becomes that of this level. */
static inline void naive_make_level(const struct ct_config_list *rows, size_t l,
                                    bool merge, const struct naive_level *below,
                                    uint32_t *class_of, struct naive_level *level)
{
    size_t n = rows->count;
    size_t next;

    level->node_edge = naive_array(n + 1, sizeof(*level->node_edge));
    level->valid = naive_array(n, sizeof(*level->valid));
    level->edge = naive_array(n, sizeof(*level->edge));
    for (size_t i = 0; i < n; i = next) {
        struct ct_edge *edges = level->edge + level->edges;
        size_t count = 0;
        uint64_t valid = 0;
        size_t node = 0;

        for (next = i; next < n && naive_compare(ct_config_list_at(rows, i),
                                                 ct_config_list_at(rows, next), l) == 0;
             next++) {
            uint32_t value = ct_config_list_at(rows, next)[l];
            uint64_t behind = below ? below->valid[class_of[next]] : 1;
            struct ct_edge *last = count ? &edges[count - 1] : NULL;

            if (last && last->last == value)
                continue;
            if (merge && last && last->last + 1 == value && last->child == class_of[next])
                last->last = value;
            else
                edges[count++] = (struct ct_edge){value, value, class_of[next], valid};
            valid += behind;
        }
        while (merge && node < level->nodes &&
               !naive_same_node(level, node, edges, count))
            node++;
        if (!merge || node == level->nodes) {
            node = level->nodes++;
            level->valid[node] = valid;
            level->edges += count;
            level->node_edge[level->nodes] = (uint32_t)level->edges;
        }
        for (size_t j = i; j < next; j++)
            class_of[j] = (uint32_t)node;
    }
}

/* Joins the levels; children get their global numbers. */
static inline void naive_join(struct ct_diagram *d, const struct naive_level *levels)
{
    size_t nodes = 0;
    size_t edges = 0;

    for (size_t l = 0; l < d->param_count; l++) {
        nodes += levels[l].nodes;
        edges += levels[l].edges;
    }
    d->node_count = (uint32_t)nodes;
    d->level_node = naive_array(d->param_count + 1, sizeof(*d->level_node));
    d->node_edge = naive_array(nodes + 1, sizeof(*d->node_edge));
    d->node_valid = naive_array(nodes, sizeof(*d->node_valid));
    d->edges = naive_array(edges, sizeof(*d->edges));
    nodes = edges = 0;
    for (size_t l = 0; l < d->param_count; l++) {
        const struct naive_level *level = &levels[l];

        d->level_node[l] = (uint32_t)nodes;
        for (size_t e = 0; e < level->edges; e++) {
            d->edges[edges + e] = level->edge[e];
            /* At the last level any number is allowed, even if it is no node. */
            d->edges[edges + e].child =
                l + 1 < d->param_count
                    ? (uint32_t)(nodes + level->nodes) + level->edge[e].child
                    : UINT32_MAX;
        }
        for (size_t i = 0; i < level->nodes; i++, nodes++) {
            d->node_edge[nodes] = (uint32_t)(edges + level->node_edge[i]);
            d->node_valid[nodes] = level->valid[i];
        }
        edges += level->edges;
        d->node_edge[nodes] = (uint32_t)edges;
    }
    d->level_node[d->param_count] = (uint32_t)nodes;
}

static inline void naive_diagram(struct ct_diagram *d, const struct ct_config_list *rows,
                                 enum naive_form form)
{
    struct naive_level levels[NAIVE_PARAMS];
    uint32_t *class_of;

    d->valid = rows->count;
    if (form == NAIVE_LISTED) {
        d->listed = naive_array(rows->count * d->param_count, sizeof(*d->listed));
        memcpy(d->listed, rows->configs,
               rows->count * d->param_count * sizeof(*d->listed));
        return;
    }
    memset(levels, 0, sizeof(levels));
    class_of = naive_array(rows->count, sizeof(*class_of));
    for (size_t l = d->param_count; l-- > 0;)
        naive_make_level(rows, l, form == NAIVE_MERGED,
                         l + 1 < d->param_count ? &levels[l + 1] : NULL, class_of,
                         &levels[l]);
    naive_join(d, levels);
    free(class_of);
    for (size_t l = 0; l < d->param_count; l++) {
        free(levels[l].node_edge);
        free(levels[l].valid);
        free(levels[l].edge);
    }
}

/* --- a space --- */

/* The product of the components' combinations, the first component's slowest. */
static inline void naive_order(struct naive *naive, const struct ct_config_list *rows)
{
    const struct ct_space *space = &naive->space;
    uint32_t config[NAIVE_PARAMS] = {0};

    naive->all.param_count = space->param_count;
    for (uint64_t i = 0; i < space->count; i++) {
        uint64_t rest = i;

        for (size_t c = space->component_count; c-- > 0;) {
            const struct ct_diagram *d = &space->components[c];

            for (size_t l = 0; l < d->param_count; l++)
                config[d->params[l]] =
                    ct_config_list_at(&rows[c], (size_t)(rest % rows[c].count))[l];
            rest /= rows[c].count;
        }
        naive_append(&naive->all, space->param_count, config);
    }
}

static inline void naive_place(struct ct_space *space, size_t component,
                               const size_t *members, size_t count)
{
    struct ct_diagram *d = &space->components[component];

    d->param_count = count;
    d->params = naive_array(count, sizeof(*d->params));
    for (size_t l = 0; l < count; l++) {
        d->params[l] = members[l];
        space->component_of[members[l]] = component;
        space->level_of[members[l]] = l;
    }
}

static inline void naive_start(struct naive *naive, const struct ct_binding *binding)
{
    struct ct_space *space = &naive->space;

    memset(naive, 0, sizeof(*naive));
    space->binding = binding;
    space->param_count = binding->spec->param_count;
    assert_true(space->param_count <= NAIVE_PARAMS);
    space->components = naive_array(space->param_count, sizeof(*space->components));
    space->component_of = naive_array(space->param_count, sizeof(*space->component_of));
    space->level_of = naive_array(space->param_count, sizeof(*space->level_of));
}

/* Components and levels come in random order.  `naive` refers to itself: do not copy. */
static inline void naive_open(struct naive *naive, const struct ct_binding *binding,
                              struct ct_rng *rng, enum naive_form form)
{
    struct ct_space *space = &naive->space;
    size_t group[NAIVE_PARAMS];
    struct ct_config_list found = {0};
    struct ct_config_list rows[NAIVE_PARAMS];

    naive_start(naive, binding);
    naive_enumerate(binding, &found);
    space->count = found.count;
    naive->all.param_count = space->param_count;
    memset(rows, 0, sizeof(rows));
    naive_groups(binding->spec, group);
    for (size_t g = 0; g < space->param_count && found.count; g++) {
        size_t c = space->component_count;
        size_t members[NAIVE_PARAMS];
        size_t count = 0;
        enum naive_form chosen =
            form == NAIVE_ANY ? (enum naive_form)ct_rng_below(rng, NAIVE_ANY) : form;

        for (size_t p = 0; p < space->param_count; p++)
            if (group[p] == g) {
                size_t other = (size_t)ct_rng_below(rng, ++count);

                members[count - 1] = members[other];
                members[other] = p;
            }
        if (!count)
            continue;
        naive_place(space, c, members, count);
        naive_project(&found, &space->components[c], &rows[c]);
        naive_diagram(&space->components[c], &rows[c], chosen);
        space->component_count++;
    }
    if (space->param_count) {
        uint64_t product = found.count > 0;

        for (size_t c = 0; c < space->component_count; c++)
            product *= rows[c].count;
        assert_true(product == found.count); /* the groups are independent */
        naive_order(naive, rows);
    } else if (space->count) {
        naive->all.count = 1;
    }
    for (size_t c = 0; c < space->component_count; c++)
        free(rows[c].configs);
    free(found.configs);
}

static inline uint64_t naive_times(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* A space without constraints, whatever its size: no list is made. */
static inline void naive_free(struct naive *naive, const struct ct_binding *binding)
{
    struct ct_space *space = &naive->space;

    naive_start(naive, binding);
    space->count = 1;
    for (size_t p = 0; p < space->param_count; p++) {
        struct ct_diagram *d = &space->components[p];
        struct naive_level level;
        uint32_t ends[2] = {0, 1};
        struct ct_edge edge = {0, (uint32_t)binding->domains[p].count - 1, 0, 0};

        naive_place(space, p, &p, 1);
        d->valid = binding->domains[p].count;
        level = (struct naive_level){1, 1, ends, &d->valid, &edge};
        naive_join(d, &level);
        space->count = naive_times(space->count, d->valid);
        space->component_count++;
    }
}

/* One component of all parameters, each with ten values: P1 has only its first five
 * where P0 is odd. */
static inline void naive_chain(struct naive *naive, const struct ct_binding *binding)
{
    struct ct_space *space = &naive->space;
    size_t count = binding->spec->param_count;
    struct naive_level levels[NAIVE_PARAMS];
    uint32_t ends[NAIVE_PARAMS][3];
    uint64_t valid[NAIVE_PARAMS][2];
    struct ct_edge edges[NAIVE_PARAMS][10];
    size_t members[NAIVE_PARAMS];

    naive_start(naive, binding);
    for (size_t l = count; l-- > 0;) {
        uint64_t below = l + 1 < count ? valid[l + 1][0] : 1;

        members[l] = l;
        ends[l][0] = 0;
        ends[l][1] = 1;
        edges[l][0] = (struct ct_edge){0, 9, 0, 0};
        valid[l][0] = naive_times(10, below);
        levels[l] = (struct naive_level){1, 1, ends[l], valid[l], edges[l]};
        if (l == 1) {
            levels[l].nodes = levels[l].edges = ends[l][2] = 2;
            edges[l][1] = (struct ct_edge){0, 4, 0, 0};
            valid[l][1] = naive_times(5, below);
        }
        if (l == 0) {
            levels[l].edges = ends[l][1] = 10;
            for (uint32_t v = 0; v < 10; v++) {
                edges[l][v] = (struct ct_edge){v, v, v % 2, 0};
                edges[l][v].before = v ? UINT64_MAX : 0;
            }
        }
    }
    naive_place(space, 0, members, count);
    space->component_count = 1;
    space->components[0].valid = UINT64_MAX;
    space->count = UINT64_MAX;
    naive_join(&space->components[0], levels);
}

static inline void naive_close(struct naive *naive)
{
    struct ct_space *space = &naive->space;

    for (size_t c = 0; c < space->component_count; c++) {
        struct ct_diagram *d = &space->components[c];

        free(d->params);
        free(d->level_node);
        free(d->node_edge);
        free(d->node_valid);
        free(d->edges);
        free(d->listed);
    }
    free(space->components);
    free(space->component_of);
    free(space->level_of);
    free(naive->all.configs);
}

#endif
