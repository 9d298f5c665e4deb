// SPDX-License-Identifier: Apache-2.0
// Seeded random numbers that are the same on every machine.
#ifndef CT_BASE_RNG_H
#define CT_BASE_RNG_H

#include <stdint.h>

/* xoshiro256** (Blackman and Vigna, 2018), seeded through splitmix64. */
struct ct_rng {
    uint64_t s[4];
};

void ct_rng_seed(struct ct_rng *rng, uint64_t seed);
uint64_t ct_rng_next(struct ct_rng *rng);

/* Uniform in [0, 1) with 53 random bits. */
double ct_rng_unit(struct ct_rng *rng);

/* Uniform in [0, below), without bias (Lemire's rejection); `below` at least 1. */
uint64_t ct_rng_below(struct ct_rng *rng, uint64_t below);

/* Standard normal (Marsaglia's polar method; draws a fresh pair every time, so that a
 * stream can be cut anywhere). */
double ct_rng_normal(struct ct_rng *rng);

#endif
