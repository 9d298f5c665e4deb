// SPDX-License-Identifier: Apache-2.0
// Search strategies behind one ask/tell interface: they choose configurations and are
// told results; they never see a device.
#ifndef CT_SEARCH_STRATEGY_H
#define CT_SEARCH_STRATEGY_H

#include "base/err.h"
#include "space/space.h"

#include <stddef.h>
#include <stdint.h>

/* What became of a configuration. */
struct ct_told {
    bool ok;          /* measured and right; otherwise it failed in whatever way */
    double objective; /* smaller is better; only when ok */
};

struct ct_strategy;

/* One strategy: a row of the table in strategy.c. */
struct ct_strategy_class {
    const char *name;
    const char *summary; /* one line for --help */
    struct ct_strategy *(*create)(const struct ct_space *space, uint64_t seed);
    size_t (*ask)(struct ct_strategy *self, size_t max, uint64_t *indices);
    void (*tell)(struct ct_strategy *self, uint64_t index, const struct ct_told *told);
    void (*destroy)(struct ct_strategy *self);
};

/* Every implementation starts with this. */
struct ct_strategy {
    const struct ct_strategy_class *class;
};

/* All strategies, in alphabetical order. */
extern const struct ct_strategy_class *const ct_strategies[];
extern const size_t ct_strategy_count;

/* Makes a strategy by name.  CT_E_USAGE with "did you mean" for an unknown one. */
enum ct_status ct_strategy_new(const char *name, const struct ct_space *space,
                               uint64_t seed, struct ct_strategy **out,
                               struct ct_err *err);

/* Asks for up to `max` configurations, written to `indices`; returns how many.  0 means
 * the strategy has no more (or memory is short).  Never names a configuration twice, nor
 * one that it was told of before it asked. */
size_t ct_strategy_ask(struct ct_strategy *strategy, size_t max, uint64_t *indices);

/* Tells a result, in any order, also of configurations that were never asked for (stored
 * results of an earlier run). */
void ct_strategy_tell(struct ct_strategy *strategy, uint64_t index,
                      const struct ct_told *told);

void ct_strategy_free(struct ct_strategy *strategy);

#endif
