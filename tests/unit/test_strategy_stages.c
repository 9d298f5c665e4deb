// SPDX-License-Identifier: Apache-2.0
// What the surrogate looks for: at first, and when something is fast already.
#include "strategy_space.h"

#include "search/surrogate/surrogate.h"

#include <math.h>

/* The first, the third and the fifth configuration have powers of two, of which the space has one in
 * ten; the other ones of the first eight are spread over the whole of it. */
static void test_plain_start(void **state)
{
    struct space_text t;
    int others_odd = 0;
    int seventh_odd = 0;

    (void)state;
    space_text_open(&t, "[param]\nA = 1..16\nB = 1..16\nC = 0, 1\n", NULL);
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct ct_strategy *strategy = make("surrogate", &t, seed);

        for (int i = 0; i < 8; i++) {
            struct ct_strategy_result told = {.ok = true, .objective = 1 + i};
            uint32_t config[3];
            uint64_t index;
            int odd = 0;

            assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
            ct_space_config(t.space, index, config);
            for (int p = 0; p < 2; p++) /* value number 0 is 1 */
                odd += ((config[p] + 1) & config[p]) != 0;
            if (i < 5 && i % 2 == 0)
                assert_int_equal(odd, 0);
            else
                others_odd += odd;
            seventh_odd += i == 6 ? odd : 0;
            ct_strategy_tell(strategy, index, &told);
        }
        ct_strategy_free(strategy);
    }
    assert_true(others_odd > 25);
    assert_true(seventh_odd > 5);
    space_text_close(&t);
}

/* Asks for one configuration and tells this objective of it. */
static void evaluate(struct ct_strategy *strategy, double objective)
{
    struct ct_strategy_result told = {.ok = true, .objective = objective};
    uint64_t index;

    assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
    ct_strategy_tell(strategy, index, &told);
}

static void test_goal(void **state)
{
    struct space_text t;
    struct ct_strategy *strategy;
    struct ct_surrogate *self;

    (void)state;
    space_text_open(&t, "[param]\nA = 0..19\nB = 0..19\n", NULL);
    strategy = make("surrogate", &t, 1);
    self = (struct ct_surrogate *)strategy;
    for (int i = 0; i < 10; i++)
        evaluate(strategy, 20 - i);
    for (int i = 0; i < 8; i++) {
        assert_false(ct_surrogate_has_stalled(self));
        assert_true(fabs(ct_surrogate_goal(self, CT_SURROGATE_ANY) + 0.05) < 1e-12);
        evaluate(strategy, 30);
    }
    assert_true(ct_surrogate_has_stalled(self));
    assert_true(fabs(ct_surrogate_goal(self, CT_SURROGATE_ANY) + 0.05) < 1e-12);
    evaluate(strategy, 10.9); /* better, if only by a little */
    assert_false(ct_surrogate_has_stalled(self));
    /* An objective with both signs has no ratios. */
    evaluate(strategy, -1);
    assert_true(ct_surrogate_goal(self, CT_SURROGATE_ANY) == -1);
    ct_strategy_free(strategy);
    space_text_close(&t);
}

/* How much a candidate promises. */
static double promise_of(const struct ct_surrogate *self, size_t c)
{
    double mean;
    double variance;

    ct_surrogate_at(self, c, &mean, &variance);
    return ct_surrogate_improvement(mean, sqrt(variance),
                                    ct_surrogate_goal(self, CT_SURROGATE_ANY));
}

/* On a plateau, the proposal is the candidate that promises most of what is clearly better, whether the
 * search has stalled or not. */
static void test_plateau(void **state)
{
    struct space_text t;
    struct ct_strategy *strategy;
    struct ct_surrogate *self;
    int stalled = 0;
    int choices = 0;

    (void)state;
    space_text_open(&t, "[param]\nA = 0..19\nB = 0..19\n", NULL);
    strategy = make("surrogate", &t, 2);
    self = (struct ct_surrogate *)strategy;
    for (int i = 0; i < 60; i++) {
        struct ct_strategy_result told = {.ok = true};
        uint32_t config[2];
        uint64_t index;
        double chosen = -1;
        double most = 0;

        assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
        for (size_t c = 0; c < self->pool.count; c++) {
            bool untried = !ct_history_has(&self->history, self->pool.indices[c]);

            if (self->pool.indices[c] == index)
                chosen = promise_of(self, c);
            else if (untried && promise_of(self, c) > most)
                most = promise_of(self, c);
        }
        if (self->pool.count) {
            assert_true(chosen >= most);
            stalled += ct_surrogate_has_stalled(self);
            choices++;
        }
        ct_space_config(t.space, index, config);
        told.objective = 10 + 0.001 * (double)(index % 7) +
                         fmax(0, hypot(config[0] - 6.0, config[1] - 9.0) - 4);
        ct_strategy_tell(strategy, index, &told);
    }
    assert_true(stalled > 10);
    assert_true(choices > stalled);
    ct_strategy_free(strategy);
    space_text_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_start),
        cmocka_unit_test(test_goal),
        cmocka_unit_test(test_plateau),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
