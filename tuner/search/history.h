// SPDX-License-Identifier: Apache-2.0
// What strategies share: which configurations were proposed, their results, and random new ones.
#ifndef CT_SEARCH_HISTORY_H
#define CT_SEARCH_HISTORY_H

#include "base/rng.h"
#include "base/map.h"
#include "search/strategy.h"

#include <stdbool.h>
#include <stdint.h>

/* Random indices below `count` without replacement: a lazy Fisher-Yates shuffle (Durstenfeld,
 * 1964).  Of the array of all indices only entries that differ from the start are stored, at most
 * one for each index drawn. */
struct ct_draw {
    uint64_t count;
    uint64_t drawn; /* the shuffle has come this far */
    struct ct_map moved;
};

/* Proposed, without a result yet: no cost known. */
#define CT_HISTORY_PENDING ((uint64_t)0xfff8000000000001u)

/* What is known about the configurations of a space. */
struct ct_history {
    const struct ct_space *space;
    uint64_t count; /* of the space */
    struct ct_rng rng;
    struct ct_map costs; /* bits of the cost, or CT_HISTORY_PENDING */
    struct ct_draw draw;
    uint64_t results;
    uint64_t pending;
    bool failed; /* out of memory: rather stop than measure twice */
};

void ct_history_init(struct ct_history *history, const struct ct_space *space,
                     uint64_t seed);
void ct_history_release(struct ct_history *history);

/* Whether the configuration was proposed or has a result. */
bool ct_history_has(const struct ct_history *history, uint64_t index);

/* Its cost (INFINITY: it failed); false while unknown. */
bool ct_history_cost(const struct ct_history *history, uint64_t index, double *cost);

/* Records a proposal; false, and nothing recorded, if it is in the history already or memory is
 * short. */
bool ct_history_ask(struct ct_history *history, uint64_t index);

/* Records a cost; false if one was known already (the first one stays) or memory is short. */
bool ct_history_tell(struct ct_history *history, uint64_t index, double cost);

/* A random configuration that is not in the history; false if there is none.  Does not record it
 * as proposed. */
bool ct_history_draw(struct ct_history *history, uint64_t *index);

/* Smaller is better; INFINITY for failures and NaN. */
double ct_history_result_cost(const struct ct_strategy_result *result);

#endif
