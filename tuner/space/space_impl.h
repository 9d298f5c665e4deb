// SPDX-License-Identifier: Apache-2.0
// Shared by the files of tuner/space: the decision diagrams of the valid configurations, one per
// component.
#ifndef CT_SPACE_SPACE_IMPL_H
#define CT_SPACE_SPACE_IMPL_H

#include "base/err.h"
#include "space/space.h"

#include <stddef.h>
#include <stdint.h>

/* Values [first, last] of a node's parameter (indices into its domain) that lead to the
 * same node of the next level.  A node's edges are in ascending order of values and do
 * not overlap; values in no edge lead nowhere. */
struct ct_edge {
    uint32_t first;
    uint32_t last;
    uint32_t child;  /* node number; any number at the last level */
    uint64_t before; /* configurations below the node's edges before this one */
};

/* A merged decision diagram: level l decides params[l]; a path from the root to the terminal is a
 * valid combination of the component's parameters.  Every node leads to at least one (a component
 * without any has no node), and no two nodes of a level have the same edges. Nodes are numbered
 * level by level; the root is node 0. */
struct ct_diagram {
    size_t param_count;
    size_t *params;       /* by level; parameters of the specification */
    uint32_t *level_node; /* param_count + 1: first node of each level */
    uint32_t node_count;
    uint32_t *node_edge; /* node_count + 1: first edge of each node */
    /* combinations below each node; UINT64_MAX: that many or more */
    uint64_t *node_valid;
    struct ct_edge *edges;
    uint64_t valid; /* of the root; 0 for none */
    /* Instead of the nodes, if the component was enumerated: `valid` combinations of param_count
     * value indices each, ascending; node_count is 0. */
    uint32_t *listed;
};

struct ct_space {
    const struct ct_binding *binding;
    size_t param_count;
    size_t component_count;
    struct ct_diagram *components; /* first component: most significant in an index */
    size_t *component_of;          /* by parameter */
    size_t *level_of;              /* by parameter: its level there */
    uint64_t count;                /* UINT64_MAX: that many or more */
    struct ct_space_stats stats;
    struct ct_component_stats *component_stats;
    struct ct_constraint_stats *constraints;
};

/* Sets everything but binding, param_count and stats.construct_ns; every parameter is in one
 * component (free ones in one of their own).  If any component is empty, count is 0 and there may
 * be no components.  ct_space_free frees the allocations, also after an error. */
enum ct_status ct_space_build(struct ct_space *space,
                              const struct ct_space_options *options, struct ct_err *err);

#endif
