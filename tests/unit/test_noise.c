// SPDX-License-Identifier: Apache-2.0
// What an A/A test makes of its numbers, and what a device's drift is.
#include "base/rng.h"
#include "judge/drift.h"
#include "judge/playoff.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { PROCESSES = 5, SAMPLES = 10 };

/* cmocka compares floats only. */
static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* The middle of many tests of processes like these. */
static struct ct_noise typical(double within, double between)
{
    struct ct_noise sum = {0};
    struct ct_rng rng;
    uint32_t samples = 0;

    ct_rng_seed(&rng, 7);
    for (int i = 0; i < 200; i++) {
        double times_ns[PROCESSES * SAMPLES];
        size_t counts[PROCESSES];
        struct ct_noise noise = {0};

        for (size_t p = 0; p < PROCESSES; p++) {
            double process = 1e6 * exp(between * ct_rng_normal(&rng));

            counts[p] = SAMPLES;
            for (size_t s = 0; s < SAMPLES; s++)
                times_ns[p * SAMPLES + s] = process * exp(within * ct_rng_normal(&rng));
        }
        assert_int_equal(ct_noise_judge(times_ns, counts, PROCESSES, &noise, NULL), 0);
        assert_int_equal(noise.processes, PROCESSES);
        assert_in_range(noise.samples, 2, 10);
        assert_true(noise.playoff_resolution <= noise.resolution);
        sum.within += noise.within / 200;
        sum.between += noise.between / 200;
        sum.resolution += noise.resolution / 200;
        sum.median_ns += noise.median_ns / 200;
        samples += noise.samples;
    }
    sum.samples = samples / 200;
    return sum;
}

static void test_between(void **state)
{
    struct ct_noise noise = typical(0.005, 0.03);

    (void)state;
    assert_true(fabs(noise.within - 0.005) < 0.001);
    assert_true(fabs(noise.between - 0.03) < 0.006);
    /* 1.96 * sqrt(2) * 0.03 */
    assert_true(fabs(noise.resolution - 0.083) < 0.017);
    assert_true(fabs(noise.median_ns - 1e6) < 1e4);
    /* More samples of a process would tell nothing. */
    assert_true(noise.samples <= 7);
    /* More than one would be needed of samples that vary by 0.35%, so that there are as many as an interval
     * takes. */
    noise = typical(0.0035, 0);
    assert_in_range(noise.samples, 5, 7);
}

static void test_within(void **state)
{
    struct ct_noise noise = typical(0.05, 0);

    (void)state;
    assert_true(fabs(noise.within - 0.05) < 0.006);
    assert_true(noise.between < 0.015);
    assert_in_range(noise.samples, 9, 10); /* the mean of what is rounded down */
    /* At 10 samples 1.96 * sqrt(2) * 0.05 * sqrt(pi / 2 / 10) is 0.055. */
    assert_true(noise.resolution > 0.04 && noise.resolution < 0.08);
}

static void test_exact(void **state)
{
    double times_ns[] = {5, 5, 5, 5, 5, 5};
    size_t counts[] = {2, 3, 1};
    struct ct_noise noise = {0};

    (void)state;
    assert_int_equal(ct_noise_judge(times_ns, counts, 3, &noise, NULL), 0);
    assert_near(noise.within, 0, 0);
    assert_near(noise.between, 0, 0);
    assert_int_equal(noise.samples, 2); /* one would be enough */
    /* Never nothing at all. */
    assert_true(noise.resolution > 0.0005 && noise.resolution < 0.01);
}

/* --- drift --- */

static void note(struct ct_drift *drift, double time_ns)
{
    assert_int_equal(ct_drift_add(drift, time_ns, 10 * drift->count, NULL), CT_OK);
}

static void test_drift_noise(void **state)
{
    struct ct_drift drift = {.threshold = 0.05};
    uint64_t since = 99;

    (void)state;
    assert_near(ct_drift_speed(&drift, 0), 1, 0);
    assert_near(ct_drift_change(&drift, &since), 0, 0);
    note(&drift, 1000);
    note(&drift, 1040);
    note(&drift, 970);
    assert_near(ct_drift_change(&drift, &since), 0, 0);
    for (size_t epoch = 0; epoch <= 3; epoch++)
        assert_near(ct_drift_speed(&drift, epoch), 1, 0);
    ct_drift_release(&drift);
    /* 4% counts where the A/A test is finer than that, 2% never. */
    note(&drift, 1000);
    note(&drift, 1020);
    assert_near(ct_drift_change(&drift, &since), 0, 0);
    note(&drift, 1040);
    assert_near(ct_drift_change(&drift, &since), 0.04, 1e-9);
    assert_int_equal(since, 20);
    ct_drift_release(&drift);
}

static void test_drift_lasts(void **state)
{
    struct ct_drift drift = {0};
    uint64_t since = 99;

    (void)state;
    note(&drift, 1000);
    note(&drift, 1300); /* an accident, unless it lasts */
    note(&drift, 1000);
    assert_near(ct_drift_change(&drift, &since), 0, 0);
    note(&drift, 1150);
    note(&drift, 1140);
    assert_near(ct_drift_change(&drift, &since), 0.14, 1e-9);
    assert_int_equal(since, 30);
    /* Before the first time, and after the last; between two of them. */
    assert_near(ct_drift_speed(&drift, 0), 1, 0);
    assert_near(ct_drift_speed(&drift, 5), 1.14, 1e-9);
    assert_near(ct_drift_speed(&drift, 4), sqrt(1.15 * 1.14), 1e-9);
    assert_near(ct_drift_speed(&drift, 3), sqrt(1.15), 1e-9);
    ct_drift_release(&drift);
}

static void test_drift_spread(void **state)
{
    static const double normal[] = {-1.28, -0.84, -0.52, -0.25, 0,
                                    0.25,  0.52,  0.84,  1.28};
    struct ct_drift drift = {0};

    (void)state;
    assert_near(ct_drift_spread(&drift, 1e6), 0, 0);
    note(&drift, 1e6);
    /* Two times tell nothing of a spread. */
    assert_near(ct_drift_spread(&drift, 2e6), 0, 0);
    note(&drift, 1e6);
    assert_near(ct_drift_spread(&drift, 1e6), 0, 0);
    assert_near(ct_drift_spread(&drift, 0), 0, 0);
    ct_drift_release(&drift);
    /* The middle of ten values: deciles of a normal distribution of logarithms. */
    for (size_t i = 0; i < 9; i++)
        note(&drift, 1e6 * exp(0.1 * normal[i]));
    assert_near(ct_drift_spread(&drift, 1e6), 0.1, 0.03);
    ct_drift_release(&drift);
}

static void test_drift_faster(void **state)
{
    struct ct_drift drift = {0};
    uint64_t since = 0;

    (void)state;
    note(&drift, 1000);
    note(&drift, 0); /* not a time */
    note(&drift, 800);
    note(&drift, 810);
    assert_near(ct_drift_change(&drift, &since), -0.19, 1e-9);
    assert_int_equal(since, 10);
    ct_drift_release(&drift);
}

/* Processes of one sample each. */
static struct ct_noise noise_of(const double *times_ns, size_t processes)
{
    size_t counts[PROCESSES] = {1, 1, 1, 1, 1};
    struct ct_noise noise = {0};

    assert_int_equal(ct_noise_judge(times_ns, counts, processes, &noise, NULL), 0);
    return noise;
}

static void test_steady(void **state)
{
    static const double equal[] = {1000, 1000, 1000, 1000, 1000};
    static const double close[] = {1000, 1001, 999.2, 1000.4, 1001.6};
    static const double one_slow[] = {1000, 1000, 1000, 1000, 1010};
    struct ct_noise noise = noise_of(equal, PROCESSES);

    (void)state;
    /* As little as any device is believed to differ: 0.2% of two processes. */
    assert_near(noise.steady.deviation, 0.002 / 1.96 / sqrt(2), 1e-7);
    assert_int_equal(noise.steady.freedom, PROCESSES - 1);
    assert_true(ct_noise_is_steady(&noise));
    noise = noise_of(close, PROCESSES);
    assert_true(noise.steady.deviation > 0.0008 && noise.steady.deviation < 0.0013);
    assert_true(ct_noise_is_steady(&noise));
    /* The resolution does not see the slow one. */
    noise = noise_of(one_slow, PROCESSES);
    assert_near(noise.resolution, 0.002, 1e-9);
    assert_false(ct_noise_is_steady(&noise));
    noise = noise_of(equal, PROCESSES - 1);
    assert_false(ct_noise_is_steady(&noise));
}

/* A default that changes alone, for its place in memory, is no change of the device. */
static void a_change_has_a_witness(void **state)
{
    (void)state;
    assert_near(ct_drift_confirmed(1.6, 1.5), 1.6, 0);
    assert_near(ct_drift_confirmed(0.6, 0.7), 0.6, 0);
    /* Of a default whose change is more than the device's, the rest is its own. */
    assert_near(ct_drift_confirmed(1.6, 1.1), 1.1, 0);
    assert_near(ct_drift_confirmed(0.6, 0.9), 0.9, 0);
    assert_near(ct_drift_confirmed(1.6, 1), 1, 0);
    assert_near(ct_drift_confirmed(0.6, 1.2), 1, 0);
    assert_near(ct_drift_confirmed(1, 0.8), 1, 0);
    assert_near(ct_drift_confirmed(1.6, NAN), 1.6, 0);
}

/* What launches cost in another process is added to short times, and hardly changes long ones. */
static void test_mapped(void **state)
{
    static const struct ct_drift_anchor pick = {10, 13};
    static const struct ct_drift_anchor slow = {500, 500};
    static const struct ct_drift_anchor near = {12, 14};
    static const struct ct_drift_anchor unknown = {0, 0};
    static const struct ct_drift_anchor half = {1000, 1300};

    (void)state;
    assert_true(fabs(ct_drift_mapped(&pick, &slow, 10) - 1.3) < 1e-9);
    assert_true(fabs(ct_drift_mapped(&pick, &slow, 8) - 1.3) < 1e-9);
    assert_true(fabs(ct_drift_mapped(&pick, &slow, 500) - 1) < 1e-9);
    assert_true(fabs(ct_drift_mapped(&pick, &slow, 5000) - 1) < 1e-9);
    /* Nothing that was slower than the pick becomes faster than it. */
    for (int ns = 11; ns < 600; ns += 7)
        assert_true(ns * ct_drift_mapped(&pick, &slow, ns) > 13);
    assert_true(ct_drift_mapped(&pick, &slow, 20) * 20 < 23);
    /* Where all have changed alike, so has everything. */
    assert_true(fabs(ct_drift_mapped(&pick, &half, 77) - 1.3) < 1e-9);
    assert_true(isnan(ct_drift_mapped(&pick, &near, 11)));
    assert_true(isnan(ct_drift_mapped(&unknown, &slow, 11)));
    assert_true(isnan(ct_drift_mapped(&pick, &unknown, 11)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_between),      cmocka_unit_test(test_within),
        cmocka_unit_test(test_exact),        cmocka_unit_test(test_drift_noise),
        cmocka_unit_test(test_drift_lasts),  cmocka_unit_test(test_drift_faster),
        cmocka_unit_test(test_drift_spread), cmocka_unit_test(test_steady),
        cmocka_unit_test(test_mapped),       cmocka_unit_test(a_change_has_a_witness),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
