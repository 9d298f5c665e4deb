// SPDX-License-Identifier: Apache-2.0
// Loads from files that look like /proc/stat, and the sums of what was watched, from
// made-up readings.
#define _GNU_SOURCE // folder.h
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "../cl/folder.h"

#include "worker/timing/watch_sum.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* --- /proc/stat --- */

static const char three[] = "cpu  111 22 33 4444 5 6 7 8 100 0\n"
                            "cpu0 100 10 20 4000 5 1 2 3 100 0\n"
                            "cpu1 10 0 0 400 0 0 0 0 0 0\n"
                            "cpu3 1 11 12 44 0 5 5 5 0 0\n"
                            "intr 5 6 7\n"
                            "cpu9 1000 1000 1000 1000\n";

static bool read_text(const char *text, uint64_t processors, uint64_t *steps)
{
    struct ct_hostload_set set = {{processors}};
    struct ct_hostload load = {0};
    char path[96];
    FILE *file;

    snprintf(path, sizeof(path), "%s/stat", test_folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    ct_hostload_read(path, &set, true, &load);
    *steps = load.busy_ns / ct_hostload_step_ns();
    assert_int_equal(load.busy_ns % ct_hostload_step_ns(), 0);
    return load.busy_known;
}

/* Not idle, not waiting, not the guests' time that is in user already. */
static void busy_is_what_is_not_idle(void **state)
{
    uint64_t steps;

    (void)state;
    assert_true(read_text(three, 1, &steps));
    assert_int_equal(steps, 100 + 10 + 20 + 1 + 2 + 3);
    assert_true(read_text(three, 2, &steps));
    assert_int_equal(steps, 10);
    assert_true(read_text(three, 8 | 2, &steps));
    assert_int_equal(steps, 10 + 1 + 11 + 12 + 5 + 5 + 5);
    assert_true(read_text(three, 0, &steps));
    assert_int_equal(steps, 0);
    /* Of all of them, the system's own sum, and processor 9 behind them is none. */
    assert_true(read_text(three, 1 | 2 | 8 | 512, &steps));
    assert_int_equal(steps, 111 + 22 + 33 + 6 + 7 + 8);
    /* As Linux had it before there was time stolen. */
    assert_true(read_text("cpu0 1 2 3 4\ncpu1 5 6 7 8\n", 1, &steps));
    assert_int_equal(steps, 6);
}

static void other_files_tell_nothing(void **state)
{
    static const char *const texts[] = {"", "intr 1\n", "cpu 1 2 3 4\n", "cpu0 1 2 3\n",
                                        "cpu0 1 2 3 4\ncpu1 no\n"};
    struct ct_hostload_set set = {{1}};
    struct ct_hostload load;
    uint64_t steps;

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (read_text(texts[i], 1, &steps))
            fail_msg("'%s' is believed", texts[i]);
    ct_hostload_read("/nonexistent/stat", &set, false, &load);
    assert_false(load.busy_known);
    assert_true(load.wall_ns > 0);
}

/* All threads' time, whatever the wall has seen. */
static void own_time_is_counted(void **state)
{
    struct ct_hostload_set set;
    struct ct_hostload a;
    struct ct_hostload b;
    clock_t until;

    (void)state;
    ct_hostload_allowed(&set);
    ct_hostload_read("/proc/stat", &set, true, &a);
    until = clock() + CLOCKS_PER_SEC / 20;
    while (clock() < until) {
    }
    ct_hostload_read("/proc/stat", &set, false, &b);
    assert_true(b.own_ns - a.own_ns >= 49000000);
    assert_true(b.wall_ns > a.wall_ns);
    assert_true(b.busy_ns >= a.busy_ns);
    for (size_t i = 0; i < sizeof(set.bits) / sizeof(*set.bits); i++)
        if (set.bits[i])
            return;
    fail_msg("no processor at all");
}

/* --- sums --- */

enum { MS = 1000000 };

static const struct ct_nvml_reading nothing = {NAN, NAN, NAN, NAN, NAN, NAN};

/* A mark of the host alone. */
static struct ct_watch_mark at(uint64_t wall_ms, uint64_t own_ms, uint64_t busy_ms)
{
    return (struct ct_watch_mark){{wall_ms * MS, own_ms * MS, busy_ms * MS, true},
                                  nothing};
}

static struct ct_watch_mark sensed(uint64_t wall_ms, struct ct_nvml_reading sensors)
{
    struct ct_watch_mark mark = at(wall_ms, 0, 0);

    mark.sensors = sensors;
    return mark;
}

static void add(struct ct_watch_sum *sum, struct ct_watch_mark begin,
                struct ct_watch_mark end, uint64_t pipelines)
{
    ct_watch_sum_add(sum, &begin, &end, pipelines);
}

static double told(const struct ct_watch_sum *sum, enum ct_quantity quantity)
{
    struct ct_quantities out = {0};

    ct_watch_sum_tell(sum, &out);
    return ct_quantities_get(&out, quantity);
}

static void assert_observed(const struct ct_watch_sum *sum, enum ct_quantity quantity,
                            double expected)
{
    double value = told(sum, quantity);

    if (isnan(value) != isnan(expected) || fabs(value - expected) > 1e-9)
        fail_msg("%s is %g, not %g", ct_quantity_info_of(quantity)->name, value,
                 expected);
}

static void loads_are_shares_of_wall_time(void **state)
{
    struct ct_watch_sum sum = {0};

    (void)state;
    assert_observed(&sum, CT_QUANTITY_HOST_LOAD, NAN);
    add(&sum, at(1000, 500, 7000), at(1100, 520, 7170), 1);
    assert_observed(&sum, CT_QUANTITY_HOST_LOAD, 0.2);
    assert_observed(&sum, CT_QUANTITY_OTHERS_LOAD, 1.5);
    /* Three times as long, and all its own: weighted by time. */
    add(&sum, at(2000, 600, 8000), at(2300, 900, 8300), 1);
    assert_observed(&sum, CT_QUANTITY_HOST_LOAD, 0.8);
    assert_observed(&sum, CT_QUANTITY_OTHERS_LOAD, 0.375);
}

static void others_are_never_below_zero_nor_guessed(void **state)
{
    struct ct_watch_sum sum = {0};
    struct ct_watch_mark begin = at(0, 0, 1000);
    struct ct_watch_mark end = at(100, 99, 1090);
    uint64_t step_ms = ct_hostload_step_ns() / MS;

    (void)state;
    add(&sum, begin, end, 1);
    assert_observed(&sum, CT_QUANTITY_OTHERS_LOAD, 0);
    /* What one step has too little another has too much. */
    add(&sum, at(0, 0, 1000), at(100, 91, 1120), 1);
    assert_observed(&sum, CT_QUANTITY_OTHERS_LOAD, 0.1);
    memset(&sum, 0, sizeof(sum));
    add(&sum, at(0, 0, 0), at(5 * step_ms - 1, 0, 10), 1);
    assert_observed(&sum, CT_QUANTITY_OTHERS_LOAD, NAN);
    assert_observed(&sum, CT_QUANTITY_HOST_LOAD, 0);
    add(&sum, at(0, 0, 0), at(1, 0, 0), 1);
    assert_observed(&sum, CT_QUANTITY_OTHERS_LOAD, 10.0 / (double)(5 * step_ms));
    memset(&sum, 0, sizeof(sum));
    begin.host.busy_known = false;
    add(&sum, begin, end, 1);
    assert_observed(&sum, CT_QUANTITY_OTHERS_LOAD, NAN);
    /* A processor went away. */
    add(&sum, at(0, 0, 1000), at(100, 0, 900), 1);
    assert_observed(&sum, CT_QUANTITY_OTHERS_LOAD, NAN);
    assert_observed(&sum, CT_QUANTITY_HOST_LOAD, 0.495);
}

static void energy_is_counted_or_power_times_time(void **state)
{
    struct ct_nvml_reading a = nothing;
    struct ct_nvml_reading b = nothing;
    struct ct_watch_sum sum = {0};

    (void)state;
    a.power_w = 100;
    b.power_w = 300;
    a.energy_j = 5000;
    b.energy_j = 5050;
    /* 100 ms: the counter; 50 J in 0.1 s are 500 W. */
    add(&sum, sensed(0, a), sensed(100, b), 20);
    assert_observed(&sum, CT_QUANTITY_ENERGY_J, 2.5);
    assert_observed(&sum, CT_QUANTITY_POWER_W, 500);
    /* Less: 200 W times 0.05 s. */
    add(&sum, sensed(0, a), sensed(50, b), 4);
    assert_observed(&sum, CT_QUANTITY_ENERGY_J, 60.0 / 24);
    assert_observed(&sum, CT_QUANTITY_POWER_W, 400);
    /* A counter that stands still or went back, or is not there: power as well. */
    for (int i = 0; i < 3; i++) {
        memset(&sum, 0, sizeof(sum));
        b.energy_j = i == 0 ? 5000 : i == 1 ? 10 : NAN;
        add(&sum, sensed(0, a), sensed(200, b), 4);
        assert_observed(&sum, CT_QUANTITY_ENERGY_J, 10);
        assert_observed(&sum, CT_QUANTITY_POWER_W, 200);
    }
    /* Of one end alone, and of none. */
    memset(&sum, 0, sizeof(sum));
    a.power_w = NAN;
    add(&sum, sensed(0, a), sensed(200, b), 4);
    assert_observed(&sum, CT_QUANTITY_POWER_W, 300);
    b.power_w = NAN;
    add(&sum, sensed(0, a), sensed(800, b), 4);
    assert_observed(&sum, CT_QUANTITY_POWER_W, 300);
    assert_observed(&sum, CT_QUANTITY_ENERGY_J, 15);
    memset(&sum, 0, sizeof(sum));
    add(&sum, sensed(0, a), sensed(800, b), 4);
    assert_observed(&sum, CT_QUANTITY_ENERGY_J, NAN);
}

static void clocks_are_means_over_time(void **state)
{
    struct ct_nvml_reading idle = {NAN, NAN, 300, 400, 30, 0};
    struct ct_nvml_reading busy = {NAN, NAN, 1900, 2600, 60, 0};
    struct ct_nvml_reading hot = {NAN, NAN, 1100, 2600, 80, 1};
    struct ct_watch_sum sum = {0};

    (void)state;
    assert_observed(&sum, CT_QUANTITY_THROTTLED, NAN);
    add(&sum, sensed(0, idle), sensed(300, busy), 1);
    assert_observed(&sum, CT_QUANTITY_CORE_CLOCK_MHZ, 1900);
    assert_observed(&sum, CT_QUANTITY_MEMORY_CLOCK_MHZ, 2600);
    assert_observed(&sum, CT_QUANTITY_THROTTLED, 0);
    add(&sum, sensed(0, hot), sensed(100, nothing), 1);
    assert_observed(&sum, CT_QUANTITY_THROTTLED, 1);
    assert_observed(&sum, CT_QUANTITY_TEMPERATURE_C, 60);
    add(&sum, sensed(0, busy), sensed(100, hot), 1);
    assert_observed(&sum, CT_QUANTITY_CORE_CLOCK_MHZ, 1700);
    assert_observed(&sum, CT_QUANTITY_TEMPERATURE_C, 65);
    assert_observed(&sum, CT_QUANTITY_THROTTLED, 1);
}

static void other_quantities_are_left_alone(void **state)
{
    struct ct_watch_sum sum = {0};
    struct ct_quantities out = {0};

    (void)state;
    ct_quantities_set(&out, CT_QUANTITY_TIME_NS, 5);
    ct_quantities_set(&out, CT_QUANTITY_INSTRUCTIONS, 7);
    ct_quantities_set(&out, CT_QUANTITY_POWER_W, 9);
    add(&sum, at(0, 0, 0), at(100, 50, 50), 1);
    ct_watch_sum_tell(&sum, &out);
    assert_true(ct_quantities_get(&out, CT_QUANTITY_TIME_NS) == 5);
    assert_true(ct_quantities_get(&out, CT_QUANTITY_INSTRUCTIONS) == 7);
    assert_true(isnan(ct_quantities_get(&out, CT_QUANTITY_POWER_W)));
    assert_true(ct_quantities_get(&out, CT_QUANTITY_HOST_LOAD) == 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(busy_is_what_is_not_idle),
        cmocka_unit_test(other_files_tell_nothing),
        cmocka_unit_test(own_time_is_counted),
        cmocka_unit_test(loads_are_shares_of_wall_time),
        cmocka_unit_test(others_are_never_below_zero_nor_guessed),
        cmocka_unit_test(energy_is_counted_or_power_times_time),
        cmocka_unit_test(clocks_are_means_over_time),
        cmocka_unit_test(other_quantities_are_left_alone),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
