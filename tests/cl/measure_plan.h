// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of measuring: a plan made by hand, a runner on device 0, files.
#ifndef CT_TESTS_MEASURE_PLAN_H
#define CT_TESTS_MEASURE_PLAN_H

// cmocka requires these four before it.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/str.h"
#include "folder.h"
#include "schedule/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* out[i] = factor * in[i]; MODE breaks it in various ways. */
static const char scale_source[] =
    "kernel void scale(global const float *in, global float *out, uint n, float factor)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    float x = i < n ? in[i] * factor : 0;\n"
    "#ifdef MODE_last\n"
    "    if (i == n - 1) x += 1;\n"
    "#endif\n"
    "#ifdef MODE_nan\n"
    "    if (i == 7) x = NAN;\n"
    "#endif\n"
    "#ifdef MODE_past\n"
    "    if (i == 0) out[n] = 1;\n"
    "#endif\n"
    "#ifdef MODE_before\n"
    "    if (i == 0) out[-1] = 1;\n"
    "#endif\n"
    "#ifdef MODE_read_past\n"
    "    if (i == n - 1) x += in[n] * 1e-9f;\n"
    "#endif\n"
    "#ifdef MODE_const\n"
    "    if (i < n) ((global float *)in)[i] = -1;\n"
    "#endif\n"
    "#ifdef MODE_unchecked\n"
    "    out[i] = in[i] * factor;\n"
    "    return;\n"
    "#endif\n"
    "#ifdef MODE_endless\n"
    "    while (i == 0 && *(volatile global float *)out != 42) {}\n"
    "#endif\n"
    "#ifdef MODE_lazy\n"
    "    if (i == 3) return;\n"
    "#endif\n"
    "#ifdef MODE_wild\n"
    "    if (i == 0) out[1ul << 42] = 1;\n"
    "#endif\n"
    "#ifdef MODE_syntax\n"
    "    this is no C;\n"
    "#endif\n"
    "#ifdef MODE_local\n"
    "    local float big[GROSS];\n"
    "    big[get_local_id(0)] = x;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    x = big[get_local_id(0)];\n"
    "#endif\n"
    "    if (i < n) out[i] = x;\n"
    "}\n"
    "kernel void with_local(global const float *in, global float *out, uint n,\n"
    "                       float factor, local float *room)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    room[get_local_id(0)] = i < n ? in[i] * factor : 0;\n"
    "    if (i < n) out[i] = room[get_local_id(0)];\n"
    "}\n";

static const char scale_reference[] =
    "#include <stddef.h>\n"
    "#include <stdint.h>\n"
    "void scale(const float *in, float *out, uint32_t n, float factor)\n"
    "{\n"
    "    for (size_t i = 0; i < n; i++) out[i] = factor * in[i];\n"
    "}\n"
    "void crash(const float *in, float *out, uint32_t n, float factor)\n"
    "{\n"
    "    (void)in; (void)n; (void)factor;\n"
    "    ((volatile float *)out)[(size_t)1 << 42] = 1;\n"
    "}\n"
    "void outside(const float *in, float *out, uint32_t n, float factor)\n"
    "{\n"
    "    (void)factor;\n"
    "    out[n] = in[0];\n"
    "}\n"
    "void forever(const float *in, float *out, uint32_t n, float factor)\n"
    "{\n"
    "    (void)in; (void)out; (void)n; (void)factor;\n"
    "    for (volatile int i = 1; i;) {}\n"
    "}\n"
    "void wrong(const float *in, float *out, uint32_t n, float factor)\n"
    "{\n"
    "    scale(in, out, n, factor);\n"
    "    out[n - 1] = 0;\n"
    "}\n";

enum { PLAN_COUNT = 1000, PLAN_ARGS = 5 };

/* One program, buffers in and out, one launch, optionally a reference and a baseline. */
struct plan {
    struct ct_plan plan;
    struct ct_plan_program program;
    struct ct_plan_macro macros[2];
    struct ct_plan_buffer buffers[2];
    struct ct_plan_launch launch;
    struct ct_plan_arg args[PLAN_ARGS];
};

static char reference_path[96];

static inline void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static inline struct ct_plan_arg scalar(enum ct_scalar type, double value)
{
    struct ct_plan_arg arg = {.kind = CT_ARG_SCALAR, .type = {type, 1}};

    ct_scalar_store(type, arg.bytes, 0, value);
    return arg;
}

/* A plan that is right in every way, with MODE as the value of that macro ("" for none). */
static inline void plan_init(struct plan *p, const char *mode)
{
    static char macro[32];

    memset(p, 0, sizeof(*p));
    snprintf(macro, sizeof(macro), "MODE_%s", *mode ? mode : "none");
    p->macros[0] = (struct ct_plan_macro){macro, "1"};
    p->program = (struct ct_plan_program){
        .source = scale_source,
        .source_path = "scale.cl",
        .options = "-cl-std=CL1.2",
        .macro_count = 1,
        .macros = p->macros,
        .source_hash = ct_hash_bytes(scale_source, sizeof(scale_source)),
    };
    p->buffers[0] = (struct ct_plan_buffer){
        .name = "in",
        .type = {CT_T_FLOAT, 1},
        .count = PLAN_COUNT,
        .fill = {.kind = CT_FILL_UNIFORM, .a = -1, .b = 1, .seed = 5},
        .compare = PLAN_COUNT,
    };
    p->buffers[1] = (struct ct_plan_buffer){
        .name = "out",
        .type = {CT_T_FLOAT, 1},
        .count = PLAN_COUNT,
        .check = CT_CHECK_RELATIVE,
        .tolerance = 1e-6,
        .compare = PLAN_COUNT,
    };
    p->args[0] = (struct ct_plan_arg){.kind = CT_ARG_BUFFER, .buffer = 0};
    p->args[1] = (struct ct_plan_arg){.kind = CT_ARG_BUFFER, .buffer = 1};
    p->args[2] = scalar(CT_T_UINT, PLAN_COUNT);
    p->args[3] = scalar(CT_T_FLOAT, 3);
    p->args[4] = (struct ct_plan_arg){.kind = CT_ARG_LOCAL, .local_bytes = 256};
    p->launch = (struct ct_plan_launch){
        .name = "scale",
        .kernel = "scale",
        .dims = 1,
        .global = {1024},
        .local = {64},
        .arg_count = 4,
        .args = p->args,
    };
    p->plan = (struct ct_plan){
        .program_count = 1,
        .programs = &p->program,
        .buffer_count = 2,
        .buffers = p->buffers,
        .launch_count = 1,
        .launches = &p->launch,
        .reference = {.c_path = reference_path,
                      .function = "scale",
                      .libs = "",
                      .c_hash = ct_hash_bytes(scale_reference, strlen(scale_reference)),
                      .arg_count = 4,
                      .args = p->args},
    };
}

static inline struct ct_measure_options options(double launch_s)
{
    return (struct ct_measure_options){.deadlines = ct_deadlines_default(launch_s),
                                       .race.samples = 3};
}

/* A runner on the first device. */
static inline struct ct_runner *runner_new(void)
{
    struct ct_arena arena = {0};
    struct ct_devinfo *devices = NULL;
    struct ct_runner *runner = NULL;
    size_t count = 0;
    struct ct_err err = CT_ERR_INIT;

    if (ct_measure_devices(&arena, &devices, &count, &err))
        fail_msg("%s", err.message);
    if (ct_runner_new(&devices[0], &runner, &err))
        fail_msg("%s", err.message);
    ct_arena_release(&arena);
    return runner;
}

/* Evaluates and expects an outcome of that status, which the caller releases. */
static inline void expect(struct ct_runner *runner, const struct plan *p,
                          const struct ct_measure_options *how,
                          enum ct_result_status status, struct ct_outcome *outcome)
{
    struct ct_err err = CT_ERR_INIT;

    if (ct_runner_evaluate(runner, &p->plan, how, outcome, &err))
        fail_msg("%s", err.message);
    if (outcome->status != status)
        fail_msg("%s, not %s: %s\n%s", ct_result_status_name(outcome->status),
                 ct_result_status_name(status), outcome->message, outcome->build_log);
}

/* The same if nothing more is checked. */
static inline void expect_only(struct ct_runner *runner, const struct plan *p,
                               enum ct_result_status status)
{
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;

    expect(runner, p, &how, status, &outcome);
    ct_outcome_release(&outcome);
}

/* Evaluates and expects an error whose message contains all of the given parts. */
static inline void expect_error(struct ct_runner *runner, const struct plan *p,
                                enum ct_status status, const char *const *parts)
{
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct ct_err err = CT_ERR_INIT;

    assert_int_equal(ct_runner_evaluate(runner, &p->plan, &how, &outcome, &err), status);
    for (; *parts; parts++)
        if (!strstr(err.message, *parts))
            fail_msg("'%s' is not in: %s", *parts, err.message);
}

static inline void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in: %s", part, text);
}

/* A folder for this run, with the reference in it. */
static inline int set_up_folder(void **state)
{
    if (make_folder(state))
        return -1;
    snprintf(reference_path, sizeof(reference_path), "%s/scale.c", test_folder);
    write_file(reference_path, scale_reference);
    return 0;
}

#endif
