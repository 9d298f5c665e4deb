// SPDX-License-Identifier: Apache-2.0
// What the rounds of a play-off show of how processes differ, besides what all entrants have in common.
#include "judge/ranking.h"

#include "base/mem.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_FREEDOM = 2 };

/* Means of what the effects of the other kind leave, of entrants or of rounds: one step of a fit by alternation. */
static void fit(const struct ct_contest *contest, bool of_rounds, double *entrants,
                double *rounds)
{
    size_t outer = of_rounds ? contest->rounds : contest->entrants;
    size_t inner = of_rounds ? contest->entrants : contest->rounds;

    for (size_t i = 0; i < outer; i++) {
        double sum = 0;
        size_t count = 0;

        for (size_t k = 0; k < inner; k++) {
            double cost = of_rounds ? ct_contest_cost(contest, i, k)
                                    : ct_contest_cost(contest, k, i);

            if (isnan(cost))
                continue;
            sum += log(cost) - (of_rounds ? entrants[k] : rounds[k]);
            count++;
        }
        (of_rounds ? rounds : entrants)[i] = count ? sum / (double)count : 0;
    }
}

/* The sum of squares that neither explains; counts the values, and the entrants that have any. */
static double residual_squares(const struct ct_contest *contest, const double *entrants,
                               const double *rounds, size_t *values, size_t *timed)
{
    double sum = 0;

    for (size_t e = 0; e < contest->entrants; e++) {
        size_t before = *values;

        for (size_t r = 0; r < contest->rounds; r++) {
            double left = log(ct_contest_cost(contest, r, e)) - entrants[e] - rounds[r];

            if (isnan(left))
                continue;
            sum += left * left;
            ++*values;
        }
        *timed += *values > before;
    }
    return sum;
}

struct ct_steadiness ct_ranking_steadiness(const struct ct_contest *contest)
{
    const int steps = 50; /* exact after one if all are in all rounds */
    struct ct_steadiness shown = {0};
    double *entrants =
        ct_mem_array(contest->entrants + contest->rounds + 1, sizeof(*entrants));
    double *rounds = entrants ? entrants + contest->entrants : NULL;
    size_t taken = contest->rounds;
    size_t values = 0;
    double squares;

    if (!entrants)
        return shown;
    for (int i = 0; i < steps; i++) {
        fit(contest, false, entrants, rounds);
        fit(contest, true, entrants, rounds);
    }
    squares = residual_squares(contest, entrants, rounds, &values, &taken);
    if (values + 1 >= taken + LEAST_FREEDOM) {
        shown.freedom = values + 1 - taken;
        shown.deviation = ct_stats_deviation_bound(shown.freedom) *
                          sqrt(squares / (double)shown.freedom);
    }
    free(entrants);
    return shown;
}
