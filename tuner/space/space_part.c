// SPDX-License-Identifier: Apache-2.0
// The configurations that have one value of one parameter: how many, and random ones of them.
#include "space/space_query.h"

#include "base/mem.h"

#include <stdlib.h>

struct ct_space_part {
    const struct ct_space *space;
    const struct ct_diagram *d; /* the parameter's component */
    size_t level;               /* the parameter's */
    uint32_t value;
    double
        *weights; /* by node, down to that level: combinations below it with the value */
    uint64_t *rows; /* of an enumerated component: its combinations with the value */
    size_t row_count;
    double count; /* of the component */
};

void ct_space_part_free(struct ct_space_part *part)
{
    if (!part)
        return;
    free(part->weights);
    free(part->rows);
    free(part);
}

double ct_space_part_count(const struct ct_space_part *part)
{
    double count = part->count;

    for (size_t c = 0; c < part->space->component_count; c++)
        if (&part->space->components[c] != part->d)
            count *= (double)part->space->components[c].valid;
    return count;
}

/* What an edge contributes to the weight of its node. */
static double weight_of(const struct ct_space_part *part, size_t level,
                        const struct ct_edge *edge)
{
    double values = (double)(edge->last - edge->first) + 1;

    if (level < part->level)
        return values * part->weights[edge->child];
    if (level > part->level)
        return values * (double)ct_edge_weight(part->d, level, edge);
    return part->value < edge->first || part->value > edge->last
               ? 0
               : (double)ct_edge_weight(part->d, level, edge);
}

static bool weigh_nodes(struct ct_space_part *part)
{
    const struct ct_diagram *d = part->d;

    part->weights = ct_mem_array(d->level_node[part->level + 1], sizeof(*part->weights));
    if (!part->weights)
        return false;
    for (size_t l = part->level + 1; l-- > 0;)
        for (uint32_t n = d->level_node[l]; n < d->level_node[l + 1]; n++)
            for (uint32_t e = d->node_edge[n]; e < d->node_edge[n + 1]; e++)
                part->weights[n] += weight_of(part, l, &d->edges[e]);
    part->count = part->weights[0];
    return true;
}

static bool list_rows(struct ct_space_part *part)
{
    const struct ct_diagram *d = part->d;
    size_t room = 0;

    for (uint64_t row = 0; row < d->valid; row++) {
        if (d->listed[row * d->param_count + part->level] != part->value)
            continue;
        if (!ct_mem_grow(&part->rows, &room, part->row_count + 1, sizeof(*part->rows)))
            return false;
        part->rows[part->row_count++] = row;
    }
    part->count = (double)part->row_count;
    return true;
}

struct ct_space_part *ct_space_part_new(const struct ct_space *space, size_t param,
                                        uint32_t value)
{
    struct ct_space_part *part = ct_mem_array(1, sizeof(*part));

    if (!part)
        return NULL;
    part->space = space;
    if (!space->count)
        return part;
    part->d = &space->components[space->component_of[param]];
    part->level = space->level_of[param];
    part->value = value;
    if (part->d->listed ? !list_rows(part) : !weigh_nodes(part)) {
        ct_space_part_free(part);
        return NULL;
    }
    return part;
}

/* A random path through the diagram, each as likely as any other. */
static void draw_path(const struct ct_space_part *part, struct ct_rng *rng,
                      uint32_t *config)
{
    const struct ct_diagram *d = part->d;
    size_t node = 0;

    for (size_t l = 0; l < d->param_count; l++) {
        const struct ct_edge *chosen = &d->edges[d->node_edge[node]];
        double total = 0;
        double at;

        for (uint32_t e = d->node_edge[node]; e < d->node_edge[node + 1]; e++)
            total += weight_of(part, l, &d->edges[e]);
        at = ct_rng_unit(rng) * total;
        for (uint32_t e = d->node_edge[node]; e < d->node_edge[node + 1]; e++) {
            double weight = weight_of(part, l, &d->edges[e]);

            if (!(weight > 0))
                continue;
            chosen = &d->edges[e]; /* the last one even after a rounding error */
            if (at < weight)
                break;
            at -= weight;
        }
        config[d->params[l]] =
            l == part->level
                ? part->value
                : chosen->first +
                      (uint32_t)ct_rng_below(rng, chosen->last - chosen->first + 1);
        node = chosen->child;
    }
}

bool ct_space_part_draw(const struct ct_space_part *part, struct ct_rng *rng,
                        uint32_t *config)
{
    const struct ct_diagram *d = part->d;
    size_t row;

    if (!(part->count > 0))
        return false;
    ct_space_config(part->space, ct_rng_below(rng, part->space->count), config);
    if (!d->listed) {
        draw_path(part, rng, config);
        return true;
    }
    row = (size_t)ct_rng_below(rng, part->row_count);
    for (size_t l = 0; l < d->param_count; l++)
        config[d->params[l]] = d->listed[part->rows[row] * d->param_count + l];
    return true;
}
