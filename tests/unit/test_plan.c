// SPDX-License-Identifier: Apache-2.0
// Plans: the wire form and its damage, options as compilers read them, identities.
#include "plan/plan.h"

#include "base/rng.h"

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
    struct ct_plan_arg args[4];
    struct ct_plan_arg host_args[2];
    struct ct_plan_env env[2];
    uint32_t sources[2];
    struct ct_plan truth;
    struct ct_plan_launch truth_launch;
};

static void make_args(struct sample *s)
{
    s->args[0] = (struct ct_plan_arg){.kind = CT_ARG_BUFFER, .buffer = 1};
    s->args[1] = (struct ct_plan_arg){.kind = CT_ARG_SCALAR, .type = uint_type};
    ct_type_store(uint_type, ct_value_int(4711), s->args[1].bytes);
    s->args[2] = (struct ct_plan_arg){.kind = CT_ARG_LOCAL, .local_bytes = 2048};
    s->args[3] = (struct ct_plan_arg){.kind = CT_ARG_SAMPLER,
                                      .sampler = {true, CT_ADDRESS_REPEAT, false}};
    s->host_args[0] = s->args[0];
    s->host_args[1] = s->args[1];
}

static void make_programs(struct sample *s)
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
static void make_further(struct sample *s)
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

static void make(struct sample *s)
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
                                             .kernel = "f",
                                             .dims = 2,
                                             .global = {128, 4, 1},
                                             .local = {64, 1, 1},
                                             .require = "KERNEL_LOCAL_MEM_SIZE < 9",
                                             .arg_count = 4,
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

/* --- wire --- */

static void read_back(const struct ct_str *message, struct ct_arena *arena,
                      struct ct_plan *plan)
{
    struct ct_wire_reader in;
    struct ct_err err = CT_ERR_INIT;

    ct_wire_reader_init(&in, message->data, message->length);
    assert_int_equal(ct_plan_get(&in, arena, plan, &err), CT_OK);
    assert_int_equal(in.at, message->length);
    assert_int_equal(err.code, CT_OK);
}

static void test_wire_round_trip(void **state)
{
    struct sample s;
    struct ct_str message;
    struct ct_str again;
    struct ct_arena arena = {0};
    struct ct_plan plan;

    (void)state;
    make(&s);
    ct_str_init(&message);
    ct_str_init(&again);
    ct_plan_put(&message, &s.plan);
    read_back(&message, &arena, &plan);
    ct_plan_put(&again, &plan);
    assert_int_equal(again.length, message.length);
    assert_memory_equal(again.data, message.data, message.length);
    assert_string_equal(plan.programs[0].include_dirs[1], "/src/with blank");
    assert_string_equal(plan.programs[0].macros[1].name, "VEC");
    assert_string_equal(plan.programs[0].source_hash.text, ct_hash_bytes("f", 1).text);
    assert_int_equal(plan.buffers[1].compare, 90);
    assert_true(plan.buffers[0].fill.a == -1 && plan.buffers[0].fill.seed == 99);
    assert_int_equal(plan.launches[0].args[2].local_bytes, 2048);
    assert_int_equal(plan.launches[1].program, 1);
    assert_memory_equal(plan.reference.args[1].bytes, s.args[1].bytes, 4);
    assert_null(plan.baseline.function);
    assert_true(plan.end_to_end && plan.cold);
    assert_string_equal(plan.env[0].value, "1");
    assert_null(plan.env[1].value);
    assert_string_equal(plan.launches[0].require, "KERNEL_LOCAL_MEM_SIZE < 9");
    assert_true(plan.launches[0].args[3].sampler.normalized);
    assert_int_equal(plan.launches[2].kind, CT_LAUNCH_COPY);
    assert_int_equal(plan.launches[2].to, 2);
    assert_int_equal(plan.buffers[2].image.size[1], 6);
    assert_int_equal(plan.buffers[2].expect.sources[0], 3);
    assert_int_equal(plan.buffers[3].planes, 2);
    assert_string_equal(plan.reference_plan->launches[0].kernel, "t");
    assert_string_equal(ct_plan_hash(&plan).text, ct_plan_hash(&s.plan).text);
    ct_str_release(&message);
    ct_str_release(&again);
    ct_arena_release(&arena);
}

static void test_wire_empty(void **state)
{
    struct ct_plan empty;
    struct ct_plan plan;
    struct ct_str message;
    struct ct_arena arena = {0};

    (void)state;
    memset(&empty, 0, sizeof(empty));
    ct_str_init(&message);
    ct_plan_put(&message, &empty);
    read_back(&message, &arena, &plan);
    assert_int_equal(plan.program_count + plan.buffer_count + plan.launch_count, 0);
    ct_str_release(&message);
    ct_arena_release(&arena);
}

static enum ct_status get_damaged(const char *data, size_t length, struct ct_plan *plan,
                                  struct ct_arena *arena)
{
    struct ct_wire_reader in;
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status;
    /* A copy of just this size, so that reading beyond it is seen. */
    char *copy = malloc(length ? length : 1);

    assert_non_null(copy);
    memcpy(copy, data, length);
    ct_wire_reader_init(&in, copy, length);
    status = ct_plan_get(&in, arena, plan, &err);
    assert_int_equal(err.code, status);
    free(copy);
    return status;
}

static void test_wire_cut(void **state)
{
    struct sample s;
    struct ct_str message;
    struct ct_arena arena = {0};
    struct ct_plan plan;

    (void)state;
    make(&s);
    ct_str_init(&message);
    ct_plan_put(&message, &s.plan);
    for (size_t length = 0; length < message.length; length++) {
        assert_int_equal(get_damaged(message.data, length, &plan, &arena), CT_E_WORKER);
        assert_int_equal(plan.launch_count, 0);
        ct_arena_release(&arena);
    }
    ct_str_release(&message);
}

static bool args_in_bounds(const struct ct_plan *plan, size_t count,
                           const struct ct_plan_arg *args)
{
    for (size_t i = 0; i < count; i++)
        if (args[i].kind > CT_ARG_SAMPLER ||
            (args[i].kind == CT_ARG_BUFFER && args[i].buffer >= plan->buffer_count) ||
            (args[i].kind == CT_ARG_SCALAR &&
             ct_type_size(args[i].type) > sizeof(args[i].bytes)))
            return false;
    return true;
}

static bool in_bounds(const struct ct_plan *plan)
{
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct ct_plan_launch *launch = &plan->launches[i];

        if (launch->kind != CT_LAUNCH_KERNEL) {
            if (launch->from >= plan->buffer_count || launch->to >= plan->buffer_count)
                return false;
            continue;
        }
        if (launch->program >= plan->program_count || launch->dims < 1 ||
            launch->dims > 3 || !args_in_bounds(plan, launch->arg_count, launch->args))
            return false;
    }
    for (size_t i = 0; i < plan->buffer_count; i++) {
        const struct ct_fill *fill = &plan->buffers[i].fill;

        if (plan->buffers[i].compare > plan->buffers[i].count ||
            plan->buffers[i].type.scalar >= CT_T_COUNT)
            return false;
        for (size_t j = 0; j < fill->source_count; j++)
            if (fill->sources[j] >= i)
                return false;
    }
    return args_in_bounds(plan, plan->reference.arg_count, plan->reference.args);
}

/* Whatever byte is trampled on, the result is refused or within its own bounds. */
static void test_wire_trampled(void **state)
{
    static const unsigned char values[] = {0x00, 0x01, 0x02, 0x7f, 0x80, 0xff};
    struct sample s;
    struct ct_str message;
    struct ct_plan plan;
    size_t refused = 0;

    (void)state;
    make(&s);
    ct_str_init(&message);
    ct_plan_put(&message, &s.plan);
    for (size_t at = 0; at < message.length; at++) {
        char kept = message.data[at];

        for (size_t v = 0; v < sizeof(values); v++) {
            struct ct_arena arena = {0};

            message.data[at] = (char)values[v];
            if (get_damaged(message.data, message.length, &plan, &arena) != CT_OK)
                refused++;
            else
                assert_true(in_bounds(&plan));
            ct_arena_release(&arena);
        }
        message.data[at] = kept;
    }
    assert_true(refused > message.length);
    ct_str_release(&message);
}

static void expect_refused(const struct sample *s)
{
    struct ct_str message;
    struct ct_arena arena = {0};
    struct ct_plan plan;

    ct_str_init(&message);
    ct_plan_put(&message, &s->plan);
    assert_int_equal(get_damaged(message.data, message.length, &plan, &arena),
                     CT_E_WORKER);
    ct_str_release(&message);
    ct_arena_release(&arena);
}

static void test_wire_indices(void **state)
{
    struct sample s;

    (void)state;
    make(&s);
    s.args[0].buffer = 4;
    expect_refused(&s);
    make(&s);
    s.host_args[0].buffer = 4;
    expect_refused(&s);
    make(&s);
    s.host_args[1].kind = CT_ARG_LOCAL; /* host functions have no local memory */
    expect_refused(&s);
    make(&s);
    s.launches[1].program = 2;
    expect_refused(&s);
    make(&s);
    s.launches[0].dims = 0;
    expect_refused(&s);
    make(&s);
    s.launches[0].dims = 4;
    expect_refused(&s);
    make(&s);
    s.buffers[1].compare = 101;
    expect_refused(&s);
    make(&s);
    s.buffers[0].count = UINT64_MAX / 2;
    expect_refused(&s);
    make(&s);
    s.buffers[0].type.width = 5;
    expect_refused(&s);
    make(&s);
    s.launches[0].kernel = NULL;
    expect_refused(&s);
    make(&s);
    s.plan.reference.c_path = NULL;
    expect_refused(&s);
}

static void test_wire_language(void **state)
{
    struct sample s;

    (void)state;
    make(&s);
    s.sources[0] = 3; /* made of itself */
    expect_refused(&s);
    make(&s);
    s.sources[1] = 4;
    expect_refused(&s);
    make(&s);
    s.buffers[3].fill.source_count = 0;
    expect_refused(&s);
    make(&s);
    s.buffers[2].fill.path = NULL;
    expect_refused(&s);
    make(&s);
    s.buffers[2].image.size[0] = 11; /* not the pixels that the buffer has */
    expect_refused(&s);
    make(&s);
    s.buffers[3].planes = 3;
    expect_refused(&s);
    make(&s);
    s.launches[2].to = 4;
    expect_refused(&s);
    make(&s);
    s.truth.buffer_count = 3;
    expect_refused(&s);
    make(&s);
    s.truth.reference = s.plan.reference;
    expect_refused(&s);
    make(&s);
    s.env[0].name = NULL;
    expect_refused(&s);
}

/* --- options --- */

static void expect_options(const struct ct_plan_program *program, const char *expected)
{
    struct ct_str text;

    ct_str_init(&text);
    assert_true(ct_plan_options(program, &text));
    assert_string_equal(text.data, expected);
    ct_str_release(&text);
}

static void test_options(void **state)
{
    struct sample s;
    struct ct_plan_macro quoted[] = {{"A", "x y"}, {"B", "it's"}, {"C", "(1+2)"}};

    (void)state;
    make(&s);
    expect_options(&s.programs[0], "-cl-std=CL1.2 -D WG=64 -D VEC=4 -D EMPTY= "
                                   "-I /src/kernels -I \"/src/with blank\"");
    expect_options(&s.programs[1], "");
    s.programs[1].macro_count = 3;
    s.programs[1].macros = quoted;
    expect_options(&s.programs[1], "-D A=\"x y\" -D B=\"it's\" -D C=(1+2)");
    assert_true(ct_plan_quotable("it's a \\ {1, 2}"));
    assert_false(ct_plan_quotable("say \"yes\""));
    assert_false(ct_plan_quotable("two\nlines"));
}

/* --- identities --- */

static struct ct_hash base_hash;
static struct ct_hash base_data_hash;

static void expect_hashes(const struct sample *s, bool same, bool same_data)
{
    struct ct_hash hash = ct_plan_hash(&s->plan);
    struct ct_hash data = ct_plan_data_hash(&s->plan);

    assert_int_equal(strlen(hash.text), CT_HASH_TEXT_SIZE - 1);
    assert_int_equal(strcmp(hash.text, base_hash.text) == 0, same);
    assert_int_equal(strcmp(data.text, base_data_hash.text) == 0, same_data);
}

/* Makes a fresh plan, changes it, compares its hashes with those of the unchanged one. */
#define CHANGED(change, same, same_data)                                                 \
    do {                                                                                 \
        struct sample s;                                                                 \
                                                                                         \
        make(&s);                                                                        \
        base_hash = ct_plan_hash(&s.plan);                                               \
        base_data_hash = ct_plan_data_hash(&s.plan);                                     \
        change;                                                                          \
        expect_hashes(&s, same, same_data);                                              \
    } while (0)

static void test_hash_ignores(void **state)
{
    struct ct_plan_macro swapped[] = {{"VEC", "4"}, {"EMPTY", ""}, {"WG", "64"}};

    (void)state;
    CHANGED((void)0, true, true);
    CHANGED(s.programs[0].source_path = "/else/f.cl", true, true);
    CHANGED(s.programs[0].include_dirs[0] = "/else", true, true);
    CHANGED(s.programs[0].include_count = 1, true, true);
    CHANGED(s.programs[0].source = "/* other comment */ kernel void f() {}", true, true);
    CHANGED(s.programs[0].options = "  -cl-std=CL1.2  ", true, true);
    CHANGED(s.programs[0].macros = swapped, true, true);
    CHANGED(s.plan.reference.c_path = "/else/f.c", true, true);
    CHANGED(s.plan.baseline = s.plan.reference, true, true);
    CHANGED(s.buffers[0].name = "renamed", true, true);
    CHANGED(s.launches[0].name = "renamed", true, true);
    CHANGED(s.launches[1].global[1] = 5, true, true); /* beyond its dimensions */
    CHANGED(s.args[1].bytes[100] = 1, true, true);    /* beyond its type */
    CHANGED(s.args[0].local_bytes = 1, true, true);   /* of a buffer */
    CHANGED(s.buffers[1].fill.seed = 1, true, true);  /* of no fill */
    CHANGED(s.buffers[0].tolerance = 1, true, true);  /* of no check */
    CHANGED(s.buffers[2].fill.path = "/else/f.c", true, true);
    CHANGED(s.buffers[0].reduce = CT_REDUCE_SUM, true, true); /* of no check */
    CHANGED(s.launches[2].name = "renamed", true, true);
    CHANGED(s.launches[2].program = 1, true, true); /* of a copy */
    CHANGED(s.truth_launch.name = "renamed", true, true);
}

static void test_hash_notices(void **state)
{
    struct ct_plan_macro twice[] = {{"VEC", "4"}, {"VEC", "64"}, {"WG", "64"}};
    struct ct_plan_macro twisted[] = {{"VEC", "64"}, {"VEC", "4"}, {"WG", "64"}};
    struct ct_hash hash;
    struct sample other;

    (void)state;
    CHANGED(s.macros[0].value = "65", false, true);
    CHANGED(s.macros[0].name = "WH", false, true);
    CHANGED(s.programs[0].macro_count = 2, false, true);
    CHANGED(s.programs[0].options = "-cl-std=CL1.1", false, true);
    CHANGED(s.programs[0].source_hash = ct_hash_bytes("h", 1), false, true);
    CHANGED(s.launches[0].kernel = "h", false, true);
    CHANGED(s.launches[0].local[0] = 32, false, true);
    CHANGED(s.launches[0].global[1] = 8, false, true);
    CHANGED(s.launches[0].dims = 3, false, true);
    CHANGED(s.plan.launch_count = 1, false, true);
    CHANGED(s.launches[0].require = NULL, false, true);
    CHANGED(s.launches[2].from = 0, false, true);
    CHANGED(s.launches[2].kind = CT_LAUNCH_ZERO, false, true);
    CHANGED(s.args[3].sampler.linear = true, false, true);
    CHANGED(s.env[0].value = "2", false, true);
    CHANGED(s.env[1].value = "", false, true); /* empty is not taken out */
    CHANGED(s.plan.env_count = 1, false, true);
    CHANGED(s.plan.end_to_end = false, false, true);
    CHANGED(s.plan.cold = false, false, true);
    CHANGED(s.buffers[3].restore = CT_RESTORE_ONCE, false, true);
    CHANGED(s.buffers[0].transfer = CT_TRANSFER_HOST, false, true);
    CHANGED(s.buffers[3].reduce = CT_REDUCE_MAX, false, true);
    CHANGED(s.buffers[3].planes = 0, false, false);
    CHANGED(s.buffers[3].fill.kind = CT_FILL_ZERO, false, false);
    CHANGED(s.buffers[2].fill.path_hash = ct_hash_bytes("x", 1), false, false);
    CHANGED(s.buffers[2].fill.function = "other", false, false);
    CHANGED(s.buffers[2].image.channel = CT_CHANNEL_UNSIGNED_INT8, false, false);
    CHANGED(s.buffers[2].image.dims = 0, false, false);
    CHANGED(s.sources[1] = 1, false, false);
    CHANGED(s.buffers[2].has_expect = false, false, false);
    CHANGED(s.truth_launch.global[0] = 2, false, false);
    CHANGED(s.plan.reference_plan = NULL, false, false);
    CHANGED(s.args[2].local_bytes = 4096, false, true);
    CHANGED(s.args[0].buffer = 0, false, true);
    CHANGED(s.args[1].bytes[3] = 1, false, true);
    CHANGED(s.args[1].type.scalar = CT_T_INT, false, true);
    CHANGED(s.buffers[1].tolerance = 1e-3, false, true);
    CHANGED(s.buffers[1].compare = 80, false, true);
    CHANGED(s.buffers[1].check = CT_CHECK_ABSOLUTE, false, true);
    CHANGED(s.buffers[1].check = CT_CHECK_NONE, false, false);
    CHANGED(s.buffers[0].count = 999, false, false);
    CHANGED(s.buffers[0].type.width = 1, false, false);
    CHANGED(s.buffers[0].fill.seed = 1, false, false);
    CHANGED(s.buffers[0].fill.b = 2, false, false);
    CHANGED(s.plan.reference.c_hash = ct_hash_bytes("d", 1), false, false);
    CHANGED(s.plan.reference.libs = "", false, false);
    CHANGED(s.plan.reference.function = NULL, false, false);
    CHANGED(s.host_args[1].bytes[0] = 1, false, false);
    make(&other); /* of macros defined twice the last one counts */
    other.programs[0].macros = twice;
    hash = ct_plan_hash(&other.plan);
    other.programs[0].macros = twisted;
    assert_string_not_equal(ct_plan_hash(&other.plan).text, hash.text);
}

/* Of the fill of buffer `i` of a plan in which `change` was made. */
#define FILL_HASH(hash, i, change)                                                       \
    do {                                                                                 \
        struct sample s;                                                                 \
                                                                                         \
        make(&s);                                                                        \
        change;                                                                          \
        (hash) = ct_plan_fill_hash(&s.buffers[i]);                                       \
    } while (0)

#define FILL_CHANGED(i, change, same)                                                    \
    do {                                                                                 \
        struct ct_hash base;                                                             \
        struct ct_hash now;                                                              \
                                                                                         \
        FILL_HASH(base, i, (void)0);                                                     \
        FILL_HASH(now, i, change);                                                       \
        assert_int_equal(strlen(now.text), CT_HASH_TEXT_SIZE - 1);                       \
        assert_int_equal(strcmp(now.text, base.text) == 0, same);                        \
    } while (0)

/* What a buffer holds by itself, whatever is done with it in whatever plan. */
static void test_fill_hash(void **state)
{
    struct ct_hash hash;

    (void)state;
    FILL_CHANGED(0, s.buffers[0].name = "renamed", true);
    FILL_CHANGED(0, s.buffers[0].transfer = CT_TRANSFER_HOST, true);
    FILL_CHANGED(0, s.buffers[1].count = 999, true);
    FILL_CHANGED(2, s.buffers[2].check = CT_CHECK_NONE, true);
    FILL_CHANGED(2, s.buffers[2].fill.path = "/else/f.c", true);
    FILL_CHANGED(0, s.buffers[0].count = 999, false);
    FILL_CHANGED(0, s.buffers[0].type.width = 1, false);
    FILL_CHANGED(0, s.buffers[0].fill.seed = 1, false);
    FILL_CHANGED(0, s.buffers[0].fill.kind = CT_FILL_NORMAL, false);
    FILL_CHANGED(2, s.buffers[2].fill.path_hash = ct_hash_bytes("x", 1), false);
    FILL_CHANGED(2, s.buffers[2].fill.function = "other", false);
    /* Made from another buffer, by a file that nobody knows, or in no time. */
    FILL_HASH(hash, 3, (void)0);
    assert_string_equal(hash.text, "");
    FILL_HASH(hash, 2, *s.buffers[2].fill.path_hash.text = 0);
    assert_string_equal(hash.text, "");
    FILL_HASH(hash, 0, s.buffers[0].fill.kind = CT_FILL_ZERO);
    assert_string_equal(hash.text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wire_round_trip), cmocka_unit_test(test_wire_empty),
        cmocka_unit_test(test_wire_cut),        cmocka_unit_test(test_wire_trampled),
        cmocka_unit_test(test_wire_indices),    cmocka_unit_test(test_wire_language),
        cmocka_unit_test(test_options),         cmocka_unit_test(test_hash_ignores),
        cmocka_unit_test(test_hash_notices),    cmocka_unit_test(test_fill_hash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
