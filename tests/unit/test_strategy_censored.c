// SPDX-License-Identifier: Apache-2.0
// Results that are lower bounds, because measuring was stopped: what the surrogate makes of them.
#include "strategy_space.h"

#include "base/rng.h"
#include "search/surrogate/surrogate.h"

#include <math.h>

/* E[Y | Y >= bound] by summing up. */
static double beyond(double mean, double sd, double bound)
{
    double sum = 0;
    double total = 0;

    for (int i = 0; i < 24000; i++) {
        double y = bound + i * sd / 2000;
        double density = exp(-(y - mean) * (y - mean) / (2 * sd * sd));

        sum += y * density;
        total += density;
    }
    return sum / total;
}

static void test_beyond(void **state)
{
    (void)state;
    assert_true(fabs(ct_surrogate_beyond(1, 0.5, -4) - 1) < 1e-9);
    for (int i = -2; i < 6; i++) {
        double bound = i / 2.;
        double y = ct_surrogate_beyond(1, 0.5, bound);

        assert_true(fabs(y - beyond(1, 0.5, bound)) < 1e-3);
        assert_true(y > bound && y >= 1);
    }
    /* Far below the bound, and certain. */
    assert_true(fabs(ct_surrogate_beyond(0, 0.01, 2) - 2) < 1e-3);
    assert_true(ct_surrogate_beyond(3, 0, 2) == 3);
    assert_true(ct_surrogate_beyond(1, 0, 2) == 2);
}

/* In double precision, of up to 12 observations. */
static void predict_precisely(const struct ct_gp *gp, const uint16_t *x, double *mean,
                              double *variance)
{
    double white[12];

    for (size_t i = 0; i < gp->count; i++)
        white[i] = ct_gp_kernel(gp, gp->x + i * gp->param_count, x);
    ct_gp_whiten(gp, 0, white, white);
    *mean = gp->mean;
    *variance = gp->scale;
    for (size_t i = 0; i < gp->count; i++) {
        *mean += white[i] * (gp->white_y[i] - gp->mean * gp->white_1[i]);
        *variance -= white[i] * white[i] * gp->scale;
    }
}

/* What the other observations predict of each is what a regression without it does. */
static void test_left_out(void **state)
{
    const double positions[] = {0, 0.1, 0.3, 0.6, 0.7, 1};
    const struct ct_gp_param params[] = {{6, positions, false}, {4, NULL, false}};
    struct ct_gp *gp = ct_gp_new(params, 2, 16);
    struct ct_gp *without = ct_gp_new(params, 2, 16);
    double mean[12];
    double variance[12];
    uint16_t x[12][2];
    double y[12];
    struct ct_rng rng;

    (void)state;
    assert_true(gp && without);
    ct_rng_seed(&rng, 3);
    for (uint16_t i = 0; i < 12; i++) {
        x[i][0] = i % 6;
        x[i][1] = (uint16_t)ct_rng_below(&rng, 4);
        y[i] = (double)ct_rng_below(&rng, 100) / 50;
        ct_gp_add(gp, x[i], y[i]);
    }
    assert_true(ct_gp_left_out(gp, mean, variance));
    for (size_t i = 0; i < 12; i++) {
        double expected;
        double left;

        ct_gp_clear(without);
        for (size_t k = 0; k < 12; k++)
            if (k != i)
                ct_gp_add(without, x[k], y[k]);
        /* The constant and the scale stay those of all observations. */
        without->mean = gp->mean;
        without->scale = gp->scale;
        predict_precisely(without, x[i], &expected, &left);
        assert_true(fabs(mean[i] - expected) < 1e-6);
        assert_true(fabs(variance[i] - left - gp->hyper.noise * gp->scale) < 1e-6);
    }
    ct_gp_free(gp);
    ct_gp_free(without);
}

enum { STOP_NONE, STOP_AS_VALUE, STOP_AS_BOUND };

/* Mean evaluations to the bottom of a bowl, if measuring stops 1.3 times the best so far. */
static double evaluations(const struct space_text *t, int stop)
{
    enum { SEEDS = 12 };
    double sum = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct ct_strategy *strategy = make("surrogate", t, seed);
        double best = INFINITY;
        int count = 0;

        for (; best > 1.05 && count < 200; count++) {
            struct ct_strategy_result told = {.ok = true};
            uint64_t index;

            assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
            told.objective = bowl(t, index, 13);
            if (stop != STOP_NONE && told.objective > 1.3 * best) {
                told.objective = 1.3 * best;
                told.censored = stop == STOP_AS_BOUND;
            }
            best = told.objective < best ? told.objective : best;
            ct_strategy_tell(strategy, index, &told);
        }
        ct_strategy_free(strategy);
        sum += count;
    }
    return sum / SEEDS;
}

static void test_effect(void **state)
{
    struct space_text t;
    double none;
    double value;
    double bound;

    (void)state;
    space_text_open(&t, "[param]\nA = 0..19\nB = 0..19\nC = 0..19\n", NULL);
    none = evaluations(&t, STOP_NONE);
    value = evaluations(&t, STOP_AS_VALUE);
    bound = evaluations(&t, STOP_AS_BOUND);
    print_message("%g evaluations; stopped, taken for values: %g; for bounds: %g\n", none,
                  value, bound);
    assert_true(bound < 0.9 * value);
    space_text_close(&t);
}

/* A bound is never the best, not even if it comes before all others. */
static void test_no_best(void **state)
{
    struct space_text t;
    struct ct_strategy *strategy;
    struct ct_surrogate *self;

    (void)state;
    open_space(&t, 200);
    strategy = make("surrogate", &t, 1);
    self = (struct ct_surrogate *)strategy;
    for (uint64_t i = 0; i < 20; i++)
        ct_strategy_tell(
            strategy, i,
            &(struct ct_strategy_result){.ok = true, .objective = 2, .censored = true});
    for (int i = 0; i < 60; i++) {
        struct ct_strategy_result told = {.ok = true};
        uint64_t index;

        assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
        told.objective = 5 + fabs((double)index - 150) / 10;
        told.censored = i % 3 == 0 && i > 30;
        ct_strategy_tell(strategy, index, &told);
    }
    assert_true(self->data.best >= 5 && self->data.best < 5.2);
    assert_true(ct_strategy_chance(strategy, 0.95) >= 0); /* a number */
    for (size_t s = 0; s < self->data.count; s++)
        assert_true(self->data.samples[s].expected >= self->data.samples[s].cost - 1e-9);
    ct_strategy_free(strategy);
    space_text_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beyond),
        cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_effect),
        cmocka_unit_test(test_no_best),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
