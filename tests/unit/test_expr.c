// SPDX-License-Identifier: Apache-2.0
// Expressions: precedence, checked arithmetic, short circuits, kinds, mistakes with
// places.
#include "expr_names.h"

/* The compiler computes what is expected; its advice on parentheses is beside the
 * point. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wlogical-not-parentheses"
static void integers_are_as_in_c(void **state)
{
#define ROW(expression)                                                                  \
    {                                                                                    \
#expression, (int64_t)(expression)                                               \
    }
    const int a = 7;
    const int b = -3;
    const int z = 0;
    const struct {
        const char *text;
        int64_t value;
    } rows[] = {
        ROW(1 + 2 * 3),
        ROW((1 + 2) * 3),
        ROW(10 - 4 - 3),
        ROW(100 / 7 / 2),
        ROW(-7 / 2),
        ROW(-7 % 3),
        ROW(7 % -3),
        ROW(1 << 3 + 1),
        ROW(256 >> 2 >> 1),
        // cppcheck-suppress shiftNegativeLHS ; the language defines it, as gcc and clang
        // do
        ROW(-5 >> 1),
        ROW(5 & 3 == 3),
        ROW(6 & 3 | 8 ^ 1),
        ROW(1 | 2 ^ 3 & 4),
        ROW(1 < 2 == 1),
        ROW(a > b && z || 1),
        ROW(z || a && !z),
        ROW(!a == z),
        ROW(~a & 0xFF),
        ROW(- -a - -b),
        ROW(+a - +b),
        ROW(a ? b ? 1 : 2 : 3),
        ROW(z   ? 1
            : b ? 2
                : 3),
        ROW(a == 7 ? b : z),
        ROW(a + b * a % 4 - 1 << 2 >= 8 != 0),
        ROW(0x1f + 0XFF),
        ROW(1 <= 1),
        ROW(2 != 2),
    };
#undef ROW
    struct ct_value value;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(eval(rows[i].text, &value), CT_EVAL_OK);
        if (value.kind != CT_INT || value.u.i != rows[i].value)
            print_error("%s\n", rows[i].text);
        assert_int_equal(value.kind, CT_INT);
        assert_int_equal(value.u.i, rows[i].value);
    }
}

#pragma GCC diagnostic pop

struct printed {
    const char *text;
    const char *value;
};

static void assert_printed(const struct printed *rows, size_t count)
{
    struct ct_str text;

    ct_str_init(&text);
    for (size_t i = 0; i < count; i++) {
        struct ct_value value;

        if (eval(rows[i].text, &value))
            print_error("%s\n", rows[i].text);
        assert_int_equal(eval(rows[i].text, &value), CT_EVAL_OK);
        ct_str_reset(&text);
        ct_value_print(&text, value);
        if (strcmp(text.data, rows[i].value) != 0)
            print_error("%s\n", rows[i].text);
        assert_string_equal(text.data, rows[i].value);
    }
    ct_str_release(&text);
}

static void values_print_as_expected(void **state)
{
    static const struct printed rows[] = {
        {"1 / 2.0", "0.5"},
        {"3 * 0.5", "1.5"},
        {"1e3", "1e+03"},
        {".5 + 1.", "1.5"},
        {"2.5e-1", "0.25"},
        {"1 ? 2 : 2.5", "2.0"},
        {"r + a", "9.5"},
        {"-r", "-2.5"},
        {"!r", "0"},
        {"r > 2", "1"},
        {"'abc'", "abc"},
        {"''", ""},
        {"s == 'fast'", "1"},
        {"s != 'fast'", "0"},
        {"k == 'dyn'", "1"},
        {"a > 3 ? 'x' : s", "x"},
        {"on + true + off + false", "2"},
        {"z && 1 / z", "0"},
        {"a || 1 / z", "1"},
        {"a ? 1 : 1 / z", "1"},
        {"z && u", "0"},
        {"1 || u", "1"},
        {"(-0x7fffffffffffffff - 1) % -1", "0"},
    };

    (void)state;
    assert_printed(rows, sizeof(rows) / sizeof(rows[0]));
}

static void functions_have_their_values(void **state)
{
    static const struct printed rows[] = {
        {"min(3, 1, 2)", "1"},
        {"max(1, 2.5)", "2.5"},
        {"max(3, 2.5)", "3.0"},
        {"abs(b)", "3"},
        {"abs(-2.5)", "2.5"},
        {"ceildiv(7, 2)", "4"},
        {"ceildiv(-7, 2)", "-3"},
        {"ceildiv(8, 2)", "4"},
        {"roundup(9, 4)", "12"},
        {"roundup(8, 4)", "8"},
        {"ispow2(64) + ispow2(0) + ispow2(-4) + ispow2(6)", "1"},
        {"ilog2(1023)", "9"},
        {"ilog2(1024)", "10"},
        {"gcd(-12, 18)", "6"},
        {"gcd(0, 0)", "0"},
        {"divides(3, 9)", "1"},
        {"divides(9, 3)", "0"},
        {"divides(-1, 0x7fffffffffffffff)", "1"},
        {"sqrt(16)", "4.0"},
        {"exp(0)", "1.0"},
        {"log(1)", "0.0"},
        {"pow(2, 10)", "1024.0"},
        {"float(3)", "3.0"},
        {"int(-2.9)", "-2"},
        {"int(7)", "7"},
    };

    (void)state;
    assert_printed(rows, sizeof(rows) / sizeof(rows[0]));
}

static void failures_say_why(void **state)
{
    static const struct {
        const char *text;
        enum ct_eval eval;
    } rows[] = {
        {"1 / z", CT_EVAL_DIVISION},
        {"1 % z", CT_EVAL_DIVISION},
        {"1 / 0.0", CT_EVAL_DIVISION},
        {"ceildiv(1, z)", CT_EVAL_DIVISION},
        {"divides(z, 1)", CT_EVAL_DIVISION},
        {"0x7fffffffffffffff + 1", CT_EVAL_OVERFLOW},
        {"-0x7fffffffffffffff - 2", CT_EVAL_OVERFLOW},
        {"0x7fffffffffffffff * 2", CT_EVAL_OVERFLOW},
        {"(-0x7fffffffffffffff - 1) / -1", CT_EVAL_OVERFLOW},
        {"-(-0x7fffffffffffffff - 1)", CT_EVAL_OVERFLOW},
        {"abs(-0x7fffffffffffffff - 1)", CT_EVAL_OVERFLOW},
        {"ceildiv(-0x7fffffffffffffff - 1, -1)", CT_EVAL_OVERFLOW},
        {"1 << 63", CT_EVAL_OVERFLOW},
        {"2 << 62", CT_EVAL_OVERFLOW},
        {"1 << 64", CT_EVAL_DOMAIN},
        {"1 >> -1", CT_EVAL_DOMAIN},
        {"1e308 * 10", CT_EVAL_OVERFLOW},
        {"exp(1000)", CT_EVAL_OVERFLOW},
        {"int(1e19)", CT_EVAL_OVERFLOW},
        {"roundup(0x7fffffffffffffff, 2)", CT_EVAL_OVERFLOW},
        {"roundup(5, -2)", CT_EVAL_DOMAIN},
        {"sqrt(-1)", CT_EVAL_DOMAIN},
        {"log(0)", CT_EVAL_DOMAIN},
        {"pow(-8, 0.5)", CT_EVAL_DOMAIN},
        {"pow(0, -1)", CT_EVAL_DIVISION},
        {"ilog2(0)", CT_EVAL_DOMAIN},
        {"k + 1", CT_EVAL_TYPE},
        {"k < k", CT_EVAL_TYPE},
        {"k == 1", CT_EVAL_TYPE},
        {"!k", CT_EVAL_TYPE},
        {"k ? 1 : 2", CT_EVAL_TYPE},
        {"max(k, 1)", CT_EVAL_TYPE},
        {"u", CT_EVAL_UNKNOWN},
        {"a && u", CT_EVAL_UNKNOWN},
        {"u || a", CT_EVAL_UNKNOWN},
        {"max(u, 1)", CT_EVAL_UNKNOWN},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ct_value value = ct_value_int(42);
        enum ct_eval got = eval(rows[i].text, &value);

        if (got != rows[i].eval)
            print_error("%s: %s\n", rows[i].text, ct_eval_text(got));
        assert_int_equal(got, rows[i].eval);
        assert_int_equal(value.u.i, 42); /* untouched */
    }
}

static void mistakes_have_places(void **state)
{
    static const struct {
        const char *text;
        int column;
        const char *part; /* of the message */
    } rows[] = {
        {"", 1, "too early"},
        {"1 +", 4, "too early"},
        {"(1", 3, "')' is missing"},
        {"1 2", 3, "an operator is missing before '2'; entries of a list have commas"},
        {"a and b", 3, "'and' is not an operator: write '&&'"},
        {"a or b", 3, "write '||'"},
        {"not a", 1, "write '!'"},
        {"a in b", 3, "compare with each value"},
        {"a ** b", 4, "pow(a, b)"},
        {"a # text", 3, "after a value write ';'"},
        {"[1, 2", 1, "without brackets"},
        {"${a}", 1, "in an expression write NAME"},
        {"ceil(1 / 2)", 1, "unknown function 'ceil': use ceildiv(a, b)"},
        {"range(1, 3)", 1, "a..b"},
        {"uint(a) + 1", 1, "unknown function 'uint': a type encloses"},
        {"1 < a < 3", 7, "such as a < b && b < c"},
        {"a == b != 1", 8, "such as a < b && b < c"},
        {"1 + nix", 5, "unknown 'nix'"},
        {"nix + nox", 1, "unknown 'nix'"},
        {"a = 1", 3, "'=='"},
        {"'open", 1, "unterminated quote"},
        {"a ? 1", 6, "':' is missing"},
        {"max()", 1, "at least 1 argument"},
        {"gcd(1, 2, 3)", 1, "takes 2 arguments, not 3"},
        {"sqr(1)", 1, "did you mean 'sqrt'"},
        {"s + 1", 1, "requires a number"},
        {"1.5 << 2", 1, "requires an integer"},
        {"s < s", 1, "requires a number"},
        {"s == 1", 3, "text with a number"},
        {"1..3", 2, "range"},
        {"0x", 1, "no digits"},
        {"12ab", 1, "suffix"},
        {"99999999999999999999", 1, "64 bits"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ct_diags_release(&diags);
        assert_null(compile(rows[i].text));
        assert_true(diags.count >= 1);
        if (diags.items[0].column != rows[i].column ||
            !strstr(diags.items[0].message, rows[i].part))
            print_error("%s: %d: %s\n", rows[i].text, diags.items[0].column,
                        diags.items[0].message);
        assert_int_equal(diags.items[0].column, rows[i].column);
        assert_non_null(strstr(diags.items[0].message, rows[i].part));
    }
}

static void all_unknown_names_are_reported(void **state)
{
    (void)state;
    assert_null(compile("x1 + max(x2, x3 ? x4 : 1)"));
    assert_int_equal(diags.count, 4);
}

static const struct ct_expr *compile_repeated(const char *open, int times,
                                              const char *inner, const char *close)
{
    const struct ct_expr *expr;
    struct ct_str text;

    ct_str_init(&text);
    for (int i = 0; i < times; i++)
        ct_str_puts(&text, open);
    ct_str_puts(&text, inner);
    for (int i = 0; i < times; i++)
        ct_str_puts(&text, close);
    ct_diags_release(&diags);
    expr = compile(text.data);
    ct_str_release(&text);
    return expr;
}

static void deep_nesting_is_refused(void **state)
{
    static const char *const opens[] = {"(", "-", "!", "abs(", "1 ? ", "1 ? 1 : "};

    (void)state;
    for (size_t i = 0; i < sizeof(opens) / sizeof(opens[0]); i++) {
        assert_null(compile_repeated(opens[i], 5000, "1", ""));
        assert_non_null(strstr(diags.items[0].message, "200 deep"));
    }
    assert_null(compile_repeated("1 + ", 5000, "1", ""));
    assert_non_null(strstr(diags.items[0].message, "too long"));
    assert_non_null(compile_repeated("(", 200, "1", ")"));
    assert_null(compile_repeated("(", 201, "1", ")"));
    assert_non_null(compile_repeated("1 + ", 999, "1", ""));
    assert_null(compile_repeated("1 + ", 1000, "1", ""));
}

static void slots_and_kinds_are_known(void **state)
{
    const struct ct_expr *expr;

    (void)state;
    expr = compile("  r * a + a / (b - a)");
    assert_int_equal(expr->slot_count, 3);
    assert_int_equal(expr->slots[0], 0);
    assert_int_equal(expr->slots[1], 1);
    assert_int_equal(expr->slots[2], 3);
    assert_int_equal(expr->kind, CT_REAL);
    assert_int_equal(expr->place.column, 3);
    assert_string_equal(expr->text, "r * a + a / (b - a)");
    assert_int_equal(compile("k")->kind, CT_NONE);
    assert_int_equal(compile("k == 1")->kind, CT_INT);
    assert_int_equal(compile("s")->kind, CT_TEXT);
    assert_int_equal(compile("max(a, b)")->kind, CT_INT);
    assert_int_equal(compile("max(a, r)")->kind, CT_REAL);
    assert_int_equal(compile("max(a, k)")->kind, CT_NONE);
    assert_int_equal(compile("a ? 1 : r")->kind, CT_REAL);
}

static void comparisons_of_comparisons_need_parentheses(void **state)
{
    (void)state;
    assert_null(compile("1 < a < 3"));
    assert_int_equal(diags.count, 1);
    assert_int_equal(diags.items[0].severity, CT_ERROR);
    assert_non_null(compile("(1 < a) < 3"));
    assert_non_null(compile("1 < a == a < 3"));
    assert_int_equal(diags.count, 1);
}

static void failures_are_explained(void **state)
{
    static const struct {
        const char *text;
        const char *why;
    } rows[] = {
        {"1 + ilog2(a - a)", "ilog2(0) is not defined"},
        {"a ? sqrt(0 - a) : z", "sqrt(-7) is not defined"},
        {"a << 70", "7 << 70: the shift must be from 0 to 63"},
        {"k + 1", "'+' requires a number, not the text 'dyn'"},
        {"gcd(k, 2)", "'gcd' requires a number, not the text 'dyn'"},
        {"k == 1", "'==' compares text with a number"},
        {"(a ? 0.5 : k) % 2", "'%' requires an integer, not 0.5; convert it with int()"},
        {"z && 1 / z || 1 / z", "division by zero"},
    };

    struct ct_value env[NAME_COUNT];

    (void)state;
    fill_env(env);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct ct_expr *expr = compile(rows[i].text);
        char why[CT_EVAL_WHY_SIZE];
        struct ct_value value;

        assert_non_null(expr);
        assert_string_equal(ct_expr_why(expr, ct_expr_eval(expr, env, &value), env, why),
                            rows[i].why);
    }
}

static void lists_are_cut_outside_quotes_and_parentheses(void **state)
{
    const char *source = "max(1, 2), ',', if_x 1..2 if a";
    struct ct_text text = {"f", source, strlen(source), NULL};
    size_t end = text.length;

    (void)state;
    assert_int_equal(ct_expr_find_char(&text, 0, end, ','), 9);
    assert_int_equal(ct_expr_find_char(&text, 10, end, ','), 14);
    assert_int_equal(ct_expr_find_char(&text, 15, end, ','), end);
    assert_int_equal(ct_expr_find_word(&text, 0, end, "if"),
                     strstr(source, " if ") + 1 - source);
    assert_int_equal(ct_expr_find_range(&text, 0, end), strstr(source, "..") - source);
}

static void truth_is_a_number_that_is_not_zero(void **state)
{
    (void)state;
    assert_true(ct_value_true(ct_value_int(-1)));
    assert_true(ct_value_true(ct_value_real(0.5)));
    assert_false(ct_value_true(ct_value_int(0)));
    assert_false(ct_value_true(ct_value_text("1")));
    assert_false(ct_value_true((struct ct_value){0}));
}

/* The places of a text in runs: two lines, the second with a character of two bytes. */
static void runs_tell_places(void **state)
{
    static const struct ct_place runs[] = {
        {CT_RANK_RUNS, 3}, {0, 100}, {1, 5}, {4, 4}, {2, 3}, {7, 100}, {2, 5}};
    static const struct ct_place wanted[] = {{1, 5}, {1, 6}, {1, 7}, {1, 8}, {2, 3},
                                             {2, 4}, {2, 4}, {2, 5}, {2, 6}};
    const struct ct_text text = {"f", "ab, c\xC3\xA4x", 8, runs};

    (void)state;
    for (size_t i = 0; i <= text.length; i++) {
        assert_int_equal(ct_text_place(&text, i).line, wanted[i].line);
        assert_int_equal(ct_text_place(&text, i).column, wanted[i].column);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(integers_are_as_in_c, release),
        cmocka_unit_test_teardown(values_print_as_expected, release),
        cmocka_unit_test_teardown(functions_have_their_values, release),
        cmocka_unit_test_teardown(failures_say_why, release),
        cmocka_unit_test_teardown(mistakes_have_places, release),
        cmocka_unit_test_teardown(all_unknown_names_are_reported, release),
        cmocka_unit_test_teardown(deep_nesting_is_refused, release),
        cmocka_unit_test_teardown(slots_and_kinds_are_known, release),
        cmocka_unit_test_teardown(comparisons_of_comparisons_need_parentheses, release),
        cmocka_unit_test_teardown(failures_are_explained, release),
        cmocka_unit_test_teardown(lists_are_cut_outside_quotes_and_parentheses, release),
        cmocka_unit_test_teardown(truth_is_a_number_that_is_not_zero, release),
        cmocka_unit_test_teardown(runs_tell_places, release),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
