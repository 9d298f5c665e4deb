// SPDX-License-Identifier: Apache-2.0
// A population of configurations with their costs.
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

/* The member with the lowest, or highest, cost; count at least 1. */
size_t ct_population_best(const struct ct_population *population);
size_t ct_population_worst(const struct ct_population *population);

/* Replaces member `i`, or appends one if i is the count. */
void ct_population_set(struct ct_population *population, size_t i, const uint32_t *config,
                       double cost);

/* A strategy that breeds new configurations from a population. */
struct ct_breeder {
    struct ct_proposer proposer;
    struct ct_population population;
    size_t begun;  /* random ones proposed for the first population */
    size_t target; /* index of the next member, for strategies that cycle through them */
};

/* Creates one with room for `size` members; NULL if out of memory. */
struct ct_strategy *ct_breeder_create(const struct ct_space *space, uint64_t seed,
                                      const struct ct_proposer_hooks *hooks, size_t size);
void ct_breeder_destroy(struct ct_strategy *strategy);

/* Adds a result to a population that is not full yet, and ignores failures and existing members:
 * true.  False: it may replace a member. */
bool ct_breeder_settle(struct ct_breeder *breeder, const uint32_t *config, double cost);

#endif
