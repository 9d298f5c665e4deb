// SPDX-License-Identifier: Apache-2.0
// Samples on the virtual driver's device 0, whose clock is exact, coarse or lies, and
// whose caches are small.
#define _GNU_SOURCE // folder.h
#include "scheduler_plan.h"
#include "worker/worker_main.h"

static char log_path[96];

/* A plan of two launches of one kernel, with lines for the driver; no sample has more
 * than one pipeline as long as a launch takes 5 ms at least. */
struct two {
    struct plan p;
    struct ct_plan_launch launches[2];
    char source[600];
};

static void two_init(struct two *t, const char *lines)
{
    plan_init(&t->p, "");
    snprintf(t->source, sizeof(t->source),
             "%s\nkernel void scale(global const float *in, global float *out, uint n,\n"
             "                  float factor)\n{\n}\n",
             lines);
    t->p.program.source = t->source;
    t->p.program.source_hash = ct_hash_bytes(t->source, strlen(t->source));
    t->p.launch.local[0] = 8;
    t->launches[0] = t->launches[1] = t->p.launch;
    t->p.plan.launches = t->launches;
    t->p.plan.launch_count = 2;
    t->p.plan.reference.function = NULL;
}

static void evaluate(const struct two *t, uint32_t samples, struct ct_outcome *outcome)
{
    struct ct_measure_options how = options(60);
    struct ct_runner *runner = runner_new();

    how.race.samples = samples;
    expect(runner, &t->p, &how, CT_RESULT_OK, outcome);
    ct_runner_free(runner);
}

/* One event of one sample ends before it starts; the whole looks fine all the same.
 * Launches 1 and 2, and 3 and 4, are samples if they take as long, 5 and 6 are the third. */
static void one_lying_event_is_noticed(void **state)
{
    static const struct {
        const char *when;
        bool wall;
    } cases[] = {{"at:1000", false},
                 {"at:5", true},
                 {"at:6", true},
                 {"at:7", false}, /* there is none */
                 {"at:1", false}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct ct_outcome outcome;
        struct two t;
        char lines[160];

        snprintf(lines, sizeof(lines),
                 "#pragma virtual base 20000000\n"
                 "#pragma virtual fault * * backwards %s",
                 cases[i].when);
        two_init(&t, lines);
        evaluate(&t, 3, &outcome);
        if (outcome.wall_clock != cases[i].wall)
            fail_msg("%s: wall_clock is %d", cases[i].when, outcome.wall_clock);
        assert_true(outcome.time_ns >= 40e6);
        if (!cases[i].wall)
            assert_true(outcome.time_ns == 40e6);
        ct_outcome_release(&outcome);
    }
}

/* Zeroing 16 bytes takes 16 ns of this clock. */
static void the_clocks_steps_are_measured(void **state)
{
    struct ct_outcome outcome;
    struct two t;

    (void)state;
    two_init(&t, "#pragma virtual base 20000000");
    evaluate(&t, 3, &outcome);
    assert_true(outcome.samples.timer_ns == 16);
    ct_outcome_release(&outcome);
    /* Of the wall's clock, once that is used. */
    two_init(&t, "#pragma virtual base 20000000\n#pragma virtual fault * * event_scale");
    evaluate(&t, 3, &outcome);
    assert_true(outcome.wall_clock);
    assert_true(outcome.samples.timer_ns > 0 && outcome.samples.timer_ns != 16);
    ct_outcome_release(&outcome);
}

/* Two launches of 10 us, a clock in steps of 50 us: 5 ms, which is 250 of them.  A
 * hundred would do by time. */
static void samples_outlast_coarse_clocks(void **state)
{
    struct ct_outcome outcome;
    struct two t;

    (void)state;
    setenv("VIRTUALCL_TIMER", "50000", 1);
    two_init(&t, "#pragma virtual base 10000");
    evaluate(&t, 5, &outcome);
    unsetenv("VIRTUALCL_TIMER");
    assert_true(outcome.samples.timer_ns == 50000);
    /* Twice as many where other programs disturb the estimate of how long one takes. */
    assert_in_range(outcome.samples.launches, 150, 500);
    assert_false(outcome.wall_clock);
    /* To a step or two in a hundred. */
    assert_in_range(outcome.time_ns, 19000, 21000);
    ct_outcome_release(&outcome);
}

/* What follows `event` in the log, in order: 'c' a compiler at a first launch, 'f' a
 * synchronisation behind launches. */
static void read_log(char *order, size_t size)
{
    FILE *file = fopen(log_path, "r");
    size_t length = 0;
    char line[300];

    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        char what = strstr(line, " first_end ")      ? 'c'
                    : strstr(line, " finish_begin ") ? 'f'
                                                     : 0;

        if (what && length + 1 < size)
            order[length++] = what;
    }
    order[length] = 0;
    fclose(file);
}

/* The driver compiles each local size when it is first launched; all that is over before
 * the first synchronisation, and not in the time of the first launch. */
static void first_launches_are_in_no_sample(void **state)
{
    char order[2000];

    (void)state;
    setenv("VIRTUALCL_LOG", log_path, 1);
    for (int end_to_end = 0; end_to_end < 2; end_to_end++) {
        struct ct_outcome outcome;
        struct two t;

        unlink(log_path);
        two_init(&t, "#pragma virtual base 20000000\n#pragma virtual first_time 1000000");
        t.launches[1].local[0] = 4;
        t.p.plan.end_to_end = end_to_end;
        evaluate(&t, 3, &outcome);
        read_log(order, sizeof(order));
        /* Two local sizes; the first run and a warm one, which take as long, and a third sample. */
        if (end_to_end)
            assert_true(!strncmp(order, "ccfff", 5) && !strchr(order + 2, 'c'));
        else
            assert_string_equal(order, "ccfff");
        assert_true(outcome.time_ns == 40e6);
        assert_int_equal(outcome.end_to_end.time_ns > 0, end_to_end);
        ct_outcome_release(&outcome);
    }
    unsetenv("VIRTUALCL_LOG");
}

/* 32 KiB of cache and 8000 bytes of buffers: nine copies are 72,000 bytes. */
static void cold_copies_fit_the_cache(void **state)
{
    struct ct_outcome outcome;
    struct two t;

    (void)state;
    two_init(&t, "#pragma virtual base 20000000");
    t.p.plan.cold = true;
    evaluate(&t, 3, &outcome);
    assert_int_equal(outcome.cold.copies, 9);
    assert_false(outcome.cold.incomplete);
    assert_true(outcome.time_ns == 40e6);
    ct_outcome_release(&outcome);
}

/* Two buffers, one for the timer, then two a copy: the third copy is refused.  That is
 * told, and no failure. */
static void short_memory_is_reported(void **state)
{
    struct ct_outcome outcome;
    struct two t;

    (void)state;
    two_init(&t, "#pragma virtual base 20000000");
    t.p.plan.cold = true;
    setenv("VIRTUALCL_FAIL", "clCreateBuffer:9+:-4", 1);
    evaluate(&t, 3, &outcome);
    unsetenv("VIRTUALCL_FAIL");
    assert_int_equal(outcome.cold.copies, 3);
    assert_true(outcome.cold.incomplete);
    ct_outcome_release(&outcome);
}

/* A device that cannot zero buffers can be timed as well. */
static void the_timer_is_optional(void **state)
{
    struct ct_outcome outcome;
    struct two t;

    (void)state;
    two_init(&t, "#pragma virtual base 20000000");
    t.p.buffers[1].fill.kind = CT_FILL_ZERO;
    setenv("VIRTUALCL_FAIL", "clEnqueueFillBuffer:1+:-59", 1);
    evaluate(&t, 3, &outcome);
    unsetenv("VIRTUALCL_FAIL");
    assert_true(outcome.samples.timer_ns == 0);
    assert_false(outcome.wall_clock);
    ct_outcome_release(&outcome);
}

/* A leader of 36 ms for two launches, and a resolution of 2%: three samples, all of 40
 * ms, and the scheduler tells of what that saved. */
static void the_scheduler_reports_what_racing_saved(void **state)
{
    struct ct_scheduler_options options = scheduler_options(1, 60);
    struct ct_scheduler *scheduler;
    struct ct_scheduler_stats stats;
    struct ct_report reports[2];
    struct two t[2];

    (void)state;
    options.no_duplicates = true;
    scheduler = new_scheduler(&options);
    ct_scheduler_sampling(scheduler, 10, 0.02);
    ct_scheduler_leader(scheduler, 36e6);
    two_init(&t[0], "#pragma virtual base 20000000");
    two_init(&t[1], "#pragma virtual base 10000000");
    submit(scheduler, 0, &t[0].p);
    submit(scheduler, 1, &t[1].p);
    wait_all(scheduler, reports, 2);
    ct_scheduler_stats_get(scheduler, &stats);
    ct_scheduler_free(scheduler);
    assert_status(&reports[0], CT_RESULT_OK);
    assert_status(&reports[1], CT_RESULT_OK);
    assert_int_equal(reports[0].outcome.samples.count, 3);
    assert_true(reports[0].outcome.stopped_early);
    assert_int_equal(reports[0].outcome.race.saved, 7);
    /* Exact times need no more samples than ten. */
    assert_int_equal(reports[1].outcome.samples.count, 10);
    assert_int_equal(reports[1].outcome.race.saved, 0);
    assert_int_equal(stats.samples_saved, 7);
    assert_true(stats.saved_ns == reports[0].outcome.race.saved_ns &&
                stats.saved_ns >= 280000000);
    assert_int_equal(stats.samples_added, 0);
    release_all(reports, 2);
}

static int set_up(void **state)
{
    char exe[400] = "";
    char vendors[500];

    if (set_up_folder(state) || readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0)
        return -1;
    /* BUILD/tests/cl/test_measure_clock */
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(exe, '/');

        if (!slash)
            return -1;
        *slash = '\0';
    }
    snprintf(vendors, sizeof(vendors), "%s/fault/vendors", exe);
    setenv("OCL_ICD_VENDORS", vendors, 1);
    /* Counting takes a run more. */
    setenv("VIRTUALCL_PERF", "denied", 1);
    snprintf(log_path, sizeof(log_path), "%s/log", test_folder);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_lying_event_is_noticed),
        cmocka_unit_test(the_clocks_steps_are_measured),
        cmocka_unit_test(samples_outlast_coarse_clocks),
        cmocka_unit_test(first_launches_are_in_no_sample),
        cmocka_unit_test(cold_copies_fit_the_cache),
        cmocka_unit_test(short_memory_is_reported),
        cmocka_unit_test(the_timer_is_optional),
        cmocka_unit_test(the_scheduler_reports_what_racing_saved),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT))
        return ct_worker_main();
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
