// SPDX-License-Identifier: Apache-2.0
// Chances to be the best of several uncertain costs.
#include "judge/chance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* cmocka compares floats only. */
static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g", value, expected);
}

static void test_estimates(void **state)
{
    struct ct_estimate exact = ct_estimate_of(100, 100, 100, 0.01);
    struct ct_estimate lopsided = ct_estimate_of(100, 90, 200, 0);

    (void)state;
    assert_near(exact.log_cost, log(100), 1e-12);
    assert_near(exact.below, 0.01, 1e-12);
    assert_near(exact.above, 0.01, 1e-12);
    assert_near(lopsided.below, log(100.0 / 90) / 1.959964, 1e-9);
    assert_near(lopsided.above, log(2) / 1.959964, 1e-9);
}

/* Two normal values: the chance follows from their difference. */
static void test_two(void **state)
{
    struct ct_estimate estimates[] = {{0, 0.03, 0.03}, {0.05, 0.04, 0.04}};
    double chances[2];

    (void)state;
    ct_chance_best(estimates, 2, chances);
    /* 1 - Phi(0.05 / hypot(0.03, 0.04)) = 1 - Phi(1) */
    assert_near(chances[1], 0.158655, 1e-4);
    assert_near(chances[0] + chances[1], 1, 1e-12);
}

static void test_many(void **state)
{
    struct ct_estimate equal[12];
    struct ct_estimate far[3] = {
        {0, 0.001, 0.001}, {0.02, 0.001, 0.001}, {0.3, 0.1, 0.1}};
    double chances[12];

    (void)state;
    for (int i = 0; i < 12; i++)
        equal[i] = (struct ct_estimate){5, 0.2, 0.2};
    ct_chance_best(equal, 12, chances);
    for (int i = 0; i < 12; i++)
        assert_near(chances[i], 1.0 / 12, 1e-9);
    /* Certain times leave the others no chance; a vague one has some, though it looks slow. */
    ct_chance_best(far, 3, chances);
    assert_true(chances[1] < 1e-9);
    assert_near(chances[2], 0.00135, 0.0003);
    ct_chance_best(far, 1, chances);
    assert_near(chances[0], 1, 0);
    ct_chance_best(far, 0, chances);
}

/* A disturbance that made a sample slower is no reason to believe in a lower time. */
static void test_lopsided(void **state)
{
    struct ct_estimate estimates[] = {
        {0, 0.01, 0.01}, {0.06, 0.01, 0.5}, {0.06, 0.05, 0.01}};
    double chances[3];

    (void)state;
    ct_chance_best(estimates, 3, chances);
    assert_true(chances[1] < 0.001);
    assert_true(chances[2] > 0.05);
}

static void test_count(void **state)
{
    static const double chances[] = {0.6, 0.3, 0.06, 0.03, 0.01};

    (void)state;
    assert_int_equal(ct_chance_count(chances, 5, 0), 5);
    assert_int_equal(ct_chance_count(chances, 5, 0.02), 4);
    assert_int_equal(ct_chance_count(chances, 5, 0.05), 3);
    assert_int_equal(ct_chance_count(chances, 5, 1), 1);
    assert_int_equal(ct_chance_count(chances, 0, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimates), cmocka_unit_test(test_two),
        cmocka_unit_test(test_many),      cmocka_unit_test(test_lopsided),
        cmocka_unit_test(test_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
