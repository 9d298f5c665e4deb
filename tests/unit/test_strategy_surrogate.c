// SPDX-License-Identifier: Apache-2.0
// The surrogate: its features and candidates, what evaluations cost, and its reasons.
#include "strategy_space.h"

#include "base/rng.h"
#include "search/surrogate/surrogate.h"

#include <math.h>
#include <stdlib.h>

/* --- features --- */

static void test_odd_parts(void **state)
{
    static const uint16_t odd[] = {0, 0, 1, 0, 1, 0};
    struct ct_features features;
    struct space_text t;
    uint16_t codes[9];
    uint16_t other[9];

    (void)state;
    space_text_open(&t,
                    "[param]\nTILE = 1, 2, 5, 4, 3, 8\nPOWER = 2, 4, 8, 16\n"
                    "ODD = 1, 3, 5\nUNROLL = 0, 1, 3\nSCALE = 1.0, 2.0, 3.0\n"
                    "WIDTH = 12, 24, 36\n",
                    NULL);
    assert_true(ct_features_init(&features, t.space));
    /* All numbers of POWER have the odd part 1, one of ODD has, and SCALE has no integers. */
    assert_int_equal(features.count, 9);
    assert_int_equal(features.source[1], 0);
    assert_true(features.params[1].derived);
    assert_int_equal(features.params[1].count, 2);
    assert_null(features.params[1].position);
    assert_int_equal(features.source[5], 3);
    assert_int_equal(features.params[5].count, 2);
    assert_null(features.params[5].position);
    for (uint32_t v = 0; v < 6; v++) {
        const uint32_t config[] = {v, 0, 0, 0, 0, 0};

        ct_features_of(&features, config, codes);
        assert_int_equal(codes[0], v);
        assert_int_equal(codes[1], odd[v]);
        assert_int_equal(ct_features_odd(&features, codes), odd[v]);
    }
    /* Of 12, 24 and 36, only the last one has not the odd part 3. */
    assert_int_equal(features.source[8], 5);
    ct_features_of(&features, (const uint32_t[]){4, 3, 2, 2, 2, 1}, codes);
    assert_int_equal(ct_features_odd(&features, codes), 2);
    ct_features_of(&features, (const uint32_t[]){4, 3, 2, 2, 2, 2}, codes);
    assert_int_equal(ct_features_odd(&features, codes), 3);
    /* They add nothing to how different configurations are. */
    ct_features_of(&features, (const uint32_t[]){2, 0, 0, 0, 0, 0}, codes);
    ct_features_of(&features, (const uint32_t[]){2, 0, 0, 2, 0, 0}, other);
    assert_true(fabs(ct_features_distance(&features, codes, other) - 1) < 1e-12);
    ct_features_release(&features);
    space_text_close(&t);
}

static const char *const algorithms =
    "[param]\nALGORITHM = 0, 1, 2\nTILE = 1, 2, 4, 6 if ALGORITHM == 1\n"
    "SEGMENT = 0, 64, 128 if ALGORITHM == 2\nWG = 8, 16, 32, 64\nPAD = 0, 1\n"
    "[constraint]\npadded = PAD == 0 || WG > 8\n";

static void test_switches(void **state)
{
    struct ct_features features;
    struct space_text t;
    uint16_t codes[8];
    uint16_t other[8];

    (void)state;
    space_text_open(&t, algorithms, NULL);
    assert_true(ct_features_init(&features, t.space));
    assert_int_equal(features.switches[1].by, 0);
    assert_int_equal(features.switches[1].off, 1 + 4);
    assert_int_equal(features.switches[2].off, 1 + 2);
    assert_int_equal(features.switches[4].by, 3);
    assert_int_equal(features.switches[4].off, 1);
    assert_int_equal(features.switches[0].off, 0);
    assert_int_equal(features.switches[3].off, 0);
    assert_int_equal(features.arms, 0);
    /* ALGORITHM, TILE, its odd part, SEGMENT, ... */
    assert_int_equal(features.params[0].count, 3);
    assert_int_equal(features.params[1].count, 5);
    assert_true(isnan(features.params[1].position[4]));
    assert_int_equal(features.params[2].count, 3);
    ct_features_of(&features, (const uint32_t[]){1, 0, 0, 1, 0}, codes);
    ct_features_of(&features, (const uint32_t[]){2, 0, 0, 1, 0}, other);
    assert_int_equal(codes[1], 0); /* on, the first value */
    assert_int_equal(other[1], 4); /* off */
    assert_int_equal(codes[2], 0);
    assert_int_equal(other[2], 2); /* off is neither: not odd */
    assert_int_equal(ct_features_odd(&features, other), 0);
    assert_int_equal(codes[3], 3);
    assert_int_equal(other[3], 0);
    /* 0.75 for algorithms 1 and 2; what only one of them has counts half. */
    assert_true(fabs(ct_features_distance(&features, codes, other) - 1.75) < 1e-12);
    ct_features_release(&features);
    space_text_close(&t);
}

/* The first eight configurations are shared among the algorithms, however few one has. */
static void test_first_looks(void **state)
{
    struct space_text t;

    (void)state;
    space_text_open(&t, algorithms, NULL);
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct ct_strategy *strategy = make("surrogate", &t, seed);
        int looks[3] = {0};

        for (int i = 0; i < 8; i++) {
            struct ct_strategy_result told = {.ok = true, .objective = 1 + i};
            uint32_t config[5];
            uint64_t index;

            assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
            ct_space_config(t.space, index, config);
            looks[config[0]]++;
            ct_strategy_tell(strategy, index, &told);
        }
        for (int a = 0; a < 3; a++)
            assert_true(looks[a] >= 2 && looks[a] <= 3);
        ct_strategy_free(strategy);
    }
    space_text_close(&t);
}

/* Algorithm 2 has 2% of the configurations, and only those with RIGHT near 6 are not the slowest of
 * all.  Everything of algorithm 3 fails. */
static const char *const unequal =
    "[param]\nALGORITHM = 0, 1, 2, 3\nRIGHT = 0..7 if ALGORITHM == 2\n"
    "A = 0..7 if ALGORITHM != 2\nB = 0..7 if ALGORITHM != 2\nC = 0..7 if ALGORITHM != 2\n"
    "D = 0..3\n";

static struct ct_strategy_result unequal_result(const uint32_t *config)
{
    struct ct_strategy_result told = {.ok = config[0] != 3};

    told.failure = told.ok ? CT_FAILURE_NONE : CT_FAILURE_WRONG;
    told.objective = config[0] == 2
                         ? 1 + 6 * abs((int)config[1] - 6)
                         : 10 + 3 * (config[0] == 1) + 0.5 * (config[2] + config[3]) +
                               0.25 * config[4];
    told.objective += 0.1 * config[5];
    return told;
}

/* A fair look at each algorithm: one whose first configurations are the slowest is not abandoned,
 * one that always fails is left soon, and the best is found. */
static void test_arms(void **state)
{
    struct space_text t;
    int found = 0;
    int failing = 0;

    (void)state;
    space_text_open(&t, unequal, NULL);
    for (uint64_t seed = 0; seed < 8; seed++) {
        struct ct_strategy *strategy = make("surrogate", &t, seed);
        int looks[4] = {0};
        double best = INFINITY;

        for (int i = 0; i < 60; i++) {
            struct ct_strategy_result told;
            uint32_t config[6];
            uint64_t index;

            assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
            ct_space_config(t.space, index, config);
            looks[config[0]]++;
            told = unequal_result(config);
            if (told.ok && told.objective < best)
                best = told.objective;
            ct_strategy_tell(strategy, index, &told);
        }
        assert_true(looks[0] >= 6 && looks[1] >= 6 && looks[2] >= 6);
        if (looks[3] < 2 || looks[3] > 16)
            print_error("%d tries of what always fails\n", looks[3]);
        assert_true(looks[3] >= 2 && looks[3] <= 16);
        failing += looks[3];
        found += best < 2;
        ct_strategy_free(strategy);
    }
    if (found < 7)
        print_error("the best algorithm was found %d of 8 times\n", found);
    assert_true(found >= 7);
    assert_true(failing <= 8 * 13);
    space_text_close(&t);
}

/* --- candidates beside the pool --- */

/* The promise of a configuration. */
static double promise_at(struct ct_surrogate *self, uint64_t index)
{
    float white[CT_SURROGATE_ROOM * CT_GP_TOGETHER];
    double mean;
    double variance;
    double worth[CT_GP_TOGETHER];
    double works[CT_GP_TOGETHER];

    ct_features_codes(&self->features, index, self->codes);
    ct_gp_predict(self->gp, self->codes, 1, white, &mean, &variance);
    ct_surrogate_worth(self, white, worth);
    ct_surrogate_works_at(self, self->codes, 1, white, works);
    return ct_surrogate_improvement(mean, sqrt(variance),
                                    ct_surrogate_goal(self, CT_SURROGATE_ANY)) *
           worth[0] * works[0];
}

/* It ends where no new neighbour promises more, and no lower than where it started. */
static void test_climb(void **state)
{
    struct space_text t;
    struct ct_strategy *strategy;
    struct ct_surrogate *self;
    struct ct_surrogate_candidate candidate = {0};
    struct ct_config_list list = {0};
    uint32_t config[3];
    double start;
    double most;

    (void)state;
    space_text_open(&t, "[param]\nA = 0..19\nB = 0..19\nC = 0..19\n", NULL);
    strategy = make("surrogate", &t, 4);
    self = (struct ct_surrogate *)strategy;
    for (int i = 0; i < 40; i++) {
        struct ct_strategy_result told = {.ok = true};
        uint64_t index;

        assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
        told.ok = index % 5 != 0;
        told.objective = bowl(&t, index, 13);
        told.spent_ns = 1e9 * (double)(1 + index % 20);
        ct_strategy_tell(strategy, index, &told);
    }
    assert_true(self->pool.part);
    candidate.index = 0;
    start = promise_at(self, 0);
    ct_surrogate_climb(self, CT_SURROGATE_ANY, &candidate);
    most = promise_at(self, candidate.index);
    assert_true(most > start);
    ct_space_config(t.space, candidate.index, config);
    assert_int_equal(ct_space_neighbours(t.space, config, CT_NEIGHBOURS_ONE, &list, NULL),
                     0);
    assert_int_equal(list.count, 57);
    for (size_t i = 0; i < list.count; i++) {
        uint64_t index;

        assert_true(ct_space_index(t.space, ct_config_list_at(&list, i), &index));
        assert_true(ct_history_has(&self->history, index) ||
                    promise_at(self, index) <= most);
    }
    ct_config_list_release(&list);
    ct_strategy_free(strategy);
    space_text_close(&t);
}

/* How many of 24 evaluations are in the upper half of B, which is as good as the lower
 * and takes a hundred times as long, if that is told. */
static unsigned dear(const struct space_text *t, bool told_spent)
{
    unsigned count = 0;

    for (uint64_t seed = 0; seed < 5; seed++) {
        struct ct_strategy *strategy = make("surrogate", t, seed);

        for (int i = 0; i < 24; i++) {
            struct ct_strategy_result told = {.ok = true};
            uint32_t config[2];
            uint64_t index;

            assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
            ct_space_config(t->space, index, config);
            told.objective =
                10 + fabs(config[0] - 19.0) + fabs(fabs(config[1] - 19.5) - 10);
            if (told_spent)
                told.spent_ns = config[1] > 19 ? 1e9 : 1e7;
            count += config[1] > 19;
            ct_strategy_tell(strategy, index, &told);
        }
        ct_strategy_free(strategy);
    }
    return count;
}

static void test_thrift(void **state)
{
    struct space_text t;

    (void)state;
    space_text_open(&t, "[param]\nA = 0..39\nB = 0..39\n", NULL);
    assert_true(6 * dear(&t, true) < 5 * dear(&t, false));
    space_text_close(&t);
}

/* Prices of all candidates, as the regression makes them of what is known at once. */
static void check_prices(struct ct_surrogate *self)
{
    size_t n = self->gp->count;
    double *values = calloc(n, sizeof(*values));
    float *sums = calloc(self->pool.panel.stride, sizeof(*sums));
    float white[CT_SURROGATE_ROOM * CT_GP_TOGETHER];
    double total = 0;
    size_t known = 0;

    assert_non_null(values);
    assert_non_null(sums);
    for (size_t i = 0; i < n; i++)
        if (self->data.samples[self->fit.rows[i]].spent_ns > 0) {
            total += log(self->data.samples[self->fit.rows[i]].spent_ns);
            known++;
        }
    for (size_t i = 0; i < n; i++)
        if (self->data.samples[self->fit.rows[i]].spent_ns > 0)
            values[i] = log(self->data.samples[self->fit.rows[i]].spent_ns) -
                        total / (double)known;
    ct_gp_whiten(self->gp, 0, values, values);
    ct_gp_panel_sum(&self->pool.panel, 0, values, sums);
    assert_int_equal(self->prices.rows, n);
    for (size_t c = 0; c < self->pool.count; c++)
        assert_true(fabs(ct_surrogate_price(self, c) - (double)sums[c]) < 1e-3);
    for (size_t c = 0; c < self->pool.count; c += 7) {
        double mean;
        double variance;
        double worth = exp(-ct_surrogate_thrift * ct_surrogate_price(self, c));
        double out[CT_GP_TOGETHER];

        ct_features_codes(&self->features, self->pool.indices[c], self->codes);
        ct_gp_predict(self->gp, self->codes, 1, white, &mean, &variance);
        ct_surrogate_worth(self, white, out);
        assert_true(fabs(out[0] - worth) < 1e-3 * worth);
    }
    free(values);
    free(sums);
}

/* Prices follow one result after the other, refits, what is told late or never. */
static void test_prices(void **state)
{
    struct space_text t;

    (void)state;
    space_text_open(&t, "[param]\nA = 0..39\nB = 0..39\n", NULL);
    for (size_t batch = 1; batch < 4; batch++) {
        struct ct_strategy *strategy = make("surrogate", &t, 10 + batch);
        struct ct_surrogate *self = (struct ct_surrogate *)strategy;
        uint64_t indices[3];
        int checked = 0;

        for (int i = 0; i < 40; i++) {
            size_t given = ct_strategy_ask(strategy, batch, indices);

            if (self->prices.rows) { /* not to begin with */
                check_prices(self);
                checked++;
            }
            for (size_t k = 0; k < given; k++) {
                struct ct_strategy_result told = {.ok = true};

                told.objective = 10 + fabs((double)indices[k] - 700);
                told.spent_ns = indices[k] % 5 ? 1e7 * (1 + (double)indices[k]) : 0;
                ct_strategy_tell(strategy, indices[k], &told);
            }
        }
        assert_true(checked >= 30);
        ct_strategy_free(strategy);
    }
    space_text_close(&t);
}

/* --- hidden constraints --- */

/* Everything with A = 2 and B > 2 fails, and the nearer to it, the faster. */
static void test_failing_branch(void **state)
{
    struct space_text t;
    int failures = 0;
    int late = 0;

    (void)state;
    space_text_open(&t, "[param]\nA = 0..2\nB = 0..9\nC = 0..9\nD = 0..9\n", NULL);
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct ct_strategy *strategy = make("surrogate", &t, seed);

        for (int i = 0; i < 80; i++) {
            struct ct_strategy_result told = {.ok = true};
            uint32_t config[4];
            uint64_t index;

            assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
            ct_space_config(t.space, index, config);
            told.ok = config[0] < 2 || config[1] < 3;
            told.failure = told.ok ? CT_FAILURE_NONE : CT_FAILURE_WRONG;
            told.objective = 20 - 3 * config[0] - config[1] +
                             0.1 * (config[2] - 4.) * (config[2] - 4.) +
                             0.1 * (config[3] - 6.) * (config[3] - 6.);
            ct_strategy_tell(strategy, index, &told);
            failures += !told.ok;
            late += !told.ok && i >= 20;
        }
        ct_strategy_free(strategy);
    }
    /* If failures only counted as the median, 197 of these 360 evaluations would fail. */
    if (!(late <= 120))
        print_error("%d failures, %d of them late\n", failures, late);
    assert_true(late <= 120);
    space_text_close(&t);
}

/* Everything with more than 256 work-items over U fails to launch, and the nearer to that, the
 * faster; how many of 6 * 40 evaluations fail after the first 20. */
static int refused(const struct space_text *t, bool has_facts)
{
    int late = 0;

    for (uint64_t seed = 0; seed < 6; seed++) {
        struct ct_strategy *strategy = make("surrogate", t, seed);

        for (int i = 0; i < 60; i++) {
            struct ct_strategy_result told = {0};
            uint32_t config[4];
            uint64_t index;
            double headroom;

            assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
            ct_space_config(t->space, index, config);
            headroom = exp2(8 - (double)(config[0] + config[1] + config[2]));
            told.ok = headroom >= 1;
            told.failure = told.ok ? CT_FAILURE_NONE : CT_FAILURE_INVALID;
            told.objective = 20 - config[0] - config[1] - config[2] + 0.5 * config[3];
            if (has_facts)
                told.headroom = headroom;
            ct_strategy_tell(strategy, index, &told);
            late += !told.ok && i >= 20;
        }
        ct_strategy_free(strategy);
    }
    return late;
}

/* What a driver reports of built kernels teaches which work-groups it refuses. */
static void test_headroom(void **state)
{
    struct space_text t;
    int with;
    int without;

    (void)state;
    space_text_open(&t,
                    "[param]\nX = pow2(1, 512)\nY = pow2(1, 64)\nU = pow2(1, 16)\n"
                    "D = 0..9\n",
                    NULL);
    with = refused(&t, true);
    without = refused(&t, false);
    print_message("refused: %d with facts, %d without\n", with, without);
    assert_true(3 * with < 2 * without);
    space_text_close(&t);
}

/* How certainly candidates work: by sums that are kept up to date, for all at once, and for some at
 * a time. */
static void check_works(struct ct_surrogate *self)
{
    float *chances = calloc(self->pool.count, sizeof(*chances));
    float white[CT_SURROGATE_ROOM * CT_GP_TOGETHER];
    bool doubtful = false;

    assert_non_null(chances);
    assert_true(
        ct_surrogate_works_scan(self, self->works.codes, self->pool.count, chances));
    for (size_t c = 0; c < self->pool.count; c++) {
        const uint16_t *codes = self->works.codes + c * self->features.count;
        double chance = ct_surrogate_chance_to_work(self, c);
        double out[CT_GP_TOGETHER];
        double mean;
        double variance;

        ct_gp_predict(self->gp, codes, 1, white, &mean, &variance);
        ct_surrogate_works_at(self, codes, 1, white, out);
        assert_true(fabs(out[0] - chance) < 1e-4);
        assert_true(fabs((double)chances[c] - chance) < 1e-4);
        doubtful = doubtful || chance < 0.5;
    }
    assert_true(doubtful);
    free(chances);
}

/* Failures are learnt by kind: of what is never built, nothing is known about its outputs. */
static void test_kinds(void **state)
{
    struct space_text t;
    struct ct_strategy *strategy;
    struct ct_surrogate *self;

    (void)state;
    space_text_open(&t, "[param]\nA = 0..9\nB = 0..9\n", NULL);
    strategy = make("surrogate", &t, 1);
    self = (struct ct_surrogate *)strategy;
    for (int i = 0; i < 40; i++) {
        struct ct_strategy_result told = {0};
        uint32_t config[2];
        uint64_t index;

        assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
        ct_space_config(t.space, index, config);
        told.failure = config[0] > 7   ? CT_FAILURE_BUILD
                       : config[0] > 5 ? CT_FAILURE_TIMEOUT
                       : config[1] > 7 ? CT_FAILURE_WRONG
                                       : CT_FAILURE_NONE;
        told.ok = told.failure == CT_FAILURE_NONE;
        told.objective = 1 + config[0] + config[1];
        ct_strategy_tell(strategy, index, &told);
    }
    assert_int_equal(ct_strategy_ask(strategy, 1, &(uint64_t){0}), 1);
    assert_int_equal(self->works.stages[CT_SURROGATE_BUILD].reached_count, 40);
    for (int s = 0; s + 1 < CT_SURROGATE_STAGES; s++) {
        const struct ct_surrogate_failures *stage = &self->works.stages[s];

        assert_true(stage->failed_count > 0);
        assert_int_equal(stage[1].reached_count,
                         stage->reached_count - stage->failed_count);
    }
    check_works(self);
    ct_strategy_free(strategy);
    space_text_close(&t);
}

/* --- the surrogate's reasons --- */

static void test_why(void **state)
{
    struct space_text t;
    struct ct_strategy *strategy;
    struct ct_why why;
    struct ct_strategy_result told = {.ok = true, .objective = 1e6};
    uint64_t index;
    double last = 1;
    double best = 1e6;
    double off = 0;

    (void)state;
    open_space(&t, 200);
    strategy = make("surrogate", &t, 3);
    assert_true(isnan(ct_strategy_chance(strategy, 0.95)));
    ct_strategy_tell(strategy, 199, &told);
    assert_false(ct_strategy_why(strategy, 199, &why)); /* nobody asked */
    assert_false(ct_strategy_why(strategy, 12345, &why));
    for (int i = 0; i < 60; i++) {
        assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
        assert_true(ct_strategy_why(strategy, index, &why));
        if (i == 0)
            assert_non_null(strstr(why.reason, "far from the others"));
        assert_true(why.predicted == (i >= 7));
        told.objective = 1000 + (double)((index - 77) * (index - 77));
        if (why.predicted) {
            assert_true(why.low <= why.objective && why.objective <= why.high);
            assert_true(why.is_better >= 0 && why.is_better <= 1);
            assert_true((strcmp(why.reason, "likely improvement") == 0) ==
                        (why.is_better >= 0.5));
            /* More likely than not means that the expected is better than the best. */
            assert_true((why.is_better > 0.5) == (why.objective < best));
            off += fabs(log(why.objective / told.objective)) / 53;
        }
        best = told.objective < best ? told.objective : best;
        ct_strategy_tell(strategy, index, &told);
        if (i == 10)
            assert_true(isnan(ct_strategy_chance(strategy, 0.95)));
        if (i == 15)
            last = ct_strategy_chance(strategy, 0.95);
    }
    assert_true(off < 0.1); /* it knows a bowl when it has seen one */
    assert_true(last >= 0 && last <= 1);
    /* The bottom of the bowl has been found: nothing is 5% below it. */
    assert_true(ct_strategy_chance(strategy, 0.95) < 0.05);
    ct_strategy_free(strategy);
    space_text_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_odd_parts),      cmocka_unit_test(test_climb),
        cmocka_unit_test(test_switches),       cmocka_unit_test(test_first_looks),
        cmocka_unit_test(test_thrift),         cmocka_unit_test(test_prices),
        cmocka_unit_test(test_failing_branch), cmocka_unit_test(test_why),
        cmocka_unit_test(test_arms),           cmocka_unit_test(test_headroom),
        cmocka_unit_test(test_kinds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
