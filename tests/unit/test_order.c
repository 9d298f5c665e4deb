// SPDX-License-Identifier: Apache-2.0
// The order in which all of a space is visited: everything once, far apart at first, then the cheapest.
#include "strategy_space.h"

#include "search/order.h"

#include <math.h>
#include <stdlib.h>

static const char space_2x2x2x2[] = "[param]\nA = 0, 1\nB = 0, 1\nC = 0, 1\nD = 0, 1\n";
static const char space_4x4x4[] = "[param]\nA = 0..3\nB = 0..3\nC = 0..3\n";

static size_t differing(const struct space_text *t, uint64_t a, uint64_t b)
{
    size_t params = ct_space_binding(t->space)->spec->param_count;
    uint32_t x[8];
    uint32_t y[8];
    size_t count = 0;

    ct_space_config(t->space, a, x);
    ct_space_config(t->space, b, y);
    for (size_t p = 0; p < params; p++)
        count += x[p] != y[p];
    return count;
}

/* What nothing is known of: the second one differs from the first in everything, and no two of the first
 * eight of a space of 2 x 2 x 2 x 2 are neighbours (there is such a half). */
static void far_apart_at_first(void **state)
{
    struct space_text t;
    struct ct_strategy *strategy;
    uint64_t all[16];

    (void)state;
    space_text_open(&t, space_2x2x2x2, NULL);
    strategy = make("exhaustive", &t, 1);
    assert_int_equal(ct_strategy_ask(strategy, 16, all), 16);
    assert_int_equal(differing(&t, all[0], all[1]), 4);
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < i; k++)
            assert_true(differing(&t, all[i], all[k]) >= 2);
    ct_strategy_free(strategy);
    space_text_close(&t);
}

/* A product of effects, 24 times from the cheapest to the most expensive: the cheapest are 3, 0, 1. */
static double cost_of(const struct space_text *t, uint64_t index)
{
    static const double effects[3][4] = {{4, 3, 2, 1}, {1, 1.5, 2, 3}, {1.2, 1, 1.7, 2}};
    uint32_t config[3];
    double cost = 1;

    ct_space_config(t->space, index, config);
    for (int p = 0; p < 3; p++)
        cost *= effects[p][config[p]];
    return cost;
}

/* Asks for one after the other and tells what it costs, `sign` 1 or -1 / cost; how many until the
 * cheapest came. */
static int until_best(const struct space_text *t, double sign, double *last_third)
{
    struct ct_strategy *strategy = make("exhaustive", t, 1);
    uint64_t index;
    int best = 0;
    int count = 0;
    double first = 0;
    double last = 0;

    for (; ct_strategy_ask(strategy, 1, &index); count++) {
        double cost = cost_of(t, index);
        struct ct_strategy_result told = {.ok = true,
                                          .objective = sign > 0 ? cost : -1 / cost};

        if (cost < 1.001)
            best = count;
        if (count >= 8 && count < 27)
            first += log(cost);
        if (count >= 45)
            last += log(cost);
        ct_strategy_tell(strategy, index, &told);
    }
    assert_int_equal(count, 64);
    *last_third = last - first;
    ct_strategy_free(strategy);
    return best;
}

static void cheapest_next(void **state)
{
    struct space_text t;
    double gap;

    (void)state;
    space_text_open(&t, space_4x4x4, NULL);
    /* Eight to learn from; in the order of the space it is the 50th. */
    assert_in_range(until_best(&t, 1, &gap), 0, 10);
    /* Those of the last 19 are dear: each by a factor of two and more. */
    assert_true(gap > 19 * log(2));
    assert_in_range(until_best(&t, -1, &gap), 0, 10);
    assert_true(gap > 19 * log(2));
    space_text_close(&t);
}

/* Values that fail come last, though nothing is known of their cost. */
static void failures_are_dear(void **state)
{
    struct space_text t;
    struct ct_strategy *strategy;
    uint64_t index;
    int late = 0;

    (void)state;
    space_text_open(&t, space_4x4x4, NULL);
    strategy = make("exhaustive", &t, 1);
    for (int i = 0; ct_strategy_ask(strategy, 1, &index); i++) {
        struct ct_strategy_result told = {.failure = CT_FAILURE_BUILD};
        uint32_t config[3];

        ct_space_config(t.space, index, config);
        told.ok = config[1] != 2;
        told.objective = told.ok ? cost_of(&t, index) : 0;
        late += i >= 40 && !told.ok;
        ct_strategy_tell(strategy, index, &told);
    }
    /* A quarter of the last 24 would be 6; 16 fail in all. */
    assert_in_range(late, 9, 16);
    ct_strategy_free(strategy);
    space_text_close(&t);
}

/* A failure counts as the worst of all, also of those that are known later: here the first results are the
 * fastest one and failures. */
static void early_failures_are_dear(void **state)
{
    struct space_text t;
    struct ct_strategy *strategy;
    uint64_t index;
    int early = 0;

    (void)state;
    space_text_open(&t, space_4x4x4, NULL);
    strategy = make("exhaustive", &t, 1);
    for (uint64_t i = 0; i < 64; i++) {
        uint32_t config[3];
        struct ct_strategy_result told = {.failure = CT_FAILURE_CRASHED};

        /* Four of them: before anything that works. */
        ct_space_config(t.space, i, config);
        if (config[0] == 3 && config[1] == config[2])
            ct_strategy_tell(strategy, i, &told);
    }
    for (int i = 0; ct_strategy_ask(strategy, 1, &index); i++) {
        struct ct_strategy_result told = {.ok = true};
        uint32_t config[3];

        ct_space_config(t.space, index, config);
        told.ok = config[0] != 3;
        told.objective = told.ok ? (i > 0 ? 6.0 : 1.0) + config[1] : 0;
        early += i >= 12 && i < 36 && !told.ok;
        ct_strategy_tell(strategy, index, &told);
    }
    /* A quarter would be 6. */
    assert_in_range(early, 0, 2);
    ct_strategy_free(strategy);
    space_text_close(&t);
}

/* What is known already is a place to be far from: knowing the default, as a search does, only leaves it out
 * of the order. */
static void known_ones_count_as_chosen(void **state)
{
    const struct ct_strategy_result told = {.ok = true, .objective = 1};
    struct space_text t;
    struct ct_strategy *without;
    struct ct_strategy *with;
    uint64_t all[8];
    uint64_t rest[8];

    (void)state;
    space_text_open(&t, space_4x4x4, NULL);
    without = make("exhaustive", &t, 1);
    with = make("exhaustive", &t, 1);
    assert_int_equal(ct_strategy_ask(without, 8, all), 8);
    ct_strategy_tell(with, all[0], &told);
    assert_int_equal(ct_strategy_ask(with, 7, rest), 7);
    for (int i = 0; i < 7; i++)
        assert_int_equal(rest[i], all[i + 1]);
    assert_int_equal(differing(&t, all[0], rest[0]), 3);
    ct_strategy_free(without);
    ct_strategy_free(with);
    space_text_close(&t);
}

/* A result that comes twice counts once: the model needs eight. */
static void repeated_results_count_once(void **state)
{
    struct space_text t;
    struct ct_strategy *once;
    struct ct_strategy *twice;
    uint64_t a;
    uint64_t b;

    (void)state;
    space_text_open(&t, space_4x4x4, NULL);
    once = make("exhaustive", &t, 1);
    twice = make("exhaustive", &t, 1);
    for (int i = 0; i < 64; i++) {
        struct ct_strategy_result told = {.ok = true};

        assert_int_equal(ct_strategy_ask(once, 1, &a), 1);
        assert_int_equal(ct_strategy_ask(twice, 1, &b), 1);
        assert_int_equal(a, b);
        told.objective = cost_of(&t, a);
        ct_strategy_tell(once, a, &told);
        ct_strategy_tell(twice, a, &told);
        if (a % 3 == 0)
            ct_strategy_tell(twice, a, &told);
    }
    ct_strategy_free(once);
    ct_strategy_free(twice);
    space_text_close(&t);
}

/* Each round has all values of every parameter, also where their numbers have factors in common with the
 * number of rounds. */
static void rounds_have_all_values(void **state)
{
    struct space_text t;
    struct ct_strategy *strategy;
    bool seen[4][16] = {{false}};
    uint64_t index;

    (void)state;
    space_text_open(&t, "[param]\nA = 0..15\nB = 0..15\nC = 0..15\nD = 0..15\n", NULL);
    strategy = make("exhaustive", &t, 1);
    for (int i = 0; i < CT_ORDER_MOST; i++) {
        uint32_t config[4];

        assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
        ct_space_config(t.space, index, config);
        for (int p = 0; p < 4; p++)
            seen[p][config[p]] = true;
    }
    for (int p = 0; p < 4; p++)
        for (int v = 0; v < 16; v++)
            assert_true(seen[p][v]);
    ct_strategy_free(strategy);
    space_text_close(&t);
}

/* Far more configurations than can be seen, all in reach of the arithmetic. */
static void huge_spaces(void **state)
{
    char text[400] = "[param]\n";
    struct space_text t;
    struct ct_strategy *strategy;
    uint64_t batch[300];
    uint64_t highest = 0;

    (void)state;
    for (int p = 0; p < 16; p++)
        snprintf(text + strlen(text), 24, "P%d = 0..19\n", p);
    space_text_open(&t, text, NULL);
    assert_true(ct_space_count(t.space) > (UINT64_C(1) << 63));
    strategy = make("exhaustive", &t, 1);
    for (int round = 0; round < 20; round++) {
        assert_int_equal(ct_strategy_ask(strategy, 300, batch), 300);
        for (int i = 0; i < 300; i++) {
            struct ct_strategy_result told = {.ok = true,
                                              .objective = 1 + (double)(batch[i] % 5)};

            assert_true(batch[i] < ct_space_count(t.space));
            highest = batch[i] > highest ? batch[i] : highest;
            ct_strategy_tell(strategy, batch[i], &told);
        }
    }
    assert_true(highest > (UINT64_C(1) << 63));
    ct_strategy_free(strategy);
    space_text_close(&t);
}

/* Without any result, further ones than are chosen for their distance come from everywhere, too. */
static void scattered_without_results(void **state)
{
    struct space_text t;
    struct ct_strategy *strategy;
    uint64_t batch[264];
    size_t rising = 0;

    (void)state;
    space_text_open(&t, "[param]\nA = 0..9\nB = 0..9\nC = 0..9\n", NULL);
    strategy = make("exhaustive", &t, 1);
    assert_int_equal(ct_strategy_ask(strategy, 264, batch), 264);
    for (size_t i = 65; i < 264; i++)
        rising += batch[i] > batch[i - 1];
    assert_in_range(rising, 60, 140);
    ct_strategy_free(strategy);
    space_text_close(&t);
}

/* More than one round, with results in between: all come once, and the first round is from everywhere. */
static void rounds_cover_the_space(void **state)
{
    enum { COUNT = 30 * 30 * 11 };
    struct space_text t;
    struct ct_strategy *strategy;
    bool *seen = calloc(COUNT, 1);
    uint64_t batch[100];
    uint64_t highest = 0;
    size_t total = 0;
    size_t got;

    (void)state;
    assert_non_null(seen);
    space_text_open(&t, "[param]\nA = 0..29\nB = 0..29\nC = 0..10\n", NULL);
    assert_true(COUNT > 2 * CT_ORDER_MOST);
    strategy = make("exhaustive", &t, 1);
    while ((got = ct_strategy_ask(strategy, 100, batch))) {
        for (size_t i = 0; i < got; i++) {
            struct ct_strategy_result told = {.ok = true,
                                              .objective = 1 + (double)(batch[i] % 7)};

            assert_true(batch[i] < COUNT && !seen[batch[i]]);
            seen[batch[i]] = true;
            if (total + i < CT_ORDER_MOST && batch[i] > highest)
                highest = batch[i];
            ct_strategy_tell(strategy, batch[i], &told);
        }
        total += got;
    }
    assert_int_equal(total, COUNT);
    assert_true(highest > COUNT - 10);
    ct_strategy_free(strategy);
    space_text_close(&t);
    free(seen);
}

/* A space with more values than the model holds: in the order of the space, a round at a time. */
static void too_many_values(void **state)
{
    struct space_text t;
    struct ct_strategy *strategy;
    uint64_t batch[20];

    (void)state;
    space_text_open(&t, "[param]\nA = 0..69999\n", NULL);
    strategy = make("exhaustive", &t, 1);
    assert_int_equal(ct_strategy_ask(strategy, 20, batch), 20);
    for (int i = 0; i < 20; i++) {
        struct ct_strategy_result told = {.ok = true, .objective = i + 1};

        assert_true(i == 0 || batch[i] > batch[i - 1]);
        ct_strategy_tell(strategy, batch[i], &told);
    }
    assert_int_equal(ct_strategy_ask(strategy, 1, batch + 1), 1);
    assert_true(batch[1] > batch[19]);
    ct_strategy_free(strategy);
    space_text_close(&t);
}

/* An objective without a scale is passed over, and one of the other sign than the first. */
static void costs_without_a_scale(void **state)
{
    struct space_text t;
    struct ct_order order;
    const struct ct_index_set none = {0};
    uint64_t all[64];
    uint64_t index;
    int count = 0;

    (void)state;
    space_text_open(&t, space_4x4x4, NULL);
    assert_true(ct_order_init(&order, t.space));
    for (uint64_t i = 0; i < 64; i++) {
        struct ct_strategy_result told = {.ok = true, .objective = i % 2 ? 0 : NAN};

        all[i] = i;
        ct_order_tell(&order, i, &told);
    }
    assert_int_equal(order.told, 0);
    for (uint64_t i = 0; i < 10; i++) {
        struct ct_strategy_result told = {.ok = true,
                                          .objective = i == 1 || i == 4 ? -2 : 3};

        ct_order_tell(&order, i, &told);
    }
    assert_int_equal(order.told, 8);
    ct_order_load(&order, all, 64, &none);
    while (ct_order_next(&order, &index))
        count++;
    assert_int_equal(count, 64);
    assert_false(ct_order_next(&order, &index));
    ct_order_release(&order);
    space_text_close(&t);
}

/* --- the model --- */

static void effects_are_found(void **state)
{
    struct space_text t;
    struct ct_additive model;
    uint32_t a[3] = {3, 0, 1};
    uint32_t b[3] = {0, 3, 3};
    uint32_t config[3];

    (void)state;
    space_text_open(&t, space_4x4x4, NULL);
    assert_true(ct_additive_init(&model, ct_space_binding(t.space), 64));
    assert_false(ct_additive_fit(&model));
    assert_true(ct_additive_of(&model, a) == 0);
    for (uint64_t i = 0; i < 64; i++) {
        ct_space_config(t.space, i, config);
        ct_additive_add(&model, config, log(cost_of(&t, i)));
        assert_true(ct_additive_fit(&model) == (i >= CT_ADDITIVE_LEAST - 1));
    }
    /* Each effect is that of sixteen results, shrunk by one more. */
    assert_true(fabs((ct_additive_of(&model, b) - ct_additive_of(&model, a)) / log(24) -
                     1) < 0.07);
    /* Newer results replace the older ones. */
    for (uint64_t i = 0; i < 64; i++) {
        ct_space_config(t.space, i, config);
        ct_additive_add(&model, config, -log(cost_of(&t, i)));
    }
    assert_int_equal(model.rows, 64);
    assert_true(ct_additive_fit(&model));
    assert_true(ct_additive_of(&model, b) < ct_additive_of(&model, a) - log(18));
    ct_additive_release(&model);
    space_text_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_apart_at_first),
        cmocka_unit_test(cheapest_next),
        cmocka_unit_test(failures_are_dear),
        cmocka_unit_test(early_failures_are_dear),
        cmocka_unit_test(known_ones_count_as_chosen),
        cmocka_unit_test(repeated_results_count_once),
        cmocka_unit_test(rounds_cover_the_space),
        cmocka_unit_test(rounds_have_all_values),
        cmocka_unit_test(huge_spaces),
        cmocka_unit_test(scattered_without_results),
        cmocka_unit_test(too_many_values),
        cmocka_unit_test(costs_without_a_scale),
        cmocka_unit_test(effects_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
