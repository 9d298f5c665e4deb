// SPDX-License-Identifier: Apache-2.0
// Statistics of a finished space: sizes, components, constraints.
#include "space/space_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- results --- */

/* Combinations as a real, in case an integer overflows, and whether the integer is exact
 * nevertheless. */
static bool approximate(const struct ct_diagram *diagram, double *out, bool *exact)
{
    uint32_t last;
    struct {
        double below;
        uint64_t count;
        bool more; /* than count, which is invalid then */
    } * nodes;

    *out = (double)diagram->valid;
    *exact = true;
    if (diagram->valid < UINT64_MAX)
        return true;
    last = diagram->level_node[diagram->param_count - 1];
    nodes = ct_mem_array(diagram->node_count, sizeof(*nodes));
    if (!nodes)
        return false;
    for (uint32_t n = diagram->node_count; n-- > 0;)
        for (uint32_t e = diagram->node_edge[n]; e < diagram->node_edge[n + 1]; e++) {
            const struct ct_edge *edge = &diagram->edges[e];
            uint64_t values = (uint64_t)edge->last - edge->first + 1;
            uint64_t count = n >= last ? 1 : nodes[edge->child].count;

            nodes[n].below += (double)values * (n >= last ? 1 : nodes[edge->child].below);
            nodes[n].more = (n < last && nodes[edge->child].more) ||
                            __builtin_mul_overflow(values, count, &count) ||
                            __builtin_add_overflow(nodes[n].count, count, &count) ||
                            nodes[n].more;
            nodes[n].count = count;
        }
    *out = nodes[0].below;
    *exact = !nodes[0].more;
    free(nodes);
    return true;
}

static void note_component(const struct ct_space *space, size_t c,
                           struct ct_component_stats *stats)
{
    const struct ct_diagram *diagram = &space->components[c];

    stats->param_count = diagram->param_count;
    stats->params = diagram->params;
    stats->cartesian = 1;
    for (size_t i = 0; i < diagram->param_count; i++)
        stats->cartesian *= (double)space->binding->domains[diagram->params[i]].count;
    stats->valid = diagram->valid;
    stats->nodes = diagram->node_count;
    stats->enumerated = diagram->listed != NULL;
    for (uint32_t e = 0;
         diagram->node_count && e < diagram->node_edge[diagram->node_count]; e++)
        stats->edges += (uint64_t)diagram->edges[e].last - diagram->edges[e].first + 1;
}

static uint64_t diagram_bytes(const struct ct_diagram *diagram)
{
    uint64_t bytes = sizeof(*diagram) + diagram->param_count * sizeof(*diagram->params) +
                     (diagram->param_count + 1) * sizeof(*diagram->level_node);

    if (diagram->listed)
        return bytes + diagram->valid * diagram->param_count * sizeof(*diagram->listed);
    if (!diagram->node_count)
        return bytes;
    return bytes +
           diagram->node_count *
               (sizeof(*diagram->node_edge) + sizeof(*diagram->node_valid)) +
           diagram->node_edge[diagram->node_count] * sizeof(*diagram->edges);
}

static size_t component_of_root(const struct ct_space *space,
                                const struct ct_build *build, const struct ct_root *root)
{
    const uint64_t *support = ct_dag_at(&build->dag, root->node)->support;

    for (size_t p = 0; p < space->param_count; p++)
        if (support[p / 64] >> p % 64 & 1)
            return space->component_of[p];
    return SIZE_MAX;
}

/* Statistics of constraints, from those of their roots.  A combination reaches the roots of one
 * constraint one after the other: the first of them gives the number tried. */
void ct_build_note_constraints(struct ct_space *space, const struct ct_build *build)
{
    for (size_t c = 0; c < build->spec->constraint_count; c++) {
        struct ct_constraint_stats *stats = &space->constraints[c];

        stats->component = SIZE_MAX;
        stats->vacuous = true;
    }
    for (size_t r = 0; r < build->root_count; r++) {
        const struct ct_root *root = &build->roots[r];
        struct ct_constraint_stats *stats;

        if (root->constraint == SIZE_MAX)
            continue;
        stats = &space->constraints[root->constraint];
        if (root->tried > stats->tried)
            stats->tried = root->tried;
        stats->removed += root->removed;
        stats->failed += root->failed;
        stats->undecided = stats->undecided || root->undecided;
        stats->vacuous = stats->vacuous && root->vacuous;
        if (!root->vacuous && space->component_of && stats->component == SIZE_MAX)
            stats->component = component_of_root(space, build, root);
    }
    for (size_t c = 0; c < build->spec->constraint_count; c++)
        if (space->constraints[c].tried < space->constraints[c].removed)
            space->constraints[c].tried = space->constraints[c].removed;
}

bool ct_build_note_sizes(struct ct_space *space)
{
    struct ct_space_stats *stats = &space->stats;

    space->count = 1;
    stats->valid_approx = 1;
    stats->valid_exact = true;
    for (size_t c = 0; c < space->component_count; c++) {
        const struct ct_diagram *diagram = &space->components[c];
        bool *exact = &space->component_stats[c].valid_exact;
        uint64_t product;
        double valid;

        note_component(space, c, &space->component_stats[c]);
        if (!approximate(diagram, &valid, exact))
            return false;
        stats->valid_exact =
            stats->valid_exact && *exact &&
            !__builtin_mul_overflow(space->count, diagram->valid, &product);
        space->count = ct_space_times(space->count, diagram->valid);
        stats->valid_approx *= valid;
        stats->nodes += space->component_stats[c].nodes;
        stats->edges += space->component_stats[c].edges;
        stats->bytes += diagram_bytes(diagram) + sizeof(*space->component_stats);
        for (size_t l = 0; l < diagram->param_count; l++) {
            space->component_of[diagram->params[l]] = c;
            space->level_of[diagram->params[l]] = l;
        }
    }
    /* An empty one makes all empty, even one with too many combinations to count. */
    for (size_t c = 0; c < space->component_count; c++)
        if (!space->components[c].valid) {
            space->count = 0;
            stats->valid_exact = true;
        }
    stats->bytes += space->param_count * 2 * sizeof(size_t);
    stats->component_count = space->component_count;
    stats->components = space->component_stats;
    return true;
}
