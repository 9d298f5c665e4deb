// SPDX-License-Identifier: Apache-2.0
// Differential evolution (Storn and Price, 1997) on value indices, repaired to the nearest valid
// configuration: current-to-best/1 with binomial crossover, asynchronous.
#include "search/population.h"
#include "search/strategies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 15 };
static const double weight = 0.7;    /* of differences */
static const double crossover = 0.7; /* share of parameters that change */

/* Rounded at random, so that small differences do not vanish; kept within the list. */
static uint32_t round_randomly(struct ct_rng *rng, double x, size_t count)
{
    double rounded = floor(x + ct_rng_unit(rng));

    if (rounded < 0)
        return 0;
    return rounded < (double)count ? (uint32_t)rounded : (uint32_t)count - 1;
}

static bool propose_mutant(struct ct_proposer *proposer, uint32_t *config, uint64_t *tag)
{
    struct ct_breeder *self = (struct ct_breeder *)proposer;
    struct ct_population *population = &self->population;
    struct ct_rng *rng = &proposer->history.rng;
    const uint32_t *own;
    const uint32_t *best;
    const uint32_t *a;
    const uint32_t *b;
    uint64_t sure;

    if (self->begun < SIZE || population->count < 4) {
        self->begun++;
        return ct_proposer_random(proposer, config);
    }
    self->target = (self->target + 1) % population->count;
    *tag = self->target;
    own = ct_population_at(population, self->target);
    best = ct_population_at(population, ct_population_best(population));
    a = ct_population_at(population, (size_t)ct_rng_below(rng, population->count));
    b = ct_population_at(population, (size_t)ct_rng_below(rng, population->count));
    sure = ct_rng_below(rng, proposer->param_count); /* always changes */
    for (size_t p = 0; p < proposer->param_count; p++) {
        double x = own[p];

        config[p] = own[p];
        if (p != sure && ct_rng_unit(rng) >= crossover)
            continue;
        x += weight * ((double)best[p] - x) + weight * ((double)a[p] - (double)b[p]);
        config[p] = round_randomly(rng, x, proposer->domains[p].count);
    }
    return true;
}

static void evolution_result(struct ct_proposer *proposer, const uint32_t *config,
                             double cost, uint64_t tag)
{
    struct ct_breeder *self = (struct ct_breeder *)proposer;
    struct ct_population *population = &self->population;

    if (ct_breeder_settle(self, config, cost))
        return;
    if (tag == CT_PROPOSER_STRAY)
        tag = ct_population_worst(population);
    if (cost <= population->costs[tag])
        ct_population_set(population, (size_t)tag, config, cost);
}

static struct ct_strategy *evolution_create(const struct ct_space *space, uint64_t seed)
{
    static const struct ct_proposer_hooks hooks = {propose_mutant, evolution_result};

    return ct_breeder_create(space, seed, &hooks, SIZE);
}

const struct ct_strategy_class ct_strategy_evolution = {
    .name = "evolution",
    .summary = "differential evolution",
    .create = evolution_create,
    .ask = ct_proposer_ask,
    .tell = ct_proposer_tell,
    .destroy = ct_breeder_destroy,
    .limit = ct_proposer_limit,
};
