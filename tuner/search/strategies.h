// SPDX-License-Identifier: Apache-2.0
// The strategies listed in strategies.def, one file each.
#ifndef CT_SEARCH_STRATEGIES_H
#define CT_SEARCH_STRATEGIES_H

#include "search/strategy.h"

#define CT_STRATEGY(name) extern const struct ct_strategy_class ct_strategy_##name;
#include "search/strategies.def"
#undef CT_STRATEGY

#endif
