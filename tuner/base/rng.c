// SPDX-License-Identifier: Apache-2.0
// xoshiro256**.
#include "base/rng.h"

#include <math.h>

static uint64_t rotate_left(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

void ct_rng_seed(struct ct_rng *rng, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        uint64_t z = (seed += 0x9e3779b97f4a7c15u);

        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        rng->s[i] = z ^ (z >> 31);
    }
}

uint64_t ct_rng_next(struct ct_rng *rng)
{
    uint64_t *s = rng->s;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

double ct_rng_unit(struct ct_rng *rng)
{
    return (double)(ct_rng_next(rng) >> 11) * 0x1.0p-53;
}

uint64_t ct_rng_below(struct ct_rng *rng, uint64_t below)
{
    /* Values under 2^64 mod below would make some results more likely than others. */
    uint64_t reject = (0 - below) % below;
    uint64_t x;

    do
        x = ct_rng_next(rng);
    while (x < reject);
    return x % below;
}

double ct_rng_normal(struct ct_rng *rng)
{
    double u;
    double v;
    double s;

    do {
        u = 2 * ct_rng_unit(rng) - 1;
        v = 2 * ct_rng_unit(rng) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return u * sqrt(-2 * log(s) / s);
}
