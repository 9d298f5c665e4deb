// SPDX-License-Identifier: Apache-2.0
// Who needs no more rounds of a play-off, because these would hardly show it to be the best.
#include "base/rng.h"
#include "judge/ranking.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ENTRANTS = 10, FEW = 2, ALL = 12, CONTESTS = 2000 };

/* Two rounds of five.  Ratios to the first differ by 1% from round to round; behind it are the others by 0.4%,
 * 1.5%, 8% and 30%. */
static void test_by_hand(void **state)
{
    const double up = exp(0.01 / sqrt(2));
    double costs[] = {10, 10.04 * up, 10.15 * up, 10.8 * up, 13 * up,
                      10, 10.04 / up, 10.15 / up, 10.8 / up, 13 / up};
    struct ct_contest contest = {
        .entrants = 5, .rounds = 2, .costs = costs, .indifference = 0.005};
    bool stays[] = {true, true, true, true, true};
    bool vain[5] = {false};

    (void)state;
    ct_ranking_drop_vain(&contest, 4, 0.0005, stays, vain);
    assert_true(stays[0] && stays[1] && stays[2]);
    assert_true(!stays[3] && vain[3] && !stays[4] && vain[4]);
    assert_false(vain[0] || vain[1] || vain[2]);
    /* If less is good enough, only those that are the same may win. */
    memset(stays, true, sizeof(stays));
    ct_ranking_drop_vain(&contest, 4, 0.5, stays, vain);
    assert_true(stays[0] && stays[1] && !stays[2] && vain[2]);
}

/* Of three, two rounds do not show how ratios differ; and one round shows nothing of anybody. */
static void test_too_few(void **state)
{
    double costs[] = {10, 13, 15, 20, 10.1, 13, 15.1, 20};
    struct ct_contest contest = {.entrants = 4, .rounds = 2, .costs = costs};
    bool stays[] = {true, true, true, false};
    bool vain[4] = {false};

    (void)state;
    ct_ranking_drop_vain(&contest, 4, 0.0005, stays, vain);
    assert_true(stays[0] && stays[1] && stays[2]);
    stays[3] = true;
    contest.rounds = 1;
    ct_ranking_drop_vain(&contest, 4, 0.0005, stays, vain);
    assert_true(stays[0] && stays[1] && stays[2] && stays[3]);
    contest.rounds = 2;
    ct_ranking_drop_vain(&contest, 4, 0.0005, stays, vain);
    assert_true(stays[0] && !stays[1] && !stays[2] && !stays[3]);
    /* No rounds are left that could show anything. */
    memset(stays, true, sizeof(stays));
    ct_ranking_drop_vain(&contest, 0, 0.0005, stays, vain);
    assert_true(stays[0] && !stays[1]);
}

/* One round that something has disturbed puts nobody behind for good. */
static void test_disturbed(void **state)
{
    static const double ratios[FEW][ENTRANTS] = {
        {1, 1.01, 1.002, 0.999, 1.004, 1.004, 0.997, 1.003, 1.006, 1},
        {1, 0.99, 1.001, 1.008, 0.996, 1.003, 1.002, 1.005, 0.998, 1.15}};
    double costs[FEW * ENTRANTS];
    struct ct_contest contest = {
        .entrants = ENTRANTS, .rounds = FEW, .costs = costs, .indifference = 0.005};
    bool stays[ENTRANTS];
    bool vain[ENTRANTS] = {false};

    (void)state;
    for (size_t r = 0; r < FEW; r++)
        for (size_t e = 0; e < ENTRANTS; e++)
            costs[r * ENTRANTS + e] = 10 * ratios[r][e];
    memset(stays, true, sizeof(stays));
    ct_ranking_drop_vain(&contest, 3, 0.0005, stays, vain);
    for (size_t e = 0; e < ENTRANTS; e++)
        assert_true(stays[e] && !vain[e]);
    /* Behind by as much in both, it is. */
    costs[ENTRANTS - 1] *= 1.15;
    ct_ranking_drop_vain(&contest, 3, 0.0005, stays, vain);
    for (size_t e = 0; e < ENTRANTS; e++)
        assert_int_equal(stays[e], e < ENTRANTS - 1);
}

/* By which share the one with the least mean over all its rounds is slower than the best, and how many times
 * were taken: of all entrants, or of those that stay after a few rounds. */
static double lose(struct ct_rng *rng, double step, double deviation, bool drop,
                   double *taken)
{
    double costs[ENTRANTS * ALL];
    struct ct_contest contest = {
        .entrants = ENTRANTS, .rounds = FEW, .costs = costs, .indifference = 0.005};
    double means[ENTRANTS] = {0};
    bool stays[ENTRANTS];
    bool vain[ENTRANTS] = {false};
    size_t best = SIZE_MAX;

    for (size_t r = 0; r < ALL; r++)
        for (size_t e = 0; e < ENTRANTS; e++) {
            double cost = step * (double)e + deviation * ct_rng_normal(rng);

            costs[r * ENTRANTS + e] = exp(cost);
            means[e] += cost / ALL;
        }
    memset(stays, true, sizeof(stays));
    if (drop)
        ct_ranking_drop_vain(&contest, ALL - FEW, 0.0005, stays, vain);
    for (size_t e = 0; e < ENTRANTS; e++) {
        *taken += (double)(stays[e] ? ALL : FEW) / CONTESTS;
        if (stays[e] && (best == SIZE_MAX || means[e] < means[best]))
            best = e;
    }
    return step * (double)best;
}

/* Whoever is taken away could hardly have won: choices are as good, and cost less. */
static void test_loss(void **state)
{
    static const double steps[] = {0.002, 0.005, 0.01, 0.03};
    static const double deviations[] = {0.003, 0.01, 0.03};

    (void)state;
    for (size_t s = 0; s < sizeof(steps) / sizeof(*steps); s++)
        for (size_t d = 0; d < sizeof(deviations) / sizeof(*deviations); d++) {
            double loss[2] = {0, 0};
            double taken[2] = {0, 0};

            for (int drop = 0; drop < 2; drop++) {
                struct ct_rng rng;

                ct_rng_seed(&rng, 7);
                for (size_t i = 0; i < CONTESTS; i++)
                    loss[drop] +=
                        lose(&rng, steps[s], deviations[d], drop, &taken[drop]) /
                        CONTESTS;
            }
            print_message(
                "%.1f%% apart, deviation %.1f%%: %.3f%% lost, %.3f%% of all; %.0f "
                "times instead of %.0f\n",
                100 * steps[s], 100 * deviations[d], 100 * loss[1], 100 * loss[0],
                taken[1], taken[0]);
            assert_true(loss[1] <= loss[0] + 0.0005);
            /* The deviation of a ratio is that of two times. */
            if (steps[s] >= deviations[d])
                assert_true(taken[1] < taken[0] / 2);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_too_few),
        cmocka_unit_test(test_disturbed),
        cmocka_unit_test(test_loss),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
