// SPDX-License-Identifier: Apache-2.0
// Shared by the queries: steps through a diagram, whether merged or listed, and the activity of
// parameters along the way.
#ifndef CT_SPACE_SPACE_QUERY_H
#define CT_SPACE_SPACE_QUERY_H

#include "space/space_impl.h"

/* A place in a diagram: a node (`low`), or in a listed one the rows [low, high) with the same
 * beginning. */
struct ct_cursor {
    uint64_t low;
    uint64_t high;
};

/* Values [first, last] that lead from a place to the same next one. */
struct ct_branch {
    uint32_t first;
    uint32_t last;
    struct ct_cursor child; /* meaningless after the last level */
};

/* The branches of a place, in ascending order. */
struct ct_branches {
    const struct ct_diagram *diagram;
    size_t level;
    uint64_t at; /* next edge, or next row */
    uint64_t end;
};

struct ct_cursor ct_cursor_root(const struct ct_diagram *diagram);
/* Where `value` leads from a place of `level`; false if it leads nowhere. */
bool ct_cursor_follow(const struct ct_diagram *diagram, size_t level, struct ct_cursor at,
                      uint32_t value, struct ct_cursor *child);
struct ct_branches ct_cursor_branches(const struct ct_diagram *diagram, size_t level,
                                      struct ct_cursor at);
bool ct_branches_next(struct ct_branches *branches, struct ct_branch *branch);

/* Combinations behind each value of an edge; UINT64_MAX: that many or more. */
uint64_t ct_edge_weight(const struct ct_diagram *diagram, size_t level,
                        const struct ct_edge *edge);

/* The component's part of its configuration number `index`. */
void ct_diagram_config(const struct ct_diagram *diagram, uint64_t index,
                       uint32_t *config);

/* Appends a configuration of `param_count` values. */
bool ct_config_list_add(struct ct_config_list *list, size_t param_count,
                        const uint32_t *config);

/* How many parameters of one component differ from those of a given configuration, counted level
 * by level.
 *
 * A parameter counts as changed if its value differs and it is active.  Conditional parameters
 * with their inactive value count once it is known whether they are active: that may be at a
 * later level than their own, if their conditions depend on parameters of later levels.  If a
 * condition depends on parameters of other components, their values do not affect it. */
struct ct_changes {
    const struct ct_space *space;
    const struct ct_diagram *diagram;
    const uint32_t *from; /* the given configuration; may be outside the domains */
    uint32_t *config;     /* values chosen so far; for all parameters of the space */
    bool conditional;     /* some parameter of the component has a condition */
    /* The rest is only set in that case. */
    struct ct_value *env;
    size_t *depth; /* by slot: 1 + the level where it is known; 0: before all */
    size_t *name_from;
    int *names; /* computed names, by the level from which they are known */
    size_t *known_from;
    bool *conditional_level; /* by level: its parameter may be inactive */
    size_t *known; /* conditional parameters, by the level where activity is known */
};

/* CT_E_NOMEM.  `config` (param_count of the space) is written by ct_changes_take. */
enum ct_status ct_changes_init(struct ct_changes *changes, const struct ct_space *space,
                               const struct ct_diagram *diagram, const uint32_t *from,
                               uint32_t *config, struct ct_err *err);
void ct_changes_release(struct ct_changes *changes);

/* Chooses `value` at `level`, after values at all levels before it; returns how many parameters
 * are thereby known to have changed, and in `*param` the last of them. */
unsigned ct_changes_take(struct ct_changes *changes, size_t level, uint32_t value,
                         size_t *param);

/* Whether `value` at `level` may turn out to be unchanged although it differs. */
bool ct_changes_free(const struct ct_changes *changes, size_t level, uint32_t value);

/* Whether every value of [first, last] at `level` is a change. */
bool ct_changes_certain(const struct ct_changes *changes, size_t level, uint32_t first,
                        uint32_t last);

#endif
