// SPDX-License-Identifier: Apache-2.0
// In which order a search visits configurations of which it will see every one.
//
// The sooner the best time is low, the fewer launches show of the others that they are slow, and the
// better an answer is if the search ends early.  So at first they are far apart from each other: the next
// one differs in as many parameters as can be from each before it, as in a maximin design (Johnson, Moore
// and Ylvisaker, "Minimax and maximin distance designs", 1990).  Then those come first that the effects of
// their values make cheapest (search/additive.h).
#ifndef CT_SEARCH_ORDER_H
#define CT_SEARCH_ORDER_H

#include "base/map.h"
#include "search/additive.h"
#include "search/strategy.h"
#include "space/space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most that are put in order at a time. */
enum { CT_ORDER_MOST = 4096 };

struct ct_order {
    const struct ct_space *space; /* borrowed */
    size_t params;
    bool has_model; /* else they come in the order of the list */
    struct ct_additive model;
    size_t told;   /* results */
    size_t fitted; /* of them when the model was fitted, 0: not yet */
    int sign;      /* of all objectives that count, 0: there is none yet */
    size_t design; /* results from which on the model leads */
    /* What is left, the next one last. */
    struct ct_order_item *list;
    size_t count;
    size_t chosen;     /* without the model, of this list */
    uint32_t *configs; /* [place in the list as it was loaded][parameter] */
    uint32_t *config;  /* scratch */
    size_t *uses;      /* of each value by those chosen without the model */
};

/* Starts without a list.  False if memory is short; ct_order_release then still works. */
bool ct_order_init(struct ct_order *order, const struct ct_space *space);
void ct_order_release(struct ct_order *order);

/* Replaces the list: `count` configurations, at most CT_ORDER_MOST. Those in `known` are not for
 * ct_order_next: others are to be far from them. */
void ct_order_load(struct ct_order *order, const uint64_t *indices, size_t count,
                   const struct ct_index_set *known);

/* Takes the next one from the list; false if none is left. */
bool ct_order_next(struct ct_order *order, uint64_t *index);

/* Learns from a result, of any configuration of the space.  What failed counts as the worst; an objective
 * that is 0, or whose sign is not that of the first one, does not count. */
void ct_order_tell(struct ct_order *order, uint64_t index,
                   const struct ct_strategy_result *result);

#endif
