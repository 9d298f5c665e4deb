// SPDX-License-Identifier: Apache-2.0
// When times are called doubtful, and in which words.
#include "report/warnings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define BIT(warning) ((uint32_t)1 << CT_WARNING_##warning)

/* Finds and prints at most `most` warnings, in their order: `count` of them. */
static void expect(const struct ct_timed *timed, size_t most, size_t count,
                   const char *text)
{
    uint32_t found = ct_warnings_find(timed);
    size_t printed = 0;
    struct ct_str out;

    ct_str_init(&out);
    ct_str_puts(&out, "before\n"); /* it appends */
    for (int w = 0; w < CT_WARNING_COUNT && printed < most; w++) {
        if (!(found & (uint32_t)1 << w))
            continue;
        ct_warnings_put(&out, (enum ct_warning)w, timed);
        ct_str_putc(&out, '\n');
        printed++;
    }
    assert_int_equal(printed, count);
    assert_false(out.failed);
    assert_string_equal(out.data + 7, text);
    ct_str_release(&out);
}

static uint32_t find_odd(struct ct_stats_oddities oddities)
{
    const struct ct_timed timed = {.what = "it", .oddities = &oddities};

    return ct_warnings_find(&timed);
}

static void test_nothing(void **state)
{
    const struct ct_stats_oddities fine = {20, 0, false, 0.02, 0.0001, 0.049};
    struct ct_timed timed = {.what = "the default"};

    (void)state;
    expect(&timed, 9, 0, "");
    timed.others_load = NAN;
    timed.oddities = &fine;
    timed.sample_ns = 1e7;
    timed.timer_ns = 1e5;
    expect(&timed, 9, 0, "");
    timed.sample_ns = 0; /* not known */
    expect(&timed, 9, 0, "");
}

/* Each threshold from both sides. */
static void test_thresholds(void **state)
{
    struct ct_timed timed = {.what = "it"};

    (void)state;
    timed.timer_ns = 1000;
    timed.sample_ns = 100000;
    assert_int_equal(ct_warnings_find(&timed), 0);
    timed.sample_ns = 99999;
    assert_int_equal(ct_warnings_find(&timed), BIT(COARSE_CLOCK));
    timed.timer_ns = 0;
    timed.others_load = 0.19;
    assert_int_equal(ct_warnings_find(&timed), 0);
    timed.others_load = 0.2;
    assert_int_equal(ct_warnings_find(&timed), BIT(OTHERS));
    timed.others_load = 0;
    timed.wall_clock = true;
    assert_int_equal(ct_warnings_find(&timed), BIT(WALL_CLOCK));
    assert_int_equal(find_odd((struct ct_stats_oddities){.outliers = 1}), BIT(OUTLIERS));
    assert_int_equal(
        find_odd((struct ct_stats_oddities){.outliers = 1, .slow_start = true}),
        BIT(SLOW_START));
    assert_int_equal(
        find_odd((struct ct_stats_oddities){.outliers = 2, .slow_start = true}),
        BIT(SLOW_START) | BIT(OUTLIERS));
    assert_int_equal(
        find_odd((struct ct_stats_oddities){.drift = 0.031, .drift_p = 0.009}),
        BIT(DRIFT));
    assert_int_equal(
        find_odd((struct ct_stats_oddities){.drift = -0.031, .drift_p = 0.009}),
        BIT(DRIFT));
    assert_int_equal(
        find_odd((struct ct_stats_oddities){.drift = 0.031, .drift_p = 0.011}), 0);
    assert_int_equal(
        find_odd((struct ct_stats_oddities){.drift = 0.029, .drift_p = 0.009}), 0);
    assert_int_equal(find_odd((struct ct_stats_oddities){.drift_p = 1, .spread = 0.051}),
                     BIT(SPREAD));
}

/* One cause is reported once. */
static void test_causes(void **state)
{
    const struct ct_stats_oddities all = {20, 3, true, 0.1, 0.001, 0.1};
    const struct ct_stats_oddities wide = {20, 0, false, 0, 1, 0.1};
    struct ct_timed timed = {.what = "it", .oddities = &all};

    (void)state;
    assert_int_equal(ct_warnings_find(&timed),
                     BIT(OUTLIERS) | BIT(SLOW_START) | BIT(DRIFT));
    timed.others_load = 1;
    assert_int_equal(ct_warnings_find(&timed),
                     BIT(OTHERS) | BIT(SLOW_START) | BIT(DRIFT));
    timed.oddities = &wide;
    assert_int_equal(ct_warnings_find(&timed), BIT(OTHERS));
    timed.others_load = 0;
    assert_int_equal(ct_warnings_find(&timed), BIT(SPREAD));
    timed.sample_ns = 1;
    timed.timer_ns = 1;
    assert_int_equal(ct_warnings_find(&timed), BIT(COARSE_CLOCK));
}

/* --- words --- */

static void test_clock_words(void **state)
{
    struct ct_timed timed = {.what = "the default", .wall_clock = true};

    (void)state;
    expect(&timed, 9, 1,
           "the default: the device's clock contradicts wall time, which was used "
           "instead and includes launch overhead; the driver is at fault: "
           "try a newer one\n");
    timed.wall_clock = false;
    timed.sample_ns = 31000;
    timed.timer_ns = 1000;
    expect(&timed, 9, 1,
           "the default: a sample takes 31.00 us and the clock's resolution is "
           "1.000 us, so small differences are lost; use -p NAME=VALUE to time a "
           "larger problem\n");
}

static void test_outlier_words(void **state)
{
    struct ct_stats_oddities odd = {.count = 20, .outliers = 2};
    struct ct_timed timed = {.what = "configuration 7", .oddities = &odd};

    (void)state;
    expect(&timed, 9, 1,
           "configuration 7: 2 of 20 samples are outliers, probably because of "
           "other programs; close them, or use --samples N to take more samples\n");
    odd.slow_start = true;
    expect(&timed, 9, 2,
           "configuration 7: 1 of 20 samples is an outlier, probably because of "
           "other programs; close them, or use --samples N to take more samples\n"
           "configuration 7: the first sample is an outlier: caches, clocks or "
           "the driver were not warmed up; use --samples N to take more samples\n");
    timed.others_load = 1.26;
    odd.slow_start = false;
    expect(&timed, 9, 1,
           "configuration 7: other programs kept 1.3 processors busy, so times "
           "may be too long; close them, or use --samples N to take more samples\n");
}

static void test_trend_words(void **state)
{
    struct ct_stats_oddities odd = {.count = 20, .drift = 0.124, .drift_p = 0.001};
    struct ct_timed timed = {.what = "it", .oddities = &odd};

    (void)state;
    expect(&timed, 9, 1,
           "it: times increased by 12% from the first sample to the last: the "
           "device lowered its clocks as it got hot, or another program started; "
           "let it cool down or fix its clocks, then use --fresh to time it again\n");
    odd.drift = -0.05;
    expect(&timed, 9, 1,
           "it: times decreased by 5% from the first sample to the last: the "
           "device was still warming up; use --samples N to take more samples\n");
    odd.drift = 0;
    odd.spread = 0.0849;
    expect(&timed, 9, 1,
           "it: samples vary by 8% around their median, so small differences are "
           "lost; close other programs, fix the device's clocks, or use --samples "
           "N to take more samples\n");
}

/* What matters most comes first, and no more than was asked for. */
static void test_few(void **state)
{
    const struct ct_stats_oddities odd = {20, 1, true, -0.5, 0.001, 0.2};
    const struct ct_timed timed = {"it", &odd, 1000, 1000, true, 2};
    static const enum ct_warning order[] = {CT_WARNING_WALL_CLOCK,
                                            CT_WARNING_COARSE_CLOCK, CT_WARNING_OTHERS,
                                            CT_WARNING_SLOW_START, CT_WARNING_DRIFT};
    struct ct_str text;

    (void)state;
    ct_str_init(&text);
    expect(&timed, 0, 0, "");
    for (size_t most = 1; most <= 5; most++) {
        ct_warnings_put(&text, order[most - 1], &timed);
        ct_str_putc(&text, '\n');
        expect(&timed, most, most, text.data);
    }
    expect(&timed, 6, 5, text.data);
    ct_str_release(&text);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),       cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_causes),        cmocka_unit_test(test_clock_words),
        cmocka_unit_test(test_outlier_words), cmocka_unit_test(test_trend_words),
        cmocka_unit_test(test_few),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
