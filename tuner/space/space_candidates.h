// SPDX-License-Identifier: Apache-2.0
// Which values of a level's parameter are worth trying with a state, without trying all.
//
// Ranges: a root that is monotone in the value (`X * Y <= 4096`, `X <= Y`) holds for the first or
// the last values only; bisection finds where it changes, for many states at once. Lists: a root
// `g == k`, `k % g == 0` or `g % k == 0`, with k known for the state and g depending on the value
// alone, determines the values for which it can hold.
#ifndef CT_SPACE_SPACE_CANDIDATES_H
#define CT_SPACE_SPACE_CANDIDATES_H

#include "space/space_build.h"
#include "space/space_states.h"

struct ct_candidates {
    struct ct_build *build;
    size_t param;
    size_t value_count;
    const struct ct_states *states;
    const struct ct_frontier *keys;
    /* Roots that a range decides completely. */
    size_t range_count;
    struct ct_candidate_range {
        struct ct_decision decision;
        bool rising; /* false for the first values, true for the last */
    } * ranges;
    struct ct_program program;
    uint32_t low[CT_VECTOR_ROWS]; /* by state of the block: positions [low, high) */
    uint32_t high[CT_VECTOR_ROWS];
    /* The root that determines values. */
    enum { CT_LIST_NONE, CT_LIST_EQUAL, CT_LIST_DIVISORS, CT_LIST_MULTIPLES } list;
    size_t list_root;
    size_t list_key;  /* k: which key of the states */
    int64_t list_low; /* of g */
    int64_t list_high;
    uint32_t *first; /* by g - list_low: first of its positions in `positions` */
    size_t first_count;
    uint32_t *positions;
    uint32_t *factor; /* smallest prime factors of numbers below factor_count */
    size_t factor_count;
    uint32_t *found; /* positions for the last state queried, ascending */
    size_t found_room;
};

/* Looks for ranges and a list among the `count` decisions of the level of `param`; those that
 * become ranges are taken out of the array, the one with a list comes first.  `keys` are the
 * states' keys, of the parameters `assigned`.  False: out of memory. */
bool ct_candidates_init(struct ct_candidates *c, struct ct_build *build, size_t param,
                        const struct ct_states *states, const struct ct_frontier *keys,
                        const uint64_t *assigned, struct ct_decision *decisions,
                        size_t *count);
void ct_candidates_release(struct ct_candidates *c);

/* Computes low and high for states [first, first + count), and counts what the ranges remove
 * (`rest`: combinations of the parameters after this one). */
void ct_candidates_ranges(struct ct_candidates *c, size_t first, size_t count,
                          double rest);

/* The positions in [low, high) that the list gives for a state: their number, or SIZE_MAX for all
 * of them; in `found`.  Counts those that it leaves out. */
size_t ct_candidates_list(struct ct_candidates *c, size_t state, uint32_t low,
                          uint32_t high, double rest);

#endif
