// SPDX-License-Identifier: Apache-2.0
// Seeded random numbers that are the same on every machine.
#ifndef CT_BASE_RNG_H
#define CT_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

/* xoshiro256** (Blackman and Vigna, 2018), seeded through splitmix64. */
struct ct_rng {
    uint64_t s[4];
};

void ct_rng_seed(struct ct_rng *rng, uint64_t seed);

/* Inline: skipping ahead in a long stream is done one by one. */
static inline uint64_t ct_rng_next(struct ct_rng *rng)
{
    uint64_t *s = rng->s;
    uint64_t five = s[1] * 5;
    uint64_t result = ((five << 7) | (five >> 57)) * 9;
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return result;
}

/* Uniform in [0, 1) with 53 random bits. */
static inline double ct_rng_unit(struct ct_rng *rng)
{
    return (double)(ct_rng_next(rng) >> 11) * 0x1.0p-53;
}

/* Uniform in [0, below), without bias (Lemire's rejection); `below` at least 1. */
uint64_t ct_rng_below(struct ct_rng *rng, uint64_t below);

/* Standard normal (Marsaglia's polar method; draws a fresh pair every time, so that a
 * stream can be cut anywhere). */
double ct_rng_normal(struct ct_rng *rng);

/* Moves on by as many numbers as `count` calls of ct_rng_unit, of ct_rng_below with `below` or of
 * ct_rng_normal would draw, in less time. */
void ct_rng_skip_unit(struct ct_rng *rng, size_t count);
void ct_rng_skip_below(struct ct_rng *rng, uint64_t below, size_t count);
void ct_rng_skip_normal(struct ct_rng *rng, size_t count);

#endif
