// SPDX-License-Identifier: Apache-2.0
// What the surrogate tries of each algorithm of a space, and whether one that is out comes back.
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

/* Algorithm 0 is by far the fastest, and all its configurations are about the same: when it has
 * not improved for some time, the other ones get further tries. */
static void stalled_searches_look_at_all_again(void **state)
{
    struct space_text t;

    (void)state;
    space_text_open(&t, branches, NULL);
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct ct_strategy *strategy = make("surrogate", &t, seed);
        int late[3] = {0};

        for (int i = 0; i < 110; i++) {
            struct ct_strategy_result told = {.ok = true};
            uint32_t config[6];
            uint64_t index;

            assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
            ct_space_config(t.space, index, config);
            late[config[0]] += i >= 70;
            told.objective =
                1 + 2 * config[0] +
                0.005 * ((37 * config[3] + 17 * config[4] + 29 * config[5]) % 11);
            ct_strategy_tell(strategy, index, &told);
        }
        if (late[1] + late[2] < 15)
            print_error("seed %d: %d, %d, %d\n", (int)seed, late[0], late[1], late[2]);
        assert_true(late[1] + late[2] >= 15);
        ct_strategy_free(strategy);
    }
    space_text_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_own_value_is_tried),
        cmocka_unit_test(stalled_searches_look_at_all_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
