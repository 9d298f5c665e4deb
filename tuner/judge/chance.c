// SPDX-License-Identifier: Apache-2.0
// Chances to be the best, by numerical integration.
#include "judge/chance.h"

#include "base/stats.h"

#include <math.h>

enum { STEPS = 600 };

/* Half the width of a 95% interval, in standard deviations. */
static const double half_width = 1.959964;
/* Beyond this many deviations nothing is integrated. */
static const double reach = 5;

struct ct_estimate ct_estimate_of(double cost, double low, double high, double deviation)
{
    double below = low > 0 && low < cost ? log(cost / low) / half_width : 0;
    double above = high > cost ? log(high / cost) / half_width : 0;

    return (struct ct_estimate){
        .log_cost = log(cost),
        .below = hypot(below, deviation),
        .above = hypot(above, deviation),
    };
}

/* The probability of a true cost above x.  Each half has the weight of its width, so that the
 * density is continuous. */
static double above(const struct ct_estimate *estimate, double x)
{
    double left = estimate->below / (estimate->below + estimate->above);
    double z = (x - estimate->log_cost) /
               (x < estimate->log_cost ? estimate->below : estimate->above);
    double tails = ct_stats_normal_tails(z);

    return z < 0 ? 1 - left * tails : (1 - left) * tails;
}

void ct_chance_best(const struct ct_estimate *estimates, size_t count, double *chances)
{
    double begin = INFINITY;
    double end = INFINITY;
    double sum = 0;

    /* The best lies below the least upper end. */
    for (size_t i = 0; i < count; i++) {
        const struct ct_estimate *it = &estimates[i];

        begin = fmin(begin, it->log_cost - reach * it->below);
        end = fmin(end, it->log_cost + reach * it->above);
        chances[i] = 0;
    }
    for (int step = 0; count && step < STEPS; step++) {
        double x = begin + (end - begin) * step / STEPS;
        double next = begin + (end - begin) * (step + 1) / STEPS;

        for (size_t i = 0; i < count; i++) {
            double here = above(&estimates[i], x) - above(&estimates[i], next);

            for (size_t k = 0; k < count && here > 0; k++)
                if (k != i)
                    here *= above(&estimates[k], (x + next) / 2);
            chances[i] += here;
            sum += here;
        }
    }
    for (size_t i = 0; i < count; i++)
        chances[i] = sum > 0 ? chances[i] / sum : 1 / (double)count;
}

size_t ct_chance_count(const double *chances, size_t count, double left)
{
    double rest = 0;
    size_t wanted = count;

    while (wanted > 1 && rest + chances[wanted - 1] <= left)
        rest += chances[--wanted];
    return wanted;
}
