// SPDX-License-Identifier: Apache-2.0
// Expressions: precedence, checked arithmetic, short circuits, kinds, mistakes with
// places.
#include "spacefile/expr/expr.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Names: a = 7, b = -3, z = 0, r = 2.5, s = 'fast', u without a value, k of unknown
 * kind. */
static const struct {
    const char *name;
    enum ct_kind kind;
} names[] = {{"a", CT_INT},  {"b", CT_INT},  {"z", CT_INT}, {"r", CT_REAL},
             {"s", CT_TEXT}, {"u", CT_NONE}, {"k", CT_NONE}};
enum { NAME_COUNT = sizeof(names) / sizeof(names[0]) };

static struct ct_diags diags;
static struct ct_arena arena;

static int find(void *context, const char *name, size_t length, struct ct_place place)
{
    (void)context;
    for (int i = 0; i < NAME_COUNT; i++)
        if (strlen(names[i].name) == length && memcmp(names[i].name, name, length) == 0)
            return i;
    ct_diags_add(&diags, CT_ERROR, "f", place.line, place.column, "unknown '%.*s'",
                 (int)length, name);
    return -1;
}

static enum ct_kind kind(void *context, int slot)
{
    (void)context;
    return names[slot].kind;
}

static const struct ct_expr *compile(const char *source)
{
    struct ct_scope scope = {find, kind, NULL};
    size_t length = strlen(source);
    struct ct_place *places = ct_arena_array(&arena, length + 1, sizeof(*places));
    struct ct_text text = {"f", source, length, places};

    assert_non_null(places);
    for (size_t i = 0; i <= length; i++)
        places[i] = (struct ct_place){1, (int)i + 1};
    return ct_expr_compile(&arena, &text, 0, length, &scope, &diags);
}

static int release(void **state)
{
    (void)state;
    ct_diags_release(&diags);
    ct_arena_release(&arena);
    return 0;
}

static void fill_env(struct ct_value env[NAME_COUNT])
{
    struct ct_value values[NAME_COUNT] = {ct_value_int(7),       ct_value_int(-3),
                                          ct_value_int(0),       ct_value_real(2.5),
                                          ct_value_text("fast"), {0},
                                          ct_value_text("dyn")};

    memcpy(env, values, sizeof(values));
}

static enum ct_eval eval(const char *source, struct ct_value *out)
{
    struct ct_value env[NAME_COUNT];
    const struct ct_expr *expr = compile(source);

    if (!expr)
        print_error("%s: %s\n", source, diags.count ? diags.items[0].message : "?");
    assert_non_null(expr);
    fill_env(env);
    return ct_expr_eval(expr, env, out);
}

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

static void values_print_as_expected(void **state)
{
    static const struct {
        const char *text;
        const char *value;
    } rows[] = {
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
        {"z && 1 / z", "0"},
        {"a || 1 / z", "1"},
        {"a ? 1 : 1 / z", "1"},
        {"z && u", "0"},
        {"1 || u", "1"},
        {"(-0x7fffffffffffffff - 1) % -1", "0"},
    };
    struct ct_str text;

    (void)state;
    ct_str_init(&text);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
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

static void put_name(void *context, int slot, struct ct_str *out)
{
    (void)context;
    ct_str_puts(out, names[slot].name);
}

static void expressions_are_printed(void **state)
{
    static const struct {
        const char *from;
        const char *to;
    } cases[] = {
        {"((a))+((b*z))", "a + b * z"},
        {"(a+b)*z", "(a + b) * z"},
        {"a-(b-z)", "a - (b - z)"},
        {"(a-b)-z", "a - b - z"},
        {"a/(b*z)", "a / (b * z)"},
        {"-(-a)", "--a"},
        {"-(a+b)", "-(a + b)"},
        {"!(a&&b)||z", "!(a && b) || z"},
        {"~(-a)", "~-a"},
        {"-(~a)", "-~a"},
        {"!(!a)", "!!a"},
        {"-(a*b)", "-(a * b)"},
        {"(-a)*b", "-a * b"},
        {"a*(-b)", "a * -b"},
        {"a-(-b)", "a - -b"},
        {"~(a|b)", "~(a | b)"},
        {"!(a<b)", "!(a < b)"},
        {"-(a?b:z)", "-(a ? b : z)"},
        {"-(max(a,b))", "-max(a, b)"},
        {"a||b&&z", "a || b && z"},
        {"(a||b)&&z", "(a || b) && z"},
        {"a<<(b<<z)", "a << (b << z)"},
        {"(a<b)<z", "(a < b) < z"},
        {"(a==b)==z", "(a == b) == z"},
        {"a&(b|z)^~a", "a & (b | z) ^ ~a"},
        {"a?b:z?a:b", "a ? b : z ? a : b"},
        {"(a?b:z)?a:b", "(a ? b : z) ? a : b"},
        {"a?(b?a:z):z", "a ? b ? a : z : z"},
        {"(a?b:z)+1", "(a ? b : z) + 1"},
        {"max(a,(b),a?b:z)", "max(a, b, a ? b : z)"},
        {"s=='fast'", "s == 'fast'"},
        {"on + 1e3 + .5 + 0x10", "1 + 1e+03 + 0.5 + 16"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct ct_expr *expr = compile(cases[i].from);
        struct ct_str first;
        struct ct_str second;

        assert_non_null(expr);
        ct_str_init(&first);
        ct_str_init(&second);
        ct_expr_print(expr, put_name, NULL, &first);
        assert_string_equal(first.data, cases[i].to);
        expr = compile(first.data);
        assert_non_null(expr);
        ct_expr_print(expr, put_name, NULL, &second);
        assert_string_equal(second.data, first.data);
        ct_str_release(&first);
        ct_str_release(&second);
    }
}

/* An expression with every operand in parentheses, so that the tree is no matter of
 * precedence. */
static void put_random(struct ct_str *out, struct ct_rng *rng, int depth)
{
    static const char *const leaves[] = {"a", "b", "z", "1", "20", "0x7F"};
    static const char *const unary[] = {"-", "!", "~", "+"};
    static const char *const binary[] = {"*",  "/",  "%", "+", "-", "<<", ">>", "<", "<=",
                                         "==", "!=", "&", "^", "|", "&&", "||", ">"};
    uint64_t pick = depth ? ct_rng_below(rng, 10) : 0;

    if (pick < 2) {
        ct_str_puts(out, leaves[ct_rng_below(rng, 6)]);
        return;
    }
    if (pick < 6)
        ct_str_puts(out, unary[ct_rng_below(rng, 4)]);
    ct_str_putc(out, '(');
    put_random(out, rng, depth - 1);
    ct_str_putc(out, ')');
    if (pick < 6)
        return;
    ct_str_puts(out, pick < 9 ? binary[ct_rng_below(rng, 17)] : "?");
    ct_str_putc(out, '(');
    put_random(out, rng, depth - 1);
    ct_str_putc(out, ')');
    if (pick < 9)
        return;
    ct_str_puts(out, ":(");
    put_random(out, rng, depth - 1);
    ct_str_putc(out, ')');
}

static bool same_tree(const struct ct_node *x, const struct ct_node *y)
{
    if (x->op != y->op || x->arg_count != y->arg_count ||
        (x->op == CT_OP_NAME && x->slot != y->slot) ||
        (x->op == CT_OP_CONST && !ct_value_equal(x->value, y->value)))
        return false;
    for (size_t i = 0; i < x->arg_count; i++)
        if (!same_tree(x->args[i], y->args[i]))
            return false;
    return true;
}

static void printed_expressions_are_the_same_tree(void **state)
{
    struct ct_rng rng;

    (void)state;
    ct_rng_seed(&rng, 11);
    for (int i = 0; i < 3000; i++) {
        const struct ct_expr *from;
        const struct ct_expr *to;
        struct ct_str text;
        struct ct_str printed;
        bool same;

        ct_str_init(&text);
        ct_str_init(&printed);
        put_random(&text, &rng, 5);
        from = compile(text.data);
        assert_non_null(from);
        ct_expr_print(from, put_name, NULL, &printed);
        to = compile(printed.data);
        same = from && to && same_tree(from->root, to->root);
        if (!same)
            print_error("%s\n%s\n", text.data, printed.data);
        assert_true(same);
        ct_str_release(&text);
        ct_str_release(&printed);
    }
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

static void values_are_printed_as_literals(void **state)
{
    static const struct {
        int64_t value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-5, "(-5)"},
                 {INT64_MAX, "9223372036854775807"},
                 {INT64_MIN, "(-9223372036854775807 - 1)"}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct ct_expr *expr;
        struct ct_value value;
        struct ct_str text;

        ct_str_init(&text);
        ct_expr_print_value(&text, ct_value_int(cases[i].value));
        assert_string_equal(text.data, cases[i].text);
        expr = compile(text.data);
        assert_non_null(expr);
        assert_int_equal(ct_expr_eval(expr, NULL, &value), CT_EVAL_OK);
        assert_int_equal(value.u.i, cases[i].value);
        ct_str_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(integers_are_as_in_c, release),
        cmocka_unit_test_teardown(values_print_as_expected, release),
        cmocka_unit_test_teardown(failures_say_why, release),
        cmocka_unit_test_teardown(mistakes_have_places, release),
        cmocka_unit_test_teardown(all_unknown_names_are_reported, release),
        cmocka_unit_test_teardown(deep_nesting_is_refused, release),
        cmocka_unit_test_teardown(slots_and_kinds_are_known, release),
        cmocka_unit_test_teardown(comparisons_of_comparisons_need_parentheses, release),
        cmocka_unit_test_teardown(failures_are_explained, release),
        cmocka_unit_test_teardown(lists_are_cut_outside_quotes_and_parentheses, release),
        cmocka_unit_test_teardown(truth_is_a_number_that_is_not_zero, release),
        cmocka_unit_test_teardown(expressions_are_printed, release),
        cmocka_unit_test_teardown(printed_expressions_are_the_same_tree, release),
        cmocka_unit_test_teardown(runs_tell_places, release),
        cmocka_unit_test_teardown(values_are_printed_as_literals, release),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
