// SPDX-License-Identifier: Apache-2.0
// The strategies that strategy.c lists, one file each.
#ifndef CT_SEARCH_STRATEGIES_H
#define CT_SEARCH_STRATEGIES_H

#include "search/strategy.h"

extern const struct ct_strategy_class ct_strategy_annealing;
extern const struct ct_strategy_class ct_strategy_auto;
extern const struct ct_strategy_class ct_strategy_evolution;
extern const struct ct_strategy_class ct_strategy_exhaustive;
extern const struct ct_strategy_class ct_strategy_genetic;
extern const struct ct_strategy_class ct_strategy_local;
extern const struct ct_strategy_class ct_strategy_local_best;
extern const struct ct_strategy_class ct_strategy_random;
extern const struct ct_strategy_class ct_strategy_surrogate;
extern const struct ct_strategy_class ct_strategy_swarm;
extern const struct ct_strategy_class ct_strategy_tabu;

#endif
