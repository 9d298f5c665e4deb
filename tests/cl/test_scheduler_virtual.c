// SPDX-License-Identifier: Apache-2.0
// A scheduler on the virtual driver's device 0, which is no processor: builders and runner
// work at the same time, binaries are handed over and stored.
#define _GNU_SOURCE // folder.h
#include "copy_reference.h"
#include "worker/worker_main.h"

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
    plan_init(p, "");
    snprintf(kinds[index], sizeof(kinds[index]), "%d", index);
    p->program.source = source;
    p->program.source_hash = ct_hash_bytes(source, sizeof(source));
    macros[index][0] = (struct ct_plan_macro){"KIND", kinds[index]};
    macros[index][1] = (struct ct_plan_macro){"MODE", mode};
    macros[index][2] = (struct ct_plan_macro){"WG", index % 2 ? "4" : "8"};
    p->program.macros = macros[index];
    p->program.macro_count = 3;
    p->launch.local[0] = 4;
    expect_copy(p);
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

/* Launches that lose whatever they do need not be waited for: this one takes 3 s and is
 * given one. */
static void launches_have_shrinking_deadlines(void **state)
{
    struct ct_scheduler_options options = scheduler_options(1, 60);
    struct ct_scheduler *scheduler = new_scheduler(&options);
    struct ct_report report;
    struct plan p;

    (void)state;
    plan_of(&p, 0, "late");
    ct_scheduler_leader(scheduler, 1e6);
    submit(scheduler, 0, &p);
    wait_all(scheduler, &report, 1);
    assert_status(&report, CT_RESULT_TIMEOUT);
    assert_int_equal(report.outcome.phase, CT_PHASE_MEASURE);
    assert_int_equal(report.outcome.deadline_ns, 1000000000);
    ct_outcome_release(&report.outcome);
    ct_scheduler_free(scheduler);
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

static int set_up(void **state)
{
    if (set_up_folder(state) || !use_virtual_driver())
        return -1;
    write_copy_reference();
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binaries_are_stored),
        cmocka_unit_test(damaged_binaries_are_built_again),
        cmocka_unit_test(each_fails_for_itself),
        cmocka_unit_test(launches_have_shrinking_deadlines),
        cmocka_unit_test(a_dead_device_is_given_up),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT)) {
        if (getenv("CT_TEST_DIE"))
            _exit(77);
        return ct_worker_main();
    }
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
