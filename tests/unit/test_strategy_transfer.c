// SPDX-License-Identifier: Apache-2.0
// The surrogate's use of results from elsewhere: it gains from what resembles this device, and loses
// next to nothing by what does not.
#include "strategy_space.h"

#include "base/rng.h"

#include <math.h>
#include <string.h>

enum { SEEDS = 16, RESULTS = 150, UPSIDE_DOWN = -1 };

/* Gives the results of a bowl at `there` (upside down: its bottom is the worst). */
static void tell_elsewhere(struct ct_strategy *strategy, const struct space_text *t,
                           double there, unsigned source, uint64_t seed)
{
    struct ct_rng rng;

    ct_rng_seed(&rng, 3 * seed + source);
    for (unsigned i = 0; i < RESULTS; i++) {
        uint64_t index = ct_rng_below(&rng, 8000);
        struct ct_strategy_result told = {.ok = true};

        told.objective = there < 0 ? 1000 / bowl(t, index, 13) : bowl(t, index, there);
        ct_strategy_transfer(strategy, index, &told, source);
    }
}

/* Mean evaluations to the bottom at 13, with `sources` sources that have it at `there`. */
static double evaluations(const struct space_text *t, double there, unsigned sources)
{
    double sum = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct ct_strategy *strategy = make("surrogate", t, seed);
        int count = 0;
        double best = INFINITY;

        for (unsigned s = 0; s < sources; s++)
            tell_elsewhere(strategy, t, there, s, seed);
        for (; best > 1.05 && count < 200; count++) {
            struct ct_strategy_result told = {.ok = true};
            uint64_t index;

            assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
            told.objective = bowl(t, index, 13);
            best = told.objective < best ? told.objective : best;
            ct_strategy_tell(strategy, index, &told);
        }
        ct_strategy_free(strategy);
        sum += count;
    }
    return sum / SEEDS;
}

static void test_gain_and_loss(void **state)
{
    struct space_text t;
    double none;

    (void)state;
    space_text_open(&t, "[param]\nA = 0..19\nB = 0..19\nC = 0..19\n", NULL);
    none = evaluations(&t, 13, 0);
    for (unsigned sources = 1; sources <= 3; sources++) {
        double same = evaluations(&t, 13, sources);
        double far = evaluations(&t, 4, sources);
        double contrary = evaluations(&t, UPSIDE_DOWN, sources);

        print_message("%g without, of %u: %g the same, %g far away, %g the contrary\n",
                      none, sources, same, far, contrary);
        assert_true(same < 0.7 * none);
        assert_true(far <= 1.1 * none);
        assert_true(contrary <= 1.1 * none);
    }
    space_text_close(&t);
}

/* Asks for one, and tells its result; whether it was among the best elsewhere. */
static bool next_is_elsewhere(struct ct_strategy *strategy, const struct space_text *t,
                              double at, uint64_t *index)
{
    struct ct_strategy_result told = {.ok = true};
    struct ct_why why;

    assert_int_equal(ct_strategy_ask(strategy, 1, index), 1);
    assert_true(ct_strategy_why(strategy, *index, &why));
    told.objective = at < 0 ? 1000 / bowl(t, *index, 13) : bowl(t, *index, at);
    ct_strategy_tell(strategy, *index, &told);
    return strstr(why.reason, "elsewhere") != NULL;
}

/* A single source gets its turn once the results rank as it does, several that agree at once. */
static void test_turns(void **state)
{
    struct space_text t;
    uint64_t index;

    (void)state;
    space_text_open(&t, "[param]\nA = 0..19\nB = 0..19\nC = 0..19\n", NULL);
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct ct_strategy *strategy = make("surrogate", &t, seed);

        assert_true(ct_strategy_has_transfer(strategy));
        tell_elsewhere(strategy, &t, 13, 0, seed);
        for (int i = 0; i < 6; i++)
            assert_false(next_is_elsewhere(strategy, &t, 13, &index));
        assert_true(next_is_elsewhere(strategy, &t, 13, &index));
        assert_true(bowl(&t, index, 13) < 6);
        ct_strategy_free(strategy);

        strategy = make("surrogate", &t, seed);
        tell_elsewhere(strategy, &t, 13, 0, seed);
        for (int i = 0; i < 20; i++)
            assert_false(next_is_elsewhere(strategy, &t, UPSIDE_DOWN, &index));
        ct_strategy_free(strategy);

        strategy = make("surrogate", &t, seed);
        tell_elsewhere(strategy, &t, 13, 0, seed);
        tell_elsewhere(strategy, &t, 13, 1, seed);
        assert_true(next_is_elsewhere(strategy, &t, UPSIDE_DOWN, &index));
        for (int i = 0; i < 20; i++)
            assert_false(next_is_elsewhere(strategy, &t, UPSIDE_DOWN, &index));
        ct_strategy_free(strategy);
    }
    space_text_close(&t);
}

/* What is told too late, or of no configuration, is left out. */
static void test_not_taken(void **state)
{
    struct space_text t;
    struct ct_strategy *strategy;
    uint64_t index;

    (void)state;
    space_text_open(&t, "[param]\nA = 0..19\nB = 0..19\nC = 0..19\n", NULL);
    strategy = make("surrogate", &t, 1);
    for (uint64_t i = 0; i < 40; i++) {
        struct ct_strategy_result told = {
            .ok = i % 20 != 5, .objective = 10 + fabs(12.0 - (double)(i % 20))};

        ct_strategy_transfer(strategy, i % 20, &told, (unsigned)i / 20);
    }
    ct_strategy_transfer(strategy, UINT64_MAX, &(struct ct_strategy_result){.ok = true},
                         0);
    assert_true(next_is_elsewhere(strategy, &t, 13, &index));
    assert_int_equal(index, 12);
    ct_strategy_transfer(strategy, 40,
                         &(struct ct_strategy_result){.ok = true, .objective = 1}, 0);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
        assert_int_not_equal(index, 40);
    }
    ct_strategy_free(strategy);
    strategy = make("local", &t, 1);
    assert_false(ct_strategy_has_transfer(strategy));
    ct_strategy_free(strategy);
    space_text_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gain_and_loss),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_not_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
