// SPDX-License-Identifier: Apache-2.0
// Statistics against constants of SciPy's, by simulation, and of extreme values.
#include "stat_constants.h"

#include "base/rng.h"
#include "base/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 10000 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool near(double found, double expected)
{
    return fabs(found - expected) <= 1e-12 * fmax(1, fabs(expected));
}

/* Probabilities may be small: by their ratio. */
static bool near_p(double found, double expected)
{
    return fabs(found - expected) <= 1e-10 * expected;
}

static void expect(const char *name, const char *what, double found, double expected)
{
    if (!near(found, expected))
        fail_msg("%s: %s is %.17g, not %.17g", name, what, found, expected);
}

static void expect_p(const char *name, double found, double expected)
{
    if (!near_p(found, expected))
        fail_msg("%s: the probability is %.17g, not %.17g", name, found, expected);
}

/* --- one sample --- */

static void test_median_and_mad(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(stat_samples); i++) {
        const struct stat_sample *s = &stat_samples[i];
        double copy[COUNT(s->values)];

        memcpy(copy, s->values, sizeof(copy));
        expect(s->name, "the MAD", ct_stats_mad(copy, s->count), s->mad);
        memcpy(copy, s->values, sizeof(copy));
        expect(s->name, "the median", ct_stats_median(copy, s->count), s->median);
    }
    assert_true(ct_stats_mad(NULL, 0) == 0);
}

/* The example of R's medpolish (Hoaglin, Mosteller & Tukey, Understanding Robust and
 * Exploratory Data Analysis, 1983): deaths of sportsmen parachuting in 1973 to 1975. */
static void test_polish_deaths(void **state)
{
    double table[] = {14, 15, 14, 7, 4, 7, 8, 2, 10, 15, 9, 10, 0, 2, 0};
    static const double residuals[] = {0, 2, 0, 0, -2, 0, 0, -5, 2, 5, 0, 0, 0, 3, 0};
    double scratch[13];
    double columns[3];

    (void)state;
    ct_stats_polish(table, 5, 3, scratch, columns);
    assert_true(columns[0] == 8 && columns[1] == 8 - 1 && columns[2] == 8);
    for (size_t i = 0; i < 15; i++)
        assert_true(table[i] == residuals[i]);
}

static void test_polish(void **state)
{
    enum { ROWS = 7, COLUMNS = 4 };
    static const double columns[COLUMNS] = {3, -1, 0.5, 10};
    double table[ROWS * COLUMNS];
    double scratch[2 * ROWS + COLUMNS];
    double seen[COLUMNS];

    (void)state;
    /* What is exactly a sum comes apart exactly, and a few wild values change nothing. */
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < COLUMNS; c++)
            table[r * COLUMNS + c] = columns[c] + (double)((r * 5 + 3) % ROWS) * 100;
    table[1] += 1e6;
    table[2 * COLUMNS + 3] -= 1e9;
    table[4 * COLUMNS] += 50;
    ct_stats_polish(table, ROWS, COLUMNS, scratch, seen);
    for (size_t c = 1; c < COLUMNS; c++)
        assert_true(seen[c] - seen[0] == columns[c] - columns[0]);
    assert_true(table[1] == 1e6);
    assert_true(table[2 * COLUMNS + 3] == -1e9);
}

/* Of two columns: the median of the differences. */
static void test_polish_pairs(void **state)
{
    double table[] = {1, 2, 10, 14, 100, 103, 7, 7, 50, 60};
    double scratch[12];
    double columns[2];
    double one[] = {5, 9, 1};

    (void)state;
    ct_stats_polish(table, 5, 2, scratch, columns);
    assert_true(columns[1] - columns[0] == 3);
    ct_stats_polish(one, 3, 1, scratch, columns);
    assert_true(columns[0] == 5);
    ct_stats_polish(one, 0, 2, scratch, columns);
    assert_true(columns[0] == 0 && columns[1] == 0);
}

static void test_sign_interval(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(stat_samples); i++) {
        const struct stat_sample *s = &stat_samples[i];
        double copy[COUNT(s->values)];
        double low = -1;
        double high = -1;
        double coverage;

        memcpy(copy, s->values, sizeof(copy));
        coverage = ct_stats_median_interval(copy, s->count, 0.95, &low, &high);
        expect(s->name, "the low end", low, s->low);
        expect(s->name, "the high end", high, s->high);
        if (!(fabs(coverage - s->coverage) < 1e-10))
            fail_msg("%s: %.17g is covered, not %.17g", s->name, coverage, s->coverage);
    }
}

/* --- probabilities --- */

static void test_student(void **state)
{
    (void)state;
    /* R: 2 * pt(-t, df) */
    assert_true(fabs(ct_stats_student(12.706204736, 1) - 0.05) < 1e-9);
    assert_true(fabs(ct_stats_student(4.30265273, 2) - 0.05) < 1e-9);
    assert_true(fabs(ct_stats_student(-2.0, 3) - 0.1393259686) < 1e-9);
    assert_true(fabs(ct_stats_student(2.306004135, 8) - 0.05) < 1e-9);
    assert_true(fabs(ct_stats_student(1.0, 9) - 0.3434363961) < 1e-9);
    assert_true(near(ct_stats_student(0, 5), 1));
    assert_true(fabs(ct_stats_student_quantile(0.05, 2) - 4.30265273) < 1e-7);
    assert_true(fabs(ct_stats_student_quantile(0.05, 8) - 2.306004135) < 1e-7);
}

static void test_deviation_bound(void **state)
{
    /* sqrt(n / qchisq(0.05, n)) of tables of chi-squared, and more for few degrees of freedom. */
    static const struct {
        size_t freedom;
        double bound;
    } known[] = {{2, 4.4154}, {3, 2.9203},  {4, 2.3724},
                 {8, 1.7110}, {10, 1.5931}, {30, 1.2736}};

    (void)state;
    for (size_t i = 0; i < COUNT(known); i++) {
        double ratio = ct_stats_deviation_bound(known[i].freedom) / known[i].bound;

        assert_true(ratio >= 0.999 && ratio <= (i ? 1.04 : 1.15));
        assert_true(i < 4 || ratio < 1.003);
    }
}

static void test_normal_tails(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(stat_tails); i++)
        expect_p("tails", ct_stats_normal_tails(stat_tails[i].z), stat_tails[i].p);
}

static void test_holm(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(stat_families); i++) {
        const struct stat_family *s = &stat_families[i];
        double p[COUNT(s->p)];

        memcpy(p, s->p, sizeof(p));
        ct_stats_holm(p, s->count);
        for (size_t k = 0; k < s->count; k++)
            expect("Holm", "an adjusted probability", p[k], s->adjusted[k]);
    }
    ct_stats_holm(NULL, 0);
}

/* --- oddities --- */

static const struct stat_sample *sample(const char *name)
{
    for (size_t i = 0; i < COUNT(stat_samples); i++)
        if (strcmp(stat_samples[i].name, name) == 0)
            return &stat_samples[i];
    fail_msg("no sample '%s'", name);
    return NULL;
}

/* Those of a sample, spread and trend compared with the constants. */
static struct ct_stats_oddities odd_sample(const struct stat_sample *s)
{
    struct ct_stats_oddities out;

    ct_stats_oddities_of(s->values, s->count, &out);
    assert_int_equal(out.count, s->count);
    expect(s->name, "the spread", out.spread, 1.4826 * s->mad / s->median);
    expect(s->name, "the drift", out.drift,
           s->slope * (double)(s->count - 1) / s->median);
    expect_p(s->name, out.drift_p, s->trend_p);
    return out;
}

static struct ct_stats_oddities odd(const char *name)
{
    return odd_sample(sample(name));
}

static void test_trend(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(stat_samples); i++)
        odd_sample(&stat_samples[i]);
}

/* The slope, from one value to the next, and its probability. */
static double trend_of(const double *values, size_t count, double *p)
{
    static double copy[MANY];
    struct ct_stats_oddities out;

    ct_stats_oddities_of(values, count, &out);
    memcpy(copy, values, count * sizeof(*copy));
    *p = out.drift_p;
    return out.drift * ct_stats_median(copy, count) / (double)(count - 1);
}

/* Of a long series neighbours are put together: the slope stays one a value. */
static void test_long_trend(void **state)
{
    static double values[MANY];
    struct ct_rng rng;
    double p;

    (void)state;
    ct_rng_seed(&rng, 11);
    for (size_t i = 0; i < MANY; i++)
        values[i] = 100 + 0.001 * (double)i + ct_rng_normal(&rng);
    assert_true(fabs(trend_of(values, MANY, &p) - 0.001) < 0.00002);
    assert_true(p < 1e-100);
    /* As many as are not put together, and one more. */
    for (size_t i = 0; i < CT_STATS_TREND_MOST + 1; i++)
        values[i] = (double)i;
    assert_true(near(trend_of(values, CT_STATS_TREND_MOST, &p), 1));
    assert_true(fabs(trend_of(values, CT_STATS_TREND_MOST + 1, &p) - 1) < 0.005);
    /* All of them count: that the last one differs is seen. */
    memset(values, 0, sizeof(values));
    values[CT_STATS_TREND_MOST] = 1;
    trend_of(values, CT_STATS_TREND_MOST + 1, &p);
    assert_true(p < 1);
}

static void test_outliers(void **state)
{
    struct ct_stats_oddities none;

    (void)state;
    assert_int_equal(odd("normal, 50").outliers, 0);
    assert_false(odd("normal, 50").slow_start);
    assert_int_equal(odd("first is slow").outliers, 1);
    assert_true(odd("first is slow").slow_start);
    assert_int_equal(odd("two spikes").outliers, 2);
    assert_false(odd("two spikes").slow_start);
    assert_int_equal(odd("fast spikes").outliers, 0); /* nothing was in the way */
    assert_int_equal(odd("all but one equal").outliers, 1);
    assert_int_equal(odd("one value").outliers, 0);
    assert_int_equal(odd("two values").outliers, 0);
    ct_stats_oddities_of(NULL, 0, &none);
    assert_true(none.count == 0 && none.outliers == 0 && !none.slow_start);
    assert_true(none.drift == 0 && none.drift_p == 1 && none.spread == 0);
}

/* From which distance on, with a MAD and where most values are the same. */
static void test_outlier_limits(void **state)
{
    double spread[] = {98, 99, 100, 101, 102, 0}; /* MAD 1.5 with any large one */
    double ticks[] = {100, 100, 100, 100, 100, 0};
    struct ct_stats_oddities out;

    (void)state;
    spread[5] = 100.5 + 14.826 * 1.5 + 0.001;
    ct_stats_oddities_of(spread, 6, &out);
    assert_int_equal(out.outliers, 1);
    spread[5] -= 0.002;
    ct_stats_oddities_of(spread, 6, &out);
    assert_int_equal(out.outliers, 0);
    ticks[5] = 101.001;
    ct_stats_oddities_of(ticks, 6, &out);
    assert_int_equal(out.outliers, 1);
    ticks[5] = 100.999;
    ct_stats_oddities_of(ticks, 6, &out);
    assert_int_equal(out.outliers, 0);
}

/* Infinities, zeros, the largest and the smallest: nothing hangs, nothing is NAN that a
 * decision depends on. */
static void test_extremes(void **state)
{
    static const double lists[][6] = {
        {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY},
        {INFINITY, 1, 2, 3, 4, 5},
        {1, INFINITY, 2, INFINITY, 3, INFINITY},
        {1, 2, INFINITY, INFINITY, INFINITY, INFINITY},
        {0, 0, 0, 0, 0, 0},
        {0, 0, 0, 0, 0, 1},
        {5e-324, 1e300, 1, 1e300, 5e-324, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(lists); i++)
        for (size_t count = 1; count <= 6; count++) {
            struct ct_stats_oddities out;
            double copy[6];
            double low;
            double high;

            ct_stats_oddities_of(lists[i], count, &out);
            assert_true(out.outliers < count && !isnan(out.drift) && !isnan(out.spread));
            assert_true(out.drift_p >= 0 && out.drift_p <= 1);
            memcpy(copy, lists[i], sizeof(copy));
            assert_true(ct_stats_mad(copy, count) >= 0);
            memcpy(copy, lists[i], sizeof(copy));
            ct_stats_median_interval(copy, count, 0.95, &low, &high);
            assert_true(low <= high);
        }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_median_and_mad),
        cmocka_unit_test(test_polish_deaths),
        cmocka_unit_test(test_polish),
        cmocka_unit_test(test_polish_pairs),
        cmocka_unit_test(test_sign_interval),
        cmocka_unit_test(test_trend),
        cmocka_unit_test(test_long_trend),
        cmocka_unit_test(test_student),
        cmocka_unit_test(test_deviation_bound),
        cmocka_unit_test(test_normal_tails),
        cmocka_unit_test(test_holm),
        cmocka_unit_test(test_outliers),
        cmocka_unit_test(test_outlier_limits),
        cmocka_unit_test(test_extremes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
