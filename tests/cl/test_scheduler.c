// SPDX-License-Identifier: Apache-2.0
// A scheduler of builders and a runner on device 0: what they do side by side, and how they
// survive what configurations do to them.
#define _GNU_SOURCE // folder.h
#include "scheduler_plan.h"
#include "worker/worker_main.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { MANY = 10 };

/* Plans that differ in a macro which their source knows; no two are the same program. */
static const char many_source[] =
    "kernel void scale(global const float *in, global float *out, uint n, float factor)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    float x = i < n ? in[i] * factor : 0;\n"
    "    for (int k = 0; k < KIND; k++) x = x + 0 * in[(i + k) % n];\n"
    "    if (i < n) out[i] = x;\n"
    "}\n";

static char kinds[MANY][8];

static void plan_of_kind(struct plan *p, int kind)
{
    plan_init(p, "");
    snprintf(kinds[kind], sizeof(kinds[kind]), "%d", kind);
    p->program.source = many_source;
    p->program.source_hash = ct_hash_bytes(many_source, sizeof(many_source));
    p->macros[0] = (struct ct_plan_macro){"KIND", kinds[kind]};
}

static void all_are_measured(void **state)
{
    struct ct_scheduler_options options = scheduler_options(2, 60);
    struct ct_scheduler *scheduler = new_scheduler(&options);
    struct ct_report reports[MANY];
    struct ct_scheduler_stats stats;
    struct plan p[MANY];

    (void)state;
    assert_true(ct_scheduler_capacity(scheduler) >= 2);
    for (int i = 0; i < MANY; i++) {
        plan_of_kind(&p[i], i);
        submit(scheduler, (uint64_t)i, &p[i]);
    }
    wait_all(scheduler, reports, MANY);
    ct_scheduler_stats_get(scheduler, &stats);
    for (int i = 0; i < MANY; i++) {
        assert_status(&reports[i], CT_RESULT_OK);
        assert_true(reports[i].outcome.verified);
        assert_true(reports[i].outcome.time_ns > 0);
        assert_int_equal(reports[i].outcome.fact_count, 1);
        assert_true(reports[i].outcome.spent_ns[CT_PHASE_BUILD] > 0);
    }
    assert_int_equal(stats.jobs, 2);
    assert_int_equal(stats.builders_started, 2);
    assert_int_equal(stats.runners_started, 1);
    assert_int_equal(stats.built + stats.from_cache, MANY);
    assert_int_equal(stats.macro_duplicates, 0);
    assert_int_equal(stats.measured + stats.binary_duplicates, MANY);
    assert_true(stats.loaded <= stats.measured);
    release_all(reports, MANY);
    ct_scheduler_free(scheduler);
    assert_int_equal(children(NULL, 0), 0);
}

/* On a processor the sum of what builders spent exceeds the time during which any of them
 * worked only if they worked at the same time. */
static void builders_work_side_by_side(void **state)
{
    struct ct_scheduler_options options = scheduler_options(2, 60);
    struct ct_scheduler *scheduler;
    struct ct_report reports[MANY];
    struct ct_scheduler_stats stats;
    uint64_t building_ns;
    struct plan p[MANY];

    (void)state;
    own_driver_cache(); /* nothing is compiled yet */
    scheduler = new_scheduler(&options);
    for (int i = 0; i < MANY; i++) {
        plan_of_kind(&p[i], i);
        p[i].program.options = "-cl-std=CL1.2 -DSIDE_BY_SIDE";
        submit(scheduler, (uint64_t)i, &p[i]);
    }
    wait_all(scheduler, reports, MANY);
    ct_scheduler_stats_get(scheduler, &stats);
    building_ns = stats.spent_ns[CT_PHASE_BUILD] + stats.spent_ns[CT_PHASE_FIRST];
    assert_true(building_ns > stats.build_wall_ns);
    release_all(reports, MANY);
    ct_scheduler_free(scheduler);
    shared_driver_cache();
}

/* Every way to fail, and good ones between them. */
static void each_fails_for_itself(void **state)
{
    static const struct {
        const char *mode;
        enum ct_result_status status;
    } cases[] = {
        {"", CT_RESULT_OK},
        {"syntax", CT_RESULT_BUILD_FAILED},
        {"wild", CT_RESULT_CRASHED},
        {"last", CT_RESULT_WRONG},
        {"unchecked", CT_RESULT_WRONG},
        {"past", CT_RESULT_WRONG},
        {"endless", CT_RESULT_TIMEOUT},
        {"nan", CT_RESULT_WRONG},
        {"const", CT_RESULT_OK},
    };
    enum { COUNT = sizeof(cases) / sizeof(*cases) };
    static char names[COUNT][32];
    struct ct_scheduler_options options = scheduler_options(2, 2);
    struct ct_scheduler *scheduler;
    struct ct_report reports[COUNT];
    struct plan p[COUNT];

    (void)state;
    /* Which of the duplicates would be reported is another test's business. */
    options.no_duplicates = true;
    scheduler = new_scheduler(&options);
    for (int i = 0; i < COUNT; i++) {
        plan_init(&p[i], cases[i].mode);
        snprintf(names[i], sizeof(names[i]), "MODE_%s",
                 *cases[i].mode ? cases[i].mode : "none");
        p[i].macros[0].name = names[i];
        submit(scheduler, (uint64_t)i, &p[i]);
    }
    wait_all(scheduler, reports, COUNT);
    for (int i = 0; i < COUNT; i++)
        if (cases[i].status != CT_RESULT_OK || !*cases[i].mode)
            assert_status(&reports[i], cases[i].status);
    assert_int_equal(reports[6].outcome.deadline_ns, 2000000000);
    release_all(reports, COUNT);
    ct_scheduler_free(scheduler);
    assert_int_equal(children(NULL, 0), 0);
}

/* A compiler that takes more memory than it may. */
static void memory_has_a_limit(void **state)
{
    struct ct_scheduler_options options = scheduler_options(1, 60);
    struct ct_scheduler *scheduler;
    struct ct_report report;
    struct plan p;

    (void)state;
    options.builder_memory_bytes = 1 << 20; /* less than any driver takes */
    scheduler = new_scheduler(&options);
    plan_of_kind(&p, 3);
    p.program.options = "-cl-std=CL1.2 -DLARGE";
    submit(scheduler, 0, &p);
    wait_all(scheduler, &report, 1);
    assert_status(&report, CT_RESULT_BUILD_FAILED);
    assert_contains(report.outcome.message, "1 MiB of memory");
    ct_outcome_release(&report.outcome);
    ct_scheduler_free(scheduler);
}

/* A suspect runs when nothing else is in hand. */
static void suspects_are_alone(void **state)
{
    struct ct_scheduler_options options = scheduler_options(2, 60);
    struct ct_scheduler *scheduler = new_scheduler(&options);
    struct ct_err err = CT_ERR_INIT;
    struct plan p[4];
    uint64_t order[4];

    (void)state;
    for (int i = 0; i < 4; i++) {
        plan_of_kind(&p[i], i);
        submit_job(
            scheduler,
            &(struct ct_job){.ticket = (uint64_t)i, .plan = &p[i].plan, .alone = i == 1});
    }
    for (int i = 0; i < 4; i++) {
        struct ct_report report;

        if (ct_scheduler_wait(scheduler, &report, &err))
            fail_msg("%s", err.message);
        order[i] = report.ticket;
        /* Batches end with a suspect and begin after it. */
        if (i == 1)
            assert_int_equal(ct_scheduler_ready(scheduler), 0);
        assert_status(&report, CT_RESULT_OK);
        ct_outcome_release(&report.outcome);
    }
    assert_int_equal(order[0], 0);
    assert_int_equal(order[1], 1);
    ct_scheduler_free(scheduler);
}

static size_t calls_of(const char *path)
{
    FILE *file = fopen(path, "r");
    size_t count = 0;

    while (file && getc(file) != EOF)
        count++;
    if (file)
        fclose(file);
    return count;
}

/* A reference that leaves a mark every time it is called. */
static void reference_is_run_once(void **state)
{
    struct ct_scheduler_options options = scheduler_options(2, 60);
    struct ct_scheduler *scheduler = new_scheduler(&options);
    struct ct_report reports[4];
    struct ct_scheduler_stats stats;
    struct plan p[4];
    char marks[96];
    char path[96];
    char text[600];

    (void)state;
    snprintf(marks, sizeof(marks), "%s/marks", test_folder);
    snprintf(path, sizeof(path), "%s/marking.c", test_folder);
    snprintf(text, sizeof(text),
             "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n"
             "void scale(const float *in, float *out, uint32_t n, float factor)\n"
             "{\n"
             "    FILE *file = fopen(\"%s\", \"a\");\n"
             "    if (file) { putc('x', file); fclose(file); }\n"
             "    for (size_t i = 0; i < n; i++) out[i] = factor * in[i];\n"
             "}\n",
             marks);
    write_file(path, text);
    for (int i = 0; i < 4; i++) {
        plan_init(&p[i], "");
        if (i)
            plan_of_kind(&p[i], i);
        p[i].plan.reference.c_path = path;
        p[i].plan.reference.c_hash = ct_hash_bytes(text, strlen(text));
        submit(scheduler, (uint64_t)i, &p[i]);
    }
    /* A write outside its buffer, which costs the runner. */
    p[1].args[2] = scalar(CT_T_UINT, PLAN_COUNT + 1);
    wait_all(scheduler, reports, 2 + 2);
    ct_scheduler_stats_get(scheduler, &stats);
    assert_status(&reports[0], CT_RESULT_OK);
    assert_status(&reports[1], CT_RESULT_WRONG);
    assert_status(&reports[2], CT_RESULT_OK);
    assert_status(&reports[3], CT_RESULT_OK);
    assert_true(reports[3].outcome.verified);
    release_all(reports, 4);
    assert_int_equal(calls_of(marks), 1);
    ct_scheduler_free(scheduler);
    assert_int_equal(children(NULL, 0), 0);
}

/* The runner is killed and comes back with what the one before it has computed. */
static void a_new_runner_computes_no_reference(void **state)
{
    struct ct_runner *runner = runner_new();
    struct plan p;
    pid_t worker;
    char marks[96];
    char path[96];
    char text[600];

    (void)state;
    snprintf(marks, sizeof(marks), "%s/more-marks", test_folder);
    snprintf(path, sizeof(path), "%s/marking-too.c", test_folder);
    snprintf(text, sizeof(text),
             "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n"
             "void scale(const float *in, float *out, uint32_t n, float factor)\n"
             "{\n"
             "    FILE *file = fopen(\"%s\", \"a\");\n"
             "    if (file) { putc('x', file); fclose(file); }\n"
             "    for (size_t i = 0; i < n; i++) out[i] = factor * in[i];\n"
             "}\n",
             marks);
    write_file(path, text);
    plan_init(&p, "");
    p.plan.reference.c_path = path;
    p.plan.reference.c_hash = ct_hash_bytes(text, strlen(text));
    expect_only(runner, &p, CT_RESULT_OK);
    assert_int_equal(children(&worker, 1), 1);
    assert_int_equal(kill(worker, SIGKILL), 0);
    expect_only(runner, &p, CT_RESULT_OK);
    assert_int_equal(calls_of(marks), 1);
    /* And what it was given is true. */
    plan_init(&p, "last");
    p.plan.reference.c_path = path;
    p.plan.reference.c_hash = ct_hash_bytes(text, strlen(text));
    expect_only(runner, &p, CT_RESULT_WRONG);
    assert_int_equal(calls_of(marks), 1);
    ct_runner_free(runner);
}

/* A reference that does not compile is everybody's error; what was done is reported. */
static void errors_come_last(void **state)
{
    struct ct_scheduler_options options = scheduler_options(2, 60);
    struct ct_scheduler *scheduler = new_scheduler(&options);
    struct ct_report report;
    struct ct_err err = CT_ERR_INIT;
    struct plan good;
    struct plan bad;

    (void)state;
    plan_of_kind(&good, 1);
    plan_of_kind(&bad, 2);
    bad.plan.reference.function = "no_such_function";
    submit_job(scheduler, &(struct ct_job){.ticket = 1, .plan = &good.plan});
    submit_job(scheduler,
               &(struct ct_job){.ticket = 2, .plan = &bad.plan, .alone = true});
    assert_int_equal(ct_scheduler_wait(scheduler, &report, &err), CT_OK);
    assert_int_equal(report.ticket, 1);
    ct_outcome_release(&report.outcome);
    assert_int_equal(ct_scheduler_wait(scheduler, &report, &err), CT_E_SPEC);
    assert_contains(err.message, "no_such_function");
    ct_scheduler_free(scheduler);
    assert_int_equal(children(NULL, 0), 0);
}

static void on_alarm(int number)
{
    (void)number;
    ct_measure_interrupt(); // NOLINT(bugprone-signal-handler,cert-sig30-c): made for it
}

/* In a process of its own: an interrupt is for ever. */
static void interrupt_ends_the_wait(void **state)
{
    pid_t child;
    int status;

    (void)state;
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct ct_scheduler_options options = scheduler_options(2, 300);
        struct ct_scheduler *scheduler = new_scheduler(&options);
        struct ct_err err = CT_ERR_INIT;
        struct ct_report report;
        struct plan good;
        struct plan endless;

        plan_of_kind(&good, 1);
        plan_init(&endless, "endless");
        submit(scheduler, 1, &good);
        submit(scheduler, 2, &endless);
        signal(SIGALRM, on_alarm);
        alarm(4);
        /* On a processor nothing is built for the runner when the alarm comes; elsewhere
         * the good one may have been measured. */
        while (ct_scheduler_wait(scheduler, &report, &err) == CT_OK)
            ct_outcome_release(&report.outcome);
        if (err.code != CT_E_INTERRUPTED ||
            ct_scheduler_wait(scheduler, &report, &err) != CT_E_INTERRUPTED)
            _exit(1);
        ct_scheduler_free(scheduler);
        _exit(children(NULL, 0) ? 2 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* Entries of a folder whose names begin like that; 0 when there is no such folder. */
static size_t entries(const char *folder, const char *prefix)
{
    DIR *dir = opendir(folder);
    size_t count = 0;

    for (struct dirent *entry; dir && (entry = readdir(dir));)
        count +=
            entry->d_name[0] != '.' && !strncmp(entry->d_name, prefix, strlen(prefix));
    if (dir)
        closedir(dir);
    return count;
}

/* The main process is killed while everybody is busy. */
static void nothing_is_left_behind(void **state)
{
    struct ct_scheduler_options options = scheduler_options(2, 300);
    struct ct_report report;
    struct ct_scheduler *scheduler;
    struct plan p;
    pid_t workers[8];
    size_t count;
    pid_t child;
    char tmp[96];
    char driver[96];

    (void)state;
    own_driver_cache();
    snprintf(tmp, sizeof(tmp), "%s/tmp", test_folder);
    snprintf(driver, sizeof(driver), "%s/cache/cltune/pocl", test_folder);
    assert_int_equal(mkdir(tmp, 0700), 0);
    setenv("TMPDIR", tmp, 1);
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct plan endless[2];

        scheduler = new_scheduler(&options);
        for (int i = 0; i < 2; i++) {
            plan_init(&endless[i], "endless");
            endless[i].program.options = i ? "-cl-std=CL1.2" : "-cl-std=CL1.2 -w";
            submit(scheduler, (uint64_t)i, &endless[i]);
        }
        ct_scheduler_wait(scheduler, &report, NULL);
        _exit(0);
    }
    while (children_of(child, workers, 8) < 2)
        usleep(10000);
    sleep(2); /* somewhere in the middle of it */
    count = children_of(child, workers, 8);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    for (size_t i = 0; i < count && i < 8; i++)
        while (!kill(workers[i], 0))
            usleep(10000);
    /* What drivers and compilers have left goes with the next one. */
    options.jobs = 1;
    scheduler = new_scheduler(&options);
    plan_of_kind(&p, 1);
    submit(scheduler, 0, &p);
    wait_all(scheduler, &report, 1);
    assert_status(&report, CT_RESULT_OK);
    ct_outcome_release(&report.outcome);
    ct_scheduler_free(scheduler);
    assert_int_equal(entries(tmp, ""), 0);
    assert_int_equal(entries(driver, "tempfile_"), 0);
    unsetenv("TMPDIR");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_measured),
        cmocka_unit_test(builders_work_side_by_side),
        cmocka_unit_test(each_fails_for_itself),
        cmocka_unit_test(memory_has_a_limit),
        cmocka_unit_test(suspects_are_alone),
        cmocka_unit_test(reference_is_run_once),
        cmocka_unit_test(a_new_runner_computes_no_reference),
        cmocka_unit_test(errors_come_last),
        cmocka_unit_test(interrupt_ends_the_wait),
        cmocka_unit_test(nothing_is_left_behind),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT))
        return ct_worker_main();
    return cmocka_run_group_tests(tests, set_up_folder, remove_folder);
}
