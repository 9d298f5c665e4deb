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

static void test_quantiles(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(stat_samples); i++) {
        const struct stat_sample *s = &stat_samples[i];
        double sorted[COUNT(s->values)];

        memcpy(sorted, s->values, sizeof(sorted));
        ct_stats_median(sorted, s->count);
        for (size_t q = 0; q < COUNT(stat_quantiles); q++)
            expect(s->name, "a quantile",
                   ct_stats_quantile(sorted, s->count, stat_quantiles[q]),
                   s->quantiles[q]);
        assert_true(ct_stats_quantile(sorted, s->count, -1) == sorted[0]);
        assert_true(ct_stats_quantile(sorted, s->count, 2) == sorted[s->count - 1]);
    }
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

static void test_trend(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(stat_samples); i++) {
        const struct stat_sample *s = &stat_samples[i];
        double slope = NAN;

        expect_p(s->name, ct_stats_trend(s->values, s->count, &slope), s->trend_p);
        expect(s->name, "the slope", slope, s->slope);
    }
    for (size_t i = 0; i < COUNT(stat_tails); i++)
        expect_p("tails", ct_stats_normal_tails(stat_tails[i].z), stat_tails[i].p);
}

/* Of a long series neighbours are put together: the slope stays one a value. */
static void test_long_trend(void **state)
{
    static double values[MANY];
    struct ct_rng rng;
    double slope;

    (void)state;
    ct_rng_seed(&rng, 11);
    for (size_t i = 0; i < MANY; i++)
        values[i] = 100 + 0.001 * (double)i + ct_rng_normal(&rng);
    assert_true(ct_stats_trend(values, MANY, &slope) < 1e-100);
    assert_true(fabs(slope - 0.001) < 0.00002);
    /* As many as are not put together, and one more. */
    for (size_t i = 0; i < CT_STATS_TREND_MOST + 1; i++)
        values[i] = (double)i;
    ct_stats_trend(values, CT_STATS_TREND_MOST, &slope);
    assert_true(slope == 1);
    ct_stats_trend(values, CT_STATS_TREND_MOST + 1, &slope);
    assert_true(fabs(slope - 1) < 0.005);
    /* All of them count: that the last one differs is seen. */
    memset(values, 0, sizeof(values));
    values[CT_STATS_TREND_MOST] = 1;
    assert_true(ct_stats_trend(values, CT_STATS_TREND_MOST + 1, &slope) < 1);
}

/* --- the bootstrap --- */

static void test_bootstrap_exact(void **state)
{
    size_t compared = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(stat_samples); i++) {
        const struct stat_sample *s = &stat_samples[i];
        double low = -1;
        double high = -1;

        if (s->bootstrap_high == 0)
            continue;
        compared++;
        ct_stats_bootstrap_median(s->values, s->count, 0.95, 50000, 1, &low, &high);
        expect(s->name, "the low end", low, s->bootstrap_low);
        expect(s->name, "the high end", high, s->bootstrap_high);
    }
    assert_true(compared > 5);
}

/* Of two values a resample's median is either, or their mean half of the time. */
static void test_bootstrap_even(void **state)
{
    static const double two[] = {20, 10};
    double low = -1;
    double high = -1;

    (void)state;
    ct_stats_bootstrap_median(two, 2, 0.95, 2000, 3, &low, &high);
    assert_true(low == 10 && high == 20);
    ct_stats_bootstrap_median(two, 2, 0.4, 2000, 3, &low, &high);
    assert_true(low == 15 && high == 15);
}

static void test_bootstrap_seed(void **state)
{
    double values[20];
    double turned[20];
    double low[4];
    double high[4];
    struct ct_rng rng;

    (void)state;
    ct_rng_seed(&rng, 5);
    for (size_t i = 0; i < 20; i++) {
        values[i] = 100 + ct_rng_normal(&rng);
        turned[19 - i] = values[i];
    }
    ct_stats_bootstrap_median(values, 20, 0.95, 100, 8, &low[0], &high[0]);
    ct_stats_bootstrap_median(values, 20, 0.95, 100, 8, &low[1], &high[1]);
    ct_stats_bootstrap_median(turned, 20, 0.95, 100, 8, &low[2], &high[2]);
    ct_stats_bootstrap_median(values, 20, 0.95, 100, 9, &low[3], &high[3]);
    assert_true(low[0] == low[1] && high[0] == high[1]);
    assert_true(low[0] == low[2] && high[0] == high[2]);
    assert_true(low[0] != low[3] || high[0] != high[3]);
    for (size_t i = 0; i < 20; i++) /* as they were */
        assert_true(values[i] == turned[19 - i]);
}

/* The share of intervals of 15 normal values that hold the true median, and that they
 * are not simply wide: about as wide as the normal distribution's own interval of a
 * median, 2 * 1.96 * 1.2533 / sqrt(15). */
static void test_bootstrap_coverage(void **state)
{
    enum { ROUNDS = 1000, SIZE = 15 };
    struct ct_rng rng;
    unsigned covered = 0;
    double width = 0;

    (void)state;
    ct_rng_seed(&rng, 2024);
    for (unsigned round = 0; round < ROUNDS; round++) {
        double values[SIZE];
        double low;
        double high;

        for (size_t i = 0; i < SIZE; i++)
            values[i] = 5 + ct_rng_normal(&rng);
        ct_stats_bootstrap_median(values, SIZE, 0.95, 2000, round, &low, &high);
        covered += low <= 5 && 5 <= high;
        width += (high - low) / ROUNDS;
    }
    print_message("%u of %d intervals hold the median, %g wide\n", covered, ROUNDS,
                  width);
    assert_true(covered >= ROUNDS * 0.90 && covered <= ROUNDS * 0.985);
    assert_true(width > 1.0 && width < 1.5);
}

/* --- two samples, many questions --- */

static void test_mann_whitney(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(stat_pairs); i++) {
        const struct stat_pair *s = &stat_pairs[i];
        double u = -1;
        double p = ct_stats_mann_whitney(s->a, s->a_count, s->b, s->b_count, &u);

        expect_p(s->name, p, s->p);
        expect(s->name, "U", u, s->u);
        /* Turned round, U is that of the other one. */
        assert_true(near_p(
            ct_stats_mann_whitney(s->b, s->b_count, s->a, s->a_count, NULL), s->p));
        ct_stats_mann_whitney(s->b, s->b_count, s->a, s->a_count, &u);
        expect(s->name, "the other U", u, (double)(s->a_count * s->b_count) - s->u);
    }
}

static void test_mann_whitney_nothing(void **state)
{
    static const double same[] = {3, 3, 3, 3};
    double u = -1;

    (void)state;
    assert_true(ct_stats_mann_whitney(NULL, 0, NULL, 0, &u) == 1 && u == 0);
    assert_true(ct_stats_mann_whitney(same, 4, NULL, 0, &u) == 1 && u == 0);
    assert_true(ct_stats_mann_whitney(NULL, 0, same, 4, &u) == 1 && u == 0);
    assert_true(ct_stats_mann_whitney(same, 4, same, 3, &u) == 1 && u == 6);
}

/* The exact probabilities at the largest products that they are computed for: all of a
 * larger is one of the ways to choose. */
static void test_mann_whitney_largest(void **state)
{
    static const size_t counts[][2] = {{20, 20}, {1, 400}, {400, 1}, {10, 40}, {8, 50}};

    (void)state;
    for (size_t i = 0; i < COUNT(counts); i++) {
        double a[400];
        double b[400];
        double ways = 1;

        for (size_t k = 0; k < 400; k++) {
            a[k] = 1000 + (double)k;
            b[k] = (double)k;
        }
        for (size_t k = 1; k <= counts[i][0]; k++)
            ways *= (double)(counts[i][1] + k) / (double)k;
        expect_p("apart", ct_stats_mann_whitney(a, counts[i][0], b, counts[i][1], NULL),
                 2 / ways);
    }
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

static struct ct_stats_oddities odd(const char *name)
{
    const struct stat_sample *s = sample(name);
    struct ct_stats_oddities out;

    ct_stats_oddities_of(s->values, s->count, &out);
    assert_int_equal(out.count, s->count);
    expect(name, "the spread", out.spread, 1.4826 * s->mad / s->median);
    expect(name, "the drift", out.drift, s->slope * (double)(s->count - 1) / s->median);
    expect_p(name, out.drift_p, s->trend_p);
    return out;
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
            double slope;
            double p;

            ct_stats_oddities_of(lists[i], count, &out);
            assert_true(out.outliers < count && !isnan(out.drift) && !isnan(out.spread));
            assert_true(out.drift_p >= 0 && out.drift_p <= 1);
            p = ct_stats_trend(lists[i], count, &slope);
            assert_true(p >= 0 && p <= 1 && !isnan(slope));
            p = ct_stats_mann_whitney(lists[i], count, lists[0], 6, NULL);
            assert_true(p >= 0 && p <= 1);
            ct_stats_bootstrap_median(lists[i], count, 0.95, 500, 1, &low, &high);
            assert_true(low <= high);
            memcpy(copy, lists[i], sizeof(copy));
            assert_true(ct_stats_mad(copy, count) >= 0);
            memcpy(copy, lists[i], sizeof(copy));
            ct_stats_median_interval(copy, count, 0.95, &low, &high);
            assert_true(low <= high);
            assert_true(ct_stats_quantile(copy, count, 0.3) >= copy[0]);
        }
}

/* One resample; and levels at the ends. */
static void test_bootstrap_ends(void **state)
{
    static const double values[] = {4, 1, 3, 2, 5};
    double low;
    double high;

    (void)state;
    ct_stats_bootstrap_median(values, 5, 0.95, 1, 1, &low, &high);
    assert_true(low == high && low >= 1 && low <= 5);
    ct_stats_bootstrap_median(values, 5, 0, 2001, 1, &low, &high);
    assert_true(low == 3 && high == 3);
    ct_stats_bootstrap_median(values, 5, 1, 20000, 1, &low, &high);
    assert_true(low == 1 && high == 5);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_median_and_mad),
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_polish_deaths),
        cmocka_unit_test(test_polish),
        cmocka_unit_test(test_polish_pairs),
        cmocka_unit_test(test_sign_interval),
        cmocka_unit_test(test_trend),
        cmocka_unit_test(test_long_trend),
        cmocka_unit_test(test_bootstrap_exact),
        cmocka_unit_test(test_bootstrap_even),
        cmocka_unit_test(test_bootstrap_seed),
        cmocka_unit_test(test_bootstrap_coverage),
        cmocka_unit_test(test_bootstrap_ends),
        cmocka_unit_test(test_mann_whitney),
        cmocka_unit_test(test_mann_whitney_nothing),
        cmocka_unit_test(test_mann_whitney_largest),
        cmocka_unit_test(test_holm),
        cmocka_unit_test(test_outliers),
        cmocka_unit_test(test_outlier_limits),
        cmocka_unit_test(test_extremes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
