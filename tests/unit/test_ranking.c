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
    struct ct_contest contest = {5, 3, costs, preference, 0.005, {0, 0}, false, {0, 0}};
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
    struct ct_contest contest = {2, 3, costs, NULL, 0.005, {0, 0}, false, {0, 0}};
    struct ct_ranking rankings[2] = {{0}};

    (void)state;
    assert_int_equal(ct_ranking_judge(&contest, rankings), 0);
    assert_int_equal(rankings[1].rank, CT_RANK_TIED);
    contest.indifference = 0.003;
    assert_int_equal(ct_ranking_judge(&contest, rankings), 1);
    assert_int_equal(rankings[0].rank, CT_RANK_LOST);
}

/* The preferred one seems 1% slower, which noise explains. */
static void test_strict(void **state)
{
    static const double costs[] = {1010, 1000, 1050, 1000, 970,  1000,
                                   1030, 1000, 990,  1000, 1012, 1000};
    struct ct_contest contest = {2, 6, costs, NULL, 0.005, {0, 0}, false, {0, 0}};
    struct ct_ranking rankings[2] = {{0}};

    (void)state;
    assert_int_equal(ct_ranking_judge(&contest, rankings), 0);
    assert_int_equal(rankings[1].rank, CT_RANK_TIED);
    contest.strict = true;
    assert_int_equal(ct_ranking_judge(&contest, rankings), 1);
    assert_int_equal(rankings[0].rank, CT_RANK_TIED);
    contest.indifference = 0.02;
    assert_int_equal(ct_ranking_judge(&contest, rankings), 0);
}

static void test_failed_and_lost(void **state)
{
    /* The first failed, the second was dropped with a lucky round behind it, the third
     * was never timed. */
    static const double costs[] = {1, 2, NAN, 3, NAN, NAN, NAN, 3, NAN, NAN, NAN, 3};
    struct ct_contest contest = {4, 3, costs, NULL, 0, {0, 0}, false, {0, 0}};
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

/* What rounds have in common is no spread, and neither is how much the entrants differ. */
static void test_spread(void **state)
{
    /* Ratios of 1.1 and 1.2, which vary by 1% and 3%, in rounds of a device whose speed changes. */
    const double costs[] = {10,
                            11 * exp(0.01),
                            12 * exp(0.03),
                            20,
                            22 * exp(-0.01),
                            24 * exp(-0.03),
                            15,
                            16.5,
                            18};
    struct ct_contest contest = {3, 3, costs, NULL, 0, {0, 0}, false, {0, 0}};
    bool stays[] = {true, true, false};

    (void)state;
    assert_near(ct_ranking_spread(&contest, stays), 0.01, 1e-9);
    stays[2] = true;
    assert_near(ct_ranking_spread(&contest, stays), 0.02, 1e-9);
    stays[1] = stays[2] = false;
    assert_near(ct_ranking_spread(&contest, stays), 0, 0);
    stays[1] = true;
    contest.rounds = 1;
    assert_near(ct_ranking_spread(&contest, stays), 0, 0);
}

/* Constants: of the normal loss function, and of the mean of the largest of two normal values and 0 (SciPy). */
static void test_gain(void **state)
{
    /* Equal in the mean, and one that is 1% slower; the ratio varies by 2%. */
    double costs[] = {10, 10 * exp(0.02), 30, 10, 10, 30, 10, 10 * exp(-0.02), 30};
    struct ct_contest contest = {3, 3, costs, NULL, 0, {0, 0}, false, {0, 0}};
    bool stays[] = {true, true, false};
    /* Of two degrees of freedom each, the median deviation is that much too low (Wilson and Hilferty). */
    double deviation = 0.02 / pow(1 - 2.0 / 18, 1.5) * sqrt(1.0 / 3 - 1.0 / 9);

    (void)state;
    assert_near(ct_ranking_gain(&contest, stays, 6), 0.398942 * deviation, 1e-5);
    assert_near(ct_ranking_gain(&contest, stays, 0), 0, 0);
    assert_true(ct_ranking_gain(&contest, stays, 60) > 0.398942 * deviation);
    /* One deviation behind. */
    for (size_t r = 0; r < 3; r++)
        costs[3 * r + 1] *= exp(deviation);
    assert_near(ct_ranking_gain(&contest, stays, 6), 0.083315 * deviation, 1e-5);
    /* With another one that is as good as the first, and varies as much, there is more to find. */
    stays[2] = true;
    for (size_t r = 0; r < 3; r++)
        costs[3 * r + 2] = costs[3 * r + 1];
    assert_near(ct_ranking_gain(&contest, stays, 6), 0.159396 * deviation, 1e-5);
    /* What is far behind will not win, and of one round nothing is known. */
    for (size_t r = 0; r < 3; r++) {
        costs[3 * r + 1] *= 2;
        costs[3 * r + 2] *= 3;
    }
    assert_near(ct_ranking_gain(&contest, stays, 6), 0, 1e-9);
    contest.rounds = 1;
    assert_true(isinf(ct_ranking_gain(&contest, stays, 6)));
}

static void test_one_accident(void **state)
{
    /* A round in which the best was ten times slower does not count. */
    double costs[20];
    struct ct_contest contest = {2, 10, costs, NULL, 0.005, {0, 0}, false, {0, 0}};
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
    struct ct_contest contest = {3, 2, costs, NULL, 0.005, {0, 0}, false, {0, 0}};

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
    size_t least;  /* rounds; 0: LEAST */
    struct ct_steadiness steady;
    double own; /* of the first entrant's spread, as a multiple; 0: as the others' */
};

struct tally {
    size_t right;   /* the true best won, or one that is as good within `margin` */
    size_t covered; /* the winner's interval holds its true cost */
    size_t falsely; /* an entrant was called different that is equal to the best */
    size_t stable;  /* the preferred one of those equal to the best won */
    size_t rounds;
    size_t times;   /* costs that were taken in all */
    size_t dropped; /* contests in which one that is equal to the best was dropped */
};

/* One contest, played as judge/playoff.c does. */
static void play(const struct world *world, struct ct_rng *rng, double margin,
                 struct tally *tally)
{
    double costs[MOST * ROUNDS];
    size_t preference[MOST];
    bool stays[MOST];
    struct ct_ranking rankings[MOST] = {{0}};
    struct ct_contest contest = {.entrants = world->count,
                                 .costs = costs,
                                 .preference = preference,
                                 .indifference = 0.005,
                                 .steady = world->steady,
                                 .times = world->steady};
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
            double noise = world->noise * (e == 0 && world->own > 0 ? world->own : 1);
            double cost = world->truth[e] * speed * exp(noise * ct_rng_normal(rng));

            if (ct_rng_unit(rng) < world->spikes)
                cost *= 10;
            costs[contest.rounds * world->count + e] = stays[e] ? cost : NAN;
            tally->times += stays[e];
        }
        contest.rounds++;
        open = ct_ranking_open(&contest, world->least ? world->least : LEAST, stays);
    }
    for (size_t e = 0; e < world->count; e++)
        if (!stays[e])
            rankings[e].rank = CT_RANK_LOST;
    for (size_t e = 0, counted = 0; e < world->count; e++)
        if (world->truth[e] == world->truth[0] && !stays[e] && !counted++)
            tally->dropped++;
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
        "%s: right %zu, covered %zu, falsely apart %zu, dropped %zu, stable %zu, rounds %.1f, times %.1f\n",
        name, tally.right, tally.covered, tally.falsely, tally.dropped, tally.stable,
        (double)tally.rounds / CONTESTS, (double)tally.times / CONTESTS);
    return tally;
}

static const double few[] = {1, 1, 1.05, 1.1, 1.2, 1.5};
static const double many[] = {1, 1, 1, 1.04, 1.06, 1.08, 1.1, 1.15, 1.2, 1.3, 2, 3};

enum { ENOUGH = CONTESTS * 95 / 100 };

static void test_noise_3(void **state)
{
    struct world world = {many, 12, 0.03, 0.05, 0, 0, 0, {0, 0}, 0};
    struct tally tally = simulate("3%", &world, 1, 0);

    (void)state;
    assert_true(tally.right >= ENOUGH);
    assert_true(tally.falsely <= CONTESTS / 10);
    assert_true(tally.stable >= CONTESTS * 3 / 4);
    /* Most rounds would be needed to tell equals apart from nearly equals; the clear
     * losers do not stay that long. */
    assert_true(tally.rounds >= (size_t)LEAST * CONTESTS);
    assert_true(tally.times <= (size_t)95 * CONTESTS);
}

static void test_noise_10(void **state)
{
    struct world world = {few, 6, 0.10, 0.05, 0, 0, 0, {0, 0}, 0};
    struct tally tally = simulate("10%", &world, 2, 0.05);

    (void)state;
    assert_true(tally.right >= ENOUGH);
}

/* What is 1% slower is not picked for being preferred if the rounds say more than that it is
 * tied. */
static void test_nearly_equal(void **state)
{
    static const double nearly[] = {1, 1.002, 1.01, 1.023, 1.04, 1.06};
    static const double equal[] = {1, 1, 1, 1.023, 1.04, 1.06};
    struct world world = {nearly, 6, 0.008, 0.02, 0, 0, 0, {0, 0}, 0};
    struct tally tally = simulate("nearly equal", &world, 10, 0.005);

    (void)state;
    assert_true(tally.right >= CONTESTS * 85 / 100);
    world.truth = equal;
    tally = simulate("equal", &world, 11, 0);
    assert_true(tally.right >= ENOUGH);
    assert_true(tally.stable >= CONTESTS * 3 / 4);
}

/* The best one differs more from round to round than others do, whose variance is no measure of its own. */
static void test_noisy_best(void **state)
{
    static const double cleared[] = {1, 1.03, 1.05, 1.08, 1.12, 1.2, 1.3, 1.5};
    struct world world = {cleared, 8, 0.01, 0.02, 0, 0, 0, {0, 0}, 4};
    struct tally tally = simulate("noisy best", &world, 14, 0.03);

    (void)state;
    assert_true(tally.right >= ENOUGH);
    assert_true(tally.dropped <= CONTESTS / 20);
    assert_true(tally.times <= (size_t)48 * CONTESTS);
}

static void test_spikes(void **state)
{
    struct world world = {few, 6, 0.02, 0.03, 0, 0.05, 0, {0, 0}, 0};
    struct tally tally = simulate("spikes", &world, 3, 0);

    (void)state;
    assert_true(tally.right >= ENOUGH);
}

static void test_drift(void **state)
{
    struct world world = {few, 6, 0.02, 0.02, 0.5, 0, 0, {0, 0}, 0};
    struct tally tally = simulate("drift", &world, 4, 0);

    (void)state;
    assert_true(tally.right >= ENOUGH);
}

static void test_quiet(void **state)
{
    struct world world = {few, 6, 0.002, 0.1, 0, 0, 0, {0, 0}, 0};
    struct tally tally = simulate("quiet", &world, 5, 0);

    (void)state;
    assert_true(tally.right >= CONTESTS * 99 / 100);
    /* What is clear ends soon. */
    assert_true(tally.rounds <= (size_t)(LEAST + 2) * CONTESTS);
    assert_true(tally.times <= (size_t)20 * CONTESTS);
}

static void test_coverage(void **state)
{
    /* Of one entrant alone: 95% at six rounds and more. */
    static const double one[] = {1};
    struct world world = {one, 1, 0.05, 0.02, 0, 0.02, 0, {0, 0}, 0};
    struct ct_rng rng;
    size_t covered = 0;

    (void)state;
    ct_rng_seed(&rng, 6);
    for (size_t i = 0; i < CONTESTS; i++) {
        double costs[8];
        struct ct_contest contest = {1, 6 + i % 3, costs, NULL, 0, {0, 0}, false, {0, 0}};
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

/* --- few rounds, and what an A/A test has shown --- */

static void test_steadiness(void **state)
{
    struct ct_steadiness steady = {0.001, 4};
    struct ct_steadiness nothing = {0};

    (void)state;
    /* 2.776: 97.5% of Student's t with 4 degrees of freedom; a median of three. */
    assert_near(ct_steadiness_half(&steady, 3), 2.7764 * 1.2533 * 0.001 / sqrt(3), 1e-6);
    steady.freedom = 2;
    assert_near(ct_steadiness_half(&steady, 3), 4.3027 * 1.2533 * 0.001 / sqrt(3), 1e-6);
    assert_near(ct_steadiness_half(&steady, 5), 4.3027 * 1.2533 * 0.001 / sqrt(5), 1e-6);
    assert_near(ct_steadiness_half(&steady, 6), 0, 0);
    assert_near(ct_steadiness_half(&steady, 0), 0, 0);
    assert_near(ct_steadiness_half(&nothing, 3), 0, 0);
}

/* Three rounds that agree by chance distinguish nothing that the A/A test could not have. */
static void test_agreement_by_chance(void **state)
{
    static const double costs[] = {1007, 1000, 1007, 1000, 1007, 1000};
    struct ct_contest contest = {2, 3, costs, NULL, 0.005, {0, 0}, false, {0, 0}};
    struct ct_ranking rankings[2] = {{0}};
    bool stays[2] = {true, true};

    (void)state;
    assert_int_equal(ct_ranking_judge(&contest, rankings), 1);
    assert_int_equal(rankings[0].rank, CT_RANK_LOST);
    assert_near(rankings[1].low, 1000, 0);
    assert_false(ct_ranking_open(&contest, 3, stays));
    assert_false(stays[0]);
    contest.steady = contest.times = (struct ct_steadiness){0.0025, 4};
    stays[0] = true;
    rankings[0].rank = CT_RANK_TIED;
    assert_int_equal(ct_ranking_judge(&contest, rankings), 0);
    assert_int_equal(rankings[1].rank, CT_RANK_TIED);
    assert_true(rankings[1].ratio_low < 0.993 - 0.008 && rankings[1].ratio_high > 1);
    assert_near(rankings[1].low, 1000 * exp(-0.00502), 0.01);
    assert_near(rankings[1].high, 1000 * exp(0.00502), 0.01);
    assert_true(ct_ranking_open(&contest, 3, stays));
    assert_true(stays[0]);
}

/* Where processes hardly differ, two rounds show who has lost; elsewhere three do. */
static void test_dropped_after_two(void **state)
{
    static const double costs[] = {1010, 1000, 1004, 1010, 1000, 1004};
    struct ct_contest contest = {3, 2, costs, NULL, 0.005, {0.0007, 4}, false, {0, 0}};
    bool stays[3] = {true, true, true};

    (void)state;
    assert_true(ct_ranking_open(&contest, 3, stays));
    assert_false(stays[0]);
    assert_true(stays[1]);
    assert_true(stays[2]); /* within the indifference */
    stays[0] = true;
    contest.rounds = 1;
    ct_ranking_open(&contest, 3, stays);
    assert_true(stays[0]);
    contest.rounds = 2;
    contest.steady.deviation = 0.003;
    ct_ranking_open(&contest, 3, stays);
    assert_true(stays[0]);
    contest.steady = (struct ct_steadiness){0, 0};
    ct_ranking_open(&contest, 3, stays);
    assert_true(stays[0]);
}

/* Two rounds show it, too, if enough others show how processes differ; not by agreeing closely. */
static void test_moderated(void **state)
{
    static const double costs[] = {100, 103, 100, 140, 104, 101, 101, 104, 132, 100};
    static const double agreeing[] = {100, 103, 100, 104, 104, 101, 101, 104, 105.1, 100};
    struct ct_contest contest = {5, 2, costs, NULL, 0.005, {0, 0}, false, {0, 0}};
    struct ct_ranking rankings[5] = {{0}};
    bool stays[5] = {true, true, true, true, true};

    (void)state;
    assert_true(ct_ranking_open(&contest, 5, stays));
    assert_true(stays[0] && stays[1] && stays[2] && stays[4]);
    assert_false(stays[3]);
    /* So does the interval of its ratio. */
    rankings[3].rank = CT_RANK_LOST;
    assert_int_equal(ct_ranking_judge(&contest, rankings), 0);
    assert_int_equal(rankings[3].rank, CT_RANK_LOST);
    assert_true(rankings[3].ratio_low > 1.1 && rankings[3].ratio > 1.3);
    assert_true(rankings[3].ratio_high < 1.6);
    stays[3] = true;
    contest.costs = agreeing;
    ct_ranking_open(&contest, 5, stays);
    assert_true(stays[3]);
    contest.costs = costs;
    contest.rounds = 1;
    ct_ranking_open(&contest, 5, stays);
    assert_true(stays[3]);
}

/* The interval of three processes by the deviation of five others, or their range. */
static void test_coverage_of_three(void **state)
{
    struct ct_rng rng;
    size_t covered = 0;
    size_t in_range = 0;

    (void)state;
    ct_rng_seed(&rng, 8);
    for (size_t i = 0; i < CONTESTS; i++) {
        double costs[3];
        struct ct_contest contest = {1, 3, costs, NULL, 0.005, {0, 0}, false, {0, 4}};
        struct ct_ranking ranking = {0};
        double mean = 0;
        double tests[5];

        for (size_t p = 0; p < 5; p++) {
            tests[p] = 0.001 * ct_rng_normal(&rng);
            mean += tests[p] / 5;
        }
        for (size_t p = 0; p < 5; p++)
            contest.times.deviation += (tests[p] - mean) * (tests[p] - mean) / 4;
        contest.times.deviation = sqrt(contest.times.deviation);
        for (size_t r = 0; r < 3; r++)
            costs[r] = exp(0.001 * ct_rng_normal(&rng));
        assert_int_equal(ct_ranking_judge(&contest, &ranking), 0);
        covered += ranking.low <= 1 && 1 <= ranking.high;
        for (size_t r = 1; r < 3; r++)
            if ((costs[r] - 1) * (costs[0] - 1) < 0) {
                in_range++;
                break;
            }
    }
    print_message("coverage %zu, by the range alone %zu\n", covered, in_range);
    assert_true(in_range <= CONTESTS * 80 / 100);
    assert_true(covered >= ENOUGH);
}

/* As many wrong decisions as a level of 5% allows, from three rounds on. */
static void test_three_rounds(void **state)
{
    static const double near[] = {1, 1, 1.002, 1.01, 1.02, 1.05};
    struct world world = {near, 6, 0.001, 0.0005, 0, 0, 3, {0.001, 4}, 0};
    struct tally tally;

    (void)state;
    tally = simulate("steady", &world, 9, 0.005);
    assert_true(tally.right >= CONTESTS * 99 / 100);
    assert_true(tally.falsely <= CONTESTS / 20);
    assert_true(tally.covered >= ENOUGH);
    assert_true(tally.rounds <= 4 * CONTESTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_costs),
        cmocka_unit_test(test_indifference),
        cmocka_unit_test(test_strict),
        cmocka_unit_test(test_failed_and_lost),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_gain),
        cmocka_unit_test(test_one_accident),
        cmocka_unit_test(test_rounds_end),
        cmocka_unit_test(test_noise_3),
        cmocka_unit_test(test_noise_10),
        cmocka_unit_test(test_nearly_equal),
        cmocka_unit_test(test_noisy_best),
        cmocka_unit_test(test_spikes),
        cmocka_unit_test(test_drift),
        cmocka_unit_test(test_quiet),
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_steadiness),
        cmocka_unit_test(test_agreement_by_chance),
        cmocka_unit_test(test_dropped_after_two),
        cmocka_unit_test(test_moderated),
        cmocka_unit_test(test_coverage_of_three),
        cmocka_unit_test(test_three_rounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
