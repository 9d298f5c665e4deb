// SPDX-License-Identifier: Apache-2.0
// Expressions are printed so that what is read back is the same.
#include "expr_names.h"

#include "base/rng.h"

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
        cmocka_unit_test_teardown(expressions_are_printed, release),
        cmocka_unit_test_teardown(printed_expressions_are_the_same_tree, release),
        cmocka_unit_test_teardown(values_are_printed_as_literals, release),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
