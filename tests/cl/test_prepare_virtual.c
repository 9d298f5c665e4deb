// SPDX-License-Identifier: Apache-2.0
// The runner makes the data of the first plan while builders build it: on the virtual driver's device
// 0, whose builds hang on request, with references that note each call in a file.
#define _GNU_SOURCE // folder.h
#include "copy_reference.h"
#include "worker/worker_main.h"

static const char source[] =
    "#pragma virtual base 50000\n"
    "#pragma virtual fault MODE hang build_hang\n"
    "#pragma virtual fault MODE bad build_error\n"
    "kernel void scale(global const float *in, global float *out, uint n, float factor)\n"
    "{\n"
    "}\n";

static char calls_path[128];
static char text[2000];
static struct ct_plan_macro macro;

/* A plan whose reference notes a call, then runs `what` before it copies. */
static void plan_of(struct plan *p, const char *mode, const char *what)
{
    plan_init(p, "");
    p->program.source = source;
    p->program.source_hash = ct_hash_bytes(source, sizeof(source));
    macro = (struct ct_plan_macro){"MODE", mode};
    p->program.macros = &macro;
    p->program.macro_count = 1;
    p->launch.local[0] = 4;
    snprintf(text, sizeof(text),
             "#define _DEFAULT_SOURCE\n"
             "#include <fcntl.h>\n#include <stdint.h>\n#include <stdlib.h>\n"
             "#include <sys/stat.h>\n#include <unistd.h>\n"
             "void scale(const float *in, float *out, uint32_t n, float factor)\n"
             "{\n"
             "    struct stat info = {0};\n"
             "    int fd = open(\"%s\", O_CREAT | O_WRONLY | O_APPEND, 0600);\n"
             "    int calls = (int)write(fd, \"x\", 1);\n"
             "    fstat(fd, &info);\n"
             "    calls = (int)info.st_size;\n"
             "    close(fd);\n"
             "    (void)factor;\n"
             "    (void)calls;\n"
             "    %s\n"
             "    for (uint32_t i = 0; i < n; i++) out[i] = in[i];\n"
             "}\n",
             calls_path, what);
    write_file(path_of_copy, text);
    p->plan.reference.c_path = path_of_copy;
    p->plan.reference.c_hash = ct_hash_bytes(text, strlen(text));
    unlink(calls_path);
}

static long calls(void)
{
    FILE *file = fopen(calls_path, "r");
    long count = 0;

    if (!file)
        return 0;
    while (getc(file) != EOF)
        count++;
    fclose(file);
    return count;
}

/* The outcome of one job, or its error. */
static enum ct_status run_one(struct plan *p, const struct ct_deadlines *deadlines,
                              struct ct_report *report, struct ct_err *err)
{
    struct ct_scheduler_options options = scheduler_options(1, 60);
    struct ct_scheduler *scheduler;
    enum ct_status status;

    options.no_cache = true;
    if (deadlines)
        options.deadlines = *deadlines;
    scheduler = new_scheduler(&options);
    submit_job(scheduler,
               &(struct ct_job){.plan = &p->plan, .full = true, .alone = true});
    status = ct_scheduler_wait(scheduler, report, err);
    ct_scheduler_free(scheduler);
    assert_int_equal(children(NULL, 0), 0);
    return status;
}

static struct ct_deadlines build_deadline(double seconds)
{
    struct ct_deadlines deadlines = ct_deadlines_default(60);

    deadlines.ns[CT_PHASE_BUILD] = (uint64_t)(seconds * 1e9);
    return deadlines;
}

/* Nothing is ever built, so nothing but the preparation can have called the reference. */
static void data_are_made_while_a_build_runs(void **state)
{
    struct ct_deadlines deadlines = build_deadline(6);
    struct ct_report report;
    struct plan p;

    (void)state;
    plan_of(&p, "hang", "");
    assert_int_equal(run_one(&p, &deadlines, &report, NULL), CT_OK);
    assert_status(&report, CT_RESULT_TIMEOUT);
    assert_int_equal(report.outcome.phase, CT_PHASE_BUILD);
    assert_true(calls() > 0);
    ct_outcome_release(&report.outcome);
}

/* On a CPU device builders have the processors. */
static void not_on_cpu_devices(void **state)
{
    struct ct_deadlines deadlines = build_deadline(2);
    struct ct_report report;
    struct plan p;

    (void)state;
    setenv("VIRTUALCL_TYPE", "cpu", 1);
    plan_of(&p, "hang", "");
    assert_int_equal(run_one(&p, &deadlines, &report, NULL), CT_OK);
    assert_status(&report, CT_RESULT_TIMEOUT);
    assert_int_equal(calls(), 0);
    ct_outcome_release(&report.outcome);
    unsetenv("VIRTUALCL_TYPE");
}

/* The evaluation takes what was prepared. */
static void data_are_made_once(void **state)
{
    struct ct_report report;
    struct plan p;

    (void)state;
    plan_of(&p, "good", "");
    assert_int_equal(run_one(&p, NULL, &report, NULL), CT_OK);
    assert_status(&report, CT_RESULT_OK);
    assert_true(report.outcome.verified);
    assert_int_equal(calls(), 1);
    ct_outcome_release(&report.outcome);
}

/* A process that dies while it prepares is replaced, and no configuration is blamed. */
static void a_death_is_nobodys(void **state)
{
    struct ct_report report;
    struct plan p;

    (void)state;
    plan_of(&p, "good", "if (calls == 1) abort();");
    assert_int_equal(run_one(&p, NULL, &report, NULL), CT_OK);
    assert_status(&report, CT_RESULT_OK);
    assert_int_equal(calls(), 2);
    ct_outcome_release(&report.outcome);
}

/* What lasts is reported as the evaluation's, and only if there is one. */
static void failures_are_reported_once(void **state)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_report report;
    struct plan p;

    (void)state;
    plan_of(&p, "good", "abort();");
    assert_int_equal(run_one(&p, NULL, &report, &err), CT_E_SPEC);
    assert_contains(err.message, "the reference scale in ");
    assert_contains(err.message, " crashed: the worker ");
    assert_int_equal(calls(), 2);
    plan_of(&p, "bad", "abort();");
    assert_int_equal(run_one(&p, NULL, &report, &err), CT_OK);
    assert_status(&report, CT_RESULT_BUILD_FAILED);
    ct_outcome_release(&report.outcome);
}

/* A reference that hangs is waited for once. */
static void deadlines_hold_once(void **state)
{
    struct ct_deadlines deadlines = ct_deadlines_default(60);
    struct ct_err err = CT_ERR_INIT;
    struct ct_report report;
    struct plan p;

    (void)state;
    deadlines.ns[CT_PHASE_DATA] = 2000000000;
    plan_of(&p, "good", "sleep(600);");
    assert_int_equal(run_one(&p, &deadlines, &report, &err), CT_E_SPEC);
    assert_contains(err.message, " was not finished after 2 s");
    assert_int_equal(calls(), 1);
}

static int set_up(void **state)
{
    if (set_up_virtual(state))
        return -1;
    snprintf(calls_path, sizeof(calls_path), "%s/calls", test_folder);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_are_made_while_a_build_runs),
        cmocka_unit_test(not_on_cpu_devices),
        cmocka_unit_test(data_are_made_once),
        cmocka_unit_test(a_death_is_nobodys),
        cmocka_unit_test(failures_are_reported_once),
        cmocka_unit_test(deadlines_hold_once),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT))
        return ct_worker_main();
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
