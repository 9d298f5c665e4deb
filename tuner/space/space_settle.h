// SPDX-License-Identifier: Apache-2.0
// Partial combinations for which roots already certainly hold.
//
// `A + B + C > 10` certainly holds once `A + B` with the least C is more than 10: from then on
// the value of `A + B` does not affect it.  If it does not affect other roots either, all such
// partial combinations become one state, by taking the same keys: those of the first of them.
//
// Roots that share keys are settled together: with keys of one combination mixed into those of
// another, a root might not hold any more.
#ifndef CT_SPACE_SPACE_SETTLE_H
#define CT_SPACE_SPACE_SETTLE_H

#include "space/space_build.h"

/* Roots that share keys, directly or through others. */
struct ct_settle_group {
    bool possible; /* each of its roots can certainly hold, and it is worth checking */
    bool met;      /* the keys to take are known */
};

struct ct_settle {
    struct ct_build *build;
    size_t key_count;
    size_t *group_of; /* by key: its group, named by one of the group's keys */
    struct ct_settle_group *groups;
    int64_t *bits; /* by key: of the first combination that settles its group */
    uint8_t *tags;
    struct ct_settle_root {
        uint32_t node; /* true where the root certainly holds */
        uint32_t reg;
        size_t group;
    } * roots;
    size_t root_count;
    uint8_t *holds; /* CT_VECTOR_ROWS for each key that names a group */
};

/* Finds the groups of the states with keys `next`, after `param` has been added to the parameters
 * in `before` to make `after`; root_count is 0 if there is nothing to do. The caller sets `reg`
 * of each root.  False: out of memory. */
bool ct_settle_init(struct ct_settle *settle, struct ct_build *build,
                    const struct ct_component_build *component, size_t param,
                    const uint64_t *before, const uint64_t *after,
                    const struct ct_frontier *keys, const struct ct_frontier *next);
void ct_settle_release(struct ct_settle *settle);

/* Joins the groups of keys that share a column. */
void ct_settle_join(struct ct_settle *settle, const struct ct_column *const *columns);

/* Gives settled rows their keys. */
void ct_settle_apply(struct ct_settle *settle, const struct ct_program *program,
                     const struct ct_column *const *columns, size_t rows);

#endif
