// SPDX-License-Identifier: Apache-2.0
// Numbers that buffers are filled with: those that do not fit the type are refused when a
// configuration is planned, the others arrive as they were written.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "worker/data/data.h"
#include "space_text.h"
#include "spacefile/source.h"

#include <stdlib.h>

/* Plans the default configuration of a file whose buffer has that type, count and fill,
 * the value of `key`: "fill" or "expect". */
static enum ct_status plan_buffer(const char *type, const char *count, const char *key,
                                  const char *fill, struct ct_arena *arena,
                                  struct ct_plan *plan, struct ct_err *err)
{
    struct ct_source_cache *cache = ct_source_cache_new();
    struct ct_value *values;
    struct space_text t;
    char text[1024];
    enum ct_status status;

    snprintf(text, sizeof(text),
             "[kernel]\nname = k\nsource = %s/kernels/fir.cl\n[param]\nA = 1, 2\n"
             "[buffer b]\n%s = %s\ntype = %s\ncount = %s\ncheck = exact\n"
             "[launch l]\nkernel = f\nargs = b\nglobal = 1\n",
             getenv("CT_ROOT"), key, fill, type, count);
    space_text_open(&t, text, NULL);
    values = calloc(t.spec->param_count, sizeof(*values));
    assert_non_null(cache);
    assert_non_null(values);
    assert_int_equal(ct_binding_default(t.binding, values, err), CT_OK);
    status = ct_binding_plan(t.binding, values, cache, arena, plan, err);
    free(values);
    ct_source_cache_free(cache);
    space_text_close(&t);
    return status;
}

static void what_does_not_fit_is_refused(void **state)
{
    static const struct {
        const char *type;
        const char *fill;
        const char *message;
        int column; /* behind "fill = " */
    } cases[] = {
        {"uint", "constant(-1)", "-1 is not a value of uint (0 to 4294967295)", 9},
        {"uchar", "constant(300)", "300 is not a value of uchar (0 to 255)", 9},
        {"char4", "constant(128)", "128 is not a value of char (-128 to 127)", 9},
        {"int", "constant(1.5)", "1.5 is not a value of int", 9},
        {"half", "constant(70000)", "70000 is not a value of half", 9},
        {"uchar", "uniform(0, 256)", "256 is not a value of uchar", 11},
        {"ulong", "uniform(-5, 5)",
         "-5 is not a value of ulong (0 to 18446744073709551615)", 8},
        {"int", "uniform(0, 0.5)", "0.5 is not a value of int", 11},
        {"uchar", "ramp(0, 5)",
         "the ramp leaves uchar (0 to 255): of its 64 numbers, "
         "number 52 (counted from 0) is the first",
         0},
        {"char", "ramp(-100, -1)", "number 29 (counted from 0) is the first", 0},
        {"short2", "ramp(32700, 1)", "of its 128 numbers, number 68 ", 0},
        {"long", "ramp(9223372036854774784, 100)", "number 11 ", 0},
        {"half", "ramp(0, 2000)", "the ramp leaves half: of its 64 numbers, number 33 ",
         0},
        {"ulong", "ramp(-1, 1)", "-1 is not a value of ulong", 5},
        {"int", "ramp(0, 0.5)", "steps of 0.5 do not give values of int", 8},
        {"long", "constant(9007199254740993)",
         "9007199254740993 cannot be represented exactly", 9},
        {"long", "ramp(9007199254740993, 1)",
         "9007199254740993 cannot be represented exactly", 5},
        {"long", "ramp(0, 9007199254740993)",
         "step 9007199254740993 cannot be represented", 8},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        for (int expect = 0; expect < 2; expect++) {
            const char *key = expect ? "expect" : "fill";
            struct ct_arena arena = {0};
            struct ct_err err = CT_ERR_INIT;
            struct ct_plan plan;

            if (expect && !strncmp(cases[i].fill, "uniform", 7))
                continue;
            if (plan_buffer(cases[i].type, "64", key, cases[i].fill, &arena, &plan,
                            &err) != CT_E_SPEC)
                fail_msg("%s %s is planned", cases[i].type, cases[i].fill);
            if (!strstr(err.message, cases[i].message))
                fail_msg("'%s' is not in: %s", cases[i].message, err.message);
            assert_int_equal(err.line, 7);
            assert_int_equal(err.column, (int)strlen(key) + 4 + cases[i].column);
            ct_arena_release(&arena);
        }
}

static void what_fits_arrives(void **state)
{
    static const struct {
        const char *type;
        const char *fill;
        uint64_t numbers[3];
    } cases[] = {
        {"ulong",
         "ramp(9007199254740992, 1)",
         {9007199254740992u, 9007199254740993u, 9007199254740994u}},
        {"long",
         "ramp(-9007199254740992, -1)",
         {(uint64_t)-9007199254740992, (uint64_t)-9007199254740993,
          (uint64_t)-9007199254740994}},
        {"ulong",
         "ramp(9223372036854775807 - 1023, 0)",
         {9223372036854774784u, 9223372036854774784u, 9223372036854774784u}},
        {"ulong",
         "ramp(4611686018427387904, 4611686018427387904)",
         {(uint64_t)1 << 62, (uint64_t)2 << 62, (uint64_t)3 << 62}},
        {"long",
         "constant(-9223372036854775807 - 1)",
         {(uint64_t)1 << 63, (uint64_t)1 << 63, (uint64_t)1 << 63}},
        {"long", "constant(1e3)", {1000, 1000, 1000}},
        {"long",
         "uniform(9007199254740992, 9007199254740992)",
         {9007199254740992u, 9007199254740992u, 9007199254740992u}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct ct_arena arena = {0};
        struct ct_err err = CT_ERR_INIT;
        struct ct_plan plan;
        uint64_t numbers[3];

        if (plan_buffer(cases[i].type, "3", "fill", cases[i].fill, &arena, &plan, &err))
            fail_msg("%s: %s", cases[i].fill, err.message);
        ct_data_fill(&plan.buffers[0], 1, numbers);
        for (size_t k = 0; k < 3; k++)
            if (numbers[k] != cases[i].numbers[k])
                fail_msg("%s gives %llu as number %zu", cases[i].fill,
                         (unsigned long long)numbers[k], k);
        ct_arena_release(&arena);
    }
}

/* Ends of the types, and reals that are rounded as reals are. */
static void the_ends_of_types_fit(void **state)
{
    static const char *const cases[][2] = {
        {"uchar", "uniform(0, 255)"},
        {"char", "ramp(-128, 127)"},
        {"short", "ramp(32767, -32767)"},
        {"uint", "constant(4294967295)"},
        {"long", "uniform(-9223372036854775807 - 1, 9223372036854775807)"},
        {"float", "constant(0.1)"},
        {"float", "ramp(0, 0.1)"},
        {"half", "constant(65504)"},
        {"int", "normal(0, 0.5)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct ct_arena arena = {0};
        struct ct_err err = CT_ERR_INIT;
        struct ct_plan plan;

        if (plan_buffer(cases[i][0], "3", "fill", cases[i][1], &arena, &plan, &err))
            fail_msg("%s: %s", cases[i][1], err.message);
        ct_arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(what_fits_arrives),
        cmocka_unit_test(the_ends_of_types_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
