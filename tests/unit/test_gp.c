// SPDX-License-Identifier: Apache-2.0
// The Gaussian process against constants, and against itself done in another way.
//
// Constants were computed in decimal arithmetic with 40 digits: covariances from the
// formulas in gp.h, linear systems by Gaussian elimination with pivoting, the normal
// distribution by its power series.  Tables of the regression are floats, hence the
// tolerance.
#include "search/surrogate/dot.h"
#include "search/surrogate/gp_posterior.h"
#include "search/surrogate/surrogate.h"

#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const double positions[] = {0, 0.25, 0.5, 1};
static const struct ct_gp_param params[] = {{4, positions, false}, {3, NULL, false}};
static const uint16_t points[][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 0}, {1, 0}, {2, 1}};
static const double values[] = {1.0, 0.4, -0.2, 0.9, 0.7, -0.5};
enum { POINTS = 6 };

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        print_error("%.12g is not %.12g\n", a, b);
    assert_true(fabs(a - b) <= tolerance);
}

/* Mean and variance at a configuration, done by a panel of that one. */
static void predict(const struct ct_gp *gp, const uint16_t *x, double *mean,
                    double *variance)
{
    struct ct_gp_panel panel = {0};

    assert_true(ct_gp_panel_set(&panel, gp, x, 1));
    ct_gp_panel_at(&panel, 0, mean, variance);
    ct_gp_panel_release(&panel);
}

/* The same in another way: in one step, in double precision. */
static void predict_plainly(const struct ct_gp *gp, const uint16_t *x, double *mean,
                            double *variance)
{
    double covariances[16];
    double v[16];
    double explained;

    assert_true(gp->count <= 16);
    for (size_t i = 0; i < gp->count; i++)
        covariances[i] = ct_gp_kernel(gp, x, gp->x + i * gp->param_count);
    ct_gp_whiten(gp, 0, covariances, v);
    explained = ct_dot(v, v, gp->count);
    *mean = gp->mean + ct_dot(v, gp->white_y, gp->count) -
            gp->mean * ct_dot(v, gp->white_1, gp->count);
    *variance = explained < 1 ? (1 - explained) * gp->scale : 0;
}

/* The logarithm of the marginal likelihood, maximised over the constant mean and scale, without
 * the constants that depend on the count alone. */
static double likelihood(const struct ct_gp *gp)
{
    double log_det = 0;

    for (size_t i = 0; i < gp->count; i++)
        log_det += 2 * log(gp->factor[i * gp->room + i]);
    return -((double)gp->count * log(gp->scale) + log_det) / 2;
}

static struct ct_gp *make_of(const struct ct_gp_param *of, size_t count)
{
    struct ct_gp *gp = ct_gp_new(of, 2, 16);

    assert_non_null(gp);
    gp->hyper.ordinal[0] = 1.5;
    gp->hyper.equal[0] = 0.8;
    gp->hyper.equal[1] = 0.6;
    gp->hyper.local = 0.3;
    gp->hyper.rate = 0.7;
    gp->hyper.noise = 0.01;
    ct_gp_refresh(gp);
    for (size_t i = 0; i < count; i++)
        assert_true(ct_gp_add(gp, points[i], values[i]));
    return gp;
}

/* The regression that the constants are about. */
static struct ct_gp *make(size_t count)
{
    return make_of(params, count);
}

static void test_kernel(void **state)
{
    static const uint16_t others[][2] = {{0, 1}, {3, 2}, {2, 0}};
    struct ct_gp *gp = make(0);

    (void)state;
    assert_near(ct_gp_kernel(gp, points[1], points[1]), 1, 1e-6);
    assert_near(ct_gp_kernel(gp, others[0], points[1]), 0.79350735920650, 1e-6);
    assert_near(ct_gp_kernel(gp, others[1], points[1]), 0.30241604480024, 1e-6);
    assert_near(ct_gp_kernel(gp, points[1], others[2]), 0.42851312925544, 1e-6);
    ct_gp_free(gp);
}

/* A derived parameter has no part in the second product. */
static void test_derived(void **state)
{
    static const uint16_t a[] = {1, 0};
    static const uint16_t b[] = {1, 2};
    static const uint16_t c[] = {1, 2};
    static const double nowhere[] = {0, 0.25, NAN, 1};
    static const struct ct_gp_param derived[] = {{4, positions, false}, {3, NULL, true}};
    static const struct ct_gp_param off[] = {{4, nowhere, false}, {3, NULL, false}};
    struct ct_gp *plain = make(0);
    struct ct_gp *gp = make_of(derived, 0);

    (void)state;
    assert_near(ct_gp_kernel(gp, a, b) - ct_gp_kernel(plain, a, b), 0.3 * (1 - exp(-0.7)),
                1e-6);
    ct_gp_free(gp);
    /* A value without a position is like no other. */
    gp = make_of(off, 0);
    assert_near(ct_gp_kernel(gp, points[2], points[2]), 1, 1e-6);
    assert_near(ct_gp_kernel(gp, points[2], c), 0.7 * exp(-0.8) + 0.3 * exp(-0.7), 1e-6);
    ct_gp_free(plain);
    ct_gp_free(gp);
}

/* Three configurations at once, and each alone: the same numbers. */
static void check_together(const struct ct_gp *gp, const uint16_t *at)
{
    float white[16 * CT_GP_TOGETHER];
    float alone[16 * CT_GP_TOGETHER];
    double means[3];
    double variances[3];

    ct_gp_predict(gp, at, 3, white, means, variances);
    for (size_t i = 0; i < 3; i++) {
        double mean;
        double variance;

        ct_gp_predict(gp, at + 2 * i, 1, alone, &mean, &variance);
        assert_true(means[i] == mean);
        assert_true(variances[i] == variance);
        for (size_t k = 0; k < gp->count; k++)
            assert_true(white[CT_GP_TOGETHER * k + i] == alone[CT_GP_TOGETHER * k]);
    }
}

static void check_predictions(const struct ct_gp *gp)
{
    static const uint16_t at[][2] = {{0, 1}, {3, 2}, {2, 0}};
    static const double means[] = {0.47746402501567, 0.28807043564717, 0.35583100919286};
    static const double variances[] = {0.15651333571567, 0.23917800785111,
                                       0.12532493099209};

    assert_near(gp->mean, 0.46319832467893, 1e-5);
    assert_near(gp->scale, 0.56075978195663, 1e-5);
    assert_near(likelihood(gp), 3.24896023033583, 1e-4);
    for (int i = 0; i < 3; i++) {
        float white[16 * CT_GP_TOGETHER];
        double mean;
        double variance;

        predict(gp, at[i], &mean, &variance);
        assert_near(mean, means[i], 1e-5);
        assert_near(variance, variances[i], 1e-5);
        predict_plainly(gp, at[i], &mean, &variance);
        assert_near(mean, means[i], 1e-5);
        assert_near(variance, variances[i], 1e-5);
        ct_gp_predict(gp, at[i], 1, white, &mean, &variance);
        assert_near(mean, means[i], 1e-5);
        assert_near(variance, variances[i], 1e-5);
    }
    check_together(gp, at[0]);
}

static void test_predictions(void **state)
{
    static const double other[] = {5, 4, 3, 2, 1, 0};
    struct ct_gp *gp = make(POINTS);

    (void)state;
    check_predictions(gp);
    /* Another y and back. */
    ct_gp_set_y(gp, other);
    assert_true(fabs(gp->mean - 0.463) > 0.1);
    ct_gp_set_y(gp, values);
    check_predictions(gp);
    ct_gp_refresh(gp);
    check_predictions(gp);
    ct_gp_clear(gp);
    for (size_t i = POINTS; i-- > 0;) /* in any order */
        assert_true(ct_gp_add(gp, points[i], values[i]));
    check_predictions(gp);
    ct_gp_free(gp);
}

/* Equal observations, repeated configurations and a full regression do no harm. */
static void test_degenerate(void **state)
{
    struct ct_gp *gp = make(0);
    double mean;
    double variance;

    (void)state;
    for (int i = 0; i < 16; i++)
        assert_true(ct_gp_add(gp, points[0], 7));
    assert_false(ct_gp_add(gp, points[0], 7));
    predict(gp, points[3], &mean, &variance);
    assert_near(mean, 7, 1e-6);
    assert_true(variance >= 0 && variance < 1e-6);
    assert_true(ct_gp_fit(gp, 5, true));
    predict(gp, points[3], &mean, &variance);
    assert_near(mean, 7, 1e-4);
    ct_gp_free(gp);
}

/* Every configuration in a panel, observations coming one by one. */
static void test_panel(void **state)
{
    struct ct_gp *gp = make(0);
    struct ct_gp_panel panel = {0};
    uint16_t all[12][2];
    float quick_mean[12];
    float quick_variance[12];
    double shifted[POINTS];

    (void)state;
    for (uint16_t i = 0; i < 12; i++) {
        all[i][0] = i / 3;
        all[i][1] = i % 3;
    }
    assert_true(ct_gp_panel_set(&panel, gp, all[0], 12));
    for (size_t n = 1; n <= POINTS + 2; n++) {
        if (n <= POINTS) {
            assert_true(ct_gp_add(gp, points[n - 1], values[n - 1]));
            assert_true(ct_gp_panel_follow(&panel));
        } else if (n == POINTS + 1) {
            for (size_t i = 0; i < POINTS; i++)
                shifted[i] = values[i] * values[i] - 3;
            ct_gp_set_y(gp, shifted);
            ct_gp_panel_set_y(&panel);
        } else {
            gp->hyper.ordinal[0] = 0.4;
            ct_gp_refresh(gp);
            assert_true(ct_gp_panel_renew(&panel));
        }
        assert_true(ct_gp_scan(gp, all[0], 12, quick_mean, quick_variance));
        for (size_t c = 0; c < 12; c++) {
            double mean;
            double variance;
            double panel_mean;
            double panel_variance;

            predict_plainly(gp, all[c], &mean, &variance);
            ct_gp_panel_at(&panel, c, &panel_mean, &panel_variance);
            assert_near(panel_mean, mean, 1e-4);
            assert_near(panel_variance, variance, 1e-4);
            assert_near((double)quick_mean[c], mean, 1e-4);
            assert_true((double)quick_variance[c] >= variance - 1e-5);
        }
    }
    ct_gp_panel_release(&panel);
    ct_gp_free(gp);
}

/* Parameters that are looked up together, alone, and not at all: of 20, 12, 300, 1, 2 and
 * 3 values. */
static void test_panel_groups(void **state)
{
    enum { PARAMS = 6, CONFIGS = 37, SEEN = 9 };
    static const uint16_t counts[PARAMS] = {20, 12, 300, 1, 2, 3};
    static double line[300];
    struct ct_gp_param many[PARAMS];
    uint16_t configs[CONFIGS][PARAMS];
    float quick_mean[CONFIGS];
    float quick_variance[CONFIGS];
    struct ct_gp_panel panel = {0};
    struct ct_gp *gp;
    struct ct_rng rng;

    (void)state;
    ct_rng_seed(&rng, 7);
    for (int i = 0; i < 300; i++)
        line[i] = i / 299.0;
    for (size_t p = 0; p < PARAMS; p++) {
        many[p] = (struct ct_gp_param){counts[p], p % 2 ? NULL : line, false};
        for (size_t c = 0; c < CONFIGS; c++)
            configs[c][p] = (uint16_t)ct_rng_below(&rng, counts[p]);
    }
    gp = ct_gp_new(many, PARAMS, SEEN);
    assert_non_null(gp);
    for (size_t i = 0; i < SEEN; i++)
        assert_true(ct_gp_add(gp, configs[i], sin((double)i)));
    assert_true(ct_gp_panel_set(&panel, gp, configs[0], CONFIGS));
    assert_true(ct_gp_scan(gp, configs[0], CONFIGS, quick_mean, quick_variance));
    for (size_t c = 0; c < CONFIGS; c++) {
        double mean;
        double variance;
        double panel_mean;
        double panel_variance;

        predict_plainly(gp, configs[c], &mean, &variance);
        ct_gp_panel_at(&panel, c, &panel_mean, &panel_variance);
        assert_near(panel_mean, mean, 1e-4);
        assert_near(panel_variance, variance, 1e-4);
        assert_near((double)quick_mean[c], mean, 1e-4);
    }
    ct_gp_panel_release(&panel);
    ct_gp_free(gp);
}

/* The same at once, from values that are not whitened. */
static void check_others(const struct ct_gp *gp, const uint16_t *at, const float *sums)
{
    double first[POINTS];
    double second[POINTS];
    float white[POINTS * CT_GP_TOGETHER];
    double mean[3];
    double variance[3];
    double out[CT_GP_TOGETHER];
    float scanned[2][3];

    ct_gp_predict(gp, at, 3, white, mean, variance);
    ct_gp_predict_others(white, gp->white_y, gp->count, out);
    for (size_t i = 0; i < POINTS; i++) {
        first[i] = values[i];
        second[i] = -2 * values[i];
    }
    assert_true(ct_gp_scan_others(gp, at, 3, (double *const[]){first, second}, 2,
                                  (float *const[]){scanned[0], scanned[1]}));
    for (size_t c = 0; c < 3; c++) {
        assert_near(out[c], (double)sums[c], 1e-5);
        assert_near((double)scanned[0][c], (double)sums[c], 1e-5);
        assert_near((double)scanned[1][c], -2 * (double)sums[c], 1e-5);
    }
}

/* Other values, whitened and summed as observations come, are what the regression makes
 * of them: the objective itself is. */
static void test_panel_sum(void **state)
{
    static const uint16_t at[][2] = {{0, 1}, {3, 2}, {2, 0}};
    struct ct_gp *gp = make(0);
    struct ct_gp_panel panel = {0};
    double white[POINTS];
    float sums[4] = {0};

    (void)state;
    for (size_t i = 0; i < POINTS; i++)
        white[i] = values[i];
    assert_true(ct_gp_panel_set(&panel, gp, at[0], 3));
    assert_int_equal(panel.stride, 4);
    for (size_t from = 0, to = 1; from < POINTS; from = to, to += 2) {
        to = to < POINTS ? to : POINTS;
        while (gp->count < to)
            assert_true(ct_gp_add(gp, points[gp->count], values[gp->count]));
        assert_true(ct_gp_panel_follow(&panel));
        ct_gp_whiten(gp, from, white, white);
        ct_gp_panel_sum(&panel, from, white, sums);
    }
    for (size_t c = 0; c < 3; c++)
        assert_near((double)sums[c], (double)panel.sum_y[c], 1e-5);
    check_others(gp, at[0], sums);
    ct_gp_panel_release(&panel);
    ct_gp_free(gp);
}

/* The derivatives of what a fit climbs, against differences. */
static void test_gradient(void **state)
{
    static const double at[] = {0.2, -0.4, 0.3, -0.6, -0.2, -3};
    static const double broad_at[] = {0.2, -0.4, 0.3, -3};
    static const struct ct_gp_param derived[] = {{4, positions, false}, {3, NULL, true}};
    static const struct ct_gp_param ordered[] = {{4, positions, true}, {3, NULL, false}};
    static const double nowhere[] = {0, 0.25, NAN, 1};
    static const struct ct_gp_param off[] = {{4, nowhere, false}, {3, NULL, false}};
    static const struct ct_gp_param *const kinds[] = {params, derived, ordered, off};
    const double step = 1e-5;

    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        bool local = kind % 2;
        struct ct_gp *gp = make_of(kinds[kind / 2], POINTS);
        struct ct_gp_posterior *posterior = ct_gp_posterior_new(gp, local);
        size_t count;
        double gradient[6];
        double ignored[6];

        assert_non_null(posterior);
        count = ct_gp_posterior_count(posterior);
        assert_int_equal(count, local ? 6 : 4);
        ct_gp_posterior_at(posterior, local ? at : broad_at, gradient);
        for (size_t v = 0; v < count; v++) {
            double moved[6];
            double up;
            double down;

            for (size_t i = 0; i < count; i++)
                moved[i] = local ? at[i] : broad_at[i];
            moved[v] += step;
            up = ct_gp_posterior_at(posterior, moved, ignored);
            moved[v] -= 2 * step;
            down = ct_gp_posterior_at(posterior, moved, ignored);
            assert_true(fabs(gradient[v]) > 1e-3);
            assert_near(gradient[v], (up - down) / (2 * step), 1e-6);
        }
        ct_gp_posterior_free(posterior);
        ct_gp_free(gp);
    }
}

/* Fitting finds what matters: y depends smoothly on the first parameter, in jumps on the
 * second, not at all on the third. */
static void test_fit(void **state)
{
    static const double line[] = {0, 0.2, 0.4, 0.6, 0.8, 1};
    static const double jumps[] = {0, 3, -1, 2, 0.5};
    static const struct ct_gp_param three[] = {
        {6, line, false}, {5, NULL, false}, {6, line, false}};

    (void)state;
    for (int local = 0; local < 2; local++) {
        struct ct_gp *gp = ct_gp_new(three, 3, 60);
        struct ct_rng rng;
        double before;
        double error = 0;

        assert_non_null(gp);
        ct_rng_seed(&rng, 4);
        for (int i = 0; i < 60; i++) {
            uint16_t x[3] = {(uint16_t)ct_rng_below(&rng, 6),
                             (uint16_t)ct_rng_below(&rng, 5),
                             (uint16_t)ct_rng_below(&rng, 6)};

            ct_gp_add(gp, x, 2 * line[x[0]] * line[x[0]] + jumps[x[1]]);
        }
        before = likelihood(gp);
        assert_true(ct_gp_fit(gp, 40, local));
        assert_true(likelihood(gp) > before + 20);
        assert_true(gp->hyper.equal[2] < gp->hyper.equal[1] / 4);
        assert_true((gp->hyper.local > 0) == (local == 1));
        for (uint16_t i = 0; i < 180; i++) {
            uint16_t x[3] = {i / 30, i / 6 % 5, i % 6};
            double mean;
            double variance;

            predict(gp, x, &mean, &variance);
            error += fabs(mean - 2 * line[x[0]] * line[x[0]] - jumps[x[1]]) / 180;
        }
        assert_true(error < 0.1);
        ct_gp_free(gp);
    }
}

/* More observations than a fit looks at. */
static void test_fit_many(void **state)
{
    static double line[40];
    static struct ct_gp_param one[] = {{40, line, false}, {40, line, false}};
    struct ct_gp *gp = ct_gp_new(one, 2, 300);
    struct ct_rng rng;
    double mean;
    double variance;

    (void)state;
    for (int i = 0; i < 40; i++)
        line[i] = i / 39.0;
    assert_non_null(gp);
    ct_gp_refresh(gp);
    ct_rng_seed(&rng, 4);
    for (int i = 0; i < 300; i++) {
        uint16_t x[2] = {(uint16_t)ct_rng_below(&rng, 40),
                         (uint16_t)ct_rng_below(&rng, 40)};

        assert_true(ct_gp_add(gp, x, sin(3 * line[x[0]]) * cos(2 * line[x[1]])));
    }
    assert_true(ct_gp_fit(gp, 20, true));
    for (uint16_t i = 0; i < 40; i += 7) {
        uint16_t x[2] = {i, 39 - i};

        predict(gp, x, &mean, &variance);
        assert_near(mean, sin(3 * line[i]) * cos(2 * line[39 - i]), 0.05);
    }
    ct_gp_free(gp);
}

/* The factor times what was whitened is what it was. */
static void test_whiten(void **state)
{
    struct ct_gp *gp = make(POINTS);
    double white[POINTS];

    (void)state;
    ct_gp_whiten(gp, 0, values, white);
    for (size_t i = 0; i < POINTS; i++) {
        double sum = 0;

        assert_true(white[i] == gp->white_y[i]);
        for (size_t j = 0; j <= i; j++)
            sum += gp->factor[i * gp->room + j] * white[j];
        assert_near(sum, values[i], 1e-12);
    }
    ct_gp_free(gp);
}

static void test_improvement(void **state)
{
    (void)state;
    assert_near(ct_surrogate_improvement(1, 0.5, 0.8), 0.11521941847372650, 1e-12);
    assert_near(ct_surrogate_improvement(1, 0.5, 1.5), 0.54165773529384315, 1e-12);
    assert_true(ct_surrogate_improvement(1, 0, 0.8) == 0);
    assert_near(ct_surrogate_improvement(1, 0, 1.5), 0.5, 1e-12);
}

/* The bound is above the expected improvement, and near it. */
static void test_improvement_most(void **state)
{
    (void)state;
    for (int i = -100; i <= 100; i++) {
        double z = i / 20.0;
        double exact = ct_surrogate_improvement(0.7 - 1e-3 * z, 1e-3, 0.7);
        double most = ct_surrogate_improvement_most(0.7 - 1e-3 * z, 1e-3, 0.7);

        assert_true(most >= exact);
        assert_true(most <= exact * (z < -3 ? 40 : z < -2 ? 2 : 1.5));
    }
    assert_true(ct_surrogate_improvement_most(1, 0, 0.8) == 0);
    assert_near(ct_surrogate_improvement_most(1, 0, 1.5), 0.5, 1e-12);
}

static void test_dot(void **state)
{
    double a[20];
    double b[20];
    double sum = 0;

    (void)state;
    for (size_t i = 0; i < 20; i++) {
        a[i] = (double)i + 1;
        b[i] = (double)(i * i) - 7;
    }
    for (size_t n = 0; n < 20; n++) {
        assert_true(ct_dot(a, b, n) == sum); /* small integers: no rounding */
        sum += a[n] * b[n];
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernel),
        cmocka_unit_test(test_derived),
        cmocka_unit_test(test_predictions),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_panel),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_fit_many),
        cmocka_unit_test(test_whiten),
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_improvement),
        cmocka_unit_test(test_improvement_most),
        cmocka_unit_test(test_panel_groups),
        cmocka_unit_test(test_panel_sum),
        cmocka_unit_test(test_dot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
