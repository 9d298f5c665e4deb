// SPDX-License-Identifier: Apache-2.0
// The population used by several strategies.
#include "search/population.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool ct_population_init(struct ct_population *population, size_t size, size_t param_count)
{
    population->size = size;
    population->count = 0;
    population->param_count = param_count;
    population->configs = ct_mem_array(size * param_count, sizeof(*population->configs));
    population->costs = ct_mem_array(size, sizeof(*population->costs));
    return population->configs && population->costs;
}

void ct_population_release(struct ct_population *population)
{
    free(population->configs);
    free(population->costs);
}

uint32_t *ct_population_at(const struct ct_population *population, size_t i)
{
    return population->configs + i * population->param_count;
}

/* Whether the configuration is a member. */
static bool has_member(const struct ct_population *population, const uint32_t *config)
{
    for (size_t i = 0; i < population->count; i++)
        if (memcmp(ct_population_at(population, i), config,
                   population->param_count * sizeof(*config)) == 0)
            return true;
    return false;
}

size_t ct_population_best(const struct ct_population *population)
{
    size_t best = 0;

    for (size_t i = 1; i < population->count; i++)
        if (population->costs[i] < population->costs[best])
            best = i;
    return best;
}

size_t ct_population_worst(const struct ct_population *population)
{
    size_t worst = 0;

    for (size_t i = 1; i < population->count; i++)
        if (population->costs[i] > population->costs[worst])
            worst = i;
    return worst;
}

void ct_population_set(struct ct_population *population, size_t i, const uint32_t *config,
                       double cost)
{
    memcpy(ct_population_at(population, i), config,
           population->param_count * sizeof(*config));
    population->costs[i] = cost;
    population->count += i == population->count;
}

struct ct_strategy *ct_breeder_create(const struct ct_space *space, uint64_t seed,
                                      const struct ct_proposer_hooks *hooks, size_t size)
{
    struct ct_breeder *self = ct_mem_array(1, sizeof(*self));

    if (!self)
        return NULL;
    if (!ct_proposer_init(&self->proposer, hooks, space, seed) ||
        !ct_population_init(&self->population, size, self->proposer.param_count)) {
        ct_breeder_destroy(&self->proposer.base);
        return NULL;
    }
    return &self->proposer.base;
}

void ct_breeder_destroy(struct ct_strategy *strategy)
{
    struct ct_breeder *self = (struct ct_breeder *)strategy;

    ct_proposer_release(&self->proposer);
    ct_population_release(&self->population);
    free(self);
}

bool ct_breeder_settle(struct ct_breeder *breeder, const uint32_t *config, double cost)
{
    struct ct_population *population = &breeder->population;

    if (!(cost < INFINITY) || has_member(population, config))
        return true;
    if (population->count == population->size)
        return false;
    ct_population_set(population, population->count, config, cost);
    return true;
}
