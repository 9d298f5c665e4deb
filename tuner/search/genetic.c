// SPDX-License-Identifier: Apache-2.0
// A genetic algorithm, one child at a time (steady state: Syswerda, 1991): uniform crossover of
// two parents from tournaments, mutation, repair to the nearest valid configuration; a child
// replaces the worst member.
#include "search/population.h"
#include "search/strategies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 20, TOURNAMENT = 3 };

static size_t tournament(struct ct_breeder *self)
{
    struct ct_rng *rng = &self->proposer.history.rng;
    size_t winner = (size_t)ct_rng_below(rng, self->population.count);

    for (int i = 1; i < TOURNAMENT; i++) {
        size_t other = (size_t)ct_rng_below(rng, self->population.count);

        if (self->population.costs[other] < self->population.costs[winner])
            winner = other;
    }
    return winner;
}

static bool propose_child(struct ct_proposer *proposer, uint32_t *config, uint64_t *tag)
{
    struct ct_breeder *self = (struct ct_breeder *)proposer;
    struct ct_rng *rng = &proposer->history.rng;
    const uint32_t *mother;
    const uint32_t *father;
    size_t varied = 0;

    (void)tag;
    if (self->begun < SIZE || self->population.count < 2) {
        self->begun++;
        return ct_proposer_random(proposer, config);
    }
    mother = ct_population_at(&self->population, tournament(self));
    father = ct_population_at(&self->population, tournament(self));
    for (size_t p = 0; p < proposer->param_count; p++)
        varied += proposer->domains[p].count > 1;
    for (size_t p = 0; p < proposer->param_count; p++) {
        config[p] = ct_rng_below(rng, 2) ? mother[p] : father[p];
        /* One mutation per child on average. */
        if (proposer->domains[p].count > 1 && ct_rng_below(rng, varied) == 0)
            config[p] = (uint32_t)ct_rng_below(rng, proposer->domains[p].count);
    }
    return true;
}

static void genetic_result(struct ct_proposer *proposer, const uint32_t *config,
                           double cost, uint64_t tag)
{
    struct ct_breeder *self = (struct ct_breeder *)proposer;
    struct ct_population *population = &self->population;
    size_t worst;

    (void)tag;
    if (ct_breeder_settle(self, config, cost))
        return;
    worst = ct_population_worst(population);
    if (cost < population->costs[worst])
        ct_population_set(population, worst, config, cost);
}

static struct ct_strategy *genetic_create(const struct ct_space *space, uint64_t seed)
{
    static const struct ct_proposer_hooks hooks = {propose_child, genetic_result};

    return ct_breeder_create(space, seed, &hooks, SIZE);
}

const struct ct_strategy_class ct_strategy_genetic = {
    .name = "genetic",
    .summary = "a genetic algorithm on valid configurations",
    .create = genetic_create,
    .ask = ct_proposer_ask,
    .tell = ct_proposer_tell,
    .destroy = ct_breeder_destroy,
    .limit = ct_proposer_limit,
};
