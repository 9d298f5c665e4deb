// SPDX-License-Identifier: Apache-2.0
// Plans: the wire form and its damage, options as compilers read them.
#include "plan_sample.h"

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
    assert_int_equal(plan.launches[0].extra, 2);
    assert_int_equal(plan.launches[0].args[4].data_bytes, 3);
    assert_int_equal(plan.launches[0].args[4].data[2], 3);
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
        if (args[i].kind >= CT_ARG_COUNT ||
            (args[i].kind == CT_ARG_BYTES && args[i].data_bytes && !args[i].data) ||
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wire_round_trip), cmocka_unit_test(test_wire_empty),
        cmocka_unit_test(test_wire_cut),        cmocka_unit_test(test_wire_trampled),
        cmocka_unit_test(test_wire_indices),    cmocka_unit_test(test_wire_language),
        cmocka_unit_test(test_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
