// SPDX-License-Identifier: Apache-2.0
// What the rounds of a play-off show of how much processes differ, besides what all entrants have in common.
#include "base/rng.h"
#include "judge/ranking.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ENTRANTS = 10, ROUNDS = 6, CONTESTS = 2000 };

/* cmocka compares floats only. */
static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* Two rounds of four: the device is twice as slow in the second; residuals of one entrant are +-1%, so that
 * those of a layout of four are +-0.75% of it and -+0.25% of the others. */
static void test_by_hand(void **state)
{
    double costs[] = {10, 11, 12, 13 * exp(0.01), 20, 22, 24, 26 * exp(-0.01)};
    struct ct_contest contest = {.entrants = 4, .rounds = 2, .costs = costs};
    struct ct_steadiness shown = ct_ranking_steadiness(&contest);
    double squares = 2 * (3 * pow(0.0025, 2) + pow(0.0075, 2));

    (void)state;
    assert_int_equal(shown.freedom, 3);
    /* What three degrees of freedom show may be that much too small (Wilson and Hilferty). */
    assert_near(shown.deviation / sqrt(squares / 3), 3.0235, 1e-3);
}

static void test_who_counts(void **state)
{
    double costs[] = {10, 11, 12, 13, 14, 20, 22, 24, 26, NAN};
    struct ct_contest contest = {.entrants = 5, .rounds = 2, .costs = costs};
    struct ct_steadiness shown = ct_ranking_steadiness(&contest);

    (void)state;
    /* One that was in one round tells nothing; all others differ alike. */
    assert_int_equal(shown.freedom, 3);
    assert_near(shown.deviation, 0, 1e-12);
    /* One that was timed in none. */
    costs[4] = NAN;
    assert_int_equal(ct_ranking_steadiness(&contest).freedom, 3);
    costs[8] = NAN;
    assert_int_equal(ct_ranking_steadiness(&contest).freedom, 2);
    costs[7] = NAN;
    shown = ct_ranking_steadiness(&contest);
    assert_int_equal(shown.freedom, 0);
    assert_near(shown.deviation, 0, 0);
    contest.rounds = 1;
    assert_int_equal(ct_ranking_steadiness(&contest).freedom, 0);
    contest.rounds = 0;
    assert_int_equal(ct_ranking_steadiness(&contest).freedom, 0);
    contest.rounds = 2;
    contest.entrants = 0;
    assert_int_equal(ct_ranking_steadiness(&contest).freedom, 0);
}

/* It is the largest deviation that rounds show in 95% of cases, whatever processes have in common.  From the
 * third round on, `stay` are left. */
static void bounds(size_t entrants, size_t rounds, size_t stay)
{
    size_t freedom = (entrants - 1) * (rounds - 1);
    struct ct_contest contest = {.entrants = entrants, .rounds = rounds};
    double costs[ENTRANTS * ROUNDS];
    const double deviation = 0.002;
    struct ct_rng rng;
    size_t covered = 0;
    double sum = 0;

    if (rounds > 2)
        freedom = entrants - 1 + (stay - 1) * (rounds - 2);
    ct_rng_seed(&rng, 5);
    contest.costs = costs;
    for (size_t i = 0; i < CONTESTS; i++) {
        struct ct_steadiness shown;

        for (size_t r = 0; r < rounds; r++) {
            double common = 0.05 * ct_rng_normal(&rng);

            for (size_t e = 0; e < entrants; e++)
                costs[r * entrants + e] =
                    r < 2 || e < stay
                        ? exp(0.1 * (double)e + common + deviation * ct_rng_normal(&rng))
                        : NAN;
        }
        shown = ct_ranking_steadiness(&contest);
        assert_int_equal(shown.freedom, freedom);
        covered += shown.deviation >= deviation;
        sum += shown.deviation / deviation / CONTESTS;
    }
    print_message(
        "%zu entrants, %zu rounds: not too small in %.1f%%, %.2f times on average\n",
        entrants, rounds, 100.0 * (double)covered / CONTESTS, sum);
    /* 95% and three standard deviations of that share on either side. */
    assert_true(covered >= CONTESTS * 935 / 1000);
    assert_true(covered <= CONTESTS * 967 / 1000);
}

static void test_bounds(void **state)
{
    (void)state;
    bounds(3, 2, 3);
    bounds(4, 2, 4);
    bounds(10, 2, 10);
    bounds(2, 5, 2);
    bounds(6, 6, 6);
    bounds(10, 4, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_who_counts),
        cmocka_unit_test(test_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
