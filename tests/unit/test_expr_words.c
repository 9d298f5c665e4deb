// SPDX-License-Identifier: Apache-2.0
// Functions of texts in expressions, and known().
#include "expr_names.h"

struct truth {
    const char *text;
    int64_t value;
};

static void assert_truths(const struct truth *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct ct_value value = {0};

        assert_int_equal(eval(rows[i].text, &value), CT_EVAL_OK);
        if (value.kind != CT_INT || value.u.i != rows[i].value)
            print_error("%s\n", rows[i].text);
        assert_int_equal(value.kind, CT_INT);
        assert_int_equal(value.u.i, rows[i].value);
    }
}

static void lists_contain_whole_words(void **state)
{
    static const struct truth rows[] = {
        {"contains('cl_khr_fp16 cl_khr_fp64', 'cl_khr_fp16')", 1},
        {"contains('cl_khr_fp16 cl_khr_fp64', 'cl_khr_fp64')", 1},
        {"contains('cl_khr_fp16  cl_khr_fp64  ', 'cl_khr_fp64')", 1},
        {"contains('cl_khr_fp16', 'cl_khr_fp16')", 1},
        {"contains('cl_khr_fp16 cl_khr_fp64', 'cl_khr_fp')", 0},
        {"contains('cl_khr_fp16 cl_khr_fp64', 'khr_fp64')", 0},
        {"contains('cl_khr_fp64_x cl_khr_fp64', 'cl_khr_fp64')", 1},
        {"contains('cl_khr_fp64_x', 'cl_khr_fp64')", 0},
        {"contains('CL_KHR_FP16', 'cl_khr_fp16')", 0},
        {"contains('', 'a')", 0},
        {"contains('NVIDIA H200 NVL', 'H200 NVL')", 1},
        {"contains('NVIDIA H200 NVL', 'H20')", 0},
        {"contains('a', '')", 1},
        {"contains('', '')", 1},
        {"contains('8 16 32', 16)", 1},
        {"contains('8 16 32', 1)", 0},
        {"contains('8 16 32', 3)", 0},
        {"contains('8 16 32', a + 1)", 1},
        {"contains('8 16 32', '16')", 1},
        {"contains('-3', b)", 1},
        {"contains(s, 'fast')", 1},
        {"contains('dyn', k) && contains(k, 'dyn')", 1},
        {"!contains(s, 'slow') + 1", 2},
    };

    (void)state;
    assert_truths(rows, sizeof(rows) / sizeof(rows[0]));
}

static void versions_are_compared_by_numbers(void **state)
{
    static const struct truth rows[] = {
        {"version_at_least('535.104.05', '535.54')", 1},
        {"version_at_least('535.54', '535.104.05')", 0},
        {"version_at_least('535.104.05', '535.104.5')", 1},
        {"version_at_least('535.104.5', '535.104.05')", 1},
        {"version_at_least('3', '3.0.0')", 1},
        {"version_at_least('3', '3.0.1')", 0},
        {"version_at_least('1.10', '1.9')", 1},
        {"version_at_least('1.9', '1.10')", 0},
        {"version_at_least('OpenCL 3.0 PoCL HSTR: cpu-x86_64-15', '3.0')", 1},
        {"version_at_least('OpenCL 3.0 CUDA 12.2.138', '3.1')", 0},
        {"version_at_least('OpenCL C 1.2 ', '1.2')", 1},
        {"version_at_least('OpenCL C 1.2', 'OpenCL C 2.0')", 0},
        {"version_at_least('3.1+debian', '3.1')", 1},
        {"version_at_least('3.1+debian', '3.2')", 0},
        {"version_at_least('v1.r32p1-01', '1')", 1},
        {"version_at_least('LLVM15 2.0', '3')", 0},
        {"version_at_least('3581.0 (HSA1.1,LC)', '3582')", 0},
        {"version_at_least('2024.18.7.0.11_160000.xmain-hotfix', '2024.18')", 1},
        {"version_at_least('24.35.30872.22', '24.35.30872.21')", 1},
        {"version_at_least('18446744073709551616', '18446744073709551615')", 1},
        {"version_at_least('99999999999999999999', '100000000000000000000')", 0},
        {"version_at_least('1..2', '1')", 1},
        {"version_at_least('1.', '1.0')", 1},
        {"version_at_least('0', '0.0')", 1},
    };

    (void)state;
    assert_truths(rows, sizeof(rows) / sizeof(rows[0]));
}

static void known_asks_without_a_value(void **state)
{
    static const struct truth rows[] = {
        {"known(a)", 1},
        {"known(s)", 1},
        {"known(k)", 1},
        {"known(gone)", 0},
        {"known(gone) && gone > 1", 0},
        {"known(gone) ? gone : 32", 32},
        {"!known(gone) || gone > 1", 1},
    };
    struct ct_value value;

    (void)state;
    assert_truths(rows, sizeof(rows) / sizeof(rows[0]));
    assert_int_equal(eval("gone > 1", &value), CT_EVAL_UNKNOWN);
    /* Without a device nothing is known, not even that. */
    assert_int_equal(eval("known(u)", &value), CT_EVAL_UNKNOWN);
    assert_int_equal(eval("!known(u)", &value), CT_EVAL_UNKNOWN);
    assert_int_equal(compile("known(u)")->slot_count, 1);
}

static void mistakes_with_texts_have_places(void **state)
{
    static const struct {
        const char *text;
        int column;
        const char *part;
    } rows[] = {
        {"contains(a, 'x')", 10, "'contains' requires text, not a number"},
        {"contains(2.5, 'x')", 10, "'contains' requires text, not a number"},
        {"contains(s, r)", 13, "'contains' requires text or an integer here, not a real"},
        {"contains(s)", 1, "takes 2 arguments, not 1"},
        {"contain(s, 'x')", 1, "did you mean 'contains'"},
        {"contains(nix, 'x')", 10, "unknown 'nix'"},
        {"version_at_least(3.0, '3.0')", 18, "requires text, not a number"},
        {"version_at_least(s, 3)", 21, "requires text, not a number"},
        {"version_at_least(s, 'new')", 21, "'new' is not a version, such as 3.0"},
        {"version(s) >= 3", 1, "write version_at_least(DEVICE_VERSION, '3.0')"},
        {"known()", 1, "takes 1 argument, not 0"},
        {"known(1)", 7, "'known' requires the name of a device limit"},
        {"known(a + 1)", 9, "'known' requires the name of a device limit"},
        {"known('s')", 7, "'known' requires the name of a device limit"},
        {"known(b)", 7, "b is always known"},
        {"known(nix)", 7, "unknown 'nix'"},
        {"16 in s", 4, "a list of the device: contains(LIST, A)"},
        {"gcd(s, 2)", 5, "'gcd' requires a number"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ct_diags_release(&diags);
        assert_null(compile(rows[i].text));
        assert_int_equal(diags.count, 1);
        if (diags.items[0].column != rows[i].column ||
            !strstr(diags.items[0].message, rows[i].part))
            print_error("%s: %d: %s\n", rows[i].text, diags.items[0].column,
                        diags.items[0].message);
        assert_int_equal(diags.items[0].column, rows[i].column);
        assert_non_null(strstr(diags.items[0].message, rows[i].part));
    }
}

static void failures_with_texts_are_explained(void **state)
{
    static const struct {
        const char *text;
        enum ct_eval failed;
        const char *why;
    } rows[] = {
        {"contains(a ? k : u, z ? u : r)", CT_EVAL_TYPE,
         "'contains' requires text or an integer, not 2.5"},
        {"contains(z ? u : a, k)", CT_EVAL_TYPE, "'contains' requires text, not 7"},
        {"version_at_least(k, '1')", CT_EVAL_DOMAIN,
         "version_at_least('dyn', '1') is not defined"},
        {"contains(u, 'x')", CT_EVAL_UNKNOWN, "a name whose value is unknown"},
    };
    struct ct_value env[NAME_COUNT];

    (void)state;
    fill_env(env);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct ct_expr *expr = compile(rows[i].text);
        char why[CT_EVAL_WHY_SIZE];
        struct ct_value value;

        assert_non_null(expr);
        assert_int_equal(ct_expr_eval(expr, env, &value), rows[i].failed);
        assert_string_equal(ct_expr_why(expr, rows[i].failed, env, why), rows[i].why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(lists_contain_whole_words, release),
        cmocka_unit_test_teardown(versions_are_compared_by_numbers, release),
        cmocka_unit_test_teardown(known_asks_without_a_value, release),
        cmocka_unit_test_teardown(mistakes_with_texts_have_places, release),
        cmocka_unit_test_teardown(failures_with_texts_are_explained, release),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
