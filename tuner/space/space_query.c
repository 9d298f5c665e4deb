// SPDX-License-Identifier: Apache-2.0
// Index to configuration and back, membership, the ordered walk, lists.
#include "space/space_query.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t saturating_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* --- steps --- */

struct ct_cursor ct_cursor_root(const struct ct_diagram *diagram)
{
    return (struct ct_cursor){0, diagram->listed ? diagram->valid : 0};
}

/* The first of the rows [low, high), which ascend at `level`, with at least `want`. */
static uint64_t first_row(const struct ct_diagram *d, size_t level, uint64_t want,
                          uint64_t low, uint64_t high)
{
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (d->listed[middle * d->param_count + level] < want)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The edge of a node that `value` belongs to, or NULL. */
static const struct ct_edge *find_edge(const struct ct_diagram *d, uint64_t node,
                                       uint32_t value)
{
    const struct ct_edge *low = d->edges + d->node_edge[node];
    size_t count = d->node_edge[node + 1] - d->node_edge[node];

    /* The last edge that starts at or before it. */
    while (count > 1) {
        size_t half = count / 2;

        if (low[half].first <= value)
            low += half;
        count -= half;
    }
    return count && low->first <= value && value <= low->last ? low : NULL;
}

bool ct_cursor_follow(const struct ct_diagram *diagram, size_t level, struct ct_cursor at,
                      uint32_t value, struct ct_cursor *child)
{
    const struct ct_edge *edge;

    if (diagram->listed) {
        child->low = first_row(diagram, level, value, at.low, at.high);
        child->high = first_row(diagram, level, (uint64_t)value + 1, child->low, at.high);
        return child->low < child->high;
    }
    edge = find_edge(diagram, at.low, value);
    if (!edge)
        return false;
    *child = (struct ct_cursor){edge->child, 0};
    return true;
}

struct ct_branches ct_cursor_branches(const struct ct_diagram *diagram, size_t level,
                                      struct ct_cursor at)
{
    struct ct_branches branches = {diagram, level, at.low, at.high};

    if (!diagram->listed) {
        branches.at = diagram->node_edge[at.low];
        branches.end = diagram->node_edge[at.low + 1];
    }
    return branches;
}

bool ct_branches_next(struct ct_branches *branches, struct ct_branch *branch)
{
    const struct ct_diagram *d = branches->diagram;

    if (branches->at >= branches->end)
        return false;
    if (d->listed) {
        uint32_t value = d->listed[branches->at * d->param_count + branches->level];
        uint64_t next = branches->at + 1;

        /* The last level has one row per value; elsewhere runs may be long. */
        if (branches->level + 1 < d->param_count)
            next =
                first_row(d, branches->level, (uint64_t)value + 1, next, branches->end);
        *branch = (struct ct_branch){value, value, {branches->at, next}};
        branches->at = next;
    } else {
        const struct ct_edge *edge = &d->edges[branches->at++];

        *branch = (struct ct_branch){edge->first, edge->last, {edge->child, 0}};
    }
    return true;
}

uint64_t ct_edge_weight(const struct ct_diagram *diagram, size_t level,
                        const struct ct_edge *edge)
{
    return level + 1 < diagram->param_count ? diagram->node_valid[edge->child] : 1;
}

/* --- indices --- */

void ct_diagram_config(const struct ct_diagram *diagram, uint64_t index, uint32_t *config)
{
    uint64_t node = 0;

    if (diagram->listed) {
        const uint32_t *row = diagram->listed + index * diagram->param_count;

        for (size_t l = 0; l < diagram->param_count; l++)
            config[diagram->params[l]] = row[l];
        return;
    }
    for (size_t l = 0; l < diagram->param_count; l++) {
        const struct ct_edge *edge = diagram->edges + diagram->node_edge[node];
        size_t count = diagram->node_edge[node + 1] - diagram->node_edge[node];
        uint64_t weight;

        while (count > 1) {
            size_t half = count / 2;

            if (edge[half].before <= index)
                edge += half;
            count -= half;
        }
        index -= edge->before;
        weight = ct_edge_weight(diagram, l, edge);
        /* Divisions dominate the time here. */
        if (edge->first == edge->last || index < weight) {
            config[diagram->params[l]] = edge->first;
        } else if (weight == 1) {
            config[diagram->params[l]] = edge->first + (uint32_t)index;
            index = 0;
        } else {
            config[diagram->params[l]] = edge->first + (uint32_t)(index / weight);
            index %= weight;
        }
        node = edge->child;
    }
}

void ct_space_config(const struct ct_space *space, uint64_t index, uint32_t *config)
{
    for (size_t c = space->component_count; c-- > 0;) {
        const struct ct_diagram *d = &space->components[c];
        uint64_t digit = index;

        if (d->valid == 1) {
            digit = 0;
        } else if (c > 0) {
            digit = index % d->valid;
            index /= d->valid;
        }
        ct_diagram_config(d, digit, config);
    }
}

/* Index of the component's part of `config`; UINT64_MAX beyond what can be numbered. False if it
 * is not valid. */
static bool diagram_index(const struct ct_diagram *d, const uint32_t *config,
                          uint64_t *index)
{
    struct ct_cursor at = ct_cursor_root(d);
    uint64_t node = 0;

    if (d->listed) {
        for (size_t l = 0; l < d->param_count; l++)
            if (!ct_cursor_follow(d, l, at, config[d->params[l]], &at))
                return false;
        *index = at.low;
        return true;
    }
    *index = 0;
    for (size_t l = 0; l < d->param_count; l++) {
        uint32_t value = config[d->params[l]];
        const struct ct_edge *edge = find_edge(d, node, value);

        if (!edge)
            return false;
        *index = saturating_sum(*index, edge->before);
        if (value > edge->first)
            *index = saturating_sum(
                *index, times(value - edge->first, ct_edge_weight(d, l, edge)));
        node = edge->child;
    }
    return true;
}

bool ct_space_contains(const struct ct_space *space, const uint32_t *config)
{
    uint64_t index;

    for (size_t c = 0; c < space->component_count; c++)
        if (!space->components[c].valid ||
            !diagram_index(&space->components[c], config, &index))
            return false;
    return space->count > 0;
}

bool ct_space_index(const struct ct_space *space, const uint32_t *config, uint64_t *index)
{
    uint64_t total = 0;
    uint64_t digit;

    if (!space->count)
        return false;
    for (size_t c = 0; c < space->component_count; c++) {
        const struct ct_diagram *d = &space->components[c];

        if (!diagram_index(d, config, &digit))
            return false;
        /* A saturated number stays saturated, unless everything before it is 0. */
        total = saturating_sum(times(total, d->valid), digit);
    }
    if (total >= space->count)
        return false;
    *index = total;
    return true;
}

/* Bisects a domain as if it ascended (or descended, with `down`).  Values are distinct, so a
 * match is right; no match proves nothing. */
static bool bisect_value(const struct ct_domain *domain, int64_t value, bool down,
                         uint32_t *found)
{
    size_t low = 0;
    size_t high = domain->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        struct ct_value candidate = domain->values[middle];

        if (candidate.kind != CT_INT)
            return false;
        if (candidate.u.i == value) {
            *found = (uint32_t)middle;
            return true;
        }
        if ((candidate.u.i < value) != down)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* Lists are mostly short, or long and sorted. */
static bool find_value(const struct ct_domain *domain, struct ct_value value,
                       uint32_t *found)
{
    enum { SHORT = 16 };

    if (domain->count > SHORT && value.kind == CT_INT &&
        (bisect_value(domain, value.u.i, false, found) ||
         bisect_value(domain, value.u.i, true, found)))
        return true;
    for (size_t i = 0; i < domain->count; i++)
        if (ct_value_equal(domain->values[i], value)) {
            *found = (uint32_t)i;
            return true;
        }
    return false;
}

bool ct_space_find(const struct ct_space *space, const struct ct_value *values,
                   uint64_t *index)
{
    uint32_t *config = ct_mem_array(space->param_count, sizeof(*config));
    bool found = config != NULL;

    for (size_t p = 0; p < space->param_count && found; p++)
        found = find_value(&space->binding->domains[p], values[p], &config[p]);
    found = found && ct_space_index(space, config, index);
    free(config);
    return found;
}

/* --- walking --- */

/* The first combination from a place of `level` on. */
static void take_first(const struct ct_diagram *d, size_t level, struct ct_cursor at,
                       uint32_t *config)
{
    for (size_t l = level; l < d->param_count; l++) {
        struct ct_branches branches = ct_cursor_branches(d, l, at);
        struct ct_branch branch;

        if (!ct_branches_next(&branches, &branch))
            return; /* impossible: every node leads somewhere */
        config[d->params[l]] = branch.first;
        at = branch.child;
    }
}

/* The first value above `value` at a place, and where it leads. */
static bool next_value(const struct ct_diagram *d, size_t level, struct ct_cursor at,
                       uint32_t value, uint32_t *next, struct ct_cursor *child)
{
    const struct ct_edge *edge;

    if (d->listed) {
        struct ct_branches branches = ct_cursor_branches(d, level, at);
        struct ct_branch branch;

        branches.at = first_row(d, level, (uint64_t)value + 1, at.low, at.high);
        if (!ct_branches_next(&branches, &branch))
            return false;
        *next = branch.first;
        *child = branch.child;
        return true;
    }
    edge = find_edge(d, at.low, value);
    if (!edge)
        return false;
    if (value < edge->last) {
        *next = value + 1;
    } else {
        if (++edge == d->edges + d->node_edge[at.low + 1])
            return false;
        *next = edge->first;
    }
    *child = (struct ct_cursor){edge->child, 0};
    return true;
}

/* Moves to the component's next combination, with the same first `level` values, or not at all. */
static bool advance_combination(const struct ct_diagram *d, size_t level,
                                struct ct_cursor at, uint32_t *config)
{
    uint32_t *value = &config[d->params[level]];
    struct ct_cursor child;

    if (!ct_cursor_follow(d, level, at, *value, &child))
        return false;
    if (level + 1 < d->param_count && advance_combination(d, level + 1, child, config))
        return true;
    if (!next_value(d, level, at, *value, value, &child))
        return false;
    take_first(d, level + 1, child, config);
    return true;
}

bool ct_space_first(const struct ct_space *space, uint32_t *config)
{
    if (!space->count)
        return false;
    for (size_t c = 0; c < space->component_count; c++)
        take_first(&space->components[c], 0, ct_cursor_root(&space->components[c]),
                   config);
    return true;
}

bool ct_space_next(const struct ct_space *space, uint32_t *config)
{
    size_t c = space->component_count;

    if (!space->count)
        return false;
    while (c > 0) {
        const struct ct_diagram *d = &space->components[c - 1];

        if (advance_combination(d, 0, ct_cursor_root(d), config))
            break;
        c--;
    }
    if (!c)
        return false;
    for (; c < space->component_count; c++)
        take_first(&space->components[c], 0, ct_cursor_root(&space->components[c]),
                   config);
    return true;
}

/* --- lists --- */

bool ct_config_list_add(struct ct_config_list *list, size_t param_count,
                        const uint32_t *config)
{
    size_t needed;

    list->param_count = param_count;
    if (__builtin_mul_overflow(list->count + 1, param_count, &needed) ||
        !ct_mem_grow(&list->configs, &list->room, needed, sizeof(*list->configs)))
        return false;
    if (param_count)
        memcpy(list->configs + list->count * param_count, config,
               param_count * sizeof(*config));
    list->count++;
    return true;
}

const uint32_t *ct_config_list_at(const struct ct_config_list *list, size_t i)
{
    return list->configs + i * list->param_count;
}

void ct_config_list_release(struct ct_config_list *list)
{
    free(list->configs);
    memset(list, 0, sizeof(*list));
}
