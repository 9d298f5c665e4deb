// SPDX-License-Identifier: Apache-2.0
// Online tuning's decisions: what runs next, when it stops trying, when it tries again.
#include "strategy_space.h"

#include "online/trials.h"

#include <math.h>

enum { COUNT = 60 };

/* A device: a configuration's time, and what fails. */
static double time_of(uint64_t index)
{
    return 100 + 10 * (double)((index + 37) % COUNT);
}
static const uint64_t optimum = COUNT - 37;

struct world {
    struct space_text text;
    struct ct_trials *trials;
    uint64_t launches;
    uint64_t tried;     /* configurations that ran for the first time */
    uint64_t confirmed; /* launches of finalists */
    unsigned times[COUNT];
    uint64_t broken; /* fails; COUNT: none */
    double factor;   /* of all times */
    uint64_t dear;   /* those from this one on cost the program much more; COUNT: none */
    bool regressed;
    bool settled;
};

static void open_seeded(struct world *w, uint64_t seed, uint64_t launches)
{
    const struct ct_trials_budget budget = {.launches = launches};

    *w = (struct world){.broken = COUNT, .factor = 1, .dear = COUNT};
    open_space(&w->text, COUNT);
    assert_int_equal(ct_trials_new(w->text.space, seed, &budget, 0, &w->trials, NULL),
                     CT_OK);
}

static void open_world(struct world *w, uint64_t launches)
{
    open_seeded(w, 1, launches);
}

static void close_world(struct world *w)
{
    ct_trials_free(w->trials);
    space_text_close(&w->text);
}

/* One launch; false if nothing is left. */
static bool launch(struct world *w, struct ct_trial *out)
{
    struct ct_trials_news news = {0};
    struct ct_trial trial;

    if (!ct_trials_next(w->trials, &trial))
        return false;
    assert_true(trial.index < COUNT);
    w->launches++;
    w->tried += trial.fresh;
    w->confirmed += trial.phase == CT_TRIALS_CONFIRM;
    w->times[trial.index]++;
    if (trial.index == w->broken)
        ct_trials_report(w->trials, 0, CT_FAILURE_CRASHED, 1, &news);
    else if (trial.measure)
        ct_trials_report(w->trials, w->factor * time_of(trial.index), CT_FAILURE_NONE,
                         trial.fresh && trial.index >= w->dear ? 1e6 : 1, &news);
    w->regressed |= news.regressed;
    w->settled |= news.settled;
    if (out)
        *out = trial;
    return true;
}

static uint64_t settle(struct world *w, unsigned most)
{
    struct ct_trial trial = {0};

    for (unsigned i = 0; i < most; i++)
        assert_true(launch(w, &trial));
    assert_int_equal(trial.phase, CT_TRIALS_SETTLED);
    return trial.index;
}

static struct ct_strategy_result ran(double time_ns)
{
    return (struct ct_strategy_result){.ok = true, .objective = time_ns};
}

static void test_finds_the_best(void **state)
{
    struct world w;

    (void)state;
    open_world(&w, 400);
    assert_int_equal(settle(&w, 500), optimum);
    assert_true(w.settled);
    assert_false(w.regressed);
    close_world(&w);
}

static void test_keeps_to_the_launches(void **state)
{
    struct world w;
    struct ct_trial trial;
    unsigned others = 0;

    (void)state;
    open_world(&w, 40);
    for (int i = 0; i < 200; i++) {
        assert_true(launch(&w, &trial));
        others += trial.phase != CT_TRIALS_SETTLED;
    }
    /* What has begun is finished. */
    assert_true(others >= 20 && others <= 40 + CT_TRIALS_SAMPLES);
    assert_int_equal(trial.phase, CT_TRIALS_SETTLED);
    close_world(&w);
}

/* Those that looked best turn out to be slow, or fail, again and again. */
static void test_confirming_keeps_to_the_launches(void **state)
{
    const uint64_t budgets[] = {8, 20, 40};

    (void)state;
    for (size_t b = 0; b < 3; b++)
        for (int fails = 0; fails < 2; fails++) {
            struct world w;
            struct ct_trial trial;
            unsigned others = 0;

            open_world(&w, budgets[b]);
            for (uint64_t i = 0; i < 9; i++) {
                const uint64_t steps = i / 3;
                double lucky = 30 * pow(1.2, (double)steps);
                struct ct_strategy_result known = ran(lucky);

                assert_int_equal(ct_trials_known(w.trials, i, &known, NULL), CT_OK);
            }
            for (int i = 0; i < 200; i++) {
                struct ct_trials_news news;

                assert_true(ct_trials_next(w.trials, &trial));
                others += trial.phase != CT_TRIALS_SETTLED;
                if (fails && trial.phase == CT_TRIALS_CONFIRM)
                    ct_trials_report(w.trials, 0, CT_FAILURE_WRONG, 1, &news);
                else
                    ct_trials_report(w.trials, time_of(trial.index), CT_FAILURE_NONE, 1,
                                     &news);
            }
            assert_true(others <= budgets[b] + CT_TRIALS_SAMPLES + CT_TRIALS_FINALISTS);
            assert_int_equal(trial.phase, CT_TRIALS_SETTLED);
            close_world(&w);
        }
}

static void test_keeps_to_the_time(void **state)
{
    const struct ct_trials_budget budget = {.spent_ns = 50}; /* a launch costs 1 */
    struct world w;
    struct ct_trial trial;
    unsigned tried = 0;
    unsigned others = 0;

    (void)state;
    open_world(&w, 1);
    ct_trials_free(w.trials);
    assert_int_equal(ct_trials_new(w.text.space, 1, &budget, 0, &w.trials, NULL), CT_OK);
    for (int i = 0; i < 200; i++) {
        assert_true(launch(&w, &trial));
        tried += trial.phase == CT_TRIALS_EXPLORE;
        others += trial.phase != CT_TRIALS_SETTLED;
    }
    assert_true(tried >= 40 && tried <= 50);
    assert_true(others <= 50 + CT_TRIALS_FINALISTS);
    assert_true(w.settled);
    assert_int_equal(trial.phase, CT_TRIALS_SETTLED);
    close_world(&w);
}

/* How many of the upper half are tried, with several seeds. */
static unsigned tried_above(uint64_t dear)
{
    const uint64_t seeds = 8;
    unsigned count = 0;

    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct world w;

        open_seeded(&w, seed, 120);
        w.dear = dear;
        settle(&w, 200);
        for (size_t i = COUNT / 2; i < COUNT; i++)
            count += w.times[i] > 0;
        close_world(&w);
    }
    return count;
}

/* What is as likely to be fast and costs less comes first, as in a search. */
static void test_costs_count(void **state)
{
    unsigned dear = tried_above(COUNT / 2);
    unsigned cheap = tried_above(COUNT);

    (void)state;
    print_message("%u of the dear ones, %u if they are not\n", dear, cheap);
    assert_true(dear < cheap);
}

static void test_off_tries_nothing(void **state)
{
    struct world w;
    struct ct_trial trial;

    (void)state;
    open_world(&w, 0);
    assert_int_equal(ct_trials_candidate(w.trials, 7, NULL), CT_OK);
    assert_int_equal(ct_trials_candidate(w.trials, 9, NULL), CT_OK);
    for (int i = 0; i < 50; i++) {
        assert_true(launch(&w, &trial));
        assert_int_equal(trial.phase, CT_TRIALS_SETTLED);
        assert_int_equal(trial.index, 7);
        assert_false(trial.measure);
    }
    /* It fails: the next one, then none. */
    w.broken = 7;
    assert_true(launch(&w, NULL));
    assert_true(launch(&w, &trial));
    assert_int_equal(trial.index, 9);
    w.broken = 9;
    assert_true(launch(&w, NULL));
    assert_false(launch(&w, NULL));
    assert_false(w.regressed);
    close_world(&w);
}

/* Nor does it confirm what is known, though the search that has found it did not end. */
static void test_off_confirms_nothing(void **state)
{
    struct world w;
    struct ct_trial trial;
    const struct ct_strategy_result result = {.ok = true, .objective = 100};

    (void)state;
    open_world(&w, 0);
    assert_int_equal(ct_trials_candidate(w.trials, 7, NULL), CT_OK);
    assert_int_equal(ct_trials_known(w.trials, 7, &result, NULL), CT_OK);
    assert_int_equal(ct_trials_known(w.trials, 9, &result, NULL), CT_OK);
    for (int i = 0; i < 50; i++) {
        assert_true(launch(&w, &trial));
        assert_int_equal(trial.phase, CT_TRIALS_SETTLED);
        assert_int_equal(trial.index, 7);
        assert_false(trial.measure);
    }
    close_world(&w);
}

/* Of two databases the first counts; but what was wrong according to either is not used. */
static void test_the_first_result_counts(void **state)
{
    struct world w;
    const struct ct_strategy_result ok = {.ok = true, .objective = 100};
    const struct ct_strategy_result wrong = {.failure = CT_FAILURE_WRONG};
    const struct ct_strategy_result refused = {.failure = CT_FAILURE_BUILD};

    (void)state;
    open_world(&w, 100);
    assert_int_equal(ct_trials_known(w.trials, 1, &wrong, NULL), CT_OK);
    assert_int_equal(ct_trials_known(w.trials, 1, &ok, NULL), CT_OK);
    assert_true(ct_trials_failed(w.trials, 1));
    assert_int_equal(ct_trials_known(w.trials, 2, &ok, NULL), CT_OK);
    assert_int_equal(ct_trials_known(w.trials, 2, &refused, NULL), CT_OK);
    assert_false(ct_trials_failed(w.trials, 2));
    assert_int_equal(ct_trials_known(w.trials, 2, &wrong, NULL), CT_OK);
    assert_true(ct_trials_failed(w.trials, 2));
    assert_false(ct_trials_failed(w.trials, 3));
    close_world(&w);
}

static void test_candidates_come_first(void **state)
{
    struct world w;
    struct ct_trial trial = {0};
    const uint64_t order[] = {30, 2, 50};

    (void)state;
    open_world(&w, 100);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(ct_trials_candidate(w.trials, order[i], NULL), CT_OK);
    assert_int_equal(ct_trials_candidate(w.trials, 30, NULL), CT_OK);
    for (size_t i = 0; i < 3; i++) {
        do
            assert_true(launch(&w, &trial));
        while (!trial.fresh);
        assert_int_equal(trial.index, order[i]);
    }
    close_world(&w);
}

static void test_failures_are_not_tried_again(void **state)
{
    const struct ct_strategy_result wrong = {.failure = CT_FAILURE_WRONG};
    unsigned best = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct world w;
        uint64_t chosen;

        open_seeded(&w, seed, 400);
        /* The best crashes here, the second was wrong elsewhere. */
        w.broken = optimum;
        assert_int_equal(ct_trials_known(w.trials, optimum + 1, &wrong, NULL), CT_OK);
        chosen = settle(&w, 500);
        assert_true(w.times[optimum] <= 1);
        assert_int_equal(w.times[optimum + 1], 0);
        close_world(&w);
        /* The third, or the fourth, which is 8% slower: beside failures it is doubtful. */
        assert_in_range(chosen, optimum + 2, optimum + 3);
        best += chosen == optimum + 2;
    }
    assert_true(best >= 4);
}

static void test_what_is_known_is_not_measured(void **state)
{
    struct world w;
    struct ct_trial trial;

    (void)state;
    open_world(&w, 400);
    for (uint64_t i = 0; i < COUNT; i++) {
        struct ct_strategy_result result = ran(time_of(i));

        assert_int_equal(ct_trials_known(w.trials, i, &result, NULL), CT_OK);
    }
    for (int i = 0; i < CT_TRIALS_FINALISTS * CT_TRIALS_ROUNDS + 10; i++)
        assert_true(launch(&w, &trial));
    assert_int_equal(w.tried, 0);
    assert_int_equal(trial.phase, CT_TRIALS_SETTLED);
    assert_int_equal(trial.index, optimum);
    close_world(&w);
}

static void test_a_lucky_result_is_confirmed(void **state)
{
    struct ct_strategy_result lucky = ran(time_of(optimum) * 0.95);
    struct ct_trial trial;
    struct world w;

    (void)state;
    open_world(&w, 400);
    /* Stored as the best, but it is the slowest. */
    assert_int_equal(ct_trials_known(w.trials, optimum + COUNT / 2, &lucky, NULL), CT_OK);
    do
        assert_true(launch(&w, &trial));
    while (!w.settled && w.launches < 1000);
    assert_true(launch(&w, &trial));
    /* The best of all that ran; none of them was near what the lucky one seemed to take. */
    for (uint64_t i = 0; i < COUNT; i++)
        assert_true(!w.times[i] || time_of(trial.index) <= time_of(i));
    assert_true(time_of(trial.index) <= 1.1 * time_of(optimum));
    assert_true(w.times[optimum + COUNT / 2] >= CT_TRIALS_ROUNDS);
    close_world(&w);
}

static void test_a_slower_best_is_noticed(void **state)
{
    struct world w;
    struct ct_trial trial;

    (void)state;
    open_world(&w, 100);
    ct_trials_settle(w.trials, 5, time_of(5));
    for (int i = 0; i < 5000; i++)
        assert_true(launch(&w, NULL));
    assert_false(w.regressed);
    /* 9% are not enough. */
    w.factor = 1.09;
    for (int i = 0; i < 5000; i++)
        assert_true(launch(&w, NULL));
    assert_false(w.regressed);
    w.factor = 1.2;
    for (int i = 0; i < 5000 && !w.regressed; i++)
        assert_true(launch(&w, &trial));
    assert_true(w.regressed);
    assert_int_equal(trial.index, 5);
    close_world(&w);
}

static void test_a_disturbance_is_no_regression(void **state)
{
    struct world w;

    (void)state;
    open_world(&w, 100);
    ct_trials_settle(w.trials, 5, time_of(5));
    for (int i = 0; i < 5000; i++) {
        w.factor = i % 3 ? 1.02 : 4;
        assert_true(launch(&w, NULL));
    }
    assert_false(w.regressed);
    close_world(&w);
}

static void test_settled_launches_are_rarely_measured(void **state)
{
    struct world w;
    struct ct_trial trial;
    unsigned measured = 0;

    (void)state;
    open_world(&w, 100);
    ct_trials_settle(w.trials, 5, time_of(5));
    for (int i = 0; i < 6400; i++) {
        assert_true(launch(&w, &trial));
        measured += trial.measure;
    }
    assert_in_range(measured, CT_TRIALS_WATCHED + 1, 6400 / CT_TRIALS_WATCH_EVERY + 20);
    close_world(&w);
}

static void test_refused_ones_cost_no_launch(void **state)
{
    struct ct_trials_news news;
    struct ct_trial trial;
    struct world w;
    unsigned refused = 0;

    (void)state;
    open_world(&w, 60);
    while (ct_trials_next(w.trials, &trial) && trial.phase == CT_TRIALS_EXPLORE) {
        if (trial.index % 2 == 0) {
            ct_trials_refuse(w.trials, CT_FAILURE_INVALID, &news);
            assert_true(news.result);
            assert_int_equal(news.failure, CT_FAILURE_INVALID);
            refused++;
        } else {
            launch(&w, NULL);
        }
    }
    assert_true(refused > 5);
    assert_true(w.launches >= 40);
    for (uint64_t i = 0; i < COUNT; i += 2)
        assert_int_equal(w.times[i], 0);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_the_best),
        cmocka_unit_test(test_keeps_to_the_launches),
        cmocka_unit_test(test_confirming_keeps_to_the_launches),
        cmocka_unit_test(test_keeps_to_the_time),
        cmocka_unit_test(test_costs_count),
        cmocka_unit_test(test_off_tries_nothing),
        cmocka_unit_test(test_off_confirms_nothing),
        cmocka_unit_test(test_the_first_result_counts),
        cmocka_unit_test(test_candidates_come_first),
        cmocka_unit_test(test_failures_are_not_tried_again),
        cmocka_unit_test(test_what_is_known_is_not_measured),
        cmocka_unit_test(test_a_lucky_result_is_confirmed),
        cmocka_unit_test(test_a_slower_best_is_noticed),
        cmocka_unit_test(test_a_disturbance_is_no_regression),
        cmocka_unit_test(test_settled_launches_are_rarely_measured),
        cmocka_unit_test(test_refused_ones_cost_no_launch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
