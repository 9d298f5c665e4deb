// SPDX-License-Identifier: Apache-2.0
// The strategies that strategy.c lists, one file each.
#ifndef CT_SEARCH_STRATEGIES_H
#define CT_SEARCH_STRATEGIES_H

#include "search/strategy.h"

extern const struct ct_strategy_class ct_strategy_exhaustive;
extern const struct ct_strategy_class ct_strategy_random;

#endif
