// SPDX-License-Identifier: Apache-2.0
// Times by size and the division of work that follows, against closed forms.
#include "tune/curve.h"

#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { TOTAL = 960000, GRAIN = 1000 };

/* cmocka has no such check of doubles before 1.1.8. */
#define assert_near(found, expected, by) assert_true(fabs((found) - (expected)) <= (by))

/* Time overhead + size / rate, at three sizes. */
static struct ct_curve linear(double overhead_ns, double rate)
{
    struct ct_curve curve = {0};

    for (int part = 1; part <= 8; part *= part > 1 ? 4 : 2) {
        double size = (double)TOTAL / part;

        assert_true(ct_curve_add(&curve, size, overhead_ns + size / rate));
    }
    return curve;
}

static int64_t sum_of(const int64_t *sizes, size_t count)
{
    int64_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += sizes[i];
    return sum;
}

static void test_linear(void **state)
{
    /* Shares are proportional to the rates; the time is total / sum of rates. */
    const struct ct_curve curves[] = {linear(0, 3), linear(0, 1), linear(0, 4)};
    struct ct_curve_division out;
    int64_t sizes[3];

    (void)state;
    assert_true(ct_curves_divide(curves, 3, TOTAL, GRAIN, sizes, &out));
    assert_int_equal(sizes[0], 360000);
    assert_int_equal(sizes[1], 120000);
    assert_int_equal(sizes[2], 480000);
    assert_near(out.time_ns, 120000, 1e-6);
    assert_int_equal(out.fastest, 2);
    assert_near(out.fastest_ns, 240000, 1e-6);
}

static void test_overhead(void **state)
{
    /* 100,000 + x = 400,000 + (960,000 - x) / 1: x = 630,000. */
    const struct ct_curve curves[] = {linear(100000, 1), linear(400000, 1)};
    struct ct_curve_division out;
    int64_t sizes[2];

    (void)state;
    assert_near(ct_curve_time_ns(&curves[1], 1e-9), 400000, 1e-6);
    assert_true(ct_curves_divide(curves, 2, TOTAL, GRAIN, sizes, &out));
    assert_int_equal(sizes[0], 630000);
    assert_int_equal(sizes[1], 330000);
    assert_near(out.time_ns, 730000, 1e-6);
}

static void test_too_slow_to_help(void **state)
{
    /* Before the second one begins, the first has done everything. */
    const struct ct_curve curves[] = {linear(0, 10), linear(200000, 1000), linear(0, 10)};
    struct ct_curve_division out;
    int64_t sizes[3];

    (void)state;
    assert_true(ct_curves_divide(curves, 3, TOTAL, GRAIN, sizes, &out));
    assert_int_equal(sizes[1], 0);
    assert_int_equal(sizes[0], 480000);
    assert_int_equal(sizes[2], 480000);
    assert_near(out.time_ns, 48000, 1e-6);
}

static void test_no_gain(void **state)
{
    /* A share of one grain would take longer than everything on the fast device. */
    const struct ct_curve curves[] = {linear(0, 1e6), linear(0, 1)};
    struct ct_curve_division out;
    int64_t sizes[2];

    (void)state;
    assert_true(ct_curves_divide(curves, 2, TOTAL, GRAIN, sizes, &out));
    assert_int_equal(sizes[0], TOTAL);
    assert_int_equal(sizes[1], 0);
    assert_near(out.time_ns, out.fastest_ns, 0);
}

static void test_out_of_order(void **state)
{
    struct ct_curve curve = {0};

    (void)state;
    ct_curve_add(&curve, 400, 1000);
    ct_curve_add(&curve, 100, 600);
    ct_curve_add(&curve, 200, 400);
    /* 600 and 400 become 500 each; in between the curve is level. */
    assert_near(curve.points[0].fitted_ns, 500, 0);
    assert_near(curve.points[1].fitted_ns, 500, 0);
    assert_near(ct_curve_time_ns(&curve, 150), 500, 0);
    assert_near(ct_curve_time_ns(&curve, 300), 750, 0);
    assert_true(isinf(ct_curve_time_ns(&curve, 401)));
    /* A second measurement replaces the first. */
    ct_curve_add(&curve, 100, 300);
    assert_int_equal(curve.count, 3);
    assert_near(ct_curve_time_ns(&curve, 100), 300, 0);
    assert_near(ct_curve_time_ns(&curve, 1e-9), 200, 1e-6);
    assert_false(ct_curve_add(&curve, 0, 1));
    assert_false(ct_curve_add(&curve, 1, NAN));
    assert_true(ct_curve_knows(&curve, 102, 0.03));
    assert_false(ct_curve_knows(&curve, 110, 0.03));
}

static void test_level(void **state)
{
    /* Time does not depend on the size: a division gains nothing, and one device does everything. */
    struct ct_curve curves[2] = {{0}};
    struct ct_curve_division out;
    int64_t sizes[2];

    (void)state;
    for (int d = 0; d < 2; d++)
        for (int part = 1; part <= 8; part *= 2)
            ct_curve_add(&curves[d], (double)TOTAL / part, 5000);
    assert_true(ct_curves_divide(curves, 2, TOTAL, GRAIN, sizes, &out));
    assert_int_equal(sizes[0], TOTAL);
    assert_int_equal(sizes[1], 0);
    assert_near(out.time_ns, 5000, 1e-9);
}

static void test_too_large(void **state)
{
    /* Devices whose memory ends before the total. */
    struct ct_curve curves[2] = {{0}};
    struct ct_curve_division out;
    int64_t sizes[2];

    (void)state;
    ct_curve_add(&curves[0], 600000, 600);
    ct_curve_add(&curves[1], 300000, 300);
    assert_false(ct_curves_divide(curves, 2, TOTAL, GRAIN, sizes, &out));
    ct_curve_add(&curves[1], 480000, 480);
    assert_true(ct_curves_divide(curves, 2, TOTAL, GRAIN, sizes, &out));
    assert_int_equal(sizes[0], 480000);
    assert_true(out.fastest == SIZE_MAX && isinf(out.fastest_ns));
}

/* The end that any two shares have, against the best of all of them tried in turn. */
static void test_noise(void **state)
{
    struct ct_rng rng;

    (void)state;
    ct_rng_seed(&rng, 7);
    for (int trial = 0; trial < 200; trial++) {
        struct ct_curve curves[2] = {{0}};
        struct ct_curve_division out;
        double best_ns = INFINITY;
        int64_t sizes[2];

        for (int d = 0; d < 2; d++) {
            double rate = 1 + 9 * ct_rng_unit(&rng);
            double overhead_ns = 2e5 * ct_rng_unit(&rng);

            for (int part = 1; part <= 16; part *= 2)
                ct_curve_add(&curves[d], (double)TOTAL / part,
                             (overhead_ns + TOTAL / (rate * part)) *
                                 (0.8 + 0.4 * ct_rng_unit(&rng)));
        }
        assert_true(ct_curves_divide(curves, 2, TOTAL, GRAIN, sizes, &out));
        assert_int_equal(sum_of(sizes, 2), TOTAL);
        for (int64_t size = 0; size <= TOTAL; size += GRAIN)
            best_ns =
                fmin(best_ns, fmax(ct_curve_time_ns(&curves[0], (double)size),
                                   ct_curve_time_ns(&curves[1], (double)(TOTAL - size))));
        assert_near(out.time_ns, best_ns, 1e-6 * best_ns);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear),           cmocka_unit_test(test_overhead),
        cmocka_unit_test(test_too_slow_to_help), cmocka_unit_test(test_no_gain),
        cmocka_unit_test(test_out_of_order),     cmocka_unit_test(test_level),
        cmocka_unit_test(test_too_large),        cmocka_unit_test(test_noise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
