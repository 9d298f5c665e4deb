// SPDX-License-Identifier: Apache-2.0
// Shared by the files that construct a space.
//
// The construction, in the order of its steps:
//  1. space_import.c    constraints become roots of one graph of expressions; a
//                       constraint `a && b` becomes two; the condition of a parameter
//                       becomes a root that ties its value to its activity.
//  2. space_prepare.c   roots of one parameter remove values at once; roots that always
//                       hold are dropped; what the rest connects are components.
//  3. space_order.c     the order of a component's parameters, by the number of pairs of
//                       state and value that must be tried.
//  4. space_levels.c    level by level, from states (partial combinations that
//                       are equivalent for pending roots) and values to states.
//     space_candidates.c  which values of a state are worth trying at all.
//     space_settle.c      which states are alike because roots certainly hold.
//  5. space_reduce.c    from the last level up, equal suffixes become one node.
// space_listed.c lists a component instead if its diagram would be too large.
#ifndef CT_SPACE_SPACE_BUILD_H
#define CT_SPACE_SPACE_BUILD_H

#include "space/space_impl.h"
#include "space/space_memory.h"
#include "space/space_vector.h"

/* A condition for every valid configuration: a constraint, one operand of a constraint that is a
 * chain of `&&`, or the one that ties an inactive parameter to its value. */
struct ct_root {
    uint32_t node;
    size_t constraint; /* SIZE_MAX: activity of a parameter */
    bool done;         /* final: it was of one parameter, or always holds */
    bool vacuous;
    double pass;  /* estimated share of combinations that satisfy it */
    double tried; /* as in struct ct_constraint_stats */
    double removed;
    double failed;
    bool undecided;
};

/* What a level decides: a root, or what it implies for the parameters known so far
 * (ct_build_relax). */
struct ct_decision {
    size_t root;
    uint32_t node;
    bool relaxed; /* the root decides the remaining combinations later */
    uint32_t reg;
};

/* The values of a parameter that remain after roots of it alone. */
struct ct_space_values {
    size_t count;
    uint32_t *indices; /* into the domain, ascending */
    size_t domain_count;
};

struct ct_build {
    const struct ct_binding *binding;
    const struct ct_spec *spec;
    struct ct_space_memory memory;
    uint64_t granted_bytes; /* the original limit, including what the caller holds */
    struct ct_err *err;
    bool enumerate;
    struct ct_dag dag;
    struct ct_root *roots;
    size_t root_count;
    size_t root_room;
    struct ct_space_values *values; /* by parameter */
    bool empty;                     /* nothing is valid */
    bool too_deep;                  /* expressions nest too deeply */
    size_t *leader;                 /* by parameter: of its component */
    uint64_t tried;
};

/* A component under construction. */
struct ct_component_build {
    size_t param_count;
    size_t *params; /* in the order of the levels */
    size_t root_count;
    uint32_t *roots; /* indices into build->roots */
};

/* One level: which values of a state lead to which state of the next level. */
struct ct_level_run {
    uint32_t first; /* indices into the domain */
    uint32_t last;
    uint32_t child;
};

struct ct_level {
    size_t state_count;
    uint32_t *state_run; /* state_count + 1: first run of each state */
    struct ct_level_run *runs;
    size_t run_count;
    size_t run_room;
};

/* Most pairs of state and value that are examined: a minute or two. */
#define CT_SPACE_TRIED_MAX ((uint64_t)10000000000)

/* Adds the roots of the binding's constraints (unless `activity_only`) and conditions. False: out
 * of memory, or too_deep. */
bool ct_build_import(struct ct_build *build, bool activity_only);

/* Step 2.  False: memory. */
bool ct_build_prepare(struct ct_build *build);

/* Makes the tables of nodes of parameter `param` alone (see struct ct_dag_node) that have none,
 * for its remaining values.  False: out of memory. */
bool ct_build_tables(struct ct_build *build, size_t param, const uint32_t *nodes,
                     size_t count);

/* Fills a leaf's column from its node's table: row i has value number positions[i] of the
 * remaining ones. */
void ct_build_fill(const struct ct_build *build, const struct ct_program *program,
                   const struct ct_vector_leaf *leaf, const uint32_t *positions,
                   size_t rows);

/* Estimates the share of combinations for which a node is true.  False: memory. */
bool ct_build_estimate(struct ct_build *build, uint32_t node, double *pass);

/* `upper`: a node that holds wherever `root` can still hold, given the parameters in `known`;
 * CT_DAG_TRUE if unknown.  Else one that holds only where `root` holds for all values of the
 * other parameters; CT_DAG_FALSE if unknown. */
uint32_t ct_build_relax(struct ct_build *build, uint32_t root, const uint64_t *known,
                        bool upper);

/* Orders component->params.  False: memory. */
bool ct_build_set_order(struct ct_build *build, struct ct_component_build *component);

/* Nodes that together determine a root with undecided parameters, as far as it depends on those
 * in `assigned`. */
struct ct_frontier {
    uint32_t *nodes;
    size_t count;
    size_t room;
    uint32_t mark; /* of visited nodes */
};

/* Adds those of a root.  False: memory. */
bool ct_build_frontier(struct ct_build *build, uint32_t root, const uint64_t *assigned,
                       struct ct_frontier *frontier);

/* Builds the levels (param_count of them, cleared).  False: out of memory, or too many pairs
 * (then build->tried is beyond the maximum); *culprit is the root that connects the component. */
bool ct_build_levels(struct ct_build *build, const struct ct_component_build *component,
                     struct ct_level *levels, size_t *culprit);
void ct_build_levels_free(struct ct_build *build, struct ct_level *levels, size_t count);

/* The smallest diagram of the levels.  False: out of memory. */
bool ct_build_reduce(struct ct_build *build, const struct ct_component_build *component,
                     struct ct_level *levels, struct ct_diagram *diagram);

/* Lists the component's combinations depth first into diagram->listed.  False: out of memory, or
 * too many pairs, as ct_build_levels. */
bool ct_build_list(struct ct_build *build, const struct ct_component_build *component,
                   struct ct_diagram *diagram);

/* A number of combinations times another; 0 times infinity is 0. */
static inline double ct_space_scale(double a, double b)
{
    return a > 0 && b > 0 ? a * b : 0;
}

static inline uint64_t ct_space_times(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static inline uint64_t ct_space_plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* --- space_results.c --- */

/* Counts, sums sizes, and fills in the statistics of components.  False if out of memory. */
bool ct_build_note_sizes(struct ct_space *space);

/* Fills in the statistics of constraints. */
void ct_build_note_constraints(struct ct_space *space, const struct ct_build *build);

#endif
