// SPDX-License-Identifier: Apache-2.0
// Layouts, folds, references, environments and transfers, on device 0.
#define _GNU_SOURCE // folder.h
#include "many_plan.h"
#include "worker/worker_main.h"

/* --- layouts and comparisons --- */

static void planes_are_the_devices_alone(void **state)
{
    static const unsigned widths[] = {1, 3};
    char path[128];
    struct many m;

    (void)state;
    snprintf(path, sizeof(path), "%s/records.c", test_folder);
    for (size_t w = 0; w < 2; w++) {
        struct ct_plan_launch *launch;

        many_init(&m, 2);
        launch = add_launch(&m, CT_LAUNCH_KERNEL);
        launch->kernel = "planes";
        launch->global[0] = (uint64_t)N / 3;
        launch->arg_count = 3;
        launch->args[0] = buffer_arg(0);
        launch->args[1] = buffer_arg(1);
        launch->args[2] = scalar(CT_T_UINT, N / 3.0);
        for (size_t i = 0; i < 2; i++) {
            m.buffers[i].type.width = widths[w];
            m.buffers[i].count = m.buffers[i].compare = N / widths[w];
            m.buffers[i].planes = 3;
        }
        m.buffers[0].fill = constant(2);
        m.buffers[1].check = CT_CHECK_EXACT;
        m.plan.reference = (struct ct_plan_host){
            .c_path = path, .function = "records", .libs = "", .arg_count = 3};
        m.plan.reference.args = launch->args;
        write_file(path, widths[w] == 1 ? "#define STEP 3\n#include \"records.h\"\n"
                                        : "#define STEP 4\n#include \"records.h\"\n");
        evaluate_only(&m, CT_RESULT_OK);
        m.buffers[1].planes = 0;
        evaluate_only(&m, CT_RESULT_WRONG);
    }
}

/* Partial sums of a number that the configuration chooses. */
static void folds_compare_partial_results(void **state)
{
    struct ct_plan_launch *launch;
    struct ct_outcome outcome;
    struct many m;

    (void)state;
    many_init(&m, 2);
    m.buffers[0].fill = ramp(1, 1);
    launch = add_launch(&m, CT_LAUNCH_KERNEL);
    launch->kernel = "sums";
    launch->arg_count = 3;
    launch->args[0] = buffer_arg(0);
    launch->args[1] = buffer_arg(1);
    launch->args[2] = scalar(CT_T_UINT, N);
    launch->global[0] = 7;
    m.buffers[1].count = m.buffers[1].compare = 7;
    m.buffers[1].reduce = CT_REDUCE_SUM;
    /* Their sum is 28920, which seven equal numbers make as well. */
    expecting(&m, 1, constant(28920 / 7.0));
    m.buffers[1].check = CT_CHECK_RELATIVE;
    m.buffers[1].tolerance = 1e-6;
    evaluate_only(&m, CT_RESULT_OK);
    launch->args[2] = scalar(CT_T_UINT, N - 1);
    evaluate(&m, CT_RESULT_WRONG, &outcome);
    assert_contains(outcome.message, "the sum of b1 is 28680 instead of 28920");
    ct_outcome_release(&outcome);
    m.buffers[1].reduce = CT_REDUCE_MIN;
    evaluate_only(&m, CT_RESULT_WRONG);
}

static void restored_for_every_run(void **state)
{
    struct ct_outcome outcome;
    struct many m;

    (void)state;
    many_init(&m, 1);
    m.buffers[0].fill = constant(0);
    add_more(&m, 0, 1);
    expecting(&m, 0, constant(1));
    evaluate(&m, CT_RESULT_OK, &outcome);
    assert_true(outcome.samples.launches > 1);
    ct_outcome_release(&outcome);
    /* A second run on the same data kills the worker. */
    m.launches[0].kernel = "fragile";
    m.launches[0].arg_count = 1;
    evaluate_only(&m, CT_RESULT_CRASHED);
    m.buffers[0].restore = CT_RESTORE_EACH;
    evaluate(&m, CT_RESULT_OK, &outcome);
    assert_int_equal(outcome.samples.launches, 1);
    assert_int_equal(outcome.samples.count - outcome.race.added, 3);
    ct_outcome_release(&outcome);
}

/* --- a reference on the device --- */

static void reference_may_be_another_plan(void **state)
{
    struct ct_outcome outcome;
    struct many m;
    struct many r;

    (void)state;
    many_init(&m, 2);
    m.buffers[0].fill = ramp(5, 1);
    m.buffers[1].check = CT_CHECK_EXACT;
    r = m;
    r.plan.programs = &r.program;
    r.plan.buffers = r.buffers;
    r.plan.launches = r.launches;
    add_add(&m, 0, 1, 3);
    add_add(&r, 0, 1, 1);
    add_more(&r, 1, 2);
    m.plan.reference_plan = &r.plan;
    evaluate_only(&m, CT_RESULT_OK);
    r.args[1][1] = scalar(CT_T_FLOAT, 2.5);
    evaluate(&m, CT_RESULT_WRONG, &outcome);
    assert_contains(outcome.message, "b1[");
    ct_outcome_release(&outcome);
    /* Of another size: the leading elements that both have. */
    r.args[1][1] = scalar(CT_T_FLOAT, 2);
    r.buffers[0].count = r.buffers[1].count = N / 2;
    r.buffers[0].compare = r.buffers[1].compare = N / 2;
    r.launches[0].global[0] = r.launches[1].global[0] = N / 2;
    evaluate_only(&m, CT_RESULT_OK);
    /* Or folded, each over all of its own. */
    m.buffers[1].reduce = CT_REDUCE_MAX;
    evaluate_only(&m, CT_RESULT_WRONG);
    m.buffers[1].reduce = CT_REDUCE_MIN;
    evaluate_only(&m, CT_RESULT_OK);
}

static void reference_on_the_device_that_fails(void **state)
{
    struct many m;
    struct many r;

    (void)state;
    many_init(&m, 2);
    m.buffers[0].fill = ramp(5, 1);
    m.buffers[1].check = CT_CHECK_EXACT;
    r = m;
    r.plan.programs = &r.program;
    r.plan.buffers = r.buffers;
    r.plan.launches = r.launches;
    add_add(&m, 0, 1, 3);
    add_add(&r, 0, 1, 3);
    m.plan.reference_plan = &r.plan;
    r.program.source = "no C at all";
    r.program.source_hash = ct_hash_bytes(r.program.source, strlen(r.program.source));
    spec_error(&m, (const char *[]){"the reference on the device", "build_failed", NULL});
    r.program = m.program;
    write_beside(&r);
    spec_error(&m, (const char *[]){"the reference on the device", "outside", NULL});
    r.plan.launch_count = 0;
    add_add(&r, 0, 1, 3);
    evaluate_only(&m, CT_RESULT_OK);
}

/* A plan whose reference is another one with the same buffers. */
static void with_reference(struct many *m, struct many *r)
{
    *r = *m;
    r->plan.programs = &r->program;
    r->plan.buffers = r->buffers;
    r->plan.launches = r->launches;
    for (size_t i = 0; i < LAUNCHES; i++)
        r->launches[i].args = r->args[i];
    m->plan.reference_plan = &r->plan;
}

static void references_on_the_device_must_write(void **state)
{
    struct many m;
    struct many r;

    (void)state;
    many_init(&m, 2);
    m.buffers[0].fill = ramp(5, 1);
    m.buffers[1].check = CT_CHECK_EXACT;
    add_add(&m, 0, 1, 3);
    with_reference(&m, &r);
    r.launches[0].global[0] = N - 1;
    spec_error(&m,
               (const char *[]){
                   "the reference does not write 1 of 240 elements of 'b1' (the first is "
                   "b1[239])",
                   NULL});
    m.buffers[1].compare = N - 1;
    evaluate_only(&m, CT_RESULT_OK);
    m.buffers[1].compare = N;
    /* Kept by the session: the second time it is not run. */
    spec_error(&m, (const char *[]){"1 of 240 elements", NULL});
    r.launches[0].args[1] = buffer_arg(0);
    spec_error(&m, (const char *[]){"the reference does not write 'b1'", NULL});
    m.buffers[1].reduce = CT_REDUCE_MAX;
    spec_error(&m, (const char *[]){"the reference does not write 'b1'", NULL});
}

/* A rule is known to the last bit: there is no doubt about what was written. */
static void all_bits_set_may_be_expected(void **state)
{
    struct ct_outcome outcome;
    struct many m;

    (void)state;
    many_init(&m, 2);
    m.program.source = "kernel void ones(global uint *out)\n"
                       "{ if (get_global_id(0) < LAST) out[get_global_id(0)] = ~0u; }\n";
    m.program.source_hash = ct_hash_bytes(m.program.source, strlen(m.program.source));
    m.buffers[1].type.scalar = CT_T_UINT;
    expecting(&m, 1, constant(4294967295));
    add_launch(&m, CT_LAUNCH_KERNEL)->kernel = "ones";
    m.launches[0].arg_count = 1;
    m.launches[0].args[0] = buffer_arg(1);
    m.program.options = "-DLAST=240";
    evaluate_only(&m, CT_RESULT_OK);
    m.program.options = "-DLAST=239";
    evaluate(&m, CT_RESULT_WRONG, &outcome);
    assert_contains(outcome.message, "b1[239] was never written and should be 4294967295 "
                                     "(1 of 240 values are wrong)");
    ct_outcome_release(&outcome);
}

/* A reference kernel gets no parameters, which its author may not know. */
static void references_lack_parameters(void **state)
{
    struct ct_plan_macro macro = {"BLOCK", "4"};
    struct many m;
    struct many r;

    (void)state;
    many_init(&m, 2);
    m.buffers[0].fill = ramp(5, 1);
    m.buffers[1].check = CT_CHECK_EXACT;
    add_add(&m, 0, 1, 3);
    with_reference(&m, &r);
    m.program.macros = &macro;
    m.program.macro_count = 1;
    r.program.source = "kernel void add(global const float *in, global float *out, float "
                       "what) { out[0] = BLOCK; }\n";
    r.program.source_path = "/home/me/reference.cl";
    r.program.source_hash = ct_hash_bytes(r.program.source, strlen(r.program.source));
    spec_error(&m, (const char *[]){"does not see the parameters", "'define'",
                                    "/home/me/reference.cl:1:", NULL});
    r.program.source = "no C at all";
    r.program.source_hash = ct_hash_bytes(r.program.source, strlen(r.program.source));
    {
        struct ct_measure_options how = options(60);
        struct ct_outcome outcome;
        struct ct_err err = CT_ERR_INIT;

        assert_int_equal(ct_runner_evaluate(runner, &m.plan, &how, &outcome, &err),
                         CT_E_SPEC);
        assert_null(strstr(err.message, "parameters"));
    }
}

/* --- many runs --- */

static const char second_source[] =
    "kernel void f(global float *out, global uint *state)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = state[i] == FIRST ? i : -1.0f;\n"
    "    state[i] = FIRST + 1;\n"
    "}\n";

static void what_is_right_at_first_only_is_wrong(void **state)
{
    struct ct_outcome outcome;
    struct many m;

    (void)state;
    many_init(&m, 2);
    m.program.source = second_source;
    m.program.source_hash = ct_hash_bytes(second_source, strlen(second_source));
    m.program.options = "-DFIRST=0xFFFFFFFFu";
    m.buffers[1].type.scalar = CT_T_UINT;
    expecting(&m, 0, ramp(0, 1));
    add_launch(&m, CT_LAUNCH_KERNEL)->kernel = "f";
    m.launches[0].arg_count = 2;
    m.launches[0].args[0] = buffer_arg(0);
    m.launches[0].args[1] = buffer_arg(1);
    evaluate(&m, CT_RESULT_WRONG, &outcome);
    assert_contains(outcome.message, "correct at first, but wrong after the timed runs: "
                                     "b0[0] is -1 instead of 0");
    assert_int_equal(outcome.phase, CT_PHASE_CHECK);
    assert_int_equal(outcome.samples.count, 0);
    assert_true(outcome.time_ns == 0);
    ct_outcome_release(&outcome);
    /* A buffer with a fill may be a state that runs advance: nobody can tell. */
    m.program.options = "-DFIRST=0";
    m.buffers[1].fill.kind = CT_FILL_ZERO;
    evaluate_only(&m, CT_RESULT_OK);
    /* Filled again for every run, it is the same for all. */
    m.buffers[1].restore = CT_RESTORE_EACH;
    evaluate_only(&m, CT_RESULT_OK);
    m.buffers[1].restore = CT_RESTORE_ONCE;
    m.plan.end_to_end = true;
    evaluate_only(&m, CT_RESULT_OK);
}

/* --- blame --- */

/* A write that goes far past one buffer damages what lies behind it as well. */
static void the_written_buffer_is_blamed(void **state)
{
    struct ct_outcome outcome;
    struct many m;

    (void)state;
    many_init(&m, 3);
    m.program.source =
        "kernel void f(global const float *in, global float *out, global float *more)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    out[i] = in[i];\n"
        "    more[i] = 1;\n"
        "    ((global float *)in)[-1] = 0;\n"
        "    more[-4] = 0;\n"
        "    out[242] = 0;\n"
        "}\n";
    m.program.source_hash = ct_hash_bytes(m.program.source, strlen(m.program.source));
    m.buffers[0].fill = ramp(5, 1);
    expecting(&m, 1, ramp(5, 1));
    add_launch(&m, CT_LAUNCH_KERNEL)->kernel = "f";
    m.launches[0].arg_count = 3;
    for (uint32_t i = 0; i < 3; i++)
        m.launches[0].args[i] = buffer_arg(i);
    evaluate(&m, CT_RESULT_WRONG, &outcome);
    assert_string_equal(outcome.message,
                        "a launch wrote outside buffer b1, 8 bytes after the end of it");
    assert_int_equal(outcome.mismatch.buffer, 1);
    assert_int_equal(outcome.mismatch.element, N + 2);
    ct_outcome_release(&outcome);
    m.program.source = "kernel void f(global const float *in, global float *out, global "
                       "float *more)\n"
                       "{ ((global float *)in)[-1024] = 0; }\n";
    m.program.source_hash = ct_hash_bytes(m.program.source, strlen(m.program.source));
    evaluate(&m, CT_RESULT_WRONG, &outcome);
    assert_contains(outcome.message, "outside buffer b0, 4092 bytes before it, which no "
                                     "launch writes");
    ct_outcome_release(&outcome);
}

/* --- workers and transfers --- */

static void environment_is_the_workers(void **state)
{
    struct ct_plan_env env[2] = {{"CLTUNE_TEST_ENV", "17"}, {"HOME", NULL}};
    uint64_t spent_ns[CT_PHASE_COUNT];
    char path[128];
    unsigned before;
    unsigned after;
    struct many m;

    (void)state;
    snprintf(path, sizeof(path), "%s/env.c", test_folder);
    write_file(path,
               "#include <stdlib.h>\n"
               "void from_env(float *x, unsigned long n)\n"
               "{\n"
               "    const char *v = getenv(\"CLTUNE_TEST_ENV\");\n"
               "    while (n--) x[n] = v && !getenv(\"HOME\") ? (float)atof(v) : 0;\n"
               "}\n");
    many_init(&m, 2);
    m.buffers[0].fill =
        (struct ct_fill){.kind = CT_FILL_C, .path = path, .function = "from_env"};
    add_add(&m, 0, 1, 1);
    expecting(&m, 1, constant(1));
    evaluate_only(&m, CT_RESULT_OK);
    m.plan.env = env;
    m.plan.env_count = 2;
    expecting(&m, 1, constant(18));
    evaluate_only(&m, CT_RESULT_OK);
    ct_runner_spent(runner, spent_ns, &before);
    evaluate_only(&m, CT_RESULT_OK);
    ct_runner_spent(runner, spent_ns, &after);
    assert_int_equal(after, before);
    m.plan.env_count = 0;
    expecting(&m, 1, constant(1));
    evaluate_only(&m, CT_RESULT_OK);
    ct_runner_spent(runner, spent_ns, &after);
    assert_int_equal(after, before + 1);
}

static void transfers_count_end_to_end(void **state)
{
    static const enum ct_transfer transfers[] = {CT_TRANSFER_WRITE, CT_TRANSFER_MAP,
                                                 CT_TRANSFER_HOST};
    struct ct_outcome outcome;
    struct many m;

    (void)state;
    for (size_t t = 0; t < 3; t++) {
        many_init(&m, 3);
        for (size_t i = 0; i < 3; i++)
            m.buffers[i].transfer = transfers[t];
        m.buffers[0].fill = ramp(1, 1);
        m.buffers[2].fill = constant(3);
        m.buffers[2].reduce = CT_REDUCE_SUM;
        add_add(&m, 0, 1, 1);
        add_more(&m, 2, 1);
        expecting(&m, 1, ramp(2, 1));
        expecting(&m, 2, constant(4));
        evaluate(&m, CT_RESULT_OK, &outcome);
        assert_true(outcome.end_to_end.time_ns == 0);
        ct_outcome_release(&outcome);
        m.plan.end_to_end = true;
        evaluate(&m, CT_RESULT_OK, &outcome);
        assert_true(outcome.end_to_end.time_ns > 0);
        assert_true(outcome.end_to_end.low_ns <= outcome.end_to_end.time_ns &&
                    outcome.end_to_end.time_ns <= outcome.end_to_end.high_ns);
        assert_int_equal(outcome.samples.count - outcome.race.added, 3);
        ct_outcome_release(&outcome);
        /* What is beside a buffer is watched in every kind of memory. */
        write_beside(&m);
        evaluate(&m, CT_RESULT_WRONG, &outcome);
        assert_true(outcome.mismatch.guard);
        ct_outcome_release(&outcome);
    }
}

static int set_up(void **state)
{
    char path[128];

    if (set_up_runner(state))
        return -1;
    snprintf(path, sizeof(path), "%s/records.h", test_folder);
    write_file(path,
               "void records(const float *in, float *out, unsigned n);\n"
               "void records(const float *in, float *out, unsigned n)\n"
               "{\n"
               "    for (unsigned i = 0; i < n; i++)\n"
               "        for (unsigned c = 0; c < 3; c++)\n"
               "            out[i * STEP + c] = (float)(c + 1) * in[i * STEP + c];\n"
               "}\n");
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_are_the_devices_alone),
        cmocka_unit_test(folds_compare_partial_results),
        cmocka_unit_test(restored_for_every_run),
        cmocka_unit_test(reference_may_be_another_plan),
        cmocka_unit_test(reference_on_the_device_that_fails),
        cmocka_unit_test(references_on_the_device_must_write),
        cmocka_unit_test(all_bits_set_may_be_expected),
        cmocka_unit_test(references_lack_parameters),
        cmocka_unit_test(what_is_right_at_first_only_is_wrong),
        cmocka_unit_test(the_written_buffer_is_blamed),
        cmocka_unit_test(environment_is_the_workers),
        cmocka_unit_test(transfers_count_end_to_end),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT))
        return ct_worker_main();
    return cmocka_run_group_tests(tests, set_up, tear_down_runner);
}
