// SPDX-License-Identifier: Apache-2.0
// The laws that every strategy keeps, and what is special to each.
#include "strategy_space.h"

#include "base/map.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

/* Asks in random portions and tells in between, also of what nobody asked for, until
 * there is no more: all that was not told before must have come, once. */
static void check_laws(const char *name, unsigned count, struct ct_rng *rng)
{
    struct space_text t;
    struct ct_strategy *strategy;
    bool *done = calloc(count + 1, 1);
    uint64_t batch[16];
    unsigned missing = count;
    size_t given;
    size_t wanted;

    assert_non_null(done);
    open_space(&t, count);
    strategy = make(name, &t, ct_rng_next(rng));
    do {
        for (uint64_t n = ct_rng_below(rng, 4); count && n > 0; n--) {
            uint64_t index = ct_rng_below(rng, count);
            struct ct_strategy_result told = {.ok = index % 2 == 0,
                                              .objective = (double)index};

            ct_strategy_tell(strategy, index, &told);
            missing -= !done[index];
            done[index] = true;
        }
        wanted = 1 + (size_t)ct_rng_below(rng, 16);
        given = ct_strategy_ask(strategy, wanted, batch);
        assert_true(given <= wanted);
        for (size_t i = 0; i < given; i++) {
            assert_true(batch[i] < count);
            assert_false(done[batch[i]]);
            done[batch[i]] = true;
            missing--;
        }
    } while (given > 0);
    assert_int_equal(missing, 0);
    assert_int_equal(ct_strategy_ask(strategy, 1, batch), 0);
    ct_strategy_free(strategy);
    space_text_close(&t);
    free(done);
}

static void test_laws(void **state)
{
    struct ct_rng rng;

    (void)state;
    ct_rng_seed(&rng, 11);
    for (size_t s = 0; s < ct_strategy_count; s++) {
        for (unsigned count = 0; count < 40; count++)
            for (int round = 0; round < 5; round++)
                check_laws(ct_strategies[s]->name, count, &rng);
        /* More than the surrogate's regression holds. */
        check_laws(ct_strategies[s]->name, 700, &rng);
    }
}

/* --- laws on spaces with several parameters, constraints and failures --- */

static const char *const spaces[] = {
    "[param]\nA = 1\n",
    "[param]\nA = 1, 2\nB = 'x', 'y', 'z'\n[constraint]\nc = A == 1 || B == 'x'\n",
    "[param]\nA = 1, 2, 4, 8, 16\nB = 1..5\nC = 'p', 'q'\nD = 0.5, 1.5, 2.5\n"
    "[constraint]\nc = A * B <= 20\nd = C == 'p' || B % 2 == 0\n",
    "[param]\nA = -3..3\nB = 0, 1\nC = 2, 3, 5, 7, 11, 13 if B\nD = 1..4\n"
    "[constraint]\nc = A + C > 1\n",
};
enum { SPACES = sizeof(spaces) / sizeof(spaces[0]), MOST = 400 };

/* What a configuration costs: the same for everyone; some fail, all where `failing`. */
static struct ct_strategy_result world(uint64_t index, uint64_t salt, bool failing)
{
    struct ct_strategy_result told = {0};
    struct ct_rng rng;

    ct_rng_seed(&rng, index * 977 + salt);
    told.ok = !failing && ct_rng_below(&rng, 4) > 0;
    told.objective = told.ok ? 1 + 10 * ct_rng_unit(&rng) : 0;
    told.failure = told.ok ? CT_FAILURE_NONE : CT_FAILURE_BUILD;
    told.spent_ns = 1e6;
    return told;
}

/* Tells results of up to `sources` other places, of a random part of the space each: some
 * fail, one place has only failures, one has costs of both signs, some come twice. */
static void tell_transfers(struct ct_strategy *strategy, const struct space_text *t,
                           unsigned sources, struct ct_rng *rng)
{
    uint64_t count = ct_space_count(t->space);

    for (unsigned source = 0; source < sources; source++)
        for (uint64_t n = ct_rng_below(rng, 2 * count + 1); n > 0; n--) {
            uint64_t index = ct_rng_below(rng, count);
            struct ct_strategy_result told = world(index, source, source % 5 == 1);

            if (source % 5 == 2)
                told.objective -= 5;
            ct_strategy_transfer(strategy, index, &told, 7 * source);
        }
}

/* Asks for everything in portions of random size, telling late and out of order; writes
 * the order of asking and returns how many there were. */
static size_t exhaust(const char *name, const struct space_text *t, uint64_t seed,
                      bool failing, unsigned sources, uint64_t *order)
{
    struct ct_strategy *strategy = make(name, t, seed);
    struct ct_limits limits = {.evaluations = 50, .limited = true};
    struct ct_rng rng;
    uint64_t waiting[MOST];
    size_t waiting_count = 0;
    size_t asked = 0;

    ct_rng_seed(&rng, seed);
    ct_strategy_limit(strategy, &limits);
    tell_transfers(strategy, t, sources, &rng);
    for (;;) {
        size_t want = 1 + (size_t)ct_rng_below(&rng, 5);
        size_t got;

        if (asked + want > MOST)
            want = MOST - asked;
        got = ct_strategy_ask(strategy, want, order + asked);
        assert_true(got <= want);
        if (!got)
            break;
        for (size_t i = 0; i < got; i++)
            waiting[waiting_count++] = order[asked++];
        while (waiting_count > ct_rng_below(&rng, 6)) {
            size_t at = (size_t)ct_rng_below(&rng, waiting_count);
            struct ct_strategy_result told = world(waiting[at], 5, failing);

            ct_strategy_tell(strategy, waiting[at], &told);
            waiting[at] = waiting[--waiting_count];
        }
    }
    ct_strategy_free(strategy);
    return asked;
}

static void test_spaces(void **state)
{
    (void)state;
    for (size_t s = 0; s < ct_strategy_count; s++)
        for (size_t k = 0; k < SPACES; k++)
            for (uint64_t seed = 0; seed < 9; seed++) {
                unsigned sources = seed < 6 ? 0 : 2 * (unsigned)seed - 10;
                struct space_text t;
                uint64_t first[MOST];
                uint64_t second[MOST];
                bool seen[MOST] = {false};
                size_t count;

                space_text_open(&t, spaces[k], NULL);
                count = (size_t)ct_space_count(t.space);
                assert_true(count > 0 && count < MOST);
                assert_int_equal(exhaust(ct_strategies[s]->name, &t, seed, seed % 6 == 0,
                                         sources, first),
                                 count);
                for (size_t i = 0; i < count; i++) {
                    assert_true(first[i] < count);
                    assert_false(seen[first[i]]);
                    seen[first[i]] = true;
                }
                /* The same again. */
                assert_int_equal(exhaust(ct_strategies[s]->name, &t, seed, seed % 6 == 0,
                                         sources, second),
                                 count);
                assert_memory_equal(first, second, count * sizeof(*first));
                space_text_close(&t);
            }
}

/* Objectives that are negative (what is made large comes negated), of both signs, equal,
 * or no numbers, stop nobody. */
static void test_odd_objectives(void **state)
{
    static const double odd[][4] = {
        {-1e9, -2e9, -3e9, -0.5}, {-1, 1, 0, 2}, {3, 3, 3, 3}, {NAN, INFINITY, 1, 2}};
    struct space_text t;

    (void)state;
    space_text_open(&t, spaces[2], NULL);
    for (size_t s = 0; s < ct_strategy_count; s++)
        for (size_t k = 0; k < sizeof(odd) / sizeof(odd[0]); k++) {
            struct ct_strategy *strategy = make(ct_strategies[s]->name, &t, k);
            uint64_t count = 0;
            uint64_t index;

            while (ct_strategy_ask(strategy, 1, &index)) {
                struct ct_strategy_result told = {.ok = true,
                                                  .objective = odd[k][index % 4]};

                ct_strategy_tell(strategy, index, &told);
                count++;
            }
            assert_int_equal(count, ct_space_count(t.space));
            ct_strategy_free(strategy);
        }
    space_text_close(&t);
}

/* A bowl: what every strategy that learns must do better than chance. */
static void test_learning(void **state)
{
    static const char *const learners[] = {"annealing",  "evolution", "genetic", "local",
                                           "local-best", "surrogate", "swarm",   "tabu"};
    struct space_text t;
    uint32_t config[3];

    (void)state;
    space_text_open(&t, "[param]\nA = 0..19\nB = 0..19\nC = 0..19\n", NULL);
    for (size_t s = 0; s < sizeof(learners) / sizeof(learners[0]); s++) {
        unsigned hits = 0;

        for (uint64_t seed = 0; seed < 20; seed++) {
            struct ct_strategy *strategy = make(learners[s], &t, seed);
            struct ct_limits limits = {.evaluations = 120, .limited = true};
            double best = INFINITY;

            ct_strategy_limit(strategy, &limits);
            for (int i = 0; i < 120; i++) {
                struct ct_strategy_result told = {.ok = true};
                uint64_t index;

                assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
                ct_space_config(t.space, index, config);
                told.objective = 1;
                for (int p = 0; p < 3; p++)
                    told.objective +=
                        (config[p] - 4.0 * p - 3) * (config[p] - 4.0 * p - 3);
                best = told.objective < best ? told.objective : best;
                ct_strategy_tell(strategy, index, &told);
            }
            /* 33 of 8,000 are within a squared distance of 4: chance finds one of them in
             * 39 of 100 searches of 120. */
            hits += best <= 5;
            ct_strategy_free(strategy);
        }
        if (hits < 15)
            print_error("%s: %u of 20\n", learners[s], hits);
        assert_true(hits >= 15);
    }
    space_text_close(&t);
}

/* A space that nobody can list: 20^12 combinations, half of them valid. */
static void test_large(void **state)
{
    struct space_text t;
    char text[1000] = "[param]\n";

    (void)state;
    for (int name = 'A'; name < 'M'; name++)
        snprintf(text + strlen(text), 40, "%c = 1..20\n", name);
    snprintf(text + strlen(text), 60, "[constraint]\nc = (A + B) %% 2 == 0\n");
    space_text_open(&t, text, NULL);
    for (size_t s = 0; s < ct_strategy_count; s++) {
        struct ct_strategy *strategy = make(ct_strategies[s]->name, &t, 1);
        struct ct_limits limits = {.evaluations = 60, .limited = true};
        struct ct_map seen = {0};
        uint32_t config[12];

        ct_strategy_limit(strategy, &limits);
        for (int i = 0; i < 60; i++) {
            struct ct_strategy_result told = {.ok = i % 5 != 0, .objective = 1};
            uint64_t index;

            assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
            assert_true(index < ct_space_count(t.space));
            assert_false(ct_map_has(&seen, index));
            ct_map_put(&seen, index, 0);
            ct_space_config(t.space, index, config);
            for (int p = 0; p < 12; p++)
                told.objective += config[p];
            ct_strategy_tell(strategy, index, &told);
        }
        ct_map_release(&seen);
        ct_strategy_free(strategy);
    }
    space_text_close(&t);
}

/* --- auto --- */

static void test_auto(void **state)
{
    struct space_text t;
    struct ct_strategy *strategy;
    struct ct_limits limits = {0};
    struct ct_why why;
    uint64_t batch[8];

    (void)state;
    open_space(&t, 30);
    strategy = make("auto", &t, 1); /* no budget */
    assert_string_equal(ct_strategy_name(strategy), "exhaustive");
    assert_int_equal(ct_strategy_ask(strategy, 3, batch), 3);
    assert_true(batch[0] == 0 && batch[1] == 1 && batch[2] == 2);
    ct_strategy_free(strategy);
    strategy = make("auto", &t, 1); /* a budget for everything */
    limits = (struct ct_limits){.evaluations = 30, .limited = true};
    ct_strategy_limit(strategy, &limits);
    assert_int_equal(ct_strategy_ask(strategy, 3, batch), 3);
    assert_true(batch[0] == 0 && batch[1] == 1 && batch[2] == 2);
    assert_false(ct_strategy_why(strategy, 0, &why));
    assert_true(isnan(ct_strategy_chance(strategy, 0.95)));
    ct_strategy_free(strategy);
    for (int k = 0; k < 2; k++) { /* a smaller one, or one of time */
        limits = (struct ct_limits){.evaluations = k ? 0 : 29, .limited = true};
        strategy = make("auto", &t, 1);
        ct_strategy_limit(strategy, &limits);
        assert_string_equal(ct_strategy_name(strategy), "surrogate");
        assert_int_equal(ct_strategy_ask(strategy, 1, batch), 1);
        assert_true(ct_strategy_why(strategy, batch[0], &why));
        ct_strategy_free(strategy);
    }
    space_text_close(&t);
}

static void test_ask_nothing(void **state)
{
    struct space_text t;

    (void)state;
    open_space(&t, 3);
    for (size_t s = 0; s < ct_strategy_count; s++) {
        struct ct_strategy *strategy = make(ct_strategies[s]->name, &t, 1);
        uint64_t batch[4];

        assert_int_equal(ct_strategy_ask(strategy, 0, NULL), 0);
        assert_int_equal(ct_strategy_ask(strategy, 4, batch), 3);
        ct_strategy_free(strategy);
    }
    ct_strategy_free(NULL);
    space_text_close(&t);
}

static void test_names(void **state)
{
    struct space_text t;
    struct ct_strategy *strategy = NULL;
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    open_space(&t, 1);
    assert_int_equal(ct_strategy_new("randon", t.space, 1, &strategy, &err), CT_E_USAGE);
    assert_null(strategy);
    assert_non_null(strstr(err.message, "did you mean 'random'?"));
    assert_int_equal(ct_strategy_new("magic", t.space, 1, &strategy, &err), CT_E_USAGE);
    assert_non_null(strstr(err.message, "exhaustive, genetic"));
    for (size_t s = 1; s < ct_strategy_count; s++)
        assert_true(strcmp(ct_strategies[s - 1]->name, ct_strategies[s]->name) < 0);
    space_text_close(&t);
}

static void test_exhaustive_order(void **state)
{
    struct space_text t;
    struct ct_strategy *strategy;
    struct ct_strategy_result told = {.ok = true, .objective = 1};
    uint64_t batch[8];

    (void)state;
    open_space(&t, 8);
    strategy = make("exhaustive", &t, 1);
    ct_strategy_tell(strategy, 2, &told);
    assert_int_equal(ct_strategy_ask(strategy, 3, batch), 3);
    assert_true(batch[0] == 0 && batch[1] == 1 && batch[2] == 3);
    ct_strategy_tell(strategy, 1, &told);
    ct_strategy_tell(strategy, 7, &told);
    assert_int_equal(ct_strategy_ask(strategy, 8, batch), 3);
    assert_true(batch[0] == 4 && batch[2] == 6);
    ct_strategy_free(strategy);
    space_text_close(&t);
}

/* --- random --- */

/* The order for a seed belongs to the interface: computed with a separate shuffle. */
static void test_random_is_fixed(void **state)
{
    struct space_text t;
    struct ct_strategy *strategy;
    uint64_t all[20];
    uint64_t array[20];
    struct ct_rng rng;

    (void)state;
    open_space(&t, 20);
    strategy = make("random", &t, 42);
    for (int i = 0; i < 20; i += 4)
        assert_int_equal(ct_strategy_ask(strategy, 4, all + i), 4);
    ct_rng_seed(&rng, 42);
    for (uint64_t i = 0; i < 20; i++)
        array[i] = i;
    for (uint64_t i = 0; i < 20; i++) {
        uint64_t j = i + ct_rng_below(&rng, 20 - i);
        uint64_t kept = array[i];

        array[i] = array[j];
        array[j] = kept;
    }
    assert_memory_equal(all, array, sizeof(all));
    ct_strategy_free(strategy);
    space_text_close(&t);
}

static double chi_squared(const unsigned *seen, size_t cells, double expected)
{
    double sum = 0;

    for (size_t i = 0; i < cells; i++)
        sum += (seen[i] - expected) * (seen[i] - expected) / expected;
    return sum;
}

/* Every order of four is equally likely, over seeds. */
static void test_random_is_uniform(void **state)
{
    struct space_text t;
    unsigned seen[256] = {0};
    unsigned orders[24];
    size_t found = 0;

    (void)state;
    open_space(&t, 4);
    for (uint64_t seed = 0; seed < 24000; seed++) {
        struct ct_strategy *strategy = make("random", &t, seed);
        uint64_t order[4];

        assert_int_equal(ct_strategy_ask(strategy, 4, order), 4);
        seen[order[0] << 6 | order[1] << 4 | order[2] << 2 | order[3]]++;
        ct_strategy_free(strategy);
    }
    for (size_t i = 0; i < 256; i++) {
        if (!seen[i])
            continue;
        assert_true(found < 24);
        orders[found++] = seen[i];
    }
    assert_int_equal(found, 24);
    /* 99.9 of a hundred are below 49.73 at 23 degrees of freedom. */
    assert_true(chi_squared(orders, 24, 1000) < 49.73);
    space_text_close(&t);
}

/* Each place of a longer order sees every configuration equally often. */
static void test_random_places(void **state)
{
    struct space_text t;
    enum { COUNT = 20, SEEDS = 10000 };
    static unsigned seen[COUNT][COUNT];

    (void)state;
    open_space(&t, COUNT);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct ct_strategy *strategy = make("random", &t, seed);
        uint64_t order[COUNT];

        assert_int_equal(ct_strategy_ask(strategy, COUNT, order), COUNT);
        for (int i = 0; i < COUNT; i++)
            seen[i][order[i]]++;
        ct_strategy_free(strategy);
    }
    /* Twenty tests at 19 degrees of freedom: one in ten thousand is above 50.8. */
    for (int i = 0; i < COUNT; i++)
        assert_true(chi_squared(seen[i], COUNT, (double)SEEDS / COUNT) < 50.8);
    space_text_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_spaces),
        cmocka_unit_test(test_odd_objectives),
        cmocka_unit_test(test_learning),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_ask_nothing),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_exhaustive_order),
        cmocka_unit_test(test_random_is_fixed),
        cmocka_unit_test(test_random_is_uniform),
        cmocka_unit_test(test_random_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
