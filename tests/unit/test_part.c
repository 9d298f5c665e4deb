// SPDX-License-Identifier: Apache-2.0
// Parts of a space: even in size and in cost, disjoint, together the whole, and searched exhaustively.
#include "strategy_space.h"

#include "base/rng.h"
#include "search/part.h"

#include <stdlib.h>

enum { MOST = 1000 };

/* A parameter's values are shared out, also where there are as many as parts. */
static void no_part_has_one_value(void **state)
{
    struct space_text t;

    (void)state;
    space_text_open(&t, "[param]\nA = 0..99\nB = 0..3\n", NULL);
    for (uint64_t s = 0; s < 4; s++) {
        size_t found[4] = {0};

        assert_int_equal(ct_space_shard_count(t.space, s, 4), 100);
        for (uint64_t i = 0; i < 100; i++) {
            uint32_t config[2];

            ct_space_config(t.space, ct_space_shard_index(s, 4, i), config);
            found[config[1]]++;
        }
        for (int v = 0; v < 4; v++)
            assert_in_range(found[v], 10, 45);
    }
    space_text_close(&t);
}

/* Deals `count` things; the largest share of the cost, relative to an equal one. */
static double deal(const double *costs, uint64_t count, uint64_t shards)
{
    static uint64_t out[MOST + 1];
    bool seen[MOST] = {false};
    uint64_t total = 0;
    double most = 0;
    double sum = 0;

    for (uint64_t s = 0; s < shards; s++) {
        struct ct_err err = CT_ERR_INIT;
        uint64_t got;
        double share;

        assert_int_equal(ct_space_deal(costs, count, shards, s, out, &got, &share, &err),
                         CT_OK);
        assert_in_range(got, count / shards, count / shards + 1);
        for (uint64_t i = 0; i < got; i++) {
            assert_true(out[i] < count && !seen[out[i]]);
            assert_true(!i || out[i] > out[i - 1]);
            seen[out[i]] = true;
        }
        total += got;
        sum += share;
        most = share > most ? share : most;
    }
    assert_int_equal(total, count);
    assert_true(count == 0 || (sum > 0.999 && sum < 1.001));
    return most * (double)shards;
}

static void costs_are_even(void **state)
{
    double costs[MOST];
    struct ct_rng rng;

    (void)state;
    ct_rng_seed(&rng, 3);
    /* From 1 to 1000, most of them small. */
    for (int i = 0; i < MOST; i++) {
        double u = (double)ct_rng_below(&rng, 1000) / 1000;

        costs[i] = 1 + 999 * u * u * u;
    }
    assert_true(deal(costs, MOST, 2) < 1.001);
    assert_true(deal(costs, MOST, 7) < 1.01);
    assert_true(deal(costs, MOST, 64) < 1.06);
    deal(costs, MOST, MOST);
    deal(costs, 5, 8);
    deal(costs, 0, 3);
    for (int i = 0; i < MOST; i++)
        costs[i] = 1;
    assert_true(deal(costs, MOST, 8) < 1.001);
}

/* Asks a part for everything; marks what it proposes. */
static uint64_t ask_all(const struct ct_part *part, struct ct_strategy *strategy,
                        bool *seen)
{
    uint64_t indices[7];
    uint64_t total = 0;
    size_t got;

    while ((got = ct_strategy_ask(strategy, 7, indices))) {
        for (size_t i = 0; i < got; i++) {
            assert_true(ct_part_has(part, indices[i]));
            assert_false(seen[indices[i]]);
            seen[indices[i]] = true;
        }
        total += got;
    }
    return total;
}

static void parts_are_searched_to_the_end(void **state)
{
    static uint64_t chosen[] = {0, 5, 6, 42};
    const struct ct_strategy_result told = {.ok = true, .objective = 1};
    struct space_text t;
    bool seen[50] = {false};
    uint64_t total = 0;

    (void)state;
    open_space(&t, 50);
    for (uint64_t s = 0; s < 3; s++) {
        struct ct_part part = {s, 3, ct_space_shard_count(t.space, s, 3), NULL};
        struct ct_strategy *strategy;

        assert_int_equal(ct_strategy_new_part(t.space, &part, &strategy, NULL), CT_OK);
        assert_string_equal(ct_strategy_name(strategy), "exhaustive");
        /* Known ones are not proposed, wherever they belong. */
        ct_strategy_tell(strategy, 7, &told);
        ct_strategy_tell(strategy, 8, &told);
        total += ask_all(&part, strategy, seen);
        ct_strategy_free(strategy);
    }
    assert_int_equal(total, 48);
    assert_false(seen[7] || seen[8]);
    {
        struct ct_part part = {1, 3, 4, chosen};
        struct ct_strategy *strategy;
        bool again[50] = {false};

        assert_int_equal(ct_strategy_new_part(t.space, &part, &strategy, NULL), CT_OK);
        ct_strategy_tell(strategy, 6, &told);
        assert_int_equal(ask_all(&part, strategy, again), 3);
        assert_true(again[0] && again[5] && again[42]);
        ct_strategy_free(strategy);
    }
    space_text_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_part_has_one_value),
        cmocka_unit_test(costs_are_even),
        cmocka_unit_test(parts_are_searched_to_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
