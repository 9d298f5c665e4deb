// SPDX-License-Identifier: Apache-2.0
// Configurations with the same program, on the virtual driver's device 0: it is compiled once.
#define _GNU_SOURCE // folder.h
#include "copy_reference.h"
#include "worker/worker_main.h"

enum { KINDS = 3, GROUPS = 3, COUNT = KINDS * GROUPS };

/* Compiling takes long enough that four builders would all begin with the same program. */
static const char source[] =
    "#pragma virtual base 50000\n"
    "#pragma virtual add KIND 1 10000\n"
    "#pragma virtual add KIND 2 20000\n"
    "#pragma virtual build_time 50000000\n"
    "#pragma virtual fault MODE bad build_error\n"
    "#pragma virtual fault MODE dead build_segfault\n"
    "kernel void scale(global const float *in, global float *out, uint n, float factor)\n"
    "{\n"
    "    /* RUN */\n"
    "}\n";

static const char *const kinds[KINDS] = {"0", "1", "2"};
static const char *const groups[GROUPS] = {"1", "2", "4"};
static struct ct_plan_macro macros[COUNT][4];
static char run_number[8]; /* each run begins without stored binaries */

/* The source knows nothing of GROUP. */
static void plans_of(struct plan *p, const char *mode)
{
    static int runs;

    snprintf(run_number, sizeof(run_number), "%d", runs++);
    for (size_t i = 0; i < COUNT; i++) {
        macros[i][0] = (struct ct_plan_macro){"KIND", kinds[i / GROUPS]};
        macros[i][1] = (struct ct_plan_macro){"GROUP", groups[i % GROUPS]};
        macros[i][2] = (struct ct_plan_macro){"MODE", mode};
        macros[i][3] = (struct ct_plan_macro){"RUN", run_number};
        copy_plan_init(&p[i], source, macros[i], 4);
        p[i].launch.local[0] = (size_t)1 << i % GROUPS;
    }
}

static void run(const struct ct_scheduler_options *options, const char *mode, bool early,
                enum ct_result_status wanted, struct ct_scheduler_stats *stats)
{
    struct ct_scheduler *scheduler = new_scheduler(options);
    struct ct_report reports[COUNT];
    struct ct_plan plans[COUNT];
    struct plan p[COUNT];
    struct ct_err err = CT_ERR_INIT;

    plans_of(p, mode);
    if (early) {
        for (size_t i = 0; i < COUNT; i++)
            plans[i] = p[i].plan;
        assert_int_equal(ct_scheduler_build_early(scheduler, plans, COUNT, &err), CT_OK);
        /* Alone, while other builders begin with the list. */
        submit_job(scheduler,
                   &(struct ct_job){.plan = &p[0].plan, .alone = true, .full = true});
        wait_all(scheduler, reports, 1);
        assert_status(&reports[0], wanted);
        release_all(reports, 1);
    }
    for (int i = early; i < COUNT; i++)
        submit(scheduler, (uint64_t)(i - early), &p[i]);
    wait_all(scheduler, reports, COUNT - early);
    for (int i = 0; i < COUNT - early; i++) {
        int kind = (i + early) / GROUPS;

        assert_status(&reports[i], wanted);
        assert_int_equal(reports[i].duplicate, CT_DUPLICATE_NONE);
        if (wanted == CT_RESULT_OK)
            assert_true(reports[i].outcome.time_ns == 50000 + 10000 * kind);
    }
    release_all(reports, COUNT - early);
    ct_scheduler_stats_get(scheduler, stats);
    ct_scheduler_free(scheduler);
}

static void the_same_program_is_compiled_once(void **state)
{
    struct ct_scheduler_options options = scheduler_options(4, 60);
    struct ct_scheduler_stats stats;

    (void)state;
    run(&options, "good", false, CT_RESULT_OK, &stats);
    assert_int_equal(stats.built, KINDS);
    assert_int_equal(stats.from_cache, COUNT - KINDS);
}

/* So are those that are compiled while builders have nothing else to do. */
static void also_ahead_of_its_jobs(void **state)
{
    struct ct_scheduler_options options = scheduler_options(4, 60);
    struct ct_scheduler_stats stats;

    (void)state;
    run(&options, "good", true, CT_RESULT_OK, &stats);
    assert_int_equal(stats.built, KINDS);
    assert_int_equal(stats.from_cache, COUNT - KINDS);
    assert_true(stats.early > 0);
}

static void not_without_stored_binaries(void **state)
{
    struct ct_scheduler_options options = scheduler_options(4, 60);
    struct ct_scheduler_stats stats;

    (void)state;
    options.no_cache = true;
    run(&options, "good", false, CT_RESULT_OK, &stats);
    assert_int_equal(stats.built, COUNT);
    assert_int_equal(stats.from_cache, 0);
}

/* Programs need builders, not configurations; without stored binaries each is a program of its own. */
static void builders_are_for_programs(void **state)
{
    struct ct_scheduler_options options = scheduler_options(12, 60);
    struct ct_scheduler_stats stats;

    (void)state;
    options.expected = 64;
    run(&options, "good", true, CT_RESULT_OK, &stats);
    assert_int_equal(stats.built, KINDS);
    assert_in_range(stats.builders_started, 1, 4);
    options.no_cache = true;
    run(&options, "good", true, CT_RESULT_OK, &stats);
    assert_in_range(stats.builders_started, 8, 12);
}

/* The builds from source that a log of the driver has, of programs with parameters. */
static int builds_in(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[1024];
    int count = 0;

    assert_non_null(file);
    while (fgets(line, sizeof(line), file))
        count += strstr(line, " build_begin ") && strstr(line, "KIND=");
    fclose(file);
    return count;
}

/* On a processor, builder and runner build from source, and keep what they have built: a build of
 * each program for either, and one with information on arguments. */
static void workers_keep_what_they_have_built(void **state)
{
    struct ct_scheduler_options options = scheduler_options(1, 60);
    struct ct_scheduler_stats stats;
    char path[96];

    (void)state;
    options.no_duplicates = true;
    snprintf(path, sizeof(path), "%s/builds", test_folder);
    setenv("VIRTUALCL_LOG", path, 1);
    setenv("VIRTUALCL_TYPE", "cpu", 1);
    run(&options, "good", false, CT_RESULT_OK, &stats);
    unsetenv("VIRTUALCL_TYPE");
    unsetenv("VIRTUALCL_LOG");
    assert_int_equal(stats.built, COUNT);
    assert_in_range(builds_in(path), 2 * KINDS, 2 * KINDS + 1);
}

/* On a processor, processes that wait for a contest have built all programs once it begins, and make no
 * other. */
static void prepared_processes_have_built(void **state)
{
    struct ct_scheduler_options options = scheduler_options(1, 60);
    const struct ct_plan *plans[KINDS];
    struct ct_err err = CT_ERR_INIT;
    struct ct_scheduler *scheduler;
    struct ct_report report;
    struct plan p[COUNT];
    char path[96];
    int built;

    (void)state;
    plans_of(p, "good");
    for (size_t i = 0; i < KINDS; i++)
        plans[i] = &p[i * GROUPS].plan;
    snprintf(path, sizeof(path), "%s/prepared", test_folder);
    setenv("VIRTUALCL_LOG", path, 1);
    setenv("VIRTUALCL_TYPE", "cpu", 1);
    options.spares = 2;
    scheduler = new_scheduler(&options);
    assert_int_equal(ct_scheduler_prepare(scheduler, plans, KINDS, 2, &err), CT_OK);
    assert_int_equal(ct_scheduler_prepared(scheduler), 2);
    built = builds_in(path);
    assert_in_range(built, 2 * KINDS, 2 * KINDS + 2);
    for (size_t i = 0; i < 2; i++) {
        ct_scheduler_renew(scheduler);
        for (size_t k = 0; k < KINDS; k++) {
            struct ct_job job = {.plan = plans[k], .full = true, .again = true};

            submit_job(scheduler, &job);
            wait_all(scheduler, &report, 1);
            assert_status(&report, CT_RESULT_OK);
            assert_true(report.outcome.time_ns == 50000 + 10000 * (double)k);
            release_all(&report, 1);
        }
    }
    ct_scheduler_free(scheduler);
    unsetenv("VIRTUALCL_TYPE");
    unsetenv("VIRTUALCL_LOG");
    /* The builder's own. */
    assert_in_range(builds_in(path) - built, KINDS, KINDS + 1);
}

/* What is refused, or kills the compiler, has nothing to store: each fails for itself. */
static void what_fails_has_nothing_to_share(void **state)
{
    struct ct_scheduler_options options = scheduler_options(4, 60);
    struct ct_scheduler_stats stats;

    (void)state;
    run(&options, "bad", false, CT_RESULT_BUILD_FAILED, &stats);
    assert_int_equal(stats.built + stats.from_cache, 0);
    run(&options, "dead", false, CT_RESULT_CRASHED, &stats);
    assert_int_equal(stats.built + stats.from_cache, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_program_is_compiled_once),
        cmocka_unit_test(also_ahead_of_its_jobs),
        cmocka_unit_test(not_without_stored_binaries),
        cmocka_unit_test(builders_are_for_programs),
        cmocka_unit_test(workers_keep_what_they_have_built),
        cmocka_unit_test(prepared_processes_have_built),
        cmocka_unit_test(what_fails_has_nothing_to_share),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT))
        return ct_worker_main();
    return cmocka_run_group_tests(tests, set_up_virtual, remove_folder);
}
