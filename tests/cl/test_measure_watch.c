// SPDX-License-Identifier: Apache-2.0
// That evaluations are watched, and what they do with what is seen: a made-up watch, in
// the place of worker/timing/watch.c, over the virtual driver.
#define _GNU_SOURCE // folder.h
#include "measure_plan.h"
#include "worker/worker_main.h"

#include "worker/timing/watch.h"

#include <math.h>

/* --- the watch, which lives in the worker --- */

struct ct_watch {
    unsigned begun;
    uint64_t pipelines;
};

struct ct_watch *ct_watch_new(struct ct_device *device)
{
    (void)device;
    return calloc(1, sizeof(struct ct_watch));
}

void ct_watch_free(struct ct_watch *watch)
{
    free(watch);
}

void ct_watch_begin(struct ct_watch *watch)
{
    watch->begun++;
}

void ct_watch_reset(struct ct_watch *watch)
{
    watch->begun = 0;
    watch->pipelines = 0;
}

void ct_watch_end(struct ct_watch *watch, uint64_t pipelines, struct ct_quantities *out)
{
    watch->pipelines += pipelines;
    ct_quantities_set(out, CT_QUANTITY_HOST_LOAD, (double)watch->pipelines);
}

/* Disturbed at first, or always. */
double ct_watch_others(const struct ct_watch *watch)
{
    return watch->begun == 1 || getenv("CT_TEST_DISTURBED") ? 0.7 : 0.05;
}

/* Where the test wants it. */
void ct_watch_event(struct ct_watch *watch, struct ct_event event,
                    struct ct_quantities *out)
{
    (void)watch;
    if (event.handle && getenv("CT_TEST_COUNTERS"))
        ct_quantities_set(out, CT_QUANTITY_INSTRUCTIONS, 100);
}

/* --- the tests --- */

static const char source[] =
    "#pragma virtual base 20000000\n"
    "kernel void scale(global const float *in, global float *out, uint n, float factor)\n"
    "{\n}\n";

static void evaluate(bool end_to_end, uint32_t launches, struct ct_outcome *outcome)
{
    struct ct_measure_options how = options(60);
    struct ct_plan_launch all[3];
    struct ct_runner *runner = runner_new();
    struct plan p;

    plan_init(&p, "");
    p.program.source = source;
    p.program.source_hash = ct_hash_bytes(source, sizeof(source));
    p.launch.local[0] = 8;
    for (uint32_t i = 0; i < launches; i++)
        all[i] = p.launch;
    p.plan.launches = all;
    p.plan.launch_count = launches;
    p.plan.reference.function = NULL;
    p.plan.end_to_end = end_to_end;
    how.race.samples = 5;
    expect(runner, &p, &how, CT_RESULT_OK, outcome);
    ct_runner_free(runner);
}

static double seen(const struct ct_outcome *outcome, enum ct_quantity quantity)
{
    return ct_quantities_get(&outcome->observed, quantity);
}

/* Mean loads are weighted by time, which rounds. */
static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* Five samples of 20 ms: one block, as what three of them would leave is too short.  On a
 * busy host, where the clocks seem to disagree, more blocks follow: undisturbed ones. */
static void samples_on_processors_are_taken_again(void **state)
{
    struct ct_outcome outcome;

    (void)state;
    setenv("VIRTUALCL_TYPE", "cpu", 1);
    evaluate(false, 1, &outcome);
    unsetenv("VIRTUALCL_TYPE");
    /* A slow host ends a block before its last sample. */
    assert_in_range(outcome.samples.retaken, 1, 5);
    assert_true(outcome.samples.count >= 5);
    assert_true(near(seen(&outcome, CT_QUANTITY_OTHERS_LOAD), 0.05));
    assert_true(seen(&outcome, CT_QUANTITY_HOST_LOAD) >= 5);
    ct_outcome_release(&outcome);
    /* Those with transfers are watched for themselves: the load is that of theirs. */
    setenv("VIRTUALCL_TYPE", "cpu", 1);
    evaluate(true, 1, &outcome);
    unsetenv("VIRTUALCL_TYPE");
    assert_in_range(outcome.samples.retaken, 2, 10);
    assert_true(near(seen(&outcome, CT_QUANTITY_OTHERS_LOAD), 0.05));
    assert_true(seen(&outcome, CT_QUANTITY_HOST_LOAD) >= 5);
    ct_outcome_release(&outcome);
}

static void other_devices_are_only_watched(void **state)
{
    struct ct_outcome outcome;

    (void)state;
    setenv("CT_TEST_DISTURBED", "1", 1);
    evaluate(false, 1, &outcome);
    unsetenv("CT_TEST_DISTURBED");
    assert_int_equal(outcome.samples.retaken, 0);
    assert_true(near(seen(&outcome, CT_QUANTITY_OTHERS_LOAD), 0.7));
    assert_true(seen(&outcome, CT_QUANTITY_HOST_LOAD) >= 3);
    assert_true(isnan(seen(&outcome, CT_QUANTITY_INSTRUCTIONS)));
    ct_outcome_release(&outcome);
}

/* Of all launches of one pipeline. */
static void counters_are_added_up(void **state)
{
    struct ct_outcome outcome;

    (void)state;
    setenv("CT_TEST_COUNTERS", "1", 1);
    for (uint32_t launches = 1; launches <= 3; launches++) {
        evaluate(false, launches, &outcome);
        assert_true(seen(&outcome, CT_QUANTITY_INSTRUCTIONS) == 100.0 * launches);
        ct_outcome_release(&outcome);
    }
    unsetenv("CT_TEST_COUNTERS");
}

static int set_up(void **state)
{
    char exe[400] = "";
    char vendors[500];

    if (set_up_folder(state) || readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0)
        return -1;
    /* BUILD/tests/cl/test_measure_watch */
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(exe, '/');

        if (!slash)
            return -1;
        *slash = '\0';
    }
    snprintf(vendors, sizeof(vendors), "%s/fault/vendors", exe);
    setenv("OCL_ICD_VENDORS", vendors, 1);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_on_processors_are_taken_again),
        cmocka_unit_test(other_devices_are_only_watched),
        cmocka_unit_test(counters_are_added_up),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT))
        return ct_worker_main();
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
