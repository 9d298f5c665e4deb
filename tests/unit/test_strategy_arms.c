// SPDX-License-Identifier: Apache-2.0
// What the surrogate tries of each algorithm of a space, and how the algorithms share the proposals.
// cmocka wants these four before it.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "strategy_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two algorithms with parameters of their own, and much that they have in common. */
static const char *const branches =
    "[param]\nALGORITHM = 0, 1, 2\nP = 0..5 if ALGORITHM == 1\nQ = 0..5 if ALGORITHM == 2\n"
    "A = 0..7\nB = 0..7\nC = 0..3\n";

/* In the first round an algorithm's own values are tried one after the other, although the first one
 * that works looks good: what another one does is not known. */
static void every_own_value_is_tried(void **state)
{
    struct space_text t;

    (void)state;
    space_text_open(&t, branches, NULL);
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct ct_strategy *strategy = make("surrogate", &t, seed);
        unsigned seen[3] = {0};
        int tries[3] = {0};

        for (int i = 0; i < 45; i++) {
            struct ct_strategy_result told = {.ok = true};
            uint32_t config[6];
            uint64_t index;

            assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
            ct_space_config(t.space, index, config);
            tries[config[0]] += config[0] && seen[config[0]] != 63;
            if (config[0])
                seen[config[0]] |= 1U << config[config[0]];
            told.objective = 10 + (config[0] ? 3 : 0) + (double)config[3] +
                             0.7 * config[4] + 0.5 * config[5];
            ct_strategy_tell(strategy, index, &told);
        }
        for (int a = 1; a < 3; a++) {
            if (seen[a] != 63 || tries[a] > 12)
                print_error("seed %d, algorithm %d: values %x in %d tries\n", (int)seed,
                            a, seen[a], tries[a]);
            assert_int_equal(seen[a], 63);
            assert_in_range(tries[a], 6, 12);
        }
        ct_strategy_free(strategy);
    }
    space_text_close(&t);
}

/* All algorithms get their first look, a quarter of a small budget together, before the regression
 * chooses among them. */
static void looks_come_first(void **state)
{
    struct space_text t;

    (void)state;
    space_text_open(&t, branches, NULL);
    for (uint64_t seed = 0; seed < 6; seed++) {
        const struct ct_limits limits = {60, true};
        struct ct_strategy *strategy = make("surrogate", &t, seed);
        int got[3] = {0};

        ct_strategy_limit(strategy, &limits);
        for (int i = 0; i < 15; i++) {
            struct ct_strategy_result told = {.ok = true};
            uint32_t config[6];
            uint64_t index;

            assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
            ct_space_config(t.space, index, config);
            got[config[0]]++;
            told.objective = 1 + config[0] + 0.1 * config[3];
            ct_strategy_tell(strategy, index, &told);
        }
        for (int a = 0; a < 3; a++)
            assert_int_equal(got[a], 5);
        ct_strategy_free(strategy);
    }
    space_text_close(&t);
}

/* How many of the last `late` of `all` evaluations each algorithm gets if each is `factor` times
 * slower than the one before it, and its configurations differ little; least and most over
 * some seeds. */
static void shares(double factor, int all, int late, int least[3], int most[3])
{
    struct space_text t;

    space_text_open(&t, branches, NULL);
    for (uint64_t seed = 0; seed < 6; seed++) {
        const struct ct_limits limits = {(uint64_t)all, true};
        struct ct_strategy *strategy = make("surrogate", &t, seed);
        int got[3] = {0};

        ct_strategy_limit(strategy, &limits);
        for (int i = 0; i < all; i++) {
            struct ct_strategy_result told = {.ok = true};
            uint32_t config[6];
            uint64_t index;

            assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
            ct_space_config(t.space, index, config);
            got[config[0]] += i >= all - late;
            told.objective =
                pow(factor, config[0]) *
                (1 + 0.005 * ((37 * config[3] + 17 * config[4] + 29 * config[5]) % 11));
            ct_strategy_tell(strategy, index, &told);
        }
        print_message("factor %.1f, seed %d: %d, %d, %d\n", factor, (int)seed, got[0],
                      got[1], got[2]);
        for (int a = 0; a < 3; a++) {
            least[a] = !seed || got[a] < least[a] ? got[a] : least[a];
            most[a] = !seed || got[a] > most[a] ? got[a] : most[a];
        }
        ct_strategy_free(strategy);
    }
    space_text_close(&t);
}

/* Of a small budget, algorithms that are far behind get little more than a first look. */
static void hopeless_algorithms_get_few(void **state)
{
    int least[3];
    int most[3];

    (void)state;
    shares(5, 60, 60, least, most);
    assert_true(least[0] >= 44);
    assert_true(least[1] >= 4 && most[1] <= 8);
    assert_true(least[2] >= 4 && most[2] <= 8);
}

/* Those that are near the best one are tried to the end. */
static void close_algorithms_share_the_rest(void **state)
{
    int least[3];
    int most[3];

    (void)state;
    shares(1.2, 110, 40, least, most);
    assert_true(least[1] >= 7 && least[2] >= 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_own_value_is_tried),
        cmocka_unit_test(looks_come_first),
        cmocka_unit_test(hopeless_algorithms_get_few),
        cmocka_unit_test(close_algorithms_share_the_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
