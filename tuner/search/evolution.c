// SPDX-License-Identifier: Apache-2.0
// Differential evolution (Storn and Price, 1997) on value indices, repaired to the
// nearest valid configuration: current-to-best/1 with binomial crossover, results taken
// in as they come.
#include "search/herd.h"
#include "search/strategies.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 15 };
static const double weight = 0.7;    /* of differences */
static const double crossover = 0.7; /* share of parameters that change */

struct evolution {
    struct ct_mover mover;
    struct ct_herd herd;
    size_t begun;
    size_t target; /* member whose turn it is; the tag of its trial */
};

static void destroy(struct ct_strategy *strategy)
{
    struct evolution *self = (struct evolution *)strategy;

    ct_mover_release(&self->mover);
    ct_herd_release(&self->herd);
    free(self);
}

/* Rounded at random, so that small differences do not vanish; kept within the list. */
static uint32_t place(struct ct_rng *rng, double x, size_t count)
{
    double rounded = floor(x + ct_rng_unit(rng));

    if (rounded < 0)
        return 0;
    return rounded < (double)count ? (uint32_t)rounded : (uint32_t)count - 1;
}

static bool propose(struct ct_mover *mover, uint32_t *config, uint64_t *tag)
{
    struct evolution *self = (struct evolution *)mover;
    struct ct_herd *herd = &self->herd;
    struct ct_rng *rng = &mover->seen.rng;
    const uint32_t *own;
    const uint32_t *best;
    const uint32_t *a;
    const uint32_t *b;
    uint64_t sure;

    if (self->begun < SIZE || herd->count < 4) {
        self->begun++;
        return ct_mover_random(mover, config);
    }
    self->target = (self->target + 1) % herd->count;
    *tag = self->target;
    own = ct_herd_at(herd, self->target);
    best = ct_herd_at(herd, ct_herd_best(herd));
    a = ct_herd_at(herd, (size_t)ct_rng_below(rng, herd->count));
    b = ct_herd_at(herd, (size_t)ct_rng_below(rng, herd->count));
    sure = ct_rng_below(rng, mover->param_count); /* changes in any case */
    for (size_t p = 0; p < mover->param_count; p++) {
        double x = own[p];

        config[p] = own[p];
        if (p != sure && ct_rng_unit(rng) >= crossover)
            continue;
        x += weight * ((double)best[p] - x) + weight * ((double)a[p] - (double)b[p]);
        config[p] = place(rng, x, mover->domains[p].count);
    }
    return true;
}

static void result(struct ct_mover *mover, const uint32_t *config, double cost,
                   uint64_t tag)
{
    struct evolution *self = (struct evolution *)mover;
    struct ct_herd *herd = &self->herd;

    if (!(cost < INFINITY) || ct_herd_has(herd, config))
        return;
    if (herd->count < herd->size) {
        ct_herd_set(herd, herd->count, config, cost);
        return;
    }
    if (tag == CT_MOVER_STRAY)
        tag = ct_herd_worst(herd);
    if (cost <= herd->costs[tag])
        ct_herd_set(herd, (size_t)tag, config, cost);
}

static struct ct_strategy *create(const struct ct_space *space, uint64_t seed)
{
    static const struct ct_mover_hooks hooks = {propose, result};
    struct evolution *self = ct_mem_array(1, sizeof(*self));

    if (!self)
        return NULL;
    if (!ct_mover_init(&self->mover, &hooks, space, seed) ||
        !ct_herd_init(&self->herd, SIZE, self->mover.param_count)) {
        destroy(&self->mover.base);
        return NULL;
    }
    return &self->mover.base;
}

const struct ct_strategy_class ct_strategy_evolution = {
    .name = "evolution",
    .summary = "differential evolution",
    .create = create,
    .ask = ct_mover_ask,
    .tell = ct_mover_tell,
    .destroy = destroy,
    .limit = ct_mover_limit,
};
