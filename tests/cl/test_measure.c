// SPDX-License-Identifier: Apache-2.0
// Evaluating plans on device 0: every way in which a configuration ends.
#define _GNU_SOURCE // folder.h
#include "measure_plan.h"
#include "worker/worker_main.h"

static struct ct_runner *runner;

static void ok_is_verified_and_timed(void **state)
{
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct plan p;

    (void)state;
    plan_init(&p, "");
    how.race.samples = 0;
    expect(runner, &p, &how, CT_RESULT_OK, &outcome);
    assert_true(outcome.verified);
    /* More if they scatter, as beside other programs. */
    assert_int_equal(outcome.samples.count - outcome.race.added, 10);
    assert_true(outcome.samples.launches >= 1);
    assert_true(outcome.time_ns > 0);
    assert_true(outcome.low_ns <= outcome.time_ns && outcome.time_ns <= outcome.high_ns);
    for (size_t i = 0; i < outcome.samples.count; i++)
        assert_true(outcome.samples.ns[i] > 0);
    assert_int_equal(outcome.fact_count, 1);
    assert_true(outcome.facts[0].work_group_size >= 64);
    assert_true(outcome.spent_ns[CT_PHASE_BUILD] > 0);
    assert_string_equal(outcome.message, "");
    ct_outcome_release(&outcome);
}

static void samples_are_as_many_as_requested(void **state)
{
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct plan p;

    (void)state;
    plan_init(&p, "");
    how.race.samples = 5;
    expect(runner, &p, &how, CT_RESULT_OK, &outcome);
    assert_int_equal(outcome.samples.count - outcome.race.added, 5);
    assert_false(outcome.stopped_early);
    ct_outcome_release(&outcome);
    /* Nothing takes less than a picosecond. */
    how.race.leader_ns = 0.001;
    expect(runner, &p, &how, CT_RESULT_OK, &outcome);
    /* One, if other programs make the launch that is checked take more than a millisecond. */
    if (outcome.samples.count != 1)
        assert_int_equal(outcome.samples.count, 3);
    assert_true(outcome.stopped_early);
    ct_outcome_release(&outcome);
}

static void no_reference_is_measured_unverified(void **state)
{
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct plan p;

    (void)state;
    plan_init(&p, "last");
    p.plan.reference.function = NULL;
    expect(runner, &p, &how, CT_RESULT_OK, &outcome);
    assert_false(outcome.verified);
    assert_true(outcome.time_ns > 0);
    ct_outcome_release(&outcome);
}

static void driver_may_choose_the_local_size(void **state)
{
    struct plan p;

    (void)state;
    plan_init(&p, "");
    p.launch.local[0] = 0;
    expect_only(runner, &p, CT_RESULT_OK);
}

static void wrong_last_value_is_found(void **state)
{
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct plan p;

    (void)state;
    plan_init(&p, "last");
    expect(runner, &p, &how, CT_RESULT_WRONG, &outcome);
    assert_int_equal(outcome.phase, CT_PHASE_CHECK);
    assert_int_equal(outcome.mismatch.buffer, 1);
    assert_int_equal(outcome.mismatch.element, PLAN_COUNT - 1);
    assert_int_equal(outcome.mismatch.wrong_count, 1);
    assert_false(outcome.mismatch.guard);
    assert_true(outcome.mismatch.seen - outcome.mismatch.expected > 0.99);
    assert_contains(outcome.message, "out[999]");
    assert_int_equal(outcome.samples.count, 0);
    ct_outcome_release(&outcome);
    plan_init(&p, "nan");
    expect(runner, &p, &how, CT_RESULT_WRONG, &outcome);
    assert_int_equal(outcome.mismatch.element, 7);
    assert_true(outcome.mismatch.seen != outcome.mismatch.seen);
    ct_outcome_release(&outcome);
}

static void writes_beside_a_buffer_are_wrong(void **state)
{
    static const struct {
        const char *mode;
        const char *where;
    } cases[] = {{"past", "0 bytes after"}, {"before", "0 bytes before"}};
    struct ct_measure_options how = options(60);

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct ct_outcome outcome;
        struct plan p;

        plan_init(&p, cases[i].mode);
        /* Seen without a reference as well. */
        if (i)
            p.plan.reference.function = NULL;
        expect(runner, &p, &how, CT_RESULT_WRONG, &outcome);
        assert_true(outcome.mismatch.guard);
        assert_int_equal(outcome.mismatch.buffer, 1);
        assert_contains(outcome.message, cases[i].where);
        ct_outcome_release(&outcome);
    }
}

/* What such a kernel reads beside its input it writes beside its output: the bands must
 * not hold the same, nor what arithmetic leaves alone. */
static void missing_bounds_checks_are_seen(void **state)
{
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct plan p;

    (void)state;
    plan_init(&p, "unchecked");
    for (int factor = 3; factor > 0; factor -= 2) {
        p.args[3] = scalar(CT_T_FLOAT, factor);
        expect(runner, &p, &how, CT_RESULT_WRONG, &outcome);
        assert_true(outcome.mismatch.guard);
        assert_int_equal(outcome.mismatch.buffer, 1);
        ct_outcome_release(&outcome);
    }
}

static void reads_beside_a_buffer_show(void **state)
{
    struct plan p;

    (void)state;
    plan_init(&p, "read_past");
    expect_only(runner, &p, CT_RESULT_WRONG);
}

/* A kernel that writes through a pointer to const spoils the inputs of those that
 * follow. */
static void const_inputs_are_restored_when_it_matters(void **state)
{
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct plan p;

    (void)state;
    plan_init(&p, "const");
    expect(runner, &p, &how, CT_RESULT_WRONG, &outcome);
    assert_contains(outcome.message, "correct at first, but wrong after the timed runs, "
                                     "because a launch changes what it only reads: out[");
    ct_outcome_release(&outcome);
    plan_init(&p, "");
    expect_only(runner, &p, CT_RESULT_OK);
}

/* What an earlier configuration left must not pass for a later one's work. */
static void outputs_are_poisoned(void **state)
{
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct plan p;

    (void)state;
    plan_init(&p, "");
    expect_only(runner, &p, CT_RESULT_OK);
    plan_init(&p, "lazy");
    expect(runner, &p, &how, CT_RESULT_WRONG, &outcome);
    assert_int_equal(outcome.mismatch.element, 3);
    assert_true(outcome.mismatch.seen != outcome.mismatch.seen);
    assert_contains(outcome.message, "out[3] was never written and should be ");
    ct_outcome_release(&outcome);
}

/* Only the values of even elements are anybody's affair with -DHALF. */
static const char fill_source[] = "kernel void fill(global TYPE *out, uint n)\n"
                                  "{\n"
                                  "    uint i = get_global_id(0);\n"
                                  "#ifdef HALF\n"
                                  "    if (i % 2) return;\n"
                                  "#endif\n"
                                  "#ifdef WRITE\n"
                                  "    if (i < n) out[i] = VALUE;\n"
                                  "#endif\n"
                                  "}\n";

/* A plan that fills `out` of that type by fill_source; the reference does it, in C. */
static void plan_of_fill(struct plan *p, enum ct_scalar type, const char *options,
                         const char *reference)
{
    static char path[96];

    plan_init(p, "");
    snprintf(path, sizeof(path), "%s/fill.c", test_folder);
    write_file(path, reference);
    p->program.source = fill_source;
    p->program.source_hash = ct_hash_bytes(fill_source, sizeof(fill_source));
    p->program.options = options;
    p->buffers[1].type.scalar = type;
    p->buffers[1].check = CT_CHECK_EXACT;
    p->args[0] = p->args[1];
    p->args[1] = p->args[2];
    p->launch.kernel = "fill";
    p->launch.arg_count = 2;
    p->plan.reference.c_path = path;
    p->plan.reference.c_hash = ct_hash_bytes(reference, strlen(reference));
    p->plan.reference.function = "fill";
    p->plan.reference.arg_count = 2;
}

/* Values whose bits are all set are right answers like any other. */
static void writing_nothing_is_wrong_whatever_the_type(void **state)
{
    static const struct {
        enum ct_scalar type;
        const char *idle;
        const char *busy;
        const char *reference;
    } cases[] = {
        {CT_T_INT, "-DTYPE=int -DVALUE=-1", "-DTYPE=int -DVALUE=-1 -DWRITE",
         "void fill(int *out, unsigned n) { while (n--) out[n] = -1; }\n"},
        {CT_T_UCHAR, "-DTYPE=uchar -DVALUE=255", "-DTYPE=uchar -DVALUE=255 -DWRITE",
         "void fill(unsigned char *out, unsigned n) { while (n--) out[n] = 255; }\n"},
        {CT_T_ULONG, "-DTYPE=ulong -DVALUE=0", "-DTYPE=ulong -DVALUE=0 -DWRITE",
         "#include <stdint.h>\n"
         "void fill(uint64_t *out, unsigned n) { while (n--) out[n] = 0; }\n"},
        {CT_T_FLOAT, "-DTYPE=float -DVALUE=NAN", "-DTYPE=float -DVALUE=NAN -DWRITE",
         "#include <math.h>\n"
         "void fill(float *out, unsigned n) { while (n--) out[n] = NAN; }\n"},
        {CT_T_FLOAT, "-DTYPE=float -DVALUE=1e-30f", "-DTYPE=float -DVALUE=1e-30f -DWRITE",
         "void fill(float *out, unsigned n) { while (n--) out[n] = 1e-30f; }\n"},
    };
    struct plan p;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        plan_of_fill(&p, cases[i].type, cases[i].idle, cases[i].reference);
        expect_only(runner, &p, CT_RESULT_WRONG);
        plan_of_fill(&p, cases[i].type, cases[i].busy, cases[i].reference);
        expect_only(runner, &p, CT_RESULT_OK);
    }
    /* Near enough to a small value must not be what an unwritten buffer holds. */
    plan_of_fill(&p, CT_T_INT, "-DTYPE=int -DVALUE=0",
                 "void fill(int *out, unsigned n) { while (n--) out[n] = 0; }\n");
    p.buffers[1].check = CT_CHECK_ABSOLUTE;
    p.buffers[1].tolerance = 10;
    expect_only(runner, &p, CT_RESULT_WRONG);
}

/* What the reference does not write says nothing of what a kernel leaves unwritten. */
static void elements_that_nobody_writes_are_not_compared(void **state)
{
    static const char reference[] =
        "void fill(float *out, unsigned n)\n"
        "{ for (unsigned i = 0; i < n; i += 2) out[i] = 1; }\n";
    struct plan p;

    (void)state;
    plan_of_fill(&p, CT_T_INT, "-DTYPE=int -DVALUE=-1 -DWRITE -DHALF",
                 "void fill(int *out, unsigned n)\n"
                 "{ for (unsigned i = 0; i < n; i += 2) out[i] = -1; }\n");
    expect_error(
        runner, &p, CT_E_SPEC,
        (const char *[]){
            "the reference does not write 500 of 1000 elements of 'out' (the first "
            "is out[1])",
            "'compare'", "'fill'", NULL});
    plan_of_fill(&p, CT_T_FLOAT, "-DTYPE=float -DVALUE=1 -DWRITE -DHALF", reference);
    expect_error(runner, &p, CT_E_SPEC, (const char *[]){"500 of 1000 elements", NULL});
    /* The remedies of the message: fewer elements, or contents that both keep. */
    p.buffers[1].compare = 1;
    expect_only(runner, &p, CT_RESULT_OK);
    p.buffers[1].compare = 2;
    expect_error(runner, &p, CT_E_SPEC, (const char *[]){"1 of 2 elements", NULL});
    p.buffers[1].compare = PLAN_COUNT;
    p.buffers[1].fill.kind = CT_FILL_ZERO;
    expect_only(runner, &p, CT_RESULT_OK);
    p.program.options = "-DTYPE=float -DVALUE=1 -DWRITE";
    expect_only(runner, &p, CT_RESULT_WRONG);
}

static void references_that_write_nothing_are_refused(void **state)
{
    static const enum ct_scalar types[] = {CT_T_FLOAT, CT_T_INT, CT_T_UCHAR};
    static const char *const options[] = {"-DTYPE=float", "-DTYPE=int", "-DTYPE=uchar"};
    struct plan p;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        plan_of_fill(&p, types[i], options[i],
                     "void fill(void *out, unsigned n) { (void)out; (void)n; }\n");
        expect_error(runner, &p, CT_E_SPEC,
                     (const char *[]){"the reference does not write 'out'", NULL});
        p.buffers[1].reduce = CT_REDUCE_SUM;
        expect_error(runner, &p, CT_E_SPEC,
                     (const char *[]){"the reference does not write 'out'", NULL});
    }
}

static void build_errors_have_a_log(void **state)
{
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct plan p;

    (void)state;
    plan_init(&p, "syntax");
    expect(runner, &p, &how, CT_RESULT_BUILD_FAILED, &outcome);
    assert_int_equal(outcome.phase, CT_PHASE_BUILD);
    assert_contains(outcome.message, "CL_BUILD_PROGRAM_FAILURE (-11)");
    assert_contains(outcome.build_log, "error");
    ct_outcome_release(&outcome);
}

static void limits_are_checked_before_the_driver(void **state)
{
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct plan p;

    (void)state;
    plan_init(&p, "");
    p.launch.local[0] = 1 << 20;
    p.launch.global[0] = 1 << 20;
    expect(runner, &p, &how, CT_RESULT_INVALID, &outcome);
    assert_contains(outcome.message, "1048576");
    ct_outcome_release(&outcome);
    /* Two dimensions, each fine alone. */
    plan_init(&p, "");
    p.launch.dims = 2;
    p.launch.local[0] = p.launch.local[1] = p.launch.global[0] = p.launch.global[1] =
        1024;
    expect(runner, &p, &how, CT_RESULT_INVALID, &outcome);
    assert_contains(outcome.message, "work-group");
    ct_outcome_release(&outcome);
    plan_init(&p, "");
    p.launch.kernel = "with_local";
    p.launch.arg_count = 5;
    expect_only(runner, &p, CT_RESULT_OK);
    p.args[4].local_bytes = (uint64_t)1 << 32;
    expect(runner, &p, &how, CT_RESULT_INVALID, &outcome);
    assert_contains(outcome.message, "local memory");
    ct_outcome_release(&outcome);
    /* Declared in the kernel: 64 MiB.  Some compilers refuse by themselves. */
    plan_init(&p, "local");
    p.macros[1] = (struct ct_plan_macro){"GROSS", "16777216"};
    p.program.macro_count = 2;
    assert_int_equal(ct_runner_evaluate(runner, &p.plan, &how, &outcome, NULL), CT_OK);
    if (outcome.status != CT_RESULT_BUILD_FAILED) {
        assert_int_equal(outcome.status, CT_RESULT_INVALID);
        assert_contains(outcome.message, "local memory");
    }
    ct_outcome_release(&outcome);
}

static void too_large_buffers_are_invalid(void **state)
{
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct plan p;

    (void)state;
    plan_init(&p, "");
    p.plan.reference.function = NULL;
    p.buffers[1].count = (uint64_t)1 << 44;
    p.buffers[1].compare = 0;
    expect(runner, &p, &how, CT_RESULT_INVALID, &outcome);
    assert_contains(outcome.message, "buffer out");
    ct_outcome_release(&outcome);
}

static void args_that_differ_are_mistakes_in_the_file(void **state)
{
    struct plan p;

    (void)state;
    plan_init(&p, "");
    p.launch.arg_count = 3;
    expect_error(runner, &p, CT_E_SPEC,
                 (const char *[]){"launch scale", "kernel scale takes 4 arguments",
                                  "'args' has 3", "uint n, float factor", NULL});
    plan_init(&p, "");
    p.args[2] = scalar(CT_T_FLOAT, 1000);
    expect_error(
        runner, &p, CT_E_SPEC,
        (const char *[]){"argument 3", "kernel scale", "`uint n`", "float", NULL});
    plan_init(&p, "");
    p.args[2] = scalar(CT_T_ULONG, 1000);
    expect_error(runner, &p, CT_E_SPEC, (const char *[]){"`uint n`", "ulong", NULL});
    plan_init(&p, "");
    p.plan.reference.function = NULL;
    p.args[2] = p.args[1];
    expect_error(runner, &p, CT_E_SPEC,
                 (const char *[]){"`uint n`", "buffer out (float)", NULL});
    plan_init(&p, "");
    p.plan.reference.function = NULL;
    p.args[0] = p.args[2];
    expect_error(runner, &p, CT_E_SPEC,
                 (const char *[]){"argument 1", "__global float* in", "uint", NULL});
    plan_init(&p, "");
    p.plan.reference.function = NULL;
    p.plan.reference.arg_count = 0;
    p.args[1] = p.args[4];
    expect_error(
        runner, &p, CT_E_SPEC,
        (const char *[]){"argument 2", "__global float* out", "local(256)", NULL});
    /* The same size and class is good enough. */
    plan_init(&p, "");
    p.args[2] = scalar(CT_T_INT, 1000);
    expect_only(runner, &p, CT_RESULT_OK);
    plan_init(&p, "");
    p.buffers[0].type.scalar = CT_T_DOUBLE;
    expect_error(
        runner, &p, CT_E_SPEC,
        (const char *[]){"argument 1", "__global float* in", "buffer in (double)", NULL});
    /* How many of them a pointer sees at once is the kernel's affair. */
    plan_init(&p, "");
    p.buffers[0].type.width = 2;
    p.buffers[0].count = PLAN_COUNT / 2;
    p.buffers[0].compare = PLAN_COUNT / 2;
    expect_only(runner, &p, CT_RESULT_OK);
}

static void missing_kernel_lists_those_there(void **state)
{
    struct plan p;

    (void)state;
    plan_init(&p, "");
    p.launch.kernel = "skale";
    expect_error(runner, &p, CT_E_SPEC,
                 (const char *[]){"'skale'", "scale.cl", "scale, with_local", NULL});
}

static void seed_changes_the_data(void **state)
{
    struct ct_measure_options how = options(60);
    struct ct_outcome first;
    struct ct_outcome second;
    struct plan p;

    (void)state;
    plan_init(&p, "last");
    expect(runner, &p, &how, CT_RESULT_WRONG, &first);
    how.seed = 1;
    expect(runner, &p, &how, CT_RESULT_WRONG, &second);
    assert_true(first.mismatch.expected != second.mismatch.expected);
    ct_outcome_release(&first);
    ct_outcome_release(&second);
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
        cmocka_unit_test(ok_is_verified_and_timed),
        cmocka_unit_test(samples_are_as_many_as_requested),
        cmocka_unit_test(no_reference_is_measured_unverified),
        cmocka_unit_test(driver_may_choose_the_local_size),
        cmocka_unit_test(wrong_last_value_is_found),
        cmocka_unit_test(writes_beside_a_buffer_are_wrong),
        cmocka_unit_test(missing_bounds_checks_are_seen),
        cmocka_unit_test(reads_beside_a_buffer_show),
        cmocka_unit_test(const_inputs_are_restored_when_it_matters),
        cmocka_unit_test(outputs_are_poisoned),
        cmocka_unit_test(writing_nothing_is_wrong_whatever_the_type),
        cmocka_unit_test(elements_that_nobody_writes_are_not_compared),
        cmocka_unit_test(references_that_write_nothing_are_refused),
        cmocka_unit_test(build_errors_have_a_log),
        cmocka_unit_test(limits_are_checked_before_the_driver),
        cmocka_unit_test(too_large_buffers_are_invalid),
        cmocka_unit_test(args_that_differ_are_mistakes_in_the_file),
        cmocka_unit_test(missing_kernel_lists_those_there),
        cmocka_unit_test(seed_changes_the_data),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT))
        return ct_worker_main();
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
