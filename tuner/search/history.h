// SPDX-License-Identifier: Apache-2.0
// What strategies share: which configurations were asked for, what was told of them, and
// random ones that are new.
#ifndef CT_SEARCH_HISTORY_H
#define CT_SEARCH_HISTORY_H

#include "base/rng.h"
#include "base/map.h"
#include "search/strategy.h"

#include <stdbool.h>
#include <stdint.h>

/* Random indices below `count`, none twice: a Fisher-Yates shuffle (Durstenfeld, 1964)
 * that is done as far as is asked for.  Of the array of all indices only the places that
 * differ from the start are kept, at most one for each index drawn. */
struct ct_draw {
    uint64_t count;
    uint64_t drawn; /* the shuffle is done up to here */
    struct ct_map moved;
};

/* The next index; false when all were drawn or memory is short (`*failed`). */
bool ct_draw_next(struct ct_draw *draw, struct ct_rng *rng, uint64_t *index,
                  bool *failed);
void ct_draw_release(struct ct_draw *draw);

/* Asked for and not told yet: no cost known. */
#define CT_HISTORY_PENDING ((uint64_t)0xfff8000000000001u)

/* What is known of the configurations of a space. */
struct ct_history {
    const struct ct_space *space;
    uint64_t count; /* of the space */
    struct ct_rng rng;
    struct ct_map costs; /* bits of the cost, or CT_HISTORY_PENDING */
    struct ct_draw draw;
    uint64_t told;
    uint64_t pending;
    bool failed; /* memory was short: rather stop than measure twice */
};

void ct_history_init(struct ct_history *history, const struct ct_space *space,
                     uint64_t seed);
void ct_history_release(struct ct_history *history);

/* Whether the configuration was asked for or told. */
bool ct_history_has(const struct ct_history *history, uint64_t index);

/* Its cost (INFINITY: it failed); false while that is not known. */
bool ct_history_cost(const struct ct_history *history, uint64_t index, double *cost);

/* Notes that it is asked for; false, and nothing noted, when it was seen before or memory
 * is short. */
bool ct_history_ask(struct ct_history *history, uint64_t index);

/* Notes what it cost; false when that was known already (the first one stays) or memory
 * is short. */
bool ct_history_tell(struct ct_history *history, uint64_t index, double cost);

/* A random configuration that was not seen; false when there is none.  Does not note
 * that it is asked for. */
bool ct_history_draw(struct ct_history *history, uint64_t *index);

/* Smaller is better; INFINITY for a failure and for what is no number. */
double ct_history_result_cost(const struct ct_strategy_result *told);

#endif
