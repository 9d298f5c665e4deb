// SPDX-License-Identifier: Apache-2.0
// Uniform samples without replacement.
//
// If configurations have indices, indices are drawn: a few of many with a set of those drawn
// before, many of few by shuffling.  If there are too many for that, each component is drawn by
// itself: by number as soon as the rest can be numbered, and before that value by value with
// weights in double precision.
#include "space/space_query.h"

#include "base/mem.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

/* --- indices --- */

static uint64_t mix_index(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static enum ct_status add_index(const struct ct_space *space, uint64_t index,
                                uint32_t *config, struct ct_config_list *list,
                                struct ct_err *err)
{
    ct_space_config(space, index, config);
    if (!ct_config_list_add(list, space->param_count, config))
        return ct_err_nomem(err);
    return CT_OK;
}

/* The first `count` of a shuffle (Fisher and Yates) of all indices. */
static enum ct_status sample_dense(const struct ct_space *space, size_t count,
                                   struct ct_rng *rng, uint32_t *config,
                                   struct ct_config_list *list, struct ct_err *err)
{
    size_t valid = (size_t)space->count;
    uint64_t *order = ct_mem_array(valid, sizeof(*order));
    enum ct_status status = CT_OK;

    if (!order)
        return ct_err_nomem(err);
    for (size_t i = 0; i < valid; i++)
        order[i] = i;
    for (size_t i = 0; !status && i < count; i++) {
        size_t j = i + (size_t)ct_rng_below(rng, valid - i);
        uint64_t index = order[j];

        order[j] = order[i];
        status = add_index(space, index, config, list, err);
    }
    free(order);
    return status;
}

/* Room for at least twice `count` slots, a power of two; 0 if impossible. */
static size_t table_size(size_t count)
{
    size_t size = 16;

    while (size / 2 < count) {
        if (size > SIZE_MAX / 2)
            return 0;
        size *= 2;
    }
    return size;
}

/* At most half of the space: repeats draws that it had before. */
static enum ct_status sample_sparse(const struct ct_space *space, size_t count,
                                    struct ct_rng *rng, uint32_t *config,
                                    struct ct_config_list *list, struct ct_err *err)
{
    size_t size = table_size(count);
    /* UINT64_MAX is no index, but zeroed memory is cheap: indices are stored plus one. */
    uint64_t *table = size ? ct_mem_array(size, sizeof(*table)) : NULL;
    enum ct_status status = CT_OK;

    if (!table)
        return ct_err_nomem(err);
    for (size_t i = 0; !status && i < count;) {
        uint64_t index = ct_rng_below(rng, space->count);
        size_t at = (size_t)mix_index(index) & (size - 1);

        while (table[at] && table[at] != index + 1)
            at = (at + 1) & (size - 1);
        if (table[at])
            continue;
        table[at] = index + 1;
        status = add_index(space, index, config, list, err);
        i++;
    }
    free(table);
    return status;
}

/* --- beyond indices --- */

/* For each component that cannot be numbered, how many combinations are below each node,
 * relative to the largest number of its level. */
struct weights {
    size_t component_count;
    double **of;
};

static void weights_release(struct weights *w)
{
    for (size_t c = 0; w->of && c < w->component_count; c++)
        free(w->of[c]);
    free(w->of);
}

static double edge_weight(const struct ct_diagram *d, size_t level, const double *weight,
                          const struct ct_edge *edge)
{
    double each = level + 1 < d->param_count ? weight[edge->child] : 1;

    return each * ((double)edge->last - (double)edge->first + 1);
}

static double *weigh_edges(const struct ct_diagram *d)
{
    double *weight = ct_mem_array(d->node_count, sizeof(*weight));

    for (size_t l = d->param_count; weight && l-- > 0;) {
        double most = 0;

        for (uint32_t n = d->level_node[l]; n < d->level_node[l + 1]; n++) {
            for (uint32_t e = d->node_edge[n]; e < d->node_edge[n + 1]; e++)
                weight[n] += edge_weight(d, l, weight, &d->edges[e]);
            if (weight[n] > most)
                most = weight[n];
        }
        /* Only ratios within a level matter; this keeps them from overflowing. */
        for (uint32_t n = d->level_node[l]; n < d->level_node[l + 1]; n++)
            weight[n] /= most;
    }
    return weight;
}

/* Combination number `index` below a node of `level`. */
static void take_numbered(const struct ct_diagram *d, size_t level, uint64_t node,
                          uint64_t index, uint32_t *config)
{
    for (size_t l = level; l < d->param_count; l++) {
        const struct ct_edge *edge = d->edges + d->node_edge[node];
        const struct ct_edge *end = d->edges + d->node_edge[node + 1];
        uint64_t each;

        while (edge + 1 < end && edge[1].before <= index)
            edge++;
        index -= edge->before;
        each = ct_edge_weight(d, l, edge);
        config[d->params[l]] = edge->first + (uint32_t)(index / each);
        index %= each;
        node = edge->child;
    }
}

static const struct ct_edge *draw_edge(const struct ct_diagram *d, size_t level,
                                       uint64_t node, const double *weight,
                                       struct ct_rng *rng)
{
    const struct ct_edge *edge = d->edges + d->node_edge[node];
    const struct ct_edge *end = d->edges + d->node_edge[node + 1];
    const struct ct_edge *last = edge;
    double total = 0;
    double left;

    for (const struct ct_edge *e = edge; e < end; e++)
        total += edge_weight(d, level, weight, e);
    left = ct_rng_unit(rng) * total;
    /* Rounding may leave a remainder after the last edge, which then gets it. */
    for (; edge < end; edge++) {
        double each = edge_weight(d, level, weight, edge);

        if (each > 0)
            last = edge;
        if (left < each)
            break;
        left -= each;
    }
    return edge < end ? edge : last;
}

static void draw_component(const struct ct_diagram *d, const double *weight,
                           struct ct_rng *rng, uint32_t *config)
{
    uint64_t node = 0;

    if (d->valid < UINT64_MAX) {
        ct_diagram_config(d, ct_rng_below(rng, d->valid), config);
        return;
    }
    for (size_t l = 0; l < d->param_count; l++) {
        const struct ct_edge *edge;

        if (d->node_valid[node] < UINT64_MAX) {
            take_numbered(d, l, node, ct_rng_below(rng, d->node_valid[node]), config);
            return;
        }
        edge = draw_edge(d, l, node, weight, rng);
        config[d->params[l]] =
            edge->first +
            (uint32_t)ct_rng_below(rng, (uint64_t)edge->last - edge->first + 1);
        node = edge->child;
    }
}

static uint64_t hash_config(const uint32_t *config, size_t count)
{
    uint64_t hash = 0;

    for (size_t p = 0; p < count; p++)
        hash = mix_index(hash + UINT64_C(0x9e3779b97f4a7c15) + config[p]);
    return hash;
}

/* Slot of a configuration, or the empty one where it belongs; slots hold positions in
 * `list` plus one. */
static size_t find_slot(const struct ct_config_list *list, const size_t *table,
                        size_t size, size_t params, const uint32_t *config)
{
    size_t at = (size_t)hash_config(config, params) & (size - 1);

    while (table[at] && memcmp(ct_config_list_at(list, table[at] - 1), config,
                               params * sizeof(*config)) != 0)
        at = (at + 1) & (size - 1);
    return at;
}

static enum ct_status draw_all(const struct ct_space *space, const struct weights *w,
                               size_t count, struct ct_rng *rng, uint32_t *config,
                               struct ct_config_list *list, struct ct_err *err)
{
    size_t size = table_size(count);
    size_t *table = size ? ct_mem_array(size, sizeof(*table)) : NULL;
    enum ct_status status = CT_OK;

    if (!table)
        return ct_err_nomem(err);
    for (size_t i = 0; !status && i < count;) {
        size_t at;

        for (size_t c = 0; c < space->component_count; c++)
            draw_component(&space->components[c], w->of[c], rng, config);
        at = find_slot(list, table, size, space->param_count, config);
        if (table[at])
            continue;
        if (!ct_config_list_add(list, space->param_count, config))
            status = ct_err_nomem(err);
        table[at] = list->count;
        i++;
    }
    free(table);
    return status;
}

static enum ct_status sample_huge(const struct ct_space *space, size_t count,
                                  struct ct_rng *rng, uint32_t *config,
                                  struct ct_config_list *list, struct ct_err *err)
{
    struct weights w = {space->component_count, NULL};
    enum ct_status status = CT_OK;

    w.of = ct_mem_array(w.component_count, sizeof(*w.of));
    if (!w.of)
        return ct_err_nomem(err);
    for (size_t c = 0; c < w.component_count && !status; c++) {
        if (space->components[c].valid < UINT64_MAX)
            continue;
        w.of[c] = weigh_edges(&space->components[c]);
        if (!w.of[c])
            status = ct_err_nomem(err);
    }
    if (!status)
        status = draw_all(space, &w, count, rng, config, list, err);
    weights_release(&w);
    return status;
}

enum ct_status ct_space_sample(const struct ct_space *space, size_t count, uint64_t seed,
                               struct ct_config_list *list, struct ct_err *err)
{
    uint32_t *config = ct_mem_array(space->param_count, sizeof(*config));
    struct ct_rng rng;
    enum ct_status status;

    if (!config)
        return ct_err_nomem(err);
    if (count > space->count)
        count = (size_t)space->count;
    ct_rng_seed(&rng, seed);
    if (space->count == UINT64_MAX)
        status = sample_huge(space, count, &rng, config, list, err);
    else if (count > space->count / 2)
        status = sample_dense(space, count, &rng, config, list, err);
    else
        status = sample_sparse(space, count, &rng, config, list, err);
    free(config);
    return status;
}
