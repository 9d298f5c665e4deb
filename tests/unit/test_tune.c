// SPDX-License-Identifier: Apache-2.0
// The engine's decisions without a device: what is best, what ends a search, who wins
// against the host.
#include "space_text.h"

#include "tune/baseline.h"
#include "tune/budget.h"
#include "tune/headroom.h"
#include "tune/objective.h"
#include "tune/search.h"

#include <math.h>
#include <stdlib.h>

static const char text[] = "[param]\nA = 1..9\n[metric]\nspeed = 1e6 / time_ns\n"
                           "[measure]\nobjective = speed\ndirection = maximize\n";

static const struct ct_objective by_time = {
    .kind = CT_OBJECTIVE_TIME, .name = "time", .needs = 1u << CT_QUANTITY_TIME_NS};

static struct ct_evaluated entry_of(int64_t index, double value)
{
    return (struct ct_evaluated){
        .index = index, .status = CT_RESULT_OK, .time_ns = value, .value = value};
}

/* Adds entries of these values, numbered from 0. */
static void add_all(struct ct_results *results, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct ct_evaluated entry = entry_of((int64_t)i, values[i]);

        assert_int_equal(ct_results_add(results, &by_time, &entry, NULL), CT_OK);
    }
}

/* --- what a driver allows --- */

static void headroom_is_the_least_of_all_launches(void **state)
{
    struct ct_plan_launch launches[3] = {
        {.dims = 2, .local = {16, 8}},
        {.dims = 1, .local = {0}}, /* the driver chooses */
        {.dims = 3, .local = {8, 8, 8}},
    };
    struct ct_kernel_facts facts[3] = {
        {.work_group_size = 512}, {.work_group_size = 64}, {.work_group_size = 1024}};
    struct ct_plan plan = {.launch_count = 3, .launches = launches};
    struct ct_outcome outcome = {.fact_count = 3, .facts = facts};
    struct ct_devinfo device = {0};

    (void)state;
    device.props[CT_DEVICE_LOCAL_MEM_SIZE] = ct_value_int(49152);
    assert_true(ct_headroom_of(&plan, &outcome, &device) == 2);
    facts[1].local_mem_bytes = 32768;
    assert_true(ct_headroom_of(&plan, &outcome, &device) == 1.5);
    facts[0].work_group_size = 64; /* refused */
    assert_true(ct_headroom_of(&plan, &outcome, &device) == 0.5);
    /* What comes after a refusal was not looked at, and of a failed build nothing is known. */
    facts[2] = facts[1] = (struct ct_kernel_facts){0};
    assert_true(ct_headroom_of(&plan, &outcome, &device) == 0.5);
    outcome.fact_count = 0;
    assert_true(ct_headroom_of(&plan, &outcome, &device) == 0);
}

/* --- objectives --- */

static void the_option_comes_before_the_file(void **state)
{
    struct space_text space;
    struct ct_objective objective;
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    space_text_open(&space, text, NULL);
    assert_int_equal(ct_objective_choose(space.spec, NULL, &objective, &err), CT_OK);
    assert_int_equal(objective.kind, CT_OBJECTIVE_METRIC);
    assert_string_equal(objective.name, "speed");
    assert_true(objective.maximize);
    assert_int_equal(objective.needs, 1u << CT_QUANTITY_TIME_NS);
    assert_true(ct_objective_is_time(&objective));
    assert_false(ct_objective_races(&objective, space.spec));
    assert_int_equal(ct_objective_choose(space.spec, "time_ns", &objective, &err), CT_OK);
    assert_string_equal(objective.name, "time");
    assert_false(objective.maximize);
    assert_true(ct_objective_races(&objective, space.spec));
    assert_int_equal(ct_objective_choose(space.spec, "sped", &objective, &err),
                     CT_E_USAGE);
    assert_non_null(strstr(err.message, "did you mean 'speed'?"));
    space_text_close(&space);
}

static void better_depends_on_the_direction(void **state)
{
    struct ct_objective most = {.kind = CT_OBJECTIVE_METRIC, .maximize = true};

    (void)state;
    assert_true(ct_objective_is_better(&by_time, 1, 2));
    assert_false(ct_objective_is_better(&by_time, 2, 2));
    assert_true(ct_objective_is_better(&most, 2, 1));
    assert_false(ct_objective_is_better(&most, NAN, 1));
    assert_true(ct_objective_gain(&by_time, 2, 8) == 4);
    assert_true(ct_objective_gain(&most, 8, 2) == 4);
    /* A ratio of negative values says nothing. */
    assert_true(ct_objective_gain(&most, -1, -2) == 0);
    assert_true(ct_objective_positive(&most, 4) == 0.25);
    assert_true(isnan(ct_objective_positive(&by_time, 0)));
}

/* --- results --- */

static void the_best_is_that_of_the_ranking(void **state)
{
    static const double values[] = {5, 3, NAN, 3, 4};
    static const int64_t expected[] = {1, 3, 4, 0};
    struct ct_results results = {0};
    const struct ct_evaluated **order;
    size_t count;

    (void)state;
    assert_null(ct_results_best(&results, &by_time));
    add_all(&results, values, 5);
    assert_int_equal(results.evaluated, 5);
    assert_true(results.best_ns == 3);
    order = ct_results_ranking(&results, &by_time, NULL, NULL, &count);
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(order[i]->index, expected[i]);
    assert_ptr_equal(ct_results_best(&results, &by_time), order[0]);
    free(order);
    ct_results_release(&results);
}

static void a_play_off_comes_before_values(void **state)
{
    static const double values[] = {1, 2, 3, 4};
    static const int64_t expected[] = {3, 2, 0, 1};
    struct ct_results results = {0};
    const struct ct_evaluated **order;
    size_t count;

    (void)state;
    add_all(&results, values, 4);
    /* The pick, one that is tied with it, and one that lost: its value counts. */
    results.done[3].rank = 1;
    results.done[2].rank = 2;
    results.done[2].tied = true;
    results.done[1].rank = 3;
    order = ct_results_ranking(&results, &by_time, NULL, NULL, &count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(order[i]->index, expected[i]);
    free(order);
    ct_results_forget_ranks(&results);
    assert_int_equal(ct_results_best(&results, &by_time)->index, 0);
    ct_results_release(&results);
}

static void duplicates_follow_what_was_measured(void **state)
{
    static const double values[] = {2, 2};
    struct ct_results results = {0};

    (void)state;
    add_all(&results, values, 2);
    results.done[0].rank = results.done[1].rank = 1;
    snprintf(results.done[0].duplicate_of.text, sizeof(results.done[0].duplicate_of.text),
             "other");
    assert_int_equal(ct_results_best(&results, &by_time)->index, 1);
    ct_results_release(&results);
}

/* A default outside of a restricted space is compared with, but does not compete. */
static void what_lies_outside_is_not_kept(void **state)
{
    struct ct_evaluated entry = entry_of(CT_OUTSIDE, 1);
    struct ct_results results = {0};

    (void)state;
    assert_int_equal(ct_results_add(&results, &by_time, &entry, NULL), CT_OK);
    assert_int_equal(results.done_count, 0);
    assert_true(results.best_ns == 0);
    ct_results_release(&results);
}

/* --- budgets --- */

static void budgets_of_the_options_come_first(void **state)
{
    static const char file[] = "[param]\nA = 1..200\n[measure]\nevaluations = 50\n"
                               "no_progress = 7\nduration = 3 min\n";
    struct ct_budget_options options = {.evaluations = 20, .fraction = 0.05};
    struct ct_budget budget;
    struct space_text space;

    (void)state;
    space_text_open(&space, file, NULL);
    assert_int_equal(ct_budget_choose(&budget, &options, space.spec, &by_time, 200, NULL),
                     CT_OK);
    /* A twentieth of 200 is less than 20. */
    assert_int_equal(budget.evaluations, 10);
    assert_true(budget.is_share);
    assert_int_equal(budget.no_progress, 7);
    assert_true(budget.seconds == 180);
    options.evaluations = 9;
    assert_int_equal(ct_budget_choose(&budget, &options, space.spec, &by_time, 200, NULL),
                     CT_OK);
    assert_int_equal(budget.evaluations, 9);
    assert_false(budget.is_share);
    space_text_close(&space);
}

static void targets_fit_the_objective(void **state)
{
    struct ct_budget_options options = {.target = "1.5us"};
    struct ct_objective objective;
    struct ct_budget budget;
    struct space_text space;
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    space_text_open(&space, text, NULL);
    assert_int_equal(ct_budget_choose(&budget, &options, space.spec, &by_time, 9, &err),
                     CT_OK);
    assert_true(budget.has_target && budget.target == 1500);
    assert_int_equal(ct_objective_choose(space.spec, NULL, &objective, NULL), CT_OK);
    assert_int_equal(ct_budget_choose(&budget, &options, space.spec, &objective, 9, &err),
                     CT_E_USAGE);
    assert_non_null(strstr(err.message, "must be a plain number"));
    options.target = "15";
    assert_int_equal(ct_budget_choose(&budget, &options, space.spec, &by_time, 9, &err),
                     CT_E_USAGE);
    assert_non_null(strstr(err.message, "requires a unit"));
    space_text_close(&space);
}

static void the_first_budget_that_is_used_up_ends_it(void **state)
{
    static const double values[] = {5, 4, 6, 7};
    struct ct_results results = {0};
    struct ct_budget budget = {.progress_best = INFINITY};

    (void)state;
    assert_int_equal(ct_budget_spent(&budget, &by_time, &results, 1e9), CT_SEARCH_WHOLE);
    assert_false(ct_budget_is_limited(&budget, 9));
    for (size_t i = 0; i < 4; i++) {
        struct ct_evaluated entry = entry_of((int64_t)i, values[i]);

        assert_int_equal(ct_results_add(&results, &by_time, &entry, NULL), CT_OK);
        ct_budget_note_progress(&budget, &results, false);
    }
    assert_int_equal(budget.fruitless, 2);
    budget.no_progress = 2;
    assert_int_equal(ct_budget_spent(&budget, &by_time, &results, 3),
                     CT_SEARCH_NO_PROGRESS);
    budget.seconds = 3;
    assert_int_equal(ct_budget_spent(&budget, &by_time, &results, 3), CT_SEARCH_TIME);
    budget.evaluations = 4;
    assert_int_equal(ct_budget_spent(&budget, &by_time, &results, 3),
                     CT_SEARCH_EVALUATIONS);
    budget.is_share = true;
    assert_int_equal(ct_budget_spent(&budget, &by_time, &results, 3), CT_SEARCH_FRACTION);
    budget.has_target = true;
    budget.target = 3.9;
    assert_false(ct_budget_target_reached(&budget, &by_time, &results));
    budget.target = 4;
    assert_int_equal(ct_budget_spent(&budget, &by_time, &results, 3), CT_SEARCH_TARGET);
    assert_int_equal(ct_budget_room(&budget, 3, 5), 1);
    assert_int_equal(ct_budget_room(&budget, 9, 5), 0);
    budget.evaluations = 0;
    assert_int_equal(ct_budget_room(&budget, 9, 5), 5);
    ct_results_release(&results);
}

static void the_play_off_is_planned_in(void **state)
{
    struct ct_results results = {0};
    struct ct_budget budget = {.seconds = 100};

    (void)state;
    ct_budget_reserve(&budget);
    assert_true(budget.reserved_s == 25);
    assert_int_equal(ct_budget_spent(&budget, &by_time, &results, 74), CT_SEARCH_WHOLE);
    assert_int_equal(ct_budget_spent(&budget, &by_time, &results, 75), CT_SEARCH_TIME);
    assert_true(ct_budget_playoff_s(&budget, 75, 0) == 25);
    /* A slow last evaluation, an earlier play-off, and no time left. */
    assert_true(ct_budget_playoff_s(&budget, 90, 0) == 10);
    assert_true(ct_budget_playoff_s(&budget, 50, 20) == 5);
    assert_true(ct_budget_playoff_s(&budget, 150, 0) == 0);
    /* The A/A test is part of the share. */
    budget.noise_s = 6;
    ct_budget_reserve(&budget);
    assert_true(budget.reserved_s == 19);
    assert_true(ct_budget_playoff_s(&budget, 81, 0) == 19);
    assert_true(ct_budget_playoff_s(&budget, 81, 9) == 10);
    budget.noise_s = 24;
    ct_budget_reserve(&budget);
    assert_true(budget.reserved_s == 2);
    assert_true(ct_budget_playoff_is_hard(&budget));
    budget.playoff = 0.1;
    ct_budget_reserve(&budget);
    assert_true(budget.reserved_s == 10);
    budget.playoff = 1;
    ct_budget_reserve(&budget);
    assert_true(budget.reserved_s == 50);
    assert_true(ct_budget_playoff_s(&budget, 20, 0) == 80);
}

/* A tenth of a limit, or of the whole that the search so far is nine tenths of. */
static void the_baseline_has_a_share(void **state)
{
    struct ct_budget budget = {.seconds = 100};

    (void)state;
    assert_true(ct_budget_baseline_s(&budget, 1) == 10);
    budget.seconds = 5;
    assert_true(ct_budget_baseline_s(&budget, 1) == 1);
    budget.baseline = 0.1;
    assert_true(ct_budget_baseline_s(&budget, 1) == 0.5);
    budget.seconds = 0;
    budget.baseline = 0.25;
    assert_true(fabs(ct_budget_baseline_s(&budget, 30) - 10) < 1e-9);
    budget.baseline = 0;
    assert_true(fabs(ct_budget_baseline_s(&budget, 90) - 10) < 1e-9);
    assert_true(ct_budget_baseline_s(&budget, 2) == 1);
    budget.baseline = 1;
    assert_true(isinf(ct_budget_baseline_s(&budget, 90)));
}

static void what_takes_longer_is_known(void **state)
{
    struct ct_search search = {.pace = {.start_ns = 1000000000}};

    (void)state;
    search.pace.end_ns = 4500000000;
    assert_true(ct_search_over_s(&search) == 0);
    search.budget.seconds = 3;
    assert_true(ct_search_over_s(&search) == 0.5);
    search.budget.seconds = 4;
    assert_true(ct_search_over_s(&search) == 0);
    search.budget.seconds = 3;
    search.pace.end_ns = 0;
    assert_true(ct_search_over_s(&search) == 0);
}

static void the_play_off_has_a_share(void **state)
{
    struct ct_budget budget = {0};

    (void)state;
    ct_budget_reserve(&budget);
    assert_true(budget.reserved_s == 0);
    assert_false(ct_budget_playoff_is_hard(&budget));
    assert_true(ct_budget_playoff_s(&budget, 10, 0) == 6);
    assert_true(ct_budget_playoff_s(&budget, 20, 5) == 1);
    assert_true(ct_budget_playoff_s(&budget, 100, 0) == 25);
    assert_true(ct_budget_playoff_s(&budget, 110, 10) == 15);
    budget.noise_s = 5;
    assert_true(ct_budget_playoff_s(&budget, 105, 0) == 20);
    assert_true(ct_budget_playoff_s(&budget, 125, 20) == 0);
    /* Where processes are steady, a search is over after 20 s, or has the quarter. */
    budget.steady = true;
    assert_true(ct_budget_playoff_s(&budget, 5, 0) == 6);
    assert_true(ct_budget_playoff_s(&budget, 17, 0) == 6);
    assert_true(ct_budget_playoff_s(&budget, 20, 3) == 3);
    assert_true(ct_budget_playoff_s(&budget, 25, 0) == 0);
    budget.noise_s = 1;
    assert_true(ct_budget_playoff_s(&budget, 17, 0) == 4);
    assert_true(ct_budget_playoff_s(&budget, 41, 0) == 9);
    budget.steady = false;
    assert_true(ct_budget_playoff_s(&budget, 17, 0) == 6);
    /* 25 of 100 seconds, of the play-off alone. */
    budget.playoff = 0.25;
    assert_true(ct_budget_playoff_is_hard(&budget));
    assert_true(ct_budget_playoff_s(&budget, 75, 0) == 25);
    assert_true(ct_budget_playoff_s(&budget, 100, 25) == 0);
    budget.playoff = 1;
    assert_true(ct_budget_playoff_s(&budget, 1, 0) > 1e5);
}

/* --- the device against the host --- */

static void the_hardest_comparison_is_the_answer(void **state)
{
    struct ct_evaluated best = {.index = 0,
                                .status = CT_RESULT_OK,
                                .time_ns = 10,
                                .low_ns = 9,
                                .high_ns = 11,
                                .value = 10};
    struct ct_search search = {.objective = by_time};
    struct ct_host_verdict verdict;

    (void)state;
    search.results.done = &best;
    search.results.done_count = 1;
    assert_false(ct_host_verdict_find(&search, &verdict));
    search.host.has_one = true;
    search.host.one = (struct ct_outcome){.time_ns = 40, .low_ns = 38, .high_ns = 42};
    assert_true(ct_host_verdict_find(&search, &verdict));
    assert_true(verdict.one.ratio == 4);
    assert_int_equal(ct_host_verdict_answer(&verdict), CT_VERSUS_DEVICE);
    search.host.has_all = true;
    search.host.all = (struct ct_outcome){.time_ns = 10, .low_ns = 9, .high_ns = 11};
    assert_true(ct_host_verdict_find(&search, &verdict));
    assert_int_equal(ct_host_verdict_answer(&verdict), CT_VERSUS_EQUAL);
    search.host.transfers = (struct ct_range){20, 19, 21};
    assert_true(ct_host_verdict_find(&search, &verdict));
    assert_int_equal(verdict.one_transfers.winner, CT_VERSUS_DEVICE);
    assert_int_equal(ct_host_verdict_answer(&verdict), CT_VERSUS_HOST);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(headroom_is_the_least_of_all_launches),
        cmocka_unit_test(the_option_comes_before_the_file),
        cmocka_unit_test(better_depends_on_the_direction),
        cmocka_unit_test(the_best_is_that_of_the_ranking),
        cmocka_unit_test(a_play_off_comes_before_values),
        cmocka_unit_test(duplicates_follow_what_was_measured),
        cmocka_unit_test(what_lies_outside_is_not_kept),
        cmocka_unit_test(budgets_of_the_options_come_first),
        cmocka_unit_test(targets_fit_the_objective),
        cmocka_unit_test(the_first_budget_that_is_used_up_ends_it),
        cmocka_unit_test(the_play_off_is_planned_in),
        cmocka_unit_test(the_baseline_has_a_share),
        cmocka_unit_test(what_takes_longer_is_known),
        cmocka_unit_test(the_play_off_has_a_share),
        cmocka_unit_test(the_hardest_comparison_is_the_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
