// SPDX-License-Identifier: Apache-2.0
// What the tests of plans share: a plan with something of everything.
#ifndef CT_TESTS_PLAN_SAMPLE_H
#define CT_TESTS_PLAN_SAMPLE_H

#include "plan/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct ct_type float2_type = {CT_T_FLOAT, 2};
static const struct ct_type uint_type = {CT_T_UINT, 1};

/* A plan with something of everything; every call makes a fresh one to be changed. */
struct sample {
    struct ct_plan plan;
    struct ct_plan_program programs[2];
    struct ct_plan_macro macros[3];
    const char *dirs[2];
    struct ct_plan_buffer buffers[4];
    struct ct_plan_launch launches[3];
    struct ct_plan_arg args[6];
    struct ct_plan_arg host_args[2];
    struct ct_plan_env env[2];
    uint32_t sources[2];
    struct ct_plan truth;
    struct ct_plan_launch truth_launch;
};

static inline void make_args(struct sample *s)
{
    s->args[0] = (struct ct_plan_arg){.kind = CT_ARG_BUFFER, .buffer = 1};
    s->args[1] = (struct ct_plan_arg){.kind = CT_ARG_SCALAR, .type = uint_type};
    ct_type_store(uint_type, ct_value_int(4711), s->args[1].bytes);
    s->args[2] = (struct ct_plan_arg){.kind = CT_ARG_LOCAL, .local_bytes = 2048};
    s->args[3] = (struct ct_plan_arg){.kind = CT_ARG_SAMPLER,
                                      .sampler = {true, CT_ADDRESS_REPEAT, false}};
    s->args[4] = (struct ct_plan_arg){
        .kind = CT_ARG_BYTES, .data = (const unsigned char *)"\1\0\3", .data_bytes = 3};
    s->args[5] = (struct ct_plan_arg){.kind = CT_ARG_NULL};
    s->host_args[0] = s->args[0];
    s->host_args[1] = s->args[1];
}

static inline void make_programs(struct sample *s)
{
    s->macros[0] = (struct ct_plan_macro){"WG", "64"};
    s->macros[1] = (struct ct_plan_macro){"VEC", "4"};
    s->macros[2] = (struct ct_plan_macro){"EMPTY", ""};
    s->dirs[0] = "/src/kernels";
    s->dirs[1] = "/src/with blank";
    s->programs[0] = (struct ct_plan_program){.source = "kernel void f() {}",
                                              .source_path = "/src/kernels/f.cl",
                                              .options = "-cl-std=CL1.2",
                                              .macro_count = 3,
                                              .macros = s->macros,
                                              .include_count = 2,
                                              .include_dirs = s->dirs,
                                              .source_hash = ct_hash_bytes("f", 1)};
    s->programs[1] = (struct ct_plan_program){.source = "",
                                              .source_path = "",
                                              .options = "",
                                              .macros = s->macros,
                                              .include_dirs = s->dirs,
                                              .source_hash = ct_hash_bytes("g", 1)};
}

/* An image, a buffer made of another, and the plan of a reference. */
static inline void make_further(struct sample *s)
{
    s->buffers[2] = (struct ct_plan_buffer){
        .name = "picture",
        .type = {CT_T_UCHAR, 4},
        .count = 60,
        .fill = {.kind = CT_FILL_C, .path = "/src/f.c", .function = "fill"},
        .image = {2, {10, 6, 1}, CT_ORDER_RGBA, CT_CHANNEL_UNORM_INT8},
        .has_expect = true,
        .expect = {.kind = CT_FILL_COPY, .source_count = 1, .sources = &s->sources[1]},
        .check = CT_CHECK_EXACT,
        .compare = 60};
    s->sources[1] = 3;
    s->buffers[2].fill.path_hash = ct_hash_bytes("fill", 4);
    s->buffers[3] = (struct ct_plan_buffer){
        .name = "made",
        .type = float2_type,
        .count = 1000,
        .fill = {.kind = CT_FILL_COPY, .source_count = 1, .sources = &s->sources[0]},
        .reduce = CT_REDUCE_SUM,
        .planes = 2,
        .restore = CT_RESTORE_EACH,
        .transfer = CT_TRANSFER_MAP,
        .check = CT_CHECK_ABSOLUTE,
        .compare = 1000};
    s->launches[2] = (struct ct_plan_launch){
        .kind = CT_LAUNCH_COPY, .name = "keep", .kernel = "", .from = 1, .to = 2};
    s->env[0] = (struct ct_plan_env){"POCL_DEBUG", "1"};
    s->env[1] = (struct ct_plan_env){"GONE", NULL};
    s->truth_launch = (struct ct_plan_launch){
        .name = "truth", .kernel = "t", .dims = 1, .global = {1, 1, 1}};
    s->truth = (struct ct_plan){.program_count = 1,
                                .programs = &s->programs[1],
                                .buffer_count = 4,
                                .buffers = s->buffers,
                                .launch_count = 1,
                                .launches = &s->truth_launch};
}

static inline void make(struct sample *s)
{
    memset(s, 0, sizeof(*s));
    make_args(s);
    make_programs(s);
    make_further(s);
    s->buffers[0] = (struct ct_plan_buffer){
        .name = "in",
        .type = float2_type,
        .count = 1000,
        .fill = {.kind = CT_FILL_UNIFORM, .a = -1, .b = 1, .seed = 99}};
    s->buffers[1] = (struct ct_plan_buffer){.name = "out",
                                            .type = uint_type,
                                            .count = 100,
                                            .check = CT_CHECK_RELATIVE,
                                            .tolerance = 1e-4,
                                            .compare = 90};
    s->launches[0] = (struct ct_plan_launch){.name = "first",
                                             .extra = 2,
                                             .kernel = "f",
                                             .dims = 2,
                                             .global = {128, 4, 1},
                                             .local = {64, 1, 1},
                                             .require = "KERNEL_LOCAL_MEM_SIZE < 9",
                                             .arg_count = 6,
                                             .args = s->args};
    s->launches[1] = (struct ct_plan_launch){
        .name = "second", .kernel = "g", .program = 1, .dims = 1, .global = {7, 1, 1}};
    s->plan = (struct ct_plan){.program_count = 2,
                               .programs = s->programs,
                               .buffer_count = 4,
                               .buffers = s->buffers,
                               .launch_count = 3,
                               .launches = s->launches,
                               .env_count = 2,
                               .env = s->env,
                               .reference_plan = &s->truth,
                               .end_to_end = true,
                               .cold = true};
    s->plan.reference = (struct ct_plan_host){.c_path = "/src/f.c",
                                              .function = "f_reference",
                                              .libs = "-lm",
                                              .c_hash = ct_hash_bytes("c", 1),
                                              .arg_count = 2,
                                              .args = s->host_args};
}

#endif
