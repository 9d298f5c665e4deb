// SPDX-License-Identifier: Apache-2.0
// Plans of many launches and buffers, made by hand, and a runner for them.
#ifndef CT_TESTS_MANY_PLAN_H
#define CT_TESTS_MANY_PLAN_H

#include "measure_plan.h"

static struct ct_runner *runner;

static const char many_source[] =
    "kernel void add(global const float *in, global float *out, float what)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = in[i] + what;\n"
    "}\n"
    "kernel void more(global float *data, float what)\n"
    "{\n"
    "    data[get_global_id(0)] += what;\n"
    "}\n"
    "kernel void sums(global const float *in, global float *out, uint n)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    float sum = 0;\n"
    "    for (size_t k = i; k < n; k += get_global_size(0)) sum += in[k];\n"
    "    out[i] = sum;\n"
    "}\n"
    "kernel void planes(global const float *in, global float *out, uint n)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    for (uint c = 0; c < 3; c++) out[c * n + i] = (c + 1) * in[c * n + i];\n"
    "}\n"
    "kernel void fragile(global float *data)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    if (data[i] != 0) data[1ul << 42] = 1;\n"
    "    data[i] += 1;\n"
    "}\n"
    "#ifdef VALUE\n"
    "kernel void value(global float *out) { out[get_global_id(0)] = VALUE; }\n"
    "#endif\n";

enum { N = 240, LAUNCHES = 8, BUFFERS = 5 };

/* A plan under construction: buffers b0 to b4 of N floats; the last one used is usually compared
 * exactly. */
struct many {
    struct ct_plan plan;
    struct ct_plan_program program;
    struct ct_plan_buffer buffers[BUFFERS];
    struct ct_plan_launch launches[LAUNCHES];
    struct ct_plan_arg args[LAUNCHES][3];
};

static inline struct ct_plan_arg buffer_arg(uint32_t index)
{
    return (struct ct_plan_arg){.kind = CT_ARG_BUFFER, .buffer = index};
}

static inline struct ct_fill constant(double value)
{
    return (struct ct_fill){.kind = CT_FILL_CONSTANT, .a = value};
}

static inline struct ct_fill ramp(double from, double step)
{
    return (struct ct_fill){.kind = CT_FILL_RAMP, .a = from, .b = step};
}

static inline void many_init(struct many *m, size_t buffer_count)
{
    static const char *const names[BUFFERS] = {"b0", "b1", "b2", "b3", "b4"};

    memset(m, 0, sizeof(*m));
    m->program = (struct ct_plan_program){
        .source = many_source,
        .source_path = "many.cl",
        .options = "-cl-std=CL1.2",
        .source_hash = ct_hash_bytes(many_source, sizeof(many_source)),
    };
    for (size_t i = 0; i < BUFFERS; i++)
        m->buffers[i] = (struct ct_plan_buffer){
            .name = names[i], .type = {CT_T_FLOAT, 1}, .count = N, .compare = N};
    m->plan = (struct ct_plan){
        .program_count = 1,
        .programs = &m->program,
        .buffer_count = buffer_count,
        .buffers = m->buffers,
        .launches = m->launches,
    };
}

/* The buffer's expected contents are given by `fill`. */
static inline void expecting(struct many *m, size_t buffer, struct ct_fill fill)
{
    m->buffers[buffer].check = CT_CHECK_EXACT;
    m->buffers[buffer].has_expect = true;
    m->buffers[buffer].expect = fill;
}

static inline struct ct_plan_launch *add_launch(struct many *m, enum ct_launch_kind kind)
{
    struct ct_plan_launch *launch = &m->launches[m->plan.launch_count];

    *launch = (struct ct_plan_launch){.kind = kind,
                                      .name = "l",
                                      .kernel = "",
                                      .dims = 1,
                                      .global = {N},
                                      .args = m->args[m->plan.launch_count]};
    m->plan.launch_count++;
    return launch;
}

/* b[to] = b[from] + what */
static inline void add_add(struct many *m, uint32_t from, uint32_t to, double what)
{
    struct ct_plan_launch *launch = add_launch(m, CT_LAUNCH_KERNEL);

    launch->kernel = "add";
    launch->arg_count = 3;
    launch->args[0] = buffer_arg(from);
    launch->args[1] = buffer_arg(to);
    launch->args[2] = scalar(CT_T_FLOAT, what);
}

/* b[at] += what */
static inline void add_more(struct many *m, uint32_t at, double what)
{
    struct ct_plan_launch *launch = add_launch(m, CT_LAUNCH_KERNEL);

    launch->kernel = "more";
    launch->arg_count = 2;
    launch->args[0] = buffer_arg(at);
    launch->args[1] = scalar(CT_T_FLOAT, what);
}

static inline void add_copy(struct many *m, uint32_t from, uint32_t to)
{
    struct ct_plan_launch *launch = add_launch(m, CT_LAUNCH_COPY);

    launch->from = from;
    launch->to = to;
}

static inline void add_zero(struct many *m, uint32_t to)
{
    add_launch(m, CT_LAUNCH_ZERO)->to = to;
}

/* The first launch writes one element too many into b1.  Not a sum with a number read beside a
 * buffer: that could write the existing value. */
static inline void write_beside(struct many *m)
{
    m->launches[0].kernel = "sums";
    m->launches[0].args[2] = scalar(CT_T_UINT, N);
    m->launches[0].global[0] = N + 1;
}

static inline void evaluate(const struct many *m, enum ct_result_status status,
                            struct ct_outcome *outcome)
{
    struct ct_measure_options how = options(60);
    struct ct_err err = CT_ERR_INIT;

    if (ct_runner_evaluate(runner, &m->plan, &how, outcome, &err))
        fail_msg("%s", err.message);
    if (outcome->status != status)
        fail_msg("%s: %s\n%s", ct_result_status_name(outcome->status), outcome->message,
                 outcome->build_log);
    if (status == CT_RESULT_OK) {
        assert_true(outcome->verified);
        assert_true(outcome->time_ns > 0);
    }
}

static inline void evaluate_only(const struct many *m, enum ct_result_status status)
{
    struct ct_outcome outcome;

    evaluate(m, status, &outcome);
    ct_outcome_release(&outcome);
}

static inline void plan_error(const struct many *m, enum ct_status status,
                              const char *const *parts)
{
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct ct_err err = CT_ERR_INIT;

    assert_int_equal(ct_runner_evaluate(runner, &m->plan, &how, &outcome, &err), status);
    for (; *parts; parts++)
        assert_contains(err.message, *parts);
}

static inline void spec_error(const struct many *m, const char *const *parts)
{
    plan_error(m, CT_E_SPEC, parts);
}

static inline int set_up_runner(void **state)
{
    if (set_up_folder(state))
        return -1;
    runner = runner_new();
    return 0;
}

static inline int tear_down_runner(void **state)
{
    ct_runner_free(runner);
    return remove_folder(state);
}

#endif
