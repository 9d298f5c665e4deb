// SPDX-License-Identifier: Apache-2.0
// A genetic algorithm, one child at a time (steady state: Syswerda, 1991): uniform
// crossover of two parents from tournaments, mutation, repair to the nearest valid
// configuration; a child takes the place of the worst member.
#include "search/herd.h"
#include "search/strategies.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 20, TOURNAMENT = 3 };

struct genetic {
    struct ct_mover mover;
    struct ct_herd herd;
    size_t begun; /* random ones proposed for the first population */
};

static void destroy(struct ct_strategy *strategy)
{
    struct genetic *self = (struct genetic *)strategy;

    ct_mover_release(&self->mover);
    ct_herd_release(&self->herd);
    free(self);
}

static size_t tournament(struct genetic *self)
{
    struct ct_rng *rng = &self->mover.seen.rng;
    size_t winner = (size_t)ct_rng_below(rng, self->herd.count);

    for (int i = 1; i < TOURNAMENT; i++) {
        size_t other = (size_t)ct_rng_below(rng, self->herd.count);

        if (self->herd.costs[other] < self->herd.costs[winner])
            winner = other;
    }
    return winner;
}

static bool propose(struct ct_mover *mover, uint32_t *config, uint64_t *tag)
{
    struct genetic *self = (struct genetic *)mover;
    struct ct_rng *rng = &mover->seen.rng;
    const uint32_t *mother;
    const uint32_t *father;
    size_t varied = 0;

    (void)tag;
    if (self->begun < SIZE || self->herd.count < 2) {
        self->begun++;
        return ct_mover_random(mover, config);
    }
    mother = ct_herd_at(&self->herd, tournament(self));
    father = ct_herd_at(&self->herd, tournament(self));
    for (size_t p = 0; p < mover->param_count; p++)
        varied += mover->domains[p].count > 1;
    for (size_t p = 0; p < mover->param_count; p++) {
        config[p] = ct_rng_below(rng, 2) ? mother[p] : father[p];
        /* One mutation a child on average. */
        if (mover->domains[p].count > 1 && ct_rng_below(rng, varied) == 0)
            config[p] = (uint32_t)ct_rng_below(rng, mover->domains[p].count);
    }
    return true;
}

static void result(struct ct_mover *mover, const uint32_t *config, double cost,
                   uint64_t tag)
{
    struct genetic *self = (struct genetic *)mover;
    struct ct_herd *herd = &self->herd;
    size_t worst;

    (void)tag;
    if (!(cost < INFINITY) || ct_herd_has(herd, config))
        return;
    if (herd->count < herd->size) {
        ct_herd_set(herd, herd->count, config, cost);
        return;
    }
    worst = ct_herd_worst(herd);
    if (cost < herd->costs[worst])
        ct_herd_set(herd, worst, config, cost);
}

static struct ct_strategy *create(const struct ct_space *space, uint64_t seed)
{
    static const struct ct_mover_hooks hooks = {propose, result};
    struct genetic *self = ct_mem_array(1, sizeof(*self));

    if (!self)
        return NULL;
    if (!ct_mover_init(&self->mover, &hooks, space, seed) ||
        !ct_herd_init(&self->herd, SIZE, self->mover.param_count)) {
        destroy(&self->mover.base);
        return NULL;
    }
    return &self->mover.base;
}

const struct ct_strategy_class ct_strategy_genetic = {
    .name = "genetic",
    .summary = "a genetic algorithm on valid configurations",
    .create = create,
    .ask = ct_mover_ask,
    .tell = ct_mover_tell,
    .destroy = destroy,
    .limit = ct_mover_limit,
};
