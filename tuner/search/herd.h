// SPDX-License-Identifier: Apache-2.0
// A population of configurations with what they cost.
#ifndef CT_SEARCH_HERD_H
#define CT_SEARCH_HERD_H

#include "search/mover.h"

struct ct_herd {
    size_t size;
    size_t count; /* members so far */
    size_t param_count;
    uint32_t *configs;
    double *costs;
};

bool ct_herd_init(struct ct_herd *herd, size_t size, size_t param_count);
void ct_herd_release(struct ct_herd *herd);
uint32_t *ct_herd_at(const struct ct_herd *herd, size_t i);

/* Whether the configuration is a member. */
bool ct_herd_has(const struct ct_herd *herd, const uint32_t *config);

/* The member with the lowest, or highest, cost; count at least 1. */
size_t ct_herd_best(const struct ct_herd *herd);
size_t ct_herd_worst(const struct ct_herd *herd);

/* Puts a configuration in place of member `i`, or behind the last when i is the count. */
void ct_herd_set(struct ct_herd *herd, size_t i, const uint32_t *config, double cost);

#endif
