// SPDX-License-Identifier: Apache-2.0
// Build options one after the other, and what they make of a macro.
#include "base/build_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Expects the options, as "LETTER:TEXT|...", with "-" for other letters. */
static void assert_options(const char *options, const char *expected)
{
    struct ct_build_option option;
    char found[256] = "";

    while (ct_build_options_next(&options, &option))
        snprintf(found + strlen(found), sizeof(found) - strlen(found), "%c:%.*s|",
                 option.letter ? option.letter : '-', (int)option.text_length,
                 option.text);
    assert_string_equal(found, expected);
}

/* Expects the value of N; NULL: it is undefined, "(": it has parameters. */
static void assert_value(const char *options, const char *expected)
{
    const char *value;
    size_t length;
    bool defined = ct_build_options_value(options, "N", &value, &length);

    assert_int_equal(defined, expected != NULL);
    if (!expected)
        return;
    if (*expected == '(') {
        assert_null(value);
        return;
    }
    assert_non_null(value);
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(value, expected, length);
}

static void options_are_read_one_by_one(void **state)
{
    (void)state;
    assert_options("", "");
    assert_options("  ", "");
    assert_options("-cl-mad-enable -D N=8 -DM", "-:-cl-mad-enable|D:N=8|D:M|");
    assert_options("-UN -U N -I a,b -Ic", "U:N|U:N|I:a,b|I:c|");
    assert_options("-D", "D:|");
    assert_options("-DN= -I -DN", "D:N=|I:-DN|");
}

static void quotes_hold_words_together(void **state)
{
    (void)state;
    assert_options("-D \"N=x y\" '-D N=8' \"-IA B\" -I'A B'",
                   "D:N=x y|D:N=8|I:A B|I:A B|");
    assert_options("-DN=\"a b\" '-cl-x y'", "D:N=\"a b\"|-:-cl-x y|");
    assert_options("-DN=a\\ b \"x", "D:N=a\\ b|-:\"x|");
}

static void an_option_is_written_as_it_was(void **state)
{
    const char *at = "-D   N=8 '-DN=4' -w";
    struct ct_build_option option;

    (void)state;
    assert_true(ct_build_options_next(&at, &option));
    assert_int_equal(option.length, strlen("-D   N=8"));
    assert_true(ct_build_options_is_about(&option, "N", 1));
    assert_false(ct_build_options_is_about(&option, "NN", 2));
    assert_true(ct_build_options_next(&at, &option));
    assert_memory_equal(option.word, "'-DN=4'", option.length);
    assert_true(ct_build_options_next(&at, &option));
    assert_false(ct_build_options_is_about(&option, "w", 1));
    assert_false(ct_build_options_next(&at, &option));
}

static void the_last_option_about_a_macro_counts(void **state)
{
    (void)state;
    assert_value("", NULL);
    assert_value("-D N=8", "8");
    assert_value("-DN=8", "8");
    assert_value("-D N", "1");
    assert_value("-D N=", "");
    assert_value("-D N=8 -D N=16", "16");
    assert_value("-DN=8 -D N", "1");
    assert_value("-D N=8 -UN", NULL);
    assert_value("-D N=8 -U N -DN=4", "4");
    assert_value("-UN -D \"N=4\"", "4");
    assert_value("-D N=4 '-DN=x y'", "x y");
    assert_value("-D N=4 -D 'N(x)=x'", "(");
}

static void other_macros_do_not_count(void **state)
{
    (void)state;
    assert_value("-D NN=8 -D M=N -DM -U NN", NULL);
    assert_value("-D N=8 -I -UN -I N=4 N=4 -w -DN2=5", "8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_read_one_by_one),
        cmocka_unit_test(quotes_hold_words_together),
        cmocka_unit_test(an_option_is_written_as_it_was),
        cmocka_unit_test(the_last_option_about_a_macro_counts),
        cmocka_unit_test(other_macros_do_not_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
