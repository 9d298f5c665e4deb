// SPDX-License-Identifier: Apache-2.0
// Play-offs and A/A tests with a scheduler on the virtual driver's device 0: who wins, in how
// many processes, and that nothing is built twice.
#define _GNU_SOURCE // folder.h
#include "speed_plan.h"
#include "worker/worker_main.h"

#include "judge/playoff.h"

struct match {
    struct ct_scheduler *scheduler;
    struct plan plans[MOST];
    struct ct_entrant entrants[MOST];
    struct ct_playoff playoff;
    struct ct_scheduler_stats stats;
};

/* Of struct ct_scheduler_options; one alone is never prepared. */
static unsigned spares = 1;

static void play(struct match *match, const char *const *speeds, size_t count,
                 const struct ct_playoff_options *options, const size_t *preference)
{
    struct ct_scheduler_options scheduler = scheduler_options(1, 60);
    struct ct_err err = CT_ERR_INIT;

    memset(match, 0, sizeof(*match));
    scheduler.no_cache = true;
    scheduler.spares = spares;
    match->scheduler = new_scheduler(&scheduler);
    for (size_t i = 0; i < count; i++) {
        plan_of(&match->plans[i], i, speeds[i]);
        match->entrants[i].plan = &match->plans[i].plan;
    }
    if (ct_playoff_run(match->scheduler, match->entrants, count, preference, options,
                       &match->playoff, &err))
        fail_msg("%s", err.message);
    ct_scheduler_stats_get(match->scheduler, &match->stats);
    ct_scheduler_free(match->scheduler);
    assert_int_equal(children(NULL, 0), 0);
}

static void best_wins(void **state)
{
    static const char *const speeds[] = {"slow", "wrong", "good", "near"};
    struct ct_playoff_options options = {.beside = 0, .samples = 3};
    struct match match;

    (void)state;
    play(&match, speeds, 4, &options, NULL);
    assert_int_equal(match.playoff.winner, 2);
    assert_int_equal(match.playoff.tied, 0);
    assert_false(match.playoff.doubtful);
    assert_int_equal(match.entrants[1].status, CT_RESULT_WRONG);
    assert_true(*match.entrants[1].message);
    assert_int_equal(match.entrants[1].ranking.rank, CT_RANK_OUT);
    assert_int_equal(match.entrants[0].ranking.rank, CT_RANK_LOST);
    assert_int_equal(match.entrants[3].ranking.rank, CT_RANK_LOST);
    assert_near(match.entrants[3].ranking.ratio, 1.04, 1e-9);
    assert_near(match.entrants[2].time_ns, 1e6, 0);
    assert_near(match.entrants[2].low_ns, 1e6, 0);
    assert_int_equal(match.entrants[2].processes, 6);
    assert_near(match.entrants[0].time_ns, 1.5e6, 0);
    assert_int_equal(match.entrants[0].processes, 6);
    /* Losers leave after three rounds; the winner is confirmed in six more. */
    assert_int_equal(match.entrants[3].processes, 3);
    assert_int_equal(match.playoff.confirmed, 6);
    assert_true(match.playoff.rounds >= 3);
    /* A worker that saw a wrong result is no other one's. */
    assert_true(match.stats.runners_started >=
                match.playoff.rounds + match.playoff.confirmed);
    assert_int_equal(match.stats.built, 4);
    ct_playoff_release(&match.playoff);
}

static void preference_among_ties(void **state)
{
    static const char *const speeds[] = {"good", "good", "good"};
    static const size_t preference[] = {2, 0, 1};
    struct ct_playoff_options options = {.beside = SIZE_MAX, .samples = 3};
    struct match match;

    (void)state;
    play(&match, speeds, 3, &options, preference);
    assert_int_equal(match.playoff.winner, 1);
    assert_int_equal(match.playoff.tied, 2);
    assert_int_equal(match.playoff.rounds, 5);
    assert_int_equal(match.entrants[0].ranking.rank, CT_RANK_TIED);
    assert_int_equal(match.entrants[0].processes, 5);
    assert_int_equal(match.stats.built, 3);
    assert_int_equal(match.stats.runners_started, 11);
    ct_playoff_release(&match.playoff);
}

/* On a device that is cold before and has this noise meanwhile. */
static void play_drifting(struct match *match, const char *const *speeds, size_t count,
                          const struct ct_playoff_options *options, const char *noise)
{
    char counters[sizeof(path_of_counters) + 8];
    static int devices;

    snprintf(counters, sizeof(counters), "%s.%d", path_of_counters, devices++);
    setenv("VIRTUALCL_COUNTERS", counters, 1);
    setenv("VIRTUALCL_NOISE", noise, 1);
    play(match, speeds, count, options, NULL);
    setenv("VIRTUALCL_COUNTERS", path_of_counters, 1);
    unsetenv("VIRTUALCL_NOISE");
}

/* The device becomes slower while the play-off runs: the winner is confirmed at twice the time
 * that the others had before.  Times of one play-off keep its order all the same. */
static void slower_device_keeps_order(void **state)
{
    static const char *const speeds[] = {"slow", "good", "near"};
    struct ct_playoff_options options = {.beside = 0, .samples = 3, .interleaved = true};
    struct match match;

    (void)state;
    play_drifting(&match, speeds, 3, &options, "drift:4:2,seed:1");
    assert_int_equal(match.playoff.winner, 1);
    /* The device did become slower: all times of the second were shorter. */
    for (size_t i = 0; i < match.entrants[2].processes; i++)
        assert_true(match.entrants[1].time_ns > match.entrants[2].times_ns[i]);
    for (size_t i = 0; i < 3; i++) {
        const struct ct_entrant *entrant = &match.entrants[i];
        const struct ct_entrant *winner = &match.entrants[1];

        assert_true(entrant->time_ns >= winner->time_ns);
        assert_near(entrant->time_ns / winner->time_ns, entrant->ranking.ratio, 1e-6);
        assert_true(entrant->low_ns <= entrant->time_ns);
        assert_true(entrant->high_ns >= entrant->time_ns);
        assert_near(entrant->ranking.cost, entrant->time_ns, 1);
    }
    assert_near(match.entrants[0].ranking.ratio, 1.5, 0.05);
    assert_near(match.entrants[2].ranking.ratio, 1.04, 0.02);
    ct_playoff_release(&match.playoff);
}

/* Nor is a winner blamed that is confirmed at twice the time which its equals had before: there is no
 * rematch. */
static void slower_device_contradicts_nobody(void **state)
{
    static const char *const speeds[] = {"good", "good", "good"};
    struct ct_playoff_options options = {
        .beside = SIZE_MAX, .samples = 3, .most_rounds = 5, .interleaved = true};
    const struct ct_entrant *winner;
    struct match match;

    (void)state;
    play_drifting(&match, speeds, 3, &options, "drift:9:8,seed:1");
    winner = &match.entrants[match.playoff.winner];
    assert_true(match.playoff.tied > 0);
    for (size_t e = 0; e < 3; e++) {
        const struct ct_entrant *it = &match.entrants[e];

        if (it->ranking.rank != CT_RANK_TIED)
            continue;
        /* The device did become slower.  Those that are tied are described by the rounds that
         * decided. */
        assert_int_equal(it->processes, 5);
        for (size_t i = 0; i < it->processes; i++)
            assert_true(winner->time_ns > it->times_ns[i]);
    }
    assert_int_equal(match.playoff.rounds, 5);
    assert_int_equal(match.playoff.confirmed, 6);
    assert_false(match.playoff.doubtful);
    ct_playoff_release(&match.playoff);
}

/* Ratios differ by 2% from process to process: more than was relied on, the contest is called off, and less, it
 * takes place.  What all further rounds would improve may be too little for them. */
static void ratios_that_differ_call_it_off(void **state)
{
    static const char *const speeds[] = {"good", "nearest", "slow"};
    struct ct_playoff_options options = {.beside = 2,
                                         .beside_only = true,
                                         .samples = 1,
                                         .interleaved = true,
                                         .least_rounds = 3,
                                         .most_rounds = 12,
                                         .steady_rounds = 3,
                                         .most_spread = 0.005};
    struct match match;

    (void)state;
    play_drifting(&match, speeds, 3, &options, "place:14000,seed:1");
    assert_true(match.playoff.called_off);
    assert_true(match.playoff.spread > 0.005 && match.playoff.spread < 0.08);
    assert_true(match.playoff.rounds >= 2 && match.playoff.rounds <= 3);
    assert_int_equal(match.playoff.confirmed, 0);
    assert_true(match.playoff.winner == SIZE_MAX);
    assert_int_equal(match.entrants[0].processes + match.entrants[1].processes, 0);
    assert_int_equal(match.entrants[0].status, CT_RESULT_OK);
    assert_true(match.playoff.spent_ns > 0);
    ct_playoff_release(&match.playoff);
    /* What is added to all launches of a process is not in the ratios. */
    play_drifting(&match, speeds, 3, &options, "launch:100000,seed:1");
    assert_false(match.playoff.called_off);
    assert_true(match.playoff.winner < 2);
    ct_playoff_release(&match.playoff);
    options.steady_rounds = 0;
    options.most_spread = 0.2;
    play_drifting(&match, speeds, 3, &options, "place:14000,seed:1");
    assert_false(match.playoff.called_off);
    assert_true(match.playoff.winner < 2);
    assert_true(match.playoff.rounds > 3);
    ct_playoff_release(&match.playoff);
    options.worth = 0.02;
    options.only_worth = true;
    play_drifting(&match, speeds, 3, &options, "place:14000,seed:1");
    assert_true(match.playoff.winner < 2);
    assert_int_equal(match.playoff.tied, 1);
    assert_int_equal(match.playoff.rounds, 3);
    ct_playoff_release(&match.playoff);
}

/* Times of a program differ by 8% from process to process: three rounds do not show beyond doubt that what takes
 * half as long again is slower, but that more of them would be in vain. */
static void nobody_stays_in_vain(void **state)
{
    static const char *const speeds[] = {"good", "slow"};
    struct ct_playoff_options options = {
        .beside = SIZE_MAX, .samples = 1, .interleaved = true, .confirm_rounds = 2};
    struct match match;

    (void)state;
    play_drifting(&match, speeds, 2, &options, "place:100000,seed:5");
    assert_int_equal(match.playoff.winner, 0);
    assert_true(match.playoff.rounds > 3);
    assert_true(match.entrants[1].processes > 3);
    ct_playoff_release(&match.playoff);
    options.worth = 0.0005;
    play_drifting(&match, speeds, 2, &options, "place:100000,seed:5");
    assert_int_equal(match.playoff.winner, 0);
    assert_int_equal(match.playoff.rounds, 3);
    assert_int_equal(match.entrants[1].processes, 3);
    assert_true(match.entrants[1].ranking.ratio > 1.1);
    assert_int_equal(match.entrants[1].ranking.rank, CT_RANK_LOST);
    assert_int_equal(match.playoff.tied, 0);
    ct_playoff_release(&match.playoff);
}

/* Smaller is better, whatever it is. */
static double inverse(void *user, size_t entrant, const struct ct_outcome *outcome)
{
    ++*(int *)user;
    return entrant == 2 ? NAN : 1e9 / outcome->time_ns;
}

static void cost_decides(void **state)
{
    static const char *const speeds[] = {"good", "slow", "slow"};
    int calls = 0;
    struct ct_playoff_options options = {.beside = SIZE_MAX,
                                         .samples = 3,
                                         .least_rounds = 3,
                                         .most_rounds = 4,
                                         .confirm_rounds = 2,
                                         .cost = inverse,
                                         .user = &calls};
    struct match match;

    (void)state;
    play(&match, speeds, 3, &options, NULL);
    assert_int_equal(match.playoff.winner, 1);
    assert_near(match.entrants[1].ranking.cost, 1e9 / 1.5e6, 1e-9);
    assert_near(match.entrants[1].time_ns, 1.5e6, 0);
    assert_true(match.playoff.rounds <= 4);
    assert_int_equal(match.playoff.confirmed, 2);
    assert_true(calls > 6);
    ct_playoff_release(&match.playoff);
}

static void alone_beside_default(void **state)
{
    static const char *const speeds[] = {"slow", "good"};
    struct ct_playoff_options options = {.beside = 1, .beside_only = true, .samples = 3};
    struct match match;

    (void)state;
    /* The one beside is better, and yet does not compete. */
    play(&match, speeds, 2, &options, NULL);
    assert_int_equal(match.playoff.winner, 0);
    assert_int_equal(match.playoff.rounds, 1);
    assert_int_equal(match.playoff.confirmed, 6);
    assert_near(match.entrants[1].time_ns, 1e6, 0);
    assert_int_equal(match.entrants[1].processes, 6);
    ct_playoff_release(&match.playoff);
}

static void everybody_fails(void **state)
{
    static const char *const speeds[] = {"wrong", "wrong"};
    struct ct_playoff_options options = {.beside = 0, .samples = 3};
    struct match match;

    (void)state;
    play(&match, speeds, 2, &options, NULL);
    assert_true(match.playoff.winner == SIZE_MAX);
    assert_int_equal(match.playoff.rounds, 1);
    ct_playoff_release(&match.playoff);
}

/* The best fails when it is confirmed, after everybody else has dropped out. */
static void losers_come_back(void **state)
{
    static const char *const speeds[] = {"slow", "late", "good"};
    struct ct_playoff_options options = {.beside = SIZE_MAX, .samples = 3};
    struct match match;

    (void)state;
    play(&match, speeds, 3, &options, NULL);
    assert_int_equal(match.entrants[1].status, CT_RESULT_WRONG);
    assert_int_equal(match.entrants[1].ranking.rank, CT_RANK_OUT);
    assert_int_equal(match.playoff.winner, 2);
    assert_int_equal(match.entrants[2].ranking.rank, CT_RANK_WINNER);
    assert_int_equal(match.entrants[2].processes, 6);
    assert_near(match.entrants[2].time_ns, 1e6, 0);
    assert_int_equal(match.entrants[0].ranking.rank, CT_RANK_LOST);
    assert_int_equal(match.playoff.confirmed, 6);
    ct_playoff_release(&match.playoff);
}

static void rounds_of_many_are_short(void **state)
{
    struct ct_playoff_options options = {
        .samples = 5, .most_samples = 20, .round_samples = 60};

    (void)state;
    assert_int_equal(ct_playoff_samples(&options, 1), 20);
    assert_int_equal(ct_playoff_samples(&options, 3), 20);
    assert_int_equal(ct_playoff_samples(&options, 6), 10);
    assert_int_equal(ct_playoff_samples(&options, 24), 5);
    options.round_samples = 0;
    assert_int_equal(ct_playoff_samples(&options, 24), 20);
    options.most_samples = 0;
    assert_int_equal(ct_playoff_samples(&options, 24), 5);
}

/* No time for a second round, let alone for the confirmation. */
static void a_hard_limit_ends_it(void **state)
{
    static const char *const speeds[] = {"slow", "good"};
    struct ct_playoff_options options = {
        .beside = SIZE_MAX, .samples = 3, .limit_ns = 1, .hard = true};
    struct match match;

    (void)state;
    play(&match, speeds, 2, &options, NULL);
    assert_true(match.playoff.cut);
    assert_int_equal(match.playoff.rounds, 1);
    assert_int_equal(match.playoff.confirmed, 0);
    assert_int_equal(match.stats.runners_started, 1);
    assert_true(match.playoff.winner != SIZE_MAX);
    assert_near(match.entrants[1].time_ns, 1e6, 0);
    /* One round says nothing of significance. */
    assert_int_equal(match.playoff.tied, 1);
    ct_playoff_release(&match.playoff);
}

/* Two milliseconds: not over when it begins, but shorter than starting a process. */
static void noise_within_a_limit(void **state)
{
    struct ct_scheduler_options options = scheduler_options(1, 60);
    struct ct_scheduler *scheduler = new_scheduler(&options);
    struct ct_err err = CT_ERR_INIT;
    struct ct_noise noise;
    struct plan p;

    (void)state;
    plan_of(&p, 0, "good");
    if (ct_noise_test(scheduler, &p.plan, 4, 6, 2000000, &noise, &err))
        fail_msg("%s", err.message);
    assert_int_equal(noise.processes, 1);
    ct_scheduler_free(scheduler);
}

static void noise_of_an_exact_device(void **state)
{
    struct ct_scheduler_options options = scheduler_options(1, 60);
    struct ct_scheduler *scheduler;
    struct ct_err err = CT_ERR_INIT;
    struct ct_scheduler_stats stats;
    struct ct_noise noise;
    struct plan p;

    (void)state;
    options.spares = spares;
    scheduler = new_scheduler(&options);
    plan_of(&p, 0, "good");
    if (ct_noise_test(scheduler, &p.plan, 4, 6, 0, &noise, &err))
        fail_msg("%s", err.message);
    assert_int_equal(noise.processes, 4);
    assert_int_equal(noise.status, CT_RESULT_OK);
    assert_near(noise.median_ns, 1e6, 0);
    assert_near(noise.within + noise.between, 0, 0);
    assert_int_equal(noise.samples, 2);
    ct_scheduler_stats_get(scheduler, &stats);
    assert_int_equal(stats.runners_started, 4);
    assert_int_equal(stats.built + stats.from_cache, stats.built);
    assert_int_equal(stats.measured, 0);
    plan_of(&p, 1, "wrong");
    if (ct_noise_test(scheduler, &p.plan, 4, 6, 0, &noise, &err))
        fail_msg("%s", err.message);
    assert_int_equal(noise.status, CT_RESULT_WRONG);
    assert_int_equal(noise.processes, 0);
    ct_scheduler_free(scheduler);
}

/* Rounds in prepared processes are rounds like others. */
static void prepared_processes_play(void **state)
{
    static const char *const speeds[] = {"good", "good", "good"};
    struct ct_playoff_options options = {.beside = SIZE_MAX, .samples = 3};
    struct match match;

    (void)state;
    spares = 4;
    play(&match, speeds, 3, &options, NULL);
    spares = 1;
    assert_int_equal(match.playoff.rounds, 5);
    assert_int_equal(match.playoff.confirmed, 6);
    /* The builder has given its own. */
    assert_int_equal(match.stats.builders_started, 1);
    assert_int_equal(match.stats.runners_started, 10);
    ct_playoff_release(&match.playoff);
}

/* Three rounds of either suffice on a device of which an A/A test has shown that its processes
 * hardly differ, and two to see who has lost; if they do differ, the confirmation is as long as ever. */
static void few_rounds_where_processes_agree(void **state)
{
    static const char *const speeds[] = {"good", "near", "slow"};
    struct ct_playoff_options options = {.beside = 2,
                                         .samples = 3,
                                         .least_rounds = 3,
                                         .steady = {0.0007, 4},
                                         .times = {0.0007, 4},
                                         .steady_rounds = 3};
    double half = ct_steadiness_half(&options.steady, 3);
    struct match match;

    (void)state;
    assert_true(half > 0.0014);
    play(&match, speeds, 3, &options, NULL);
    assert_int_equal(match.playoff.winner, 0);
    assert_int_equal(match.playoff.rounds, 2); /* the others have lost by then */
    assert_int_equal(match.playoff.confirmed, 3);
    assert_int_equal(match.entrants[1].ranking.rank, CT_RANK_LOST);
    for (size_t e = 0; e < 3; e++) {
        const struct ct_entrant *it = &match.entrants[e];

        /* The one beside the winner has been in one process of the confirmation. */
        assert_int_equal(it->processes, 3 - e);
        double low = log(it->time_ns / it->low_ns);
        double high = log(it->high_ns / it->time_ns);

        /* The winner's own processes; of the others, their ratios to it, too. */
        assert_near(low, e == 0 ? half : 2 * half, e == 0 ? 1e-9 : 0.7 * half);
        assert_near(high, e == 0 ? half : 2 * half, e == 0 ? 1e-9 : 0.7 * half);
        assert_near(it->ranking.high, it->high_ns, 1e-3);
    }
    ct_playoff_release(&match.playoff);

    setenv("VIRTUALCL_NOISE", "process:0.01,seed:1", 1);
    play(&match, speeds, 3, &options, NULL);
    unsetenv("VIRTUALCL_NOISE");
    assert_int_equal(match.playoff.confirmed, 6);
    assert_int_equal(match.entrants[match.playoff.winner].processes, 6);
    ct_playoff_release(&match.playoff);
}

/* The A/A test has shown processes that differ by 0.3%, but they have that in common: once rounds show it, three
 * are enough; the intervals of times are still as wide as it says. */
static void rounds_that_agree_settle_it(void **state)
{
    static const char *const speeds[] = {"good", "near", "slow", "nearest"};
    struct ct_playoff_options options = {
        .beside = 2, .samples = 3, .times = {0.003, 4}, .settled_rounds = 3};
    double half = ct_steadiness_half(&options.times, 3);
    const struct ct_entrant *winner;
    struct match match;

    (void)state;
    setenv("VIRTUALCL_NOISE", "process:0.001,seed:1", 1);
    play(&match, speeds, 4, &options, NULL);
    assert_int_equal(match.playoff.winner, 0);
    assert_int_equal(match.playoff.settled.freedom, 4); /* two left after two rounds */
    assert_int_equal(match.playoff.rounds, 3);
    assert_int_equal(match.playoff.confirmed, 3);
    assert_int_equal(match.entrants[1].processes, 2); /* it has lost by then */
    assert_int_equal(match.entrants[3].ranking.rank, CT_RANK_TIED);
    winner = &match.entrants[0];
    assert_near(log(winner->time_ns / winner->low_ns), half, 1e-9);
    /* 0.1% slower, known to sqrt(2 / 3) of 0.15% times t(97.5%, 2). */
    assert_near(match.entrants[3].ranking.ratio_high,
                1.001 * exp(4.3027 * 0.0015 * sqrt(2.0 / 3)), 1e-5);
    assert_int_equal(match.entrants[2].processes, 3);
    ct_playoff_release(&match.playoff);
    /* Half an interval of 5% would say little of the time: that takes six processes. */
    options.times.deviation = 0.025;
    play(&match, speeds, 4, &options, NULL);
    assert_int_equal(match.playoff.rounds, 3);
    assert_int_equal(match.playoff.confirmed, 6);
    assert_true(1 - match.entrants[0].low_ns / match.entrants[0].time_ns < 0.01);
    ct_playoff_release(&match.playoff);
    /* Unless it is asked for, or processes differ by what they do not have in common. */
    options.settled_rounds = 0;
    play(&match, speeds, 4, &options, NULL);
    assert_int_equal(match.playoff.settled.freedom, 0);
    assert_int_equal(match.playoff.rounds, 5);
    assert_int_equal(match.playoff.confirmed, 6);
    ct_playoff_release(&match.playoff);
    options.settled_rounds = 3;
    setenv("VIRTUALCL_NOISE", "layout:0.004,seed:1", 1);
    play(&match, speeds, 4, &options, NULL);
    assert_int_equal(match.playoff.settled.freedom, 0);
    assert_true(match.playoff.rounds >= 5);
    ct_playoff_release(&match.playoff);
    unsetenv("VIRTUALCL_NOISE");
}

/* One that does not compete was in none of the rounds that have shown that ratios agree: it has three of the
 * confirmation, whose own error counts, if it is not smaller by chance. */
static void nothing_is_shown_of_the_one_beside(void **state)
{
    static const char *const speeds[] = {"good", "near", "slow", "nearest"};
    struct ct_playoff_options options = {.beside = 2,
                                         .beside_only = true,
                                         .samples = 3,
                                         .times = {0.003, 4},
                                         .settled_rounds = 3};
    const struct ct_ranking *ranking;
    struct match match;

    (void)state;
    setenv("VIRTUALCL_NOISE", "process:0.001,layout:0.0005,seed:2", 1);
    play(&match, speeds, 4, &options, NULL);
    unsetenv("VIRTUALCL_NOISE");
    assert_true(match.playoff.settled.freedom >= 2);
    assert_int_equal(match.playoff.confirmed, 3);
    assert_int_equal(match.entrants[2].processes, 3);
    ranking = &match.entrants[2].ranking;
    assert_near(ranking->ratio, 1.5, 0.003);
    assert_true(ranking->ratio_low < 1.5 && ranking->ratio_high > 1.5);
    assert_true(log(ranking->ratio_high / ranking->ratio) >
                4.3027 * 0.0015 * sqrt(2.0 / 3) - 1e-9);
    ct_playoff_release(&match.playoff);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_wins),
        cmocka_unit_test(preference_among_ties),
        cmocka_unit_test(slower_device_keeps_order),
        cmocka_unit_test(slower_device_contradicts_nobody),
        cmocka_unit_test(ratios_that_differ_call_it_off),
        cmocka_unit_test(nobody_stays_in_vain),
        cmocka_unit_test(cost_decides),
        cmocka_unit_test(alone_beside_default),
        cmocka_unit_test(everybody_fails),
        cmocka_unit_test(losers_come_back),
        cmocka_unit_test(rounds_of_many_are_short),
        cmocka_unit_test(a_hard_limit_ends_it),
        cmocka_unit_test(prepared_processes_play),
        cmocka_unit_test(few_rounds_where_processes_agree),
        cmocka_unit_test(rounds_that_agree_settle_it),
        cmocka_unit_test(nothing_is_shown_of_the_one_beside),
        cmocka_unit_test(noise_within_a_limit),
        cmocka_unit_test(noise_of_an_exact_device),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT))
        return ct_worker_main();
    return cmocka_run_group_tests(tests, set_up_speed, remove_folder);
}
