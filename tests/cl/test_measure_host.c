// SPDX-License-Identifier: Apache-2.0
// References and baselines: C code compiled on demand, right, wrong and crashing.
#define _GNU_SOURCE // folder.h
#include "measure_plan.h"
#include "worker/worker_main.h"

#include "worker/host/host.h"

#include <dirent.h>
#include <sys/stat.h>

static struct ct_runner *runner;

/* A plan whose reference is `function` of another file with that text. */
static void plan_with_reference(struct plan *p, const char *text, const char *function)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/other.c", test_folder);
    write_file(path, text);
    plan_init(p, "");
    p->plan.reference.c_path = path;
    p->plan.reference.function = function;
    p->plan.reference.c_hash = ct_hash_bytes(text, strlen(text));
}

static void reference_that_does_not_compile(void **state)
{
    struct plan p;

    (void)state;
    plan_with_reference(&p, "#include <nowhere.h>\n", "scale");
    expect_error(runner, &p, CT_E_SPEC,
                 (const char *[]){"the reference does not compile", "nowhere.h", NULL});
    plan_with_reference(&p, "void scale(void) { @ }\n", "scale");
    expect_error(runner, &p, CT_E_SPEC, (const char *[]){"other.c:1", "error", NULL});
    plan_with_reference(&p, "\n", "scale");
    expect_error(runner, &p, CT_E_SPEC, (const char *[]){"args of [reference]", NULL});
}

static void compiler_checks_the_arguments(void **state)
{
    struct plan p;

    (void)state;
    plan_with_reference(&p, "void scale(const float *in, float *out);\n", "scale");
    expect_error(runner, &p, CT_E_SPEC,
                 (const char *[]){"args of [reference]", "too many arguments", NULL});
    plan_with_reference(
        &p, "void scale(const float *in, float *out, const float *n, float f);\n",
        "scale");
    expect_error(runner, &p, CT_E_SPEC, (const char *[]){"args of [reference]", NULL});
    plan_with_reference(
        &p, "void scale(const float *in, int out, unsigned n, float f);\n", "scale");
    expect_error(runner, &p, CT_E_SPEC, (const char *[]){"args of [reference]", NULL});
    plan_with_reference(&p, "void scale(const float *i, float *o, unsigned n, int f);\n",
                        "scale");
    expect_error(runner, &p, CT_E_SPEC, (const char *[]){"args of [reference]", NULL});
    plan_with_reference(
        &p, "void scale(const double *i, float *o, unsigned n, float f);\n", "scale");
    expect_error(runner, &p, CT_E_SPEC,
                 (const char *[]){"args of [reference]", "incompatible", NULL});
    plan_with_reference(
        &p, "void scale(const float *i, unsigned *o, unsigned n, float f);\n", "scale");
    expect_error(runner, &p, CT_E_SPEC,
                 (const char *[]){"args of [reference]", "incompatible", NULL});
}

/* Sign is nobody's business, vectors are pointers to their components, halves have no
 * type that every compiler knows, and void takes everything. */
static void pointers_may_differ_in_little(void **state)
{
    static const struct {
        struct ct_type type;
        const char *pointer;
    } cases[] = {
        {{CT_T_FLOAT, 1}, "void"},
        {{CT_T_FLOAT, 2}, "float"},
        {{CT_T_UINT, 1}, "int"},
        {{CT_T_INT, 1}, "unsigned"},
        {{CT_T_CHAR, 1}, "char"},
        {{CT_T_UCHAR, 1}, "char"},
        {{CT_T_UCHAR, 4}, "unsigned char"},
        {{CT_T_HALF, 1}, "unsigned short"},
        {{CT_T_LONG, 1}, "int64_t"},
        {{CT_T_ULONG, 1}, "int64_t"},
        {{CT_T_DOUBLE, 2}, "double"},
        {{CT_T_HALF, 2}, "struct any_half"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[300];
        struct plan p;
        struct ct_err err = CT_ERR_INIT;
        struct ct_host_code *code = NULL;

        snprintf(text, sizeof(text),
                 "#include <stdint.h>\n"
                 "struct any_half;\n"
                 "void scale(const %s *i, float *o, unsigned n, float f);\n"
                 "void scale(const %s *i, float *o, unsigned n, float f)\n"
                 "{ (void)i; (void)o; (void)n; (void)f; }\n",
                 cases[i].pointer, cases[i].pointer);
        plan_with_reference(&p, text, "scale");
        p.buffers[0].type = cases[i].type;
        if (ct_host_load(NULL, &p.plan, CT_HOST_REFERENCE, &code, &err))
            fail_msg("%s: %s", cases[i].pointer, err.message);
        ct_host_free(code);
    }
}

/* What is searched for must be one thing from beginning to end. */
static void changed_file_is_not_compiled(void **state)
{
    struct ct_runner *other = runner_new();
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct ct_err err = CT_ERR_INIT;
    struct plan p;

    (void)state;
    plan_with_reference(&p, scale_reference, "scale");
    write_file(p.plan.reference.c_path,
               "void scale(const float *in, float *out, unsigned n, float f)\n"
               "{ while (n--) out[n] = f * in[n]; }\n");
    expect_error(other, &p, CT_E_SPEC,
                 (const char *[]){"the reference", "other.c",
                                  "changed while the search was running", NULL});
    p.plan.baseline = p.plan.reference;
    p.plan.reference.function = NULL;
    assert_int_equal(ct_runner_baseline(other, &p.plan, &how, &outcome, &err), CT_E_SPEC);
    assert_contains(err.message, "the baseline");
    assert_contains(err.message, "changed while");
    assert_int_equal(unlink(p.plan.reference.c_path), 0);
    plan_init(&p, "");
    expect_only(other, &p, CT_RESULT_OK);
    ct_runner_free(other);
}

static void function_of_a_missing_library(void **state)
{
    struct plan p;

    (void)state;
    plan_with_reference(&p,
                        "void far_away(void);\n"
                        "void scale(const float *in, float *out, unsigned n, float f);\n"
                        "void scale(const float *in, float *out, unsigned n, float f)\n"
                        "{ (void)in; (void)out; (void)n; (void)f; far_away(); }\n",
                        "scale");
    expect_error(runner, &p, CT_E_SPEC, (const char *[]){"far_away", "libs", NULL});
    p.plan.reference.libs = "-lno_such_library";
    expect_error(runner, &p, CT_E_SPEC, (const char *[]){"no_such_library", NULL});
}

static void reference_that_crashes(void **state)
{
    struct plan p;

    (void)state;
    plan_init(&p, "");
    p.plan.reference.function = "crash";
    expect_error(runner, &p, CT_E_SPEC,
                 (const char *[]){"the reference crash", "crashed", NULL});
    plan_init(&p, "");
    expect_only(runner, &p, CT_RESULT_OK);
}

static char slow_who[256];
static double slow_limit_s;
static unsigned slow_count;

static void note_slow(void *user, const char *who, double limit_s)
{
    unsigned *count = user;

    snprintf(slow_who, sizeof(slow_who), "%s", who);
    slow_limit_s = limit_s;
    (*count)++;
}

static void reference_that_hangs(void **state)
{
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct ct_err err = CT_ERR_INIT;
    struct plan p;

    (void)state;
    plan_init(&p, "");
    p.plan.reference.function = "forever";
    how.deadlines.ns[CT_PHASE_DATA] = 2000000000;
    assert_int_equal(ct_runner_evaluate(runner, &p.plan, &how, &outcome, &err),
                     CT_E_SPEC);
    assert_contains(err.message, "the reference forever");
    assert_contains(err.message, "not finished after 2 s");
    assert_contains(err.message, "--timeout");
}

/* A reference that takes its time is named while it runs, once a runner. */
static void slow_reference_is_reported(void **state)
{
    struct ct_measure_options how = options(60);
    struct ct_runner *own = runner_new();
    struct ct_outcome outcome;
    struct plan p;

    (void)state;
    how.slow = note_slow;
    how.slow_user = &slow_count;
    how.slow_after_ns = (uint64_t)60 * 1000000000;
    plan_init(&p, "");
    expect(own, &p, &how, CT_RESULT_OK, &outcome);
    ct_outcome_release(&outcome);
    assert_int_equal(slow_count, 0);
    how.slow_after_ns = 1000000;
    how.deadlines.ns[CT_PHASE_DATA] = 1500000000;
    p.plan.reference.function = "forever";
    for (int i = 0; i < 2; i++)
        assert_int_equal(ct_runner_evaluate(own, &p.plan, &how, &outcome, NULL),
                         CT_E_SPEC);
    ct_runner_free(own);
    assert_int_equal(slow_count, 1);
    assert_contains(slow_who, "the reference forever in ");
    assert_true(slow_limit_s == 1.5);
}

static void reference_that_writes_outside(void **state)
{
    struct plan p;

    (void)state;
    plan_init(&p, "");
    p.plan.reference.function = "outside";
    expect_error(runner, &p, CT_E_SPEC, (const char *[]){"outside buffer out", NULL});
}

/* Vectors come as pointers to their components, everything else by value. */
static void arguments_arrive(void **state)
{
    struct plan p;
    struct ct_plan_arg args[6];
    struct ct_plan_arg four = {.kind = CT_ARG_SCALAR, .type = {CT_T_FLOAT, 4}};

    (void)state;
    for (size_t i = 0; i < 4; i++)
        ct_scalar_store(CT_T_FLOAT, four.bytes, i, (double)i + 1);
    plan_with_reference(
        &p,
        "#include <stdint.h>\n"
        "void scale(float *out, double d, int64_t l, const float *v, int8_t c, "
        "const float *in);\n"
        "void scale(float *out, double d, int64_t l, const float *v, int8_t c, "
        "const float *in)\n"
        "{\n"
        "    int good = d == 0.5 && l == -5000000000 && v[3] == 4 && c == -3;\n"
        "    for (int i = 0; i < 1000; i++) out[i] = good ? 3 * in[i] : 0;\n"
        "}\n",
        "scale");
    args[0] = p.args[1];
    args[1] = scalar(CT_T_DOUBLE, 0.5);
    args[2] = scalar(CT_T_LONG, -5e9);
    args[3] = four;
    args[4] = scalar(CT_T_CHAR, -3);
    args[5] = p.args[0];
    p.plan.reference.args = args;
    p.plan.reference.arg_count = 6;
    expect_only(runner, &p, CT_RESULT_OK);
}

static size_t files_in(const char *folder, const char *ending)
{
    char path[160];
    DIR *dir;
    size_t count = 0;

    snprintf(path, sizeof(path), "%s/cache/cltune/%s", test_folder, folder);
    dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        count += strlen(entry->d_name) > strlen(ending) &&
                 !strcmp(entry->d_name + strlen(entry->d_name) - strlen(ending), ending);
    if (dir)
        closedir(dir);
    return count;
}

static void compiled_code_is_cached(void **state)
{
    struct ct_runner *other = runner_new();
    size_t before;
    struct plan p;

    (void)state;
    plan_init(&p, "");
    expect_only(runner, &p, CT_RESULT_OK);
    before = files_in("host", ".so");
    assert_true(before > 0);
    expect_only(other, &p, CT_RESULT_OK);
    assert_int_equal(files_in("host", ".so"), before);
    /* Compiled anew once what it includes has changed. */
    plan_with_reference(&p, "#include \"part.h\"\n", "scale");
    {
        char part[128];

        snprintf(part, sizeof(part), "%s/part.h", test_folder);
        write_file(part, scale_reference);
        expect_only(other, &p, CT_RESULT_OK);
        assert_int_equal(files_in("host", ".so"), before + 1);
        ct_runner_free(other);
        other = runner_new();
        write_file(part,
                   "#include <stdint.h>\n"
                   "static void scale(const float *i, float *o, uint32_t n, float f)\n"
                   "{ (void)i; (void)f; while (n--) o[n] = 5; }\n");
        expect_only(other, &p, CT_RESULT_WRONG);
        assert_int_equal(files_in("host", ".so"), before + 2);
    }
    assert_int_equal(files_in("host", ".part"), 0);
    ct_runner_free(other);
}

/* Cuts the file, or fills it with zeros. */
static void damage(const char *path, int how)
{
    struct stat info;

    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(truncate(path, how == 0 ? info.st_size / 2 : how == 1 ? 20 : 0), 0);
    if (how == 3)
        assert_int_equal(truncate(path, info.st_size), 0);
}

static void damaged_cache_is_made_anew(void **state)
{
    char cache[96];

    (void)state;
    /* A place of its own: other files may be mapped by this process. */
    snprintf(cache, sizeof(cache), "%s/damaged", test_folder);
    setenv("XDG_CACHE_HOME", cache, 1);
    for (int how = -1; how < 4; how++) {
        char path[128];
        char so[400];
        struct ct_runner *other = runner_new();
        struct plan p;
        DIR *dir;
        size_t damaged = 0;

        snprintf(path, sizeof(path), "%s/cltune/host", cache);
        dir = opendir(path);
        assert_true(dir || how < 0);
        for (struct dirent *entry; dir && (entry = readdir(dir));)
            if (strstr(entry->d_name, ".so")) {
                snprintf(so, sizeof(so), "%s/%s", path, entry->d_name);
                damage(so, how);
                damaged++;
            }
        if (dir)
            closedir(dir);
        assert_int_equal(damaged, how < 0 ? 0 : 1);
        plan_init(&p, "");
        expect_only(other, &p, CT_RESULT_OK);
        ct_runner_free(other);
    }
    snprintf(cache, sizeof(cache), "%s/cache", test_folder);
    setenv("XDG_CACHE_HOME", cache, 1);
}

static void works_without_a_cache_folder(void **state)
{
    char cache[96];
    char tmp[96];
    char driver[160];
    DIR *entries;
    struct ct_runner *other;
    struct plan p;

    (void)state;
    snprintf(tmp, sizeof(tmp), "%s/tmp", test_folder);
    assert_int_equal(mkdir(tmp, 0700), 0);
    setenv("TMPDIR", tmp, 1);
    snprintf(cache, sizeof(cache), "%s/cache", test_folder);
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    other = runner_new();
    plan_init(&p, "");
    expect_only(other, &p, CT_RESULT_OK);
    ct_runner_free(other);
    setenv("XDG_CACHE_HOME", cache, 1);
    unsetenv("TMPDIR");
    /* Nothing is left behind but what the driver keeps for the next time. */
    snprintf(driver, sizeof(driver), "%s/cltune-%lu", tmp, (unsigned long)getuid());
    entries = opendir(tmp);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));)
        if (entry->d_name[0] != '.')
            assert_string_equal(entry->d_name, strrchr(driver, '/') + 1);
    closedir(entries);
}

static void with_baseline(struct plan *p, const char *function)
{
    plan_init(p, "");
    p->plan.baseline = p->plan.reference;
    p->plan.baseline.function = function;
}

static void baseline_is_verified_and_timed(void **state)
{
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct ct_err err = CT_ERR_INIT;
    struct plan p;

    (void)state;
    with_baseline(&p, "scale");
    assert_int_equal(ct_runner_baseline(runner, &p.plan, &how, &outcome, &err), CT_OK);
    assert_int_equal(outcome.status, CT_RESULT_OK);
    assert_true(outcome.verified);
    assert_true(outcome.wall_clock);
    assert_true(outcome.time_ns > 0);
    assert_int_equal(outcome.samples.count, 3);
    ct_outcome_release(&outcome);
    with_baseline(&p, "wrong");
    assert_int_equal(ct_runner_baseline(runner, &p.plan, &how, &outcome, &err), CT_OK);
    assert_int_equal(outcome.status, CT_RESULT_WRONG);
    assert_int_equal(outcome.mismatch.element, PLAN_COUNT - 1);
    ct_outcome_release(&outcome);
    with_baseline(&p, "outside");
    assert_int_equal(ct_runner_baseline(runner, &p.plan, &how, &outcome, &err), CT_OK);
    assert_int_equal(outcome.status, CT_RESULT_WRONG);
    assert_true(outcome.mismatch.guard);
    ct_outcome_release(&outcome);
    with_baseline(&p, "crash");
    assert_int_equal(ct_runner_baseline(runner, &p.plan, &how, &outcome, &err), CT_OK);
    assert_int_equal(outcome.status, CT_RESULT_CRASHED);
    ct_outcome_release(&outcome);
    with_baseline(&p, "no_such_function");
    assert_int_equal(ct_runner_baseline(runner, &p.plan, &how, &outcome, &err),
                     CT_E_SPEC);
    assert_contains(err.message, "the baseline does not compile");
    plan_init(&p, "");
    assert_int_equal(ct_runner_baseline(runner, &p.plan, &how, &outcome, &err),
                     CT_E_NOT_FOUND);
}

/* The system kills processes when memory is short: host code that was there does not have
 * to be the cause. */
static void killed_once_is_tried_again(void **state)
{
    static char text[1000];
    struct ct_measure_options how = options(60);
    struct ct_runner *other = runner_new();
    struct ct_outcome outcome;
    struct plan p;
    uint64_t spent_ns[CT_PHASE_COUNT];
    unsigned workers;

    (void)state;
    snprintf(text, sizeof(text),
             "#include <fcntl.h>\n"
             "#include <signal.h>\n"
             "#include <unistd.h>\n"
             "void scale(const float *in, float *out, unsigned n, float f)\n"
             "{\n"
             "    if (open(\"%s/killed\", O_CREAT | O_EXCL, 0600) >= 0)\n"
             "        kill(getpid(), SIGKILL);\n"
             "    while (n--) out[n] = f * in[n];\n"
             "}\n",
             test_folder);
    plan_with_reference(&p, text, "scale");
    expect_only(other, &p, CT_RESULT_OK);
    ct_runner_spent(other, spent_ns, &workers);
    assert_int_equal(workers, 2);
    /* Each time: then it is the cause. */
    plan_with_reference(&p,
                        "#include <signal.h>\n"
                        "#include <unistd.h>\n"
                        "void scale(const float *in, float *out, unsigned n, float f)\n"
                        "{ (void)in; (void)out; (void)n; (void)f;"
                        " kill(getpid(), SIGKILL); }\n",
                        "scale");
    p.plan.baseline = p.plan.reference;
    p.plan.reference.function = NULL;
    assert_int_equal(ct_runner_baseline(other, &p.plan, &how, &outcome, NULL), CT_OK);
    assert_int_equal(outcome.status, CT_RESULT_CRASHED);
    assert_contains(outcome.message, "SIGKILL");
    ct_outcome_release(&outcome);
    /* A baseline gets a fresh one, and then the one more chance. */
    ct_runner_spent(other, spent_ns, &workers);
    assert_int_equal(workers, 4);
    ct_runner_free(other);
}

static int set_up(void **state)
{
    if (set_up_folder(state))
        return -1;
    runner = runner_new();
    return 0;
}

static int tear_down(void **state)
{
    ct_runner_free(runner);
    return remove_folder(state);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_that_does_not_compile),
        cmocka_unit_test(compiler_checks_the_arguments),
        cmocka_unit_test(pointers_may_differ_in_little),
        cmocka_unit_test(changed_file_is_not_compiled),
        cmocka_unit_test(function_of_a_missing_library),
        cmocka_unit_test(reference_that_crashes),
        cmocka_unit_test(reference_that_hangs),
        cmocka_unit_test(slow_reference_is_reported),
        cmocka_unit_test(reference_that_writes_outside),
        cmocka_unit_test(arguments_arrive),
        cmocka_unit_test(compiled_code_is_cached),
        cmocka_unit_test(damaged_cache_is_made_anew),
        cmocka_unit_test(works_without_a_cache_folder),
        cmocka_unit_test(baseline_is_verified_and_timed),
        cmocka_unit_test(killed_once_is_tried_again),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT))
        return ct_worker_main();
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
