// SPDX-License-Identifier: Apache-2.0
// What the rounds of a play-off say of one entrant, where some of them lack a cost, or are few.
#include "judge/tape.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 5 };

static void add(struct ct_tape *tape, size_t round, double cost, double time_ns)
{
    struct ct_outcome outcome = {.time_ns = time_ns};

    ct_tape_add(tape, round, cost, &outcome);
}

/* Values that are unknown in some rounds, as an energy may be, do not disturb the order of the
 * others. */
static void test_unknown_costs(void **state)
{
    static const double costs[] = {9, NAN, 1, NAN, 5};
    static const struct ct_steadiness unknown = {0};
    struct ct_arena arena = {0};
    struct ct_entrant entrant = {.ranking = {.cost = 5, .low = 1, .high = 9}};
    struct ct_tape tape = {0};
    double scratch[ROUNDS];

    (void)state;
    assert_true(ct_tape_make(&arena, ROUNDS, &tape));
    for (size_t r = 0; r < ROUNDS; r++)
        add(&tape, r, costs[r], 10);
    ct_tape_describe(&tape, &unknown, scratch, &entrant);
    assert_true(entrant.ranking.cost == 5);
    assert_true(entrant.ranking.low == 1 && entrant.ranking.high == 9);
    /* Nor does the first one's, or that of all. */
    tape.costs[0] = NAN;
    tape.costs[1] = 3;
    ct_tape_describe(&tape, &unknown, scratch, &entrant);
    assert_true(entrant.ranking.cost == 3);
    assert_true(entrant.ranking.low == 1 && entrant.ranking.high == 5);
    for (size_t r = 0; r < ROUNDS; r++)
        tape.costs[r] = NAN;
    ct_tape_describe(&tape, &unknown, scratch, &entrant);
    assert_true(entrant.ranking.cost == 3);
    ct_arena_release(&arena);
}

/* Where processes differ by more than half, an interval of few of them is wide, but has two ends. */
static void test_wide_interval(void **state)
{
    static const struct ct_steadiness wild = {.deviation = 0.6, .freedom = 4};
    struct ct_arena arena = {0};
    struct ct_entrant entrant = {0};
    struct ct_tape tape = {0};
    double scratch[ROUNDS];

    (void)state;
    assert_true(ct_tape_make(&arena, ROUNDS, &tape));
    for (size_t r = 0; r < 3; r++)
        add(&tape, r, 10, 10);
    ct_tape_describe(&tape, &wild, scratch, &entrant);
    assert_true(ct_steadiness_half(&wild, 3) > 1);
    assert_true(entrant.low_ns > 0 && entrant.low_ns < 4);
    assert_true(entrant.high_ns > 25 && isfinite(entrant.high_ns));
    assert_true(entrant.ranking.low > 0 && entrant.ranking.low < 4);
    ct_arena_release(&arena);
}

/* The times of one that lost after two rounds are as certain as the ratio that the ranking has. */
static void test_ratio_of_ranking(void **state)
{
    static const struct ct_steadiness unknown = {0};
    struct ct_arena arena = {0};
    struct ct_tape own = {0};
    struct ct_tape winner = {0};
    struct ct_entrant reported = {.time_ns = 100,
                                  .low_ns = 99,
                                  .high_ns = 101,
                                  .ranking = {.cost = 100, .low = 99}};
    struct ct_entrant entrant = {.ranking = {.rank = CT_RANK_LOST}};
    double scratch[ROUNDS];

    (void)state;
    reported.ranking.high = 101;
    assert_true(ct_tape_make(&arena, ROUNDS, &own));
    assert_true(ct_tape_make(&arena, ROUNDS, &winner));
    add(&own, 0, 140, 140);
    add(&own, 1, 132, 132);
    add(&winner, 0, 100, 100);
    add(&winner, 1, 101, 101);
    ct_tape_relate(&own, &winner, &reported, &unknown, true, scratch, &entrant);
    assert_true(entrant.low_ns < 100);
    entrant.ranking.ratio = sqrt(1.4 * 132 / 101);
    entrant.ranking.ratio_low = 1.2;
    entrant.ranking.ratio_high = 1.5;
    ct_tape_relate(&own, &winner, &reported, &unknown, true, scratch, &entrant);
    assert_true(entrant.low_ns > 115 && entrant.high_ns < 155);
    assert_true(entrant.ranking.low > 115 && entrant.ranking.high < 155);
    ct_arena_release(&arena);
}

/* Times that are always the same are no others because those of a much shorter winner vary. */
static void test_apart(void **state)
{
    static const double winners[] = {10, 13, 10.2, 12.8};
    static const double owns[] = {497, 496.8, 497.1, 496.9};
    static const struct ct_steadiness unknown = {0};
    struct ct_arena arena = {0};
    struct ct_tape own = {0};
    struct ct_tape winner = {0};
    struct ct_entrant reported = {.time_ns = 12.5,
                                  .low_ns = 10,
                                  .high_ns = 13,
                                  .ranking = {.cost = 12.5, .low = 10}};
    struct ct_entrant entrant = {.ranking = {.rank = CT_RANK_LOST}};
    double scratch[ROUNDS];

    (void)state;
    reported.ranking.high = 13;
    assert_true(ct_tape_make(&arena, ROUNDS, &own));
    assert_true(ct_tape_make(&arena, ROUNDS, &winner));
    for (size_t r = 0; r < 4; r++) {
        add(&own, r, owns[r], owns[r]);
        add(&winner, r, winners[r], winners[r]);
    }
    ct_tape_describe(&own, &unknown, scratch, &entrant);
    ct_tape_relate(&own, &winner, &reported, &unknown, false, scratch, &entrant);
    assert_true(entrant.time_ns > 496.8 && entrant.time_ns < 497);
    assert_true(entrant.low_ns > 496 && entrant.high_ns < 498);
    assert_true(fabs(entrant.ranking.ratio - 496.95 / 12.5) < 1e-9);
    assert_true(entrant.ranking.ratio_low < 496.9 / 13 * 1.001 &&
                entrant.ranking.ratio_high > 497 / 10. * 0.999);
    /* One that may win is compared in common rounds, and so is one that varies as the winner does. */
    ct_tape_relate(&own, &winner, &reported, &unknown, true, scratch, &entrant);
    assert_true(entrant.time_ns > 500);
    for (size_t r = 0; r < 4; r++)
        own.costs[r] = own.times_ns[r] = 40 * winners[r];
    ct_tape_describe(&own, &unknown, scratch, &entrant);
    ct_tape_relate(&own, &winner, &reported, &unknown, false, scratch, &entrant);
    assert_true(fabs(entrant.time_ns - 500) < 1e-6);
    ct_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_costs),
        cmocka_unit_test(test_wide_interval),
        cmocka_unit_test(test_ratio_of_ranking),
        cmocka_unit_test(test_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
