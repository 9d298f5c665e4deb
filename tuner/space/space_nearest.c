// SPDX-License-Identifier: Apache-2.0
// The nearest valid configuration: component by component, by dynamic programming over
// the nodes of its diagram.  The least change from each node on is computed from the last
// level to the first; then one descent takes the first values that lead to the least.
#include "space/space_query.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct change {
    uint64_t count;    /* parameters changed */
    uint64_t distance; /* sum of the differences of their value indices */
};

static const struct change nothing = {0, 0};
static const struct change unreached = {UINT64_MAX, UINT64_MAX};

static struct change add_changes(struct change a, struct change b)
{
    return (struct change){a.count + b.count, a.distance + b.distance};
}

static bool less(struct change a, struct change b)
{
    return a.count != b.count ? a.count < b.count : a.distance < b.distance;
}

/* The least change from `from` to one of [first, last], and that one. */
static struct change least_step(uint32_t from, uint32_t first, uint32_t last,
                                uint32_t *value)
{
    *value = from < first ? first : from > last ? last : from;
    if (*value == from)
        return nothing;
    return (struct change){1, *value < from ? from - *value : *value - from};
}

/* The least cost of an edge of `level`, including everything below it. */
static struct change edge_change(const struct ct_diagram *d, size_t level,
                                 const struct ct_edge *edge, const struct change *least,
                                 const uint32_t *from, uint32_t *value)
{
    struct change own =
        least_step(from[d->params[level]], edge->first, edge->last, value);

    return level + 1 < d->param_count ? add_changes(own, least[edge->child]) : own;
}

static enum ct_status search_nearest(const struct ct_diagram *d, const uint32_t *from,
                                     uint32_t *nearest, struct ct_err *err)
{
    struct change *least = ct_mem_array(d->node_count, sizeof(*least));
    uint32_t node = 0;
    uint32_t value;

    if (!least)
        return ct_err_nomem(err);
    for (size_t l = d->param_count; l-- > 0;)
        for (uint32_t n = d->level_node[l]; n < d->level_node[l + 1]; n++) {
            least[n] = unreached;
            for (uint32_t e = d->node_edge[n]; e < d->node_edge[n + 1]; e++) {
                struct change change =
                    edge_change(d, l, &d->edges[e], least, from, &value);

                if (less(change, least[n]))
                    least[n] = change;
            }
        }
    for (size_t l = 0; l < d->param_count; l++) {
        uint32_t e = d->node_edge[node];

        while (less(least[node], edge_change(d, l, &d->edges[e], least, from, &value)))
            e++;
        nearest[d->params[l]] = value;
        node = d->edges[e].child;
    }
    free(least);
    return CT_OK;
}

/* Rows ascend, so that the first of equals wins. */
static void scan_rows(const struct ct_diagram *d, const uint32_t *from, uint32_t *nearest)
{
    struct change best = unreached;

    for (uint64_t r = 0; r < d->valid; r++) {
        const uint32_t *row = d->listed + r * d->param_count;
        struct change total = nothing;
        uint32_t value;

        for (size_t l = 0; l < d->param_count && less(total, best); l++)
            total = add_changes(total,
                                least_step(from[d->params[l]], row[l], row[l], &value));
        if (!less(total, best))
            continue;
        best = total;
        for (size_t l = 0; l < d->param_count; l++)
            nearest[d->params[l]] = row[l];
    }
}

static size_t rank_of(const struct ct_expr *expr, const size_t *rank)
{
    size_t most = 0;

    for (size_t i = 0; i < expr->slot_count; i++)
        if (rank[expr->slots[i]] > most)
            most = rank[expr->slots[i]];
    return most;
}

/* For each slot the length of the longest chain of conditions that it depends on. */
static void find_ranks(const struct ct_spec *spec, size_t *rank)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (size_t i = 0; i < spec->slots.order_count; i++) {
            int slot = spec->slots.order[i];

            if (spec->slots.symbols[slot].per_config)
                rank[slot] = rank_of(spec->slots.symbols[slot].expr, rank);
        }
        for (size_t p = 0; p < spec->param_count; p++) {
            const struct ct_expr *condition = spec->params[p].condition;
            size_t next = condition ? 1 + rank_of(condition, rank) : 0;

            changed = changed || next > rank[spec->params[p].slot];
            rank[spec->params[p].slot] = next;
        }
    }
}

/* Decides the parameters of one rank, after all lower ranks.  False if there are none. */
static bool settle_rank(const struct ct_binding *binding, const size_t *rank,
                        size_t which, uint32_t *config, uint32_t *inside,
                        struct ct_value *env)
{
    const struct ct_spec *spec = binding->spec;
    bool any = false;

    for (size_t p = 0; p < spec->param_count; p++) {
        uint32_t last = (uint32_t)binding->domains[p].count - 1;

        inside[p] = config[p] < last ? config[p] : last;
    }
    ct_binding_evaluate(binding, inside, env);
    for (size_t p = 0; p < spec->param_count; p++) {
        if (rank[spec->params[p].slot] != which)
            continue;
        any = true;
        if (!ct_binding_active(binding, p, env))
            config[p] = binding->inactive[p];
    }
    return any;
}

/* Gives inactive parameters their inactive value: their given value has no meaning. */
static enum ct_status set_inactive(const struct ct_space *space, uint32_t *config,
                                   struct ct_err *err)
{
    const struct ct_spec *spec = space->binding->spec;
    struct ct_value *env = ct_mem_array(spec->slots.count, sizeof(*env));
    uint32_t *inside = ct_mem_array(space->param_count, sizeof(*inside));
    size_t *rank = ct_mem_array(spec->slots.count, sizeof(*rank));
    enum ct_status status = CT_OK;
    size_t which = 1;

    if (env && inside && rank) {
        find_ranks(spec, rank);
        while (settle_rank(space->binding, rank, which, config, inside, env))
            which++;
    } else {
        status = ct_err_nomem(err);
    }
    free(env);
    free(inside);
    free(rank);
    return status;
}

static bool has_conditions(const struct ct_spec *spec)
{
    for (size_t p = 0; p < spec->param_count; p++)
        if (spec->params[p].condition)
            return true;
    return false;
}

bool ct_space_nearest(const struct ct_space *space, const uint32_t *config,
                      uint32_t *nearest, struct ct_err *err)
{
    enum ct_status status = CT_OK;
    uint32_t *from;

    if (!space->count)
        return false;
    from = ct_mem_array(space->param_count, sizeof(*from));
    if (!from) {
        ct_err_nomem(err);
        return false;
    }
    for (size_t p = 0; p < space->param_count; p++)
        from[p] = config[p];
    if (has_conditions(space->binding->spec))
        status = set_inactive(space, from, err);
    for (size_t c = 0; c < space->component_count && !status; c++) {
        const struct ct_diagram *d = &space->components[c];

        if (d->listed)
            scan_rows(d, from, nearest);
        else
            status = search_nearest(d, from, nearest, err);
    }
    free(from);
    return !status;
}
