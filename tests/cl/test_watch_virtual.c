// SPDX-License-Identifier: Apache-2.0
// Watching launches on the virtual driver: its counters, and sensors that a stand-in for
// NVIDIA's library has for the PCI address of device 1.
#define _GNU_SOURCE // setenv, RTLD_NOLOAD
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/clock.h"
#include "worker/timing/watch.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char source[] =
    "#pragma virtual base 50000\n"
    "kernel void copy(global const float *in, global float *out)\n"
    "{ out[get_global_id(0)] = in[get_global_id(0)]; }\n";

/* One device, a kernel on it, and who watches. */
struct bench {
    struct ct_opencl *cl;
    struct ct_device *device;
    struct ct_program *program;
    struct ct_kernel *kernel;
    struct ct_buffer *buffers[2];
    struct ct_watch *watch;
};

static void open_bench(struct bench *bench, unsigned index)
{
    struct ct_err err = CT_ERR_INIT;

    memset(bench, 0, sizeof(*bench));
    if (ct_opencl_load(&bench->cl, &err) ||
        ct_device_open(bench->cl, 0, index, &bench->device, &err) ||
        ct_program_build(bench->device, source, "", &bench->program, NULL, &err) ||
        ct_kernel_new(bench->program, "copy", &bench->kernel, &err))
        fail_msg("%s", err.message);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(
            ct_buffer_new(bench->device, 64, CT_HOME_DEVICE, &bench->buffers[i], NULL),
            CT_OK);
        assert_int_equal(ct_kernel_set_buffer(bench->kernel, i, bench->buffers[i], NULL),
                         CT_OK);
    }
    bench->watch = ct_watch_new(bench->device);
    assert_non_null(bench->watch);
}

static void close_bench(struct bench *bench)
{
    ct_watch_free(bench->watch);
    for (size_t i = 0; i < 2; i++)
        ct_buffer_free(bench->buffers[i]);
    ct_kernel_free(bench->kernel);
    ct_program_free(bench->program);
    ct_device_close(bench->device);
    ct_opencl_free(bench->cl);
}

/* What the watch says of a launch. */
static void run(struct bench *bench, uint64_t items, struct ct_quantities *seen)
{
    const uint64_t local = 4;
    struct ct_event event = {NULL};
    struct ct_err err = CT_ERR_INIT;

    if (ct_kernel_launch(bench->kernel, 1, &items, &local, &event, &err) ||
        ct_device_finish(bench->device, &err))
        fail_msg("%s", err.message);
    ct_watch_event(bench->watch, event, seen);
    ct_event_free(bench->device, &event);
}

static void assert_known(const struct ct_quantities *seen, enum ct_quantity quantity,
                         double expected)
{
    double value = ct_quantities_get(seen, quantity);

    if (isnan(value) != isnan(expected) || fabs(value - expected) > 1e-9 * expected)
        fail_msg("%s is %g, not %g", ct_quantity_info_of(quantity)->name, value,
                 expected);
}

static void set(const char *variable, const char *value)
{
    assert_int_equal(value ? setenv(variable, value, 1) : unsetenv(variable), 0);
}

/* --- the host --- */

/* A process that burns time is distinguished from one that waits. */
static void host_load_is_processor_time_over_wall_time(void **state)
{
    struct bench bench;
    struct ct_quantities seen = {0};
    const struct timespec nap = {0, 60000000};
    clock_t burnt;
    uint64_t begin_ns;
    double least;
    double load;

    (void)state;
    open_bench(&bench, 0);
    begin_ns = ct_clock_now_ns();
    ct_watch_begin(bench.watch);
    burnt = clock();
    while (clock() - burnt < CLOCKS_PER_SEC / 20) {
    }
    ct_watch_end(bench.watch, 1, &seen);
    least = 50e6 / (double)(ct_clock_now_ns() - begin_ns);
    load = ct_quantities_get(&seen, CT_QUANTITY_HOST_LOAD);
    assert_true(load >= 0.99 * least && load < 2);
    ct_watch_reset(bench.watch);
    burnt = clock();
    ct_watch_begin(bench.watch);
    nanosleep(&nap, NULL);
    ct_watch_end(bench.watch, 1, &seen);
    burnt = clock() - burnt;
    load = ct_quantities_get(&seen, CT_QUANTITY_HOST_LOAD);
    assert_true(load >= 0 && load <= (double)burnt / CLOCKS_PER_SEC / 0.060 + 1e-3);
    close_bench(&bench);
}

static void others_are_known_after_some_steps(void **state)
{
    struct bench bench;
    struct ct_quantities seen = {0};
    const struct timespec nap = {0, 70000000};
    FILE *stat = fopen("/proc/stat", "r");
    uint64_t begin_ns;
    double others;

    (void)state;
    assert_true(isnan(ct_watch_others(NULL)));
    if (!stat)
        skip();
    fclose(stat);
    open_bench(&bench, 0);
    begin_ns = ct_clock_now_ns();
    ct_watch_begin(bench.watch);
    others = ct_watch_others(bench.watch);
    assert_true(isnan(others) || ct_clock_now_ns() - begin_ns > 50000000);
    nanosleep(&nap, NULL);
    others = ct_watch_others(bench.watch);
    assert_true(others >= 0 && others < 1e4);
    ct_watch_end(bench.watch, 1, &seen);
    /* Of the pair that has ended. */
    assert_known(&seen, CT_QUANTITY_OTHERS_LOAD, ct_watch_others(bench.watch));
    ct_watch_begin(bench.watch);
    others = ct_watch_others(bench.watch);
    assert_true(isnan(others) || ct_clock_now_ns() - begin_ns > 120000000);
    close_bench(&bench);
}

/* --- counters --- */

static void counters_come_with_events(void **state)
{
    struct bench bench;
    struct ct_quantities seen = {0};

    (void)state;
    open_bench(&bench, 0);
    run(&bench, 32, &seen);
    run(&bench, 16, &seen);
    /* What is watched besides does not touch them. */
    ct_watch_begin(bench.watch);
    ct_watch_end(bench.watch, 4, &seen);
    assert_known(&seen, CT_QUANTITY_EXECUTION_CYCLES, 15000);
    assert_known(&seen, CT_QUANTITY_IDLE_CYCLES, 5000);
    assert_known(&seen, CT_QUANTITY_INSTRUCTIONS, 1600);
    assert_known(&seen, CT_QUANTITY_INSTRUCTION_MISSES, 4);
    assert_known(&seen, CT_QUANTITY_L2_MISSES, 16);
    assert_known(&seen, CT_QUANTITY_TIME_NS, NAN);
    assert_int_equal(ct_device_failure_of(bench.device), CT_DEVICE_FINE);
    close_bench(&bench);
}

/* The zero that is left without access rights is no count. */
static void denied_counters_are_not_known(void **state)
{
    struct bench bench;
    struct ct_quantities seen = {0};

    (void)state;
    set("VIRTUALCL_PERF", "denied");
    open_bench(&bench, 0);
    run(&bench, 16, &seen);
    set("VIRTUALCL_PERF", NULL);
    for (int i = CT_QUANTITY_EXECUTION_CYCLES; i <= CT_QUANTITY_L2_MISSES; i++)
        assert_known(&seen, (enum ct_quantity)i, NAN);
    assert_int_equal(ct_device_failure_of(bench.device), CT_DEVICE_FINE);
    close_bench(&bench);
    /* And a driver without the extension is not asked. */
    open_bench(&bench, 1);
    run(&bench, 16, &seen);
    assert_known(&seen, CT_QUANTITY_EXECUTION_CYCLES, NAN);
    close_bench(&bench);
}

/* --- sensors --- */

static bool library_is_loaded(void)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_NOLOAD);

    if (library)
        dlclose(library);
    return library;
}

static void script(void)
{
    set("VIRTUALCL_PCI", "0:65:0");
    set("FAKE_NVML_PCI", "00000000:41:00.0");
    set("FAKE_NVML_POWER_MW", "100000,300000");
    set("FAKE_NVML_ENERGY_MJ", "5000000,5050000");
    set("FAKE_NVML_SM_MHZ", "345,1980");
    set("FAKE_NVML_MEMORY_MHZ", "2619");
    set("FAKE_NVML_C", "30,41");
    set("FAKE_NVML_REASONS", "0x1,0x4");
}

static void unscript(void)
{
    static const char *const variables[] = {
        "VIRTUALCL_PCI",    "FAKE_NVML_PCI",        "FAKE_NVML_POWER_MW",
        "FAKE_NVML_SM_MHZ", "FAKE_NVML_MEMORY_MHZ", "FAKE_NVML_ENERGY_MJ",
        "FAKE_NVML_C",      "FAKE_NVML_REASONS",    "FAKE_NVML_INIT"};

    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
        set(variables[i], NULL);
}

/* Watches device `index` for a while; returns for how long at the most. */
static uint64_t watch_device(unsigned index, long nap_ms, struct ct_quantities *seen)
{
    struct bench bench;
    const struct timespec nap = {0, nap_ms * 1000000};
    uint64_t begin_ns;

    memset(seen, 0, sizeof(*seen));
    open_bench(&bench, index);
    begin_ns = ct_clock_now_ns();
    ct_watch_begin(bench.watch);
    nanosleep(&nap, NULL);
    ct_watch_end(bench.watch, 10, seen);
    begin_ns = ct_clock_now_ns() - begin_ns;
    close_bench(&bench);
    return begin_ns;
}

/* The first of all: what has no NVIDIA GPU never loads the library. */
static void only_gpus_of_nvidia_have_the_library(void **state)
{
    struct ct_quantities seen;

    (void)state;
    assert_false(library_is_loaded());
    script();
    watch_device(0, 0, &seen);
    assert_known(&seen, CT_QUANTITY_POWER_W, NAN);
    set("VIRTUALCL_TYPE", "cpu");
    watch_device(1, 0, &seen);
    set("VIRTUALCL_TYPE", NULL);
    assert_known(&seen, CT_QUANTITY_POWER_W, NAN);
    set("VIRTUALCL_PCI", NULL);
    watch_device(1, 0, &seen);
    assert_known(&seen, CT_QUANTITY_POWER_W, NAN);
    assert_false(library_is_loaded());
    set("VIRTUALCL_PCI", "0:65:0");
    watch_device(1, 0, &seen);
    assert_true(ct_quantities_get(&seen, CT_QUANTITY_POWER_W) > 0);
    assert_true(library_is_loaded());
    unscript();
}

static void sensors_are_read(void **state)
{
    static const char *const addresses[] = {"0:65:0", "khr:0:65:0"};
    struct ct_quantities seen;
    double power_w;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        uint64_t most_ns;

        unscript();
        script();
        set("VIRTUALCL_PCI", addresses[i]);
        /* Readings are numbered from where a list is changed: a blank is a change. */
        set("FAKE_NVML_ENERGY_MJ", i ? "5000000,5050000" : "5000000, 5050000");
        set("FAKE_NVML_SM_MHZ", i ? "345,1980" : "345, 1980");
        set("FAKE_NVML_C", i ? "30,41" : "30, 41");
        set("FAKE_NVML_REASONS", i ? "0x1,0x4" : "0x1, 0x4");
        most_ns = watch_device(1, 110, &seen);
        assert_known(&seen, CT_QUANTITY_CORE_CLOCK_MHZ, 1980);
        assert_known(&seen, CT_QUANTITY_MEMORY_CLOCK_MHZ, 2619);
        assert_known(&seen, CT_QUANTITY_TEMPERATURE_C, 41);
        /* Neither idling nor the power limit that it is sold with. */
        assert_known(&seen, CT_QUANTITY_THROTTLED, 0);
        /* 50 J by the counter for ten pipelines, in 110 ms or more. */
        assert_known(&seen, CT_QUANTITY_ENERGY_J, 5);
        power_w = ct_quantities_get(&seen, CT_QUANTITY_POWER_W);
        assert_true(power_w <= 50 / 0.110 && power_w >= 50e9 / (double)most_ns);
    }
    unscript();
}

/* Too short for the counter, or there is none: the mean of two readings of power. */
static void short_times_are_by_power(void **state)
{
    struct ct_quantities seen;

    (void)state;
    script();
    for (int i = 0; i < 100; i++) {
        /* As many blanks as tries: the lists are read from the start. */
        char list[160];

        snprintf(list, sizeof(list), "100000,%*s300000", i + 1, "");
        set("FAKE_NVML_POWER_MW", list);
        if (watch_device(1, 0, &seen) < 100000000)
            break;
    }
    assert_known(&seen, CT_QUANTITY_POWER_W, 200);
    set("FAKE_NVML_ENERGY_MJ", NULL);
    set("FAKE_NVML_POWER_MW", "50000,70000");
    watch_device(1, 110, &seen);
    assert_known(&seen, CT_QUANTITY_POWER_W, 60);
    assert_true(ct_quantities_get(&seen, CT_QUANTITY_ENERGY_J) >= 60 * 0.110 / 10);
    unscript();
}

static void slowdowns_are_reported(void **state)
{
    static const struct {
        const char *reasons;
        double throttled;
    } rows[] = {{"0", 0},      {"0x1", 0},   {"0x2", 0},   {"0x4", 0},      {"0x10", 0},
                {"0x100", 0},  {"0x8", 1},   {"0x20", 1},  {"0x40", 1},     {"0x80", 1},
                {"0x44,0", 1}, {"0,0x8", 1}, {"0x117", 0}, {"nothing", NAN}};
    struct ct_quantities seen;

    (void)state;
    script();
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        set("FAKE_NVML_REASONS", rows[i].reasons);
        watch_device(1, 0, &seen);
        assert_known(&seen, CT_QUANTITY_THROTTLED, rows[i].throttled);
    }
    unscript();
}

/* No error anywhere: what is missing is not known. */
static void missing_sensors_are_no_error(void **state)
{
    struct ct_quantities seen;

    (void)state;
    script();
    set("FAKE_NVML_PCI", "00000000:42:00.0");
    watch_device(1, 0, &seen);
    assert_known(&seen, CT_QUANTITY_POWER_W, NAN);
    set("FAKE_NVML_PCI", "00000000:41:00.0");
    set("FAKE_NVML_INIT", "9");
    watch_device(1, 0, &seen);
    assert_known(&seen, CT_QUANTITY_POWER_W, NAN);
    set("FAKE_NVML_INIT", NULL);
    set("FAKE_NVML_POWER_MW", NULL);
    set("FAKE_NVML_ENERGY_MJ", NULL);
    set("FAKE_NVML_C", NULL);
    watch_device(1, 0, &seen);
    assert_known(&seen, CT_QUANTITY_POWER_W, NAN);
    assert_known(&seen, CT_QUANTITY_ENERGY_J, NAN);
    assert_known(&seen, CT_QUANTITY_TEMPERATURE_C, NAN);
    assert_known(&seen, CT_QUANTITY_MEMORY_CLOCK_MHZ, 2619);
    unscript();
}

static void nobody_watching_is_fine(void **state)
{
    struct ct_quantities seen = {0};
    struct bench bench;

    (void)state;
    ct_watch_begin(NULL);
    ct_watch_event(NULL, (struct ct_event){NULL}, &seen);
    ct_watch_end(NULL, 1, &seen);
    ct_watch_reset(NULL);
    ct_watch_free(NULL);
    open_bench(&bench, 0);
    ct_watch_end(bench.watch, 1, &seen); /* never begun */
    ct_watch_begin(bench.watch);
    ct_watch_event(bench.watch, (struct ct_event){NULL}, &seen);
    ct_watch_reset(bench.watch);
    ct_watch_end(bench.watch, 1, &seen);
    assert_int_equal(seen.known, 0);
    close_bench(&bench);
}

/* Starts this program once more with the stand-in in the loader's way.  BUILD/tests/cl is
 * its folder. */
static int prepare(char **argv)
{
    char folder[500] = "";
    char path[600];

    if (readlink("/proc/self/exe", folder, sizeof(folder) - 1) < 0)
        return -1;
    for (int i = 0; i < 2 && strrchr(folder, '/'); i++)
        *strrchr(folder, '/') = '\0';
    snprintf(path, sizeof(path), "%s/fault/vendors", folder);
    setenv("OCL_ICD_VENDORS", path, 1);
    if (getenv("CT_TEST_AGAIN"))
        return 0;
    snprintf(path, sizeof(path), "%s/nvml", folder);
    setenv("LD_LIBRARY_PATH", path, 1);
    setenv("CT_TEST_AGAIN", "1", 1);
    return execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_gpus_of_nvidia_have_the_library),
        cmocka_unit_test(sensors_are_read),
        cmocka_unit_test(short_times_are_by_power),
        cmocka_unit_test(slowdowns_are_reported),
        cmocka_unit_test(missing_sensors_are_no_error),
        cmocka_unit_test(host_load_is_processor_time_over_wall_time),
        cmocka_unit_test(others_are_known_after_some_steps),
        cmocka_unit_test(counters_come_with_events),
        cmocka_unit_test(denied_counters_are_not_known),
        cmocka_unit_test(nobody_watching_is_fine),
    };

    (void)argc;
    if (prepare(argv))
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
