// SPDX-License-Identifier: Apache-2.0
// Who wins a play-off: by hand, and by simulated contests with fixed seeds.
#include "base/rng.h"
#include "judge/ranking.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 12, ROUNDS = 15, LEAST = 5, CONTESTS = 1000 };

/* cmocka compares floats only. */
static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* --- by hand --- */

static void test_equal_costs(void **state)
{
    /* Exact and equal: the preferred one wins, whoever comes first. */
    static const double costs[] = {10, 8, 8, 8, 9, 10, 8, 8, 8, 9, 10, 8, 8, 8, 9};
    static const size_t preference[] = {0, 4, 1, 3, 2};
    struct ct_contest contest = {5, 3, costs, preference, 0.005};
    struct ct_ranking rankings[5] = {{0}};

    (void)state;
    assert_int_equal(ct_ranking_judge(&contest, rankings), 2);
    assert_int_equal(rankings[0].rank, CT_RANK_LOST);
    assert_int_equal(rankings[1].rank, CT_RANK_TIED);
    assert_int_equal(rankings[2].rank, CT_RANK_WINNER);
    assert_int_equal(rankings[3].rank, CT_RANK_TIED);
    assert_int_equal(rankings[4].rank, CT_RANK_LOST);
    assert_near(rankings[0].ratio, 1.25, 1e-12);
    assert_near(rankings[2].ratio, 1, 0);
    assert_near(rankings[2].cost, 8, 0);
    assert_int_equal(rankings[2].rounds, 3);
}

static void test_indifference(void **state)
{
    static const double costs[] = {1004, 1000, 1004, 1000, 1004, 1000};
    struct ct_contest contest = {2, 3, costs, NULL, 0.005};
    struct ct_ranking rankings[2] = {{0}};

    (void)state;
    assert_int_equal(ct_ranking_judge(&contest, rankings), 0);
    assert_int_equal(rankings[1].rank, CT_RANK_TIED);
    contest.indifference = 0.003;
    assert_int_equal(ct_ranking_judge(&contest, rankings), 1);
    assert_int_equal(rankings[0].rank, CT_RANK_LOST);
}

static void test_failed_and_lost(void **state)
{
    /* The first failed, the second was dropped with a lucky round behind it, the third
     * was never timed. */
    static const double costs[] = {1, 2, NAN, 3, NAN, NAN, NAN, 3, NAN, NAN, NAN, 3};
    struct ct_contest contest = {4, 3, costs, NULL, 0};
    struct ct_ranking rankings[4] = {{.rank = CT_RANK_OUT}, {.rank = CT_RANK_LOST}};

    (void)state;
    assert_int_equal(ct_ranking_judge(&contest, rankings), 3);
    assert_int_equal(rankings[0].rank, CT_RANK_OUT);
    assert_int_equal(rankings[1].rank, CT_RANK_LOST);
    assert_int_equal(rankings[1].rounds, 1);
    assert_true(isnan(rankings[2].cost));
    contest.rounds = 0;
    assert_true(ct_ranking_judge(&contest, rankings) == SIZE_MAX);
}

static void test_one_accident(void **state)
{
    /* A round in which the best was ten times slower does not count. */
    double costs[20];
    struct ct_contest contest = {2, 10, costs, NULL, 0.005};
    struct ct_ranking rankings[2] = {{0}};

    (void)state;
    for (size_t r = 0; r < 10; r++) {
        costs[2 * r] = 110 + (double)(r % 3);
        costs[2 * r + 1] = 100 + (double)(r % 4);
    }
    costs[9] *= 10;
    assert_int_equal(ct_ranking_judge(&contest, rankings), 1);
    assert_int_equal(rankings[0].rank, CT_RANK_LOST);
    assert_true(rankings[0].ratio > 1.06 && rankings[0].ratio < 1.13);
    assert_true(rankings[0].ratio_low > 1.03 && rankings[0].ratio_high < 1.16);
    assert_true(rankings[1].high < 200);
}

static void test_rounds_end(void **state)
{
    double costs[3 * 5];
    bool stays[3] = {true, true, true};
    struct ct_contest contest = {3, 2, costs, NULL, 0.005};

    (void)state;
    for (size_t r = 0; r < 5; r++) {
        costs[3 * r] = 100 + (double)(r % 2) / 10;
        costs[3 * r + 1] = 200 + (double)(r % 3);
        costs[3 * r + 2] = 100.1;
    }
    /* Two rounds decide nothing; three drop the slow one; five are enough for equals. */
    assert_true(ct_ranking_open(&contest, 5, stays));
    assert_true(stays[0] && stays[1] && stays[2]);
    contest.rounds = 3;
    assert_true(ct_ranking_open(&contest, 5, stays));
    assert_true(stays[0] && !stays[1] && stays[2]);
    contest.rounds = 5;
    assert_false(ct_ranking_open(&contest, 5, stays));
    assert_true(stays[0] && !stays[1] && stays[2]);
    /* One that is neither worse nor the same keeps it open. */
    for (size_t r = 0; r < 5; r++)
        costs[3 * r + 2] = r % 2 ? 97 : 106;
    assert_true(ct_ranking_open(&contest, 5, stays));
    assert_true(stays[2]);
}

/* --- simulated --- */

struct world {
    const double *truth; /* costs, the first one is the least */
    size_t count;
    double noise;  /* relative spread of a process's median */
    double common; /* of a round's speed */
    double drift;  /* over all rounds */
    double spikes; /* share of the values that are ten times as long */
};

struct tally {
    size_t right;   /* the true best won, or one that is as good within `margin` */
    size_t covered; /* the winner's interval holds its true cost */
    size_t falsely; /* an entrant was called different that is equal to the best */
    size_t stable;  /* the preferred one of those equal to the best won */
    size_t rounds;
};

/* One contest, played as judge/playoff.c does. */
static void play(const struct world *world, struct ct_rng *rng, double margin,
                 struct tally *tally)
{
    double costs[MOST * ROUNDS];
    size_t preference[MOST];
    bool stays[MOST];
    struct ct_ranking rankings[MOST] = {{0}};
    struct ct_contest contest = {world->count, 0, costs, preference, 0.005};
    size_t winner;
    bool open = true;

    for (size_t e = 0; e < world->count; e++) {
        /* Those that are slower in truth are preferred: the hard case. */
        preference[e] = world->count - e;
        stays[e] = true;
    }
    while (open && contest.rounds < ROUNDS) {
        double speed = exp(world->common * ct_rng_normal(rng)) *
                       (1 + world->drift * (double)contest.rounds / ROUNDS);

        for (size_t e = 0; e < world->count; e++) {
            double cost =
                world->truth[e] * speed * exp(world->noise * ct_rng_normal(rng));

            if (ct_rng_unit(rng) < world->spikes)
                cost *= 10;
            costs[contest.rounds * world->count + e] = stays[e] ? cost : NAN;
        }
        contest.rounds++;
        open = ct_ranking_open(&contest, LEAST, stays);
    }
    for (size_t e = 0; e < world->count; e++)
        if (!stays[e])
            rankings[e].rank = CT_RANK_LOST;
    winner = ct_ranking_judge(&contest, rankings);
    assert_true(winner < world->count);
    tally->rounds += contest.rounds;
    tally->right += world->truth[winner] <= world->truth[0] * (1 + margin);
    tally->covered += rankings[winner].low <= world->truth[winner] &&
                      world->truth[winner] <= rankings[winner].high;
    for (size_t e = 1, counted = 0; e < world->count; e++)
        if (world->truth[e] == world->truth[0] && rankings[e].rank == CT_RANK_LOST &&
            !counted++)
            tally->falsely++;
    tally->stable +=
        winner + 1 == world->count || world->truth[winner + 1] > world->truth[winner];
}

static struct tally simulate(const char *name, const struct world *world, uint64_t seed,
                             double margin)
{
    struct tally tally = {0};
    struct ct_rng rng;

    ct_rng_seed(&rng, seed);
    for (size_t i = 0; i < CONTESTS; i++)
        play(world, &rng, margin, &tally);
    print_message(
        "%s: right %zu, covered %zu, falsely apart %zu, stable %zu, rounds %.1f\n", name,
        tally.right, tally.covered, tally.falsely, tally.stable,
        (double)tally.rounds / CONTESTS);
    return tally;
}

static const double few[] = {1, 1, 1.05, 1.1, 1.2, 1.5};
static const double many[] = {1, 1, 1, 1.04, 1.06, 1.08, 1.1, 1.15, 1.2, 1.3, 2, 3};

enum { ENOUGH = CONTESTS * 95 / 100 };

static void test_noise_3(void **state)
{
    struct world world = {many, 12, 0.03, 0.05, 0, 0};
    struct tally tally = simulate("3%", &world, 1, 0);

    (void)state;
    assert_true(tally.right >= ENOUGH);
    assert_true(tally.falsely <= CONTESTS / 10);
    assert_true(tally.stable >= CONTESTS * 3 / 4);
    /* Most rounds would be needed to tell equals apart from nearly equals; the clear
     * losers do not stay that long. */
    assert_true(tally.rounds >= (size_t)LEAST * CONTESTS);
}

static void test_noise_10(void **state)
{
    struct world world = {few, 6, 0.10, 0.05, 0, 0};
    struct tally tally = simulate("10%", &world, 2, 0.05);

    (void)state;
    assert_true(tally.right >= ENOUGH);
}

static void test_spikes(void **state)
{
    struct world world = {few, 6, 0.02, 0.03, 0, 0.05};
    struct tally tally = simulate("spikes", &world, 3, 0);

    (void)state;
    assert_true(tally.right >= ENOUGH);
}

static void test_drift(void **state)
{
    struct world world = {few, 6, 0.02, 0.02, 0.5, 0};
    struct tally tally = simulate("drift", &world, 4, 0);

    (void)state;
    assert_true(tally.right >= ENOUGH);
}

static void test_quiet(void **state)
{
    struct world world = {few, 6, 0.002, 0.1, 0, 0};
    struct tally tally = simulate("quiet", &world, 5, 0);

    (void)state;
    assert_true(tally.right >= CONTESTS * 99 / 100);
    /* What is clear ends soon. */
    assert_true(tally.rounds <= (size_t)(LEAST + 2) * CONTESTS);
}

static void test_coverage(void **state)
{
    /* Of one entrant alone: 95% at six rounds and more. */
    static const double one[] = {1};
    struct world world = {one, 1, 0.05, 0.02, 0, 0.02};
    struct ct_rng rng;
    size_t covered = 0;

    (void)state;
    ct_rng_seed(&rng, 6);
    for (size_t i = 0; i < CONTESTS; i++) {
        double costs[8];
        struct ct_contest contest = {1, 6 + i % 3, costs, NULL, 0};
        struct ct_ranking ranking = {0};

        for (size_t r = 0; r < contest.rounds; r++)
            costs[r] = exp(world.noise * ct_rng_normal(&rng)) *
                       (ct_rng_unit(&rng) < world.spikes ? 10 : 1);
        assert_int_equal(ct_ranking_judge(&contest, &ranking), 0);
        covered += ranking.low <= 1 && 1 <= ranking.high;
    }
    print_message("coverage %zu\n", covered);
    assert_true(covered >= CONTESTS * 94 / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_costs),     cmocka_unit_test(test_indifference),
        cmocka_unit_test(test_failed_and_lost), cmocka_unit_test(test_one_accident),
        cmocka_unit_test(test_rounds_end),      cmocka_unit_test(test_noise_3),
        cmocka_unit_test(test_noise_10),        cmocka_unit_test(test_spikes),
        cmocka_unit_test(test_drift),           cmocka_unit_test(test_quiet),
        cmocka_unit_test(test_coverage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
