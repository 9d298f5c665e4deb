// SPDX-License-Identifier: Apache-2.0
// Chooses a strategy: exhaustive search if the budget allows it, otherwise the surrogate.
#include "search/strategies.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

struct automatic {
    struct ct_strategy base;
    const struct ct_space *space;
    uint64_t seed;
    struct ct_limits limits;
    struct ct_strategy *chosen; /* created when first needed: limits are set before */
    bool failed;
};

static struct ct_strategy *auto_create(const struct ct_space *space, uint64_t seed)
{
    struct automatic *self = ct_mem_array(1, sizeof(*self));

    if (!self)
        return NULL;
    self->space = space;
    self->seed = seed;
    return &self->base;
}

static const struct ct_strategy_class *pick_strategy(const struct automatic *self)
{
    uint64_t count = ct_space_count(self->space);
    bool limited = self->limits.evaluations || self->limits.limited;

    return !limited || (self->limits.evaluations && self->limits.evaluations >= count)
               ? &ct_strategy_exhaustive
               : &ct_strategy_surrogate;
}

/* NULL if out of memory. */
static struct ct_strategy *chosen(struct automatic *self)
{
    const struct ct_strategy_class *class = pick_strategy(self);

    if (self->chosen || self->failed)
        return self->chosen;
    self->chosen = class->create(self->space, self->seed);
    self->failed = !self->chosen;
    if (self->chosen) {
        self->chosen->class = class;
        ct_strategy_limit(self->chosen, &self->limits);
    }
    return self->chosen;
}

static void limit(struct ct_strategy *strategy, const struct ct_limits *limits)
{
    struct automatic *self = (struct automatic *)strategy;

    self->limits = *limits;
}

static size_t auto_ask(struct ct_strategy *strategy, size_t max, uint64_t *indices)
{
    struct ct_strategy *inner = chosen((struct automatic *)strategy);

    return inner ? ct_strategy_ask(inner, max, indices) : 0;
}

static void auto_tell(struct ct_strategy *strategy, uint64_t index,
                      const struct ct_strategy_result *result)
{
    struct ct_strategy *inner = chosen((struct automatic *)strategy);

    if (inner)
        ct_strategy_tell(inner, index, result);
}

static void automatic_prior(struct ct_strategy *strategy, uint64_t index,
                            const struct ct_strategy_result *result, unsigned source)
{
    struct ct_strategy *inner = chosen((struct automatic *)strategy);

    if (inner)
        ct_strategy_transfer(inner, index, result, source);
}

static const char *automatic_name(const struct ct_strategy *strategy)
{
    return pick_strategy((const struct automatic *)strategy)->name;
}

static bool automatic_why(struct ct_strategy *strategy, uint64_t index,
                          struct ct_why *out)
{
    struct ct_strategy *inner = chosen((struct automatic *)strategy);

    return inner && ct_strategy_why(inner, index, out);
}

static double automatic_chance(struct ct_strategy *strategy, double factor)
{
    struct ct_strategy *inner = chosen((struct automatic *)strategy);

    return inner ? ct_strategy_chance(inner, factor) : NAN;
}

static void auto_destroy(struct ct_strategy *strategy)
{
    struct automatic *self = (struct automatic *)strategy;

    ct_strategy_free(self->chosen);
    free(self);
}

const struct ct_strategy_class ct_strategy_auto = {
    .name = "auto",
    .summary = "exhaustive if the budget allows it, else surrogate",
    .create = auto_create,
    .ask = auto_ask,
    .tell = auto_tell,
    .destroy = auto_destroy,
    .limit = limit,
    .prior = automatic_prior,
    .name_of = automatic_name,
    .why = automatic_why,
    .chance = automatic_chance,
};
