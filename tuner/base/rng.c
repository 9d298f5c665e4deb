// SPDX-License-Identifier: Apache-2.0
// xoshiro256**.
#include "base/rng.h"

#include <math.h>

void ct_rng_seed(struct ct_rng *rng, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        uint64_t z = (seed += 0x9e3779b97f4a7c15u);

        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        rng->s[i] = z ^ (z >> 31);
    }
}

/* A draw for ct_rng_below, which rejects values under 2^64 mod below: they would make some results
 * more likely than others. */
static inline uint64_t draw_from(struct ct_rng *rng, uint64_t reject)
{
    uint64_t x;

    do
        x = ct_rng_next(rng);
    while (x < reject);
    return x;
}

uint64_t ct_rng_below(struct ct_rng *rng, uint64_t below)
{
    return draw_from(rng, (0 - below) % below) % below;
}

/* A point in the unit circle for ct_rng_normal: one coordinate, and the square of its radius. */
static inline double draw_point(struct ct_rng *rng, double *square)
{
    double u;
    double v;

    do {
        u = 2 * ct_rng_unit(rng) - 1;
        v = 2 * ct_rng_unit(rng) - 1;
        *square = u * u + v * v;
    } while (*square >= 1 || *square == 0);
    return u;
}

double ct_rng_normal(struct ct_rng *rng)
{
    double s;
    double u = draw_point(rng, &s);

    return u * sqrt(-2 * log(s) / s);
}

void ct_rng_skip_unit(struct ct_rng *rng, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ct_rng_next(rng);
}

void ct_rng_skip_below(struct ct_rng *rng, uint64_t below, size_t count)
{
    uint64_t reject = (0 - below) % below;

    for (size_t i = 0; i < count; i++)
        draw_from(rng, reject);
}

void ct_rng_skip_normal(struct ct_rng *rng, size_t count)
{
    double square;

    for (size_t i = 0; i < count; i++)
        draw_point(rng, &square);
}
