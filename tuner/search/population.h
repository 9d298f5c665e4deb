// SPDX-License-Identifier: Apache-2.0
// A population of configurations with what they cost.
#ifndef CT_SEARCH_POPULATION_H
#define CT_SEARCH_POPULATION_H

#include "search/proposer.h"

struct ct_population {
    size_t size;
    size_t count; /* members so far */
    size_t param_count;
    uint32_t *configs;
    double *costs;
};

bool ct_population_init(struct ct_population *population, size_t size,
                        size_t param_count);
void ct_population_release(struct ct_population *population);
uint32_t *ct_population_at(const struct ct_population *population, size_t i);

/* Whether the configuration is a member. */
bool ct_population_has(const struct ct_population *population, const uint32_t *config);

/* The member with the lowest, or highest, cost; count at least 1. */
size_t ct_population_best(const struct ct_population *population);
size_t ct_population_worst(const struct ct_population *population);

/* Puts a configuration in place of member `i`, or behind the last when i is the count. */
void ct_population_set(struct ct_population *population, size_t i, const uint32_t *config,
                       double cost);

#endif
