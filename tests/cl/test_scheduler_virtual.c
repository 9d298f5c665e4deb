// SPDX-License-Identifier: Apache-2.0
// A scheduler on the virtual driver's device 0, which is no processor: builders and runner
// work at the same time, binaries are handed over and stored.
#define _GNU_SOURCE // folder.h
#include "copy_reference.h"
#include "worker/worker_main.h"

#include <signal.h>

enum { COUNT = 12 };

static const char source[] =
    "#pragma virtual base 50000\n"
    "#pragma virtual factor WG 4 0.5\n"
    "#pragma virtual add MODE late 3000000000\n"
    "#pragma virtual fault MODE bad build_error\n"
    "#pragma virtual fault MODE dead build_segfault\n"
    "#pragma virtual fault MODE slow launch_hang\n"
    "#pragma virtual fault MODE gone segfault\n"
    "#pragma virtual fault MODE wrong wrong\n"
    "kernel void scale(global const float *in, global float *out, uint n, float factor)\n"
    "{\n"
    "    /* KIND */\n"
    "}\n";

static char kinds[COUNT][8];
static struct ct_plan_macro macros[COUNT][3];

static void plan_of(struct plan *p, int index, const char *mode)
{
    snprintf(kinds[index], sizeof(kinds[index]), "%d", index);
    macros[index][0] = (struct ct_plan_macro){"KIND", kinds[index]};
    macros[index][1] = (struct ct_plan_macro){"MODE", mode};
    macros[index][2] = (struct ct_plan_macro){"WG", index % 2 ? "4" : "8"};
    copy_plan_init(p, source, macros[index], 3);
}

static void run_all(const struct ct_scheduler_options *options, const char *const *modes,
                    struct ct_report *reports, struct ct_scheduler_stats *stats)
{
    struct ct_scheduler *scheduler = new_scheduler(options);
    struct plan p[COUNT];

    for (int i = 0; i < COUNT; i++) {
        plan_of(&p[i], i, modes ? modes[i] : "good");
        submit(scheduler, (uint64_t)i, &p[i]);
    }
    wait_all(scheduler, reports, COUNT);
    ct_scheduler_stats_get(scheduler, stats);
    ct_scheduler_free(scheduler);
    assert_int_equal(children(NULL, 0), 0);
}

/* The second time everything comes from what the first has stored. */
static void binaries_are_stored(void **state)
{
    struct ct_scheduler_options options = scheduler_options(2, 60);
    struct ct_report reports[COUNT];
    struct ct_scheduler_stats stats;

    (void)state;
    for (int time = 0; time < 3; time++) {
        options.no_cache = time == 2;
        run_all(&options, NULL, reports, &stats);
        assert_int_equal(stats.built, time == 1 ? 0 : COUNT);
        assert_int_equal(stats.from_cache, time == 1 ? COUNT : 0);
        for (int i = 0; i < COUNT; i++) {
            assert_status(&reports[i], CT_RESULT_OK);
            assert_int_equal(reports[i].from_cache, time == 1);
            /* By the driver's clock, to the nanosecond. */
            assert_true(reports[i].outcome.time_ns == (i % 2 ? 25000 : 50000));
            assert_true(strstr(reports[i].outcome.build_log, "ns") != NULL);
        }
        release_all(reports, COUNT);
    }
}

/* A stored binary that somebody has damaged is made anew. */
static void damaged_binaries_are_built_again(void **state)
{
    struct ct_scheduler_options options = scheduler_options(2, 60);
    struct ct_report reports[COUNT];
    struct ct_scheduler_stats stats;
    char folder[160];
    DIR *dir;

    (void)state;
    run_all(&options, NULL, reports, &stats);
    release_all(reports, COUNT);
    snprintf(folder, sizeof(folder), "%s/cache/cltune/binaries", test_folder);
    dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[500];
        FILE *file;

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        file = fopen(path, "r+");
        assert_non_null(file);
        assert_int_equal(fseek(file, -40, SEEK_END), 0);
        putc('!', file);
        fclose(file);
    }
    closedir(dir);
    run_all(&options, NULL, reports, &stats);
    assert_int_equal(stats.from_cache, 0);
    assert_int_equal(stats.built, COUNT);
    release_all(reports, COUNT);
    run_all(&options, NULL, reports, &stats);
    assert_int_equal(stats.from_cache, COUNT);
    release_all(reports, COUNT);
}

/* How many builders begin if so many jobs are expected, and builds take no time. */
static uint64_t builders_for(uint64_t expected)
{
    struct ct_scheduler_options options = scheduler_options(COUNT, 60);
    struct ct_report reports[COUNT];
    struct ct_scheduler_stats stats;

    options.expected = expected;
    options.no_cache = true;
    run_all(&options, NULL, reports, &stats);
    release_all(reports, COUNT);
    return stats.builders_started;
}

static void many_jobs_begin_with_more_builders(void **state)
{
    (void)state;
    assert_int_equal(builders_for(COUNT), 4);
    assert_true(builders_for(64) >= 8); /* builds may be slow on a busy machine */
}

static void each_fails_for_itself(void **state)
{
    static const char *const modes[COUNT] = {"good", "bad",   "dead", "good",
                                             "gone", "wrong", "good", "dead",
                                             "slow", "good",  "bad",  "good"};
    struct ct_scheduler_options options = scheduler_options(3, 1);
    struct ct_report reports[COUNT];
    struct ct_scheduler_stats stats;

    (void)state;
    run_all(&options, modes, reports, &stats);
    for (int i = 0; i < COUNT; i++) {
        enum ct_result_status wanted = !strcmp(modes[i], "good")  ? CT_RESULT_OK
                                       : !strcmp(modes[i], "bad") ? CT_RESULT_BUILD_FAILED
                                       : !strcmp(modes[i], "slow")  ? CT_RESULT_TIMEOUT
                                       : !strcmp(modes[i], "wrong") ? CT_RESULT_WRONG
                                                                    : CT_RESULT_CRASHED;

        assert_status(&reports[i], wanted);
        /* Builders never launch here: the device may be timing. */
        if (!strcmp(modes[i], "dead"))
            assert_int_equal(reports[i].outcome.phase, CT_PHASE_BUILD);
        if (!strcmp(modes[i], "gone"))
            assert_int_equal(reports[i].outcome.phase, CT_PHASE_FIRST);
    }
    assert_true(stats.builders_started >= 4);
    release_all(reports, COUNT);
}

/* Evaluates a kernel that takes 3 s where the best takes 1 ms; with `busy`, after that one. */
static void evaluate_late(bool no_race, bool busy, struct ct_report *report)
{
    struct ct_scheduler_options options = scheduler_options(1, 60);
    struct ct_scheduler *scheduler;
    struct ct_report reports[2];
    struct plan p[2];

    options.no_race = no_race;
    scheduler = new_scheduler(&options);
    ct_scheduler_leader(scheduler, 1e6);
    ct_scheduler_sampling(scheduler, 5, 0.001);
    for (int i = busy ? 0 : 1; i < 2; i++) {
        plan_of(&p[i], i, i ? "late" : "good");
        submit(scheduler, (uint64_t)(busy ? i : 0), &p[i]);
    }
    wait_all(scheduler, reports, busy ? 2 : 1);
    if (busy) {
        assert_status(&reports[0], CT_RESULT_OK);
        ct_outcome_release(&reports[0].outcome);
    }
    *report = reports[busy];
    ct_scheduler_free(scheduler);
}

/* Evaluates launches of 50 us where the best takes 30, after others of these. */
static void evaluate_slower(struct ct_report *report)
{
    struct ct_scheduler_options options = scheduler_options(1, 60);
    struct ct_scheduler *scheduler = new_scheduler(&options);
    struct ct_report reports[2];
    struct plan p[3];

    ct_scheduler_leader(scheduler, 30000);
    ct_scheduler_sampling(scheduler, 5, 0.001);
    for (int i = 0; i < 3; i += 2) {
        plan_of(&p[i], i, "good");
        submit(scheduler, (uint64_t)i / 2, &p[i]);
    }
    wait_all(scheduler, reports, 2);
    assert_status(&reports[0], CT_RESULT_OK);
    ct_outcome_release(&reports[0].outcome);
    *report = reports[1];
    ct_scheduler_free(scheduler);
}

/* Launches of 3 ms show it, and are the only sample.  A device that was idle for 50 ms, as on a
 * busy machine, is not believed: then once more. */
static void a_probe_ends_what_is_slower(void **state)
{
    struct ct_report report;

    (void)state;
    evaluate_slower(&report);
    for (int tries = 1; report.outcome.samples.launches != 60 && tries < 5; tries++) {
        ct_outcome_release(&report.outcome);
        evaluate_slower(&report);
    }
    assert_status(&report, CT_RESULT_OK);
    assert_int_equal(report.outcome.samples.count, 1);
    assert_int_equal(report.outcome.samples.launches, 60);
    assert_true(report.outcome.stopped_early);
    assert_true(report.outcome.time_ns == 50000);
    ct_outcome_release(&report.outcome);
}

/* The launch that is checked shows that no other is needed. */
static void what_the_first_launch_shows_is_not_measured_again(void **state)
{
    struct ct_report report;

    (void)state;
    evaluate_late(false, true, &report);
    /* A loaded machine may have kept the device idle before it. */
    for (int tries = 0; report.outcome.status != CT_RESULT_OK && tries < 4; tries++) {
        ct_outcome_release(&report.outcome);
        evaluate_late(false, true, &report);
    }
    assert_status(&report, CT_RESULT_OK);
    assert_true(report.outcome.verified);
    assert_true(report.outcome.stopped_early);
    assert_int_equal(report.outcome.samples.count, 1);
    assert_true(report.outcome.time_ns >= 3e9);
    ct_outcome_release(&report.outcome);
}

/* Launches that lose whatever they do need not be waited for: this one takes 3 s and is
 * given one.  The first does not count if the device was idle before it. */
static void launches_have_shrinking_deadlines(void **state)
{
    struct ct_report report;

    (void)state;
    for (int no_race = 0; no_race < 2; no_race++) {
        evaluate_late(no_race, no_race, &report);
        assert_status(&report, CT_RESULT_TIMEOUT);
        assert_int_equal(report.outcome.phase, CT_PHASE_MEASURE);
        assert_int_equal(report.outcome.deadline_ns, 1000000000);
        ct_outcome_release(&report.outcome);
    }
}

/* One whose first launch was fast and that hangs in one process only is tried again, alone, before
 * it is given up. */
static void a_fast_one_that_is_late_is_tried_again(void **state)
{
    struct ct_scheduler_options options = scheduler_options(1, 60);
    struct ct_report reports[2];
    struct ct_scheduler_stats stats;
    struct ct_scheduler *scheduler;
    struct plan p[2];
    char counters[96];

    (void)state;
    snprintf(counters, sizeof(counters), "%s/late", test_folder);
    scheduler = new_scheduler(&options);
    /* The first runner hangs when it takes samples; builders take none. */
    setenv("VIRTUALCL_COUNTERS", counters, 1);
    setenv("VIRTUALCL_FAIL", "clFinish:8:finish_hang@1", 1);
    ct_scheduler_leader(scheduler, 1e7);
    for (int i = 0; i < 2; i++) {
        plan_of(&p[i], i, "good");
        submit(scheduler, (uint64_t)i, &p[i]);
    }
    wait_all(scheduler, reports, 2);
    unsetenv("VIRTUALCL_FAIL");
    unsetenv("VIRTUALCL_COUNTERS");
    ct_scheduler_stats_get(scheduler, &stats);
    ct_scheduler_free(scheduler);
    assert_int_equal(stats.second_tries, 1);
    assert_int_equal(stats.built + stats.from_cache, 2);
    assert_int_equal(stats.runners_started, 2);
    for (int i = 0; i < 2; i++)
        assert_status(&reports[i], CT_RESULT_OK);
    /* The first try counts as time spent. */
    assert_true(reports[0].outcome.spent_ns[CT_PHASE_MEASURE] +
                    reports[1].outcome.spent_ns[CT_PHASE_MEASURE] >=
                1000000000);
    release_all(reports, 2);
}

/* Three in a row that nobody is to blame for. */
static void a_dead_device_is_given_up(void **state)
{
    struct ct_scheduler_options options = scheduler_options(1, 60);
    struct ct_scheduler *scheduler = new_scheduler(&options);
    struct ct_report report;
    struct ct_err err = CT_ERR_INIT;
    struct plan p;

    (void)state;
    plan_of(&p, 0, "good");
    submit(scheduler, 0, &p);
    setenv("CT_TEST_DIE", "1", 1);
    assert_int_equal(ct_scheduler_wait(scheduler, &report, &err), CT_E_WORKER);
    unsetenv("CT_TEST_DIE");
    assert_contains(err.message, "3 worker processes in a row");
    ct_scheduler_free(scheduler);
    assert_int_equal(children(NULL, 0), 0);
}

/* --- processes made ready before timing --- */

enum { SPARES = 3 };

static char path_of_log[96];
static char path_of_counters[96];

static void start_log(void)
{
    snprintf(path_of_log, sizeof(path_of_log), "%s/log", test_folder);
    remove(path_of_log);
    setenv("VIRTUALCL_LOG", path_of_log, 1);
}

static struct ct_scheduler *scheduler_with_spares(void)
{
    struct ct_scheduler_options options = scheduler_options(1, 60);

    start_log();
    options.spares = SPARES;
    return new_scheduler(&options);
}

static void prepare(struct ct_scheduler *scheduler, const struct plan *p, size_t wanted)
{
    const struct ct_plan *plan = &p->plan;
    struct ct_err err = CT_ERR_INIT;

    if (ct_scheduler_prepare(scheduler, &plan, 1, wanted, &err))
        fail_msg("%s", err.message);
}

/* One measurement in a new process. */
static void measure_anew(struct ct_scheduler *scheduler, const struct plan *p)
{
    struct ct_report report;

    ct_scheduler_renew(scheduler);
    submit_job(scheduler,
               &(struct ct_job){.plan = &p->plan, .full = true, .again = true});
    wait_all(scheduler, &report, 1);
    assert_status(&report, CT_RESULT_OK);
    assert_true(report.outcome.verified);
    ct_outcome_release(&report.outcome);
}

/* The processes that have done something, and when they did it first. */
static size_t processes_that(const char *event, long *pids, uint64_t *first_ns)
{
    FILE *file = fopen(path_of_log, "r");
    unsigned long long ns;
    char line[512];
    char what[32];
    size_t count = 0;
    long pid;

    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        size_t at = 0;

        if (sscanf(line, "%llu %ld %31s", &ns, &pid, what) != 3 ||
            strcmp(what, event) != 0)
            continue;
        while (at < count && pids[at] != pid)
            at++;
        if (at < count || count == COUNT)
            continue;
        first_ns[count] = ns;
        pids[count++] = pid;
    }
    fclose(file);
    return count;
}

/* Four renewals with three prepared: each in a process of its own, no process more than without,
 * and the first three began before anything was timed. */
static void prepared_processes_are_used(void **state)
{
    struct ct_scheduler *scheduler = scheduler_with_spares();
    struct ct_scheduler_stats stats;
    long started[COUNT];
    long timed[COUNT];
    uint64_t started_ns[COUNT];
    uint64_t timed_ns[COUNT];
    size_t early = 0;
    struct plan p;

    (void)state;
    plan_of(&p, 0, "good");
    prepare(scheduler, &p, 9);
    assert_int_equal(ct_scheduler_prepared(scheduler), SPARES);
    ct_scheduler_stats_get(scheduler, &stats);
    assert_int_equal(stats.runners_started, SPARES);
    assert_true(stats.spent_ns[CT_PHASE_START] > 0);
    prepare(scheduler, &p, 9);
    for (int i = 0; i <= SPARES; i++)
        measure_anew(scheduler, &p);
    assert_int_equal(ct_scheduler_prepared(scheduler), 0);
    ct_scheduler_stats_get(scheduler, &stats);
    assert_int_equal(stats.runners_started, SPARES + 1);
    assert_int_equal(processes_that("launch", timed, timed_ns), SPARES + 1);
    for (size_t i = processes_that("start", started, started_ns); i-- > 0;)
        for (int k = 0; k <= SPARES; k++)
            early += started[i] == timed[k] && started_ns[i] < timed_ns[0];
    assert_int_equal(early, SPARES);
    ct_scheduler_free(scheduler);
    assert_int_equal(children(NULL, 0), 0);
}

/* Builders have opened the device: the runner gets their processes, and nothing is started. */
static void builders_give_their_processes(void **state)
{
    enum { LAST = COUNT - 1 };
    struct ct_scheduler_options options = scheduler_options(SPARES, 60);
    struct ct_scheduler *scheduler;
    struct ct_scheduler_stats stats;
    struct ct_report reports[COUNT];
    struct plan p[COUNT];
    long timed[COUNT];
    uint64_t timed_ns[COUNT];

    (void)state;
    options.spares = SPARES;
    start_log();
    scheduler = new_scheduler(&options);
    for (int i = 0; i < LAST; i++) {
        plan_of(&p[i], i, "good");
        submit(scheduler, (uint64_t)i, &p[i]);
    }
    wait_all(scheduler, reports, LAST);
    release_all(reports, LAST);
    assert_int_equal(children(NULL, 0), 1 + SPARES);
    prepare(scheduler, &p[0], SPARES);
    assert_int_equal(ct_scheduler_prepared(scheduler), SPARES);
    assert_int_equal(children(NULL, 0), 1 + SPARES);
    for (int i = 0; i < SPARES; i++)
        measure_anew(scheduler, &p[0]);
    assert_int_equal(processes_that("launch", timed, timed_ns), 1 + SPARES);
    ct_scheduler_stats_get(scheduler, &stats);
    assert_int_equal(stats.runners_started, 1);
    assert_int_equal(stats.builders_started, SPARES);
    /* Without them builders start anew. */
    plan_of(&p[LAST], LAST, "good");
    submit(scheduler, 0, &p[LAST]);
    wait_all(scheduler, reports, 1);
    assert_status(&reports[0], CT_RESULT_OK);
    ct_outcome_release(&reports[0].outcome);
    ct_scheduler_free(scheduler);
    assert_int_equal(children(NULL, 0), 0);
}

static void unused_processes_end(void **state)
{
    struct ct_scheduler *scheduler = scheduler_with_spares();
    pid_t before[2 * COUNT];
    size_t count;
    struct plan p;

    (void)state;
    plan_of(&p, 0, "good");
    prepare(scheduler, &p, 1);
    assert_int_equal(children(NULL, 0), 0);
    prepare(scheduler, &p, 2);
    assert_int_equal(children(before, 2 * COUNT), 2);
    ct_scheduler_dismiss(scheduler);
    assert_int_equal(children(NULL, 0), 0);
    prepare(scheduler, &p, SPARES);
    /* Some that have died meanwhile are none. */
    count = children(before, 2 * COUNT);
    assert_int_equal(count, SPARES);
    kill(before[0], SIGKILL);
    kill(before[1], SIGSEGV);
    for (int i = 0; i < 2; i++)
        measure_anew(scheduler, &p);
    prepare(scheduler, &p, SPARES);
    ct_scheduler_free(scheduler);
    assert_int_equal(children(NULL, 0), 0);
}

/* Drivers read their environment once. */
static void another_environment_needs_another_process(void **state)
{
    struct ct_scheduler *scheduler = scheduler_with_spares();
    static struct ct_plan_env env[] = {{"CT_TEST_LEVEL", "2"}};
    struct ct_scheduler_stats stats;
    struct plan p;

    (void)state;
    plan_of(&p, 0, "good");
    prepare(scheduler, &p, 2);
    p.plan.env = env;
    p.plan.env_count = 1;
    measure_anew(scheduler, &p);
    ct_scheduler_stats_get(scheduler, &stats);
    assert_int_equal(stats.runners_started, 3);
    measure_anew(scheduler, &p);
    ct_scheduler_free(scheduler);
}

/* Whatever prevents preparing is for the process of the renewal to report. */
static void a_process_that_does_not_open_is_none(void **state)
{
    struct ct_scheduler *scheduler = scheduler_with_spares();
    struct ct_scheduler_stats stats;
    struct plan p;

    (void)state;
    plan_of(&p, 0, "good");
    setenv("CT_TEST_DIE", "1", 1);
    prepare(scheduler, &p, SPARES);
    unsetenv("CT_TEST_DIE");
    assert_int_equal(ct_scheduler_prepared(scheduler), 0);
    assert_int_equal(children(NULL, 0), 0);
    measure_anew(scheduler, &p);
    /* Not tried in vain again. */
    prepare(scheduler, &p, SPARES);
    assert_int_equal(ct_scheduler_prepared(scheduler), 0);
    ct_scheduler_stats_get(scheduler, &stats);
    assert_int_equal(stats.runners_started, 3 * SPARES + 1);
    ct_scheduler_free(scheduler);

    /* The device refuses the second context, for lack of memory, say. */
    scheduler = scheduler_with_spares();
    setenv("VIRTUALCL_COUNTERS", path_of_counters, 1);
    setenv("VIRTUALCL_FAIL", "clCreateContext:1:-5@2", 1);
    prepare(scheduler, &p, SPARES);
    assert_int_equal(ct_scheduler_prepared(scheduler), SPARES - 1);
    for (int i = 0; i < SPARES; i++)
        measure_anew(scheduler, &p);
    unsetenv("VIRTUALCL_FAIL");
    unsetenv("VIRTUALCL_COUNTERS");
    ct_scheduler_free(scheduler);
    assert_int_equal(children(NULL, 0), 0);
}

static int set_up(void **state)
{
    if (set_up_virtual(state))
        return -1;
    snprintf(path_of_counters, sizeof(path_of_counters), "%s/counters", test_folder);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binaries_are_stored),
        cmocka_unit_test(damaged_binaries_are_built_again),
        cmocka_unit_test(many_jobs_begin_with_more_builders),
        cmocka_unit_test(each_fails_for_itself),
        cmocka_unit_test(a_probe_ends_what_is_slower),
        cmocka_unit_test(what_the_first_launch_shows_is_not_measured_again),
        cmocka_unit_test(launches_have_shrinking_deadlines),
        cmocka_unit_test(a_fast_one_that_is_late_is_tried_again),
        cmocka_unit_test(a_dead_device_is_given_up),
        cmocka_unit_test(prepared_processes_are_used),
        cmocka_unit_test(builders_give_their_processes),
        cmocka_unit_test(unused_processes_end),
        cmocka_unit_test(another_environment_needs_another_process),
        cmocka_unit_test(a_process_that_does_not_open_is_none),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT)) {
        if (getenv("CT_TEST_DIE"))
            _exit(77);
        return ct_worker_main();
    }
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
