// SPDX-License-Identifier: Apache-2.0
// Causes of failures: the error in a compiler's log, and which causes are the same.
#include "tune/cause.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_error(const char *log, const char *expected)
{
    struct ct_str out;

    ct_str_init(&out);
    ct_cause_put_error(&out, log);
    assert_string_equal(out.data, expected);
    ct_str_release(&out);
}

static void empty_words_are_no_error(void **state)
{
    (void)state;
    assert_error(
        "Compilation error:\nstage 1\n  a.cl:3: error: no member named 'x'\n1 error generated.\n",
        "a.cl:3: error: no member named 'x'");
    assert_error("\n\r\nError:\n  \t\nundefined reference to 'f'\n",
                 "undefined reference to 'f'");
    assert_error("warning: unused\nfoo.cl: Fatal Error: too many registers  \r\n",
                 "foo.cl: Fatal Error: too many registers");
}

static void without_an_error_it_is_the_first_line(void **state)
{
    (void)state;
    assert_error("", "");
    assert_error("\n\n", "");
    assert_error("Compilation error:\n", "");
    assert_error("\n  ptxas exited\nmore\n", "ptxas exited");
}

static void values_do_not_distinguish_causes(void **state)
{
    (void)state;
    assert_true(ct_cause_is_same("", ""));
    assert_true(ct_cause_is_same("output[7] is 1.5e-05, not -2",
                                 "output[1023] is nan, not 3.25"));
    assert_true(ct_cause_is_same("tile_16.cl:3:4: error: x", "tile_8.cl:99:1: error: x"));
    assert_true(
        ct_cause_is_same("the group has 64 work-items", "the group has 4096 work-items"));
    assert_false(ct_cause_is_same("clFinish: A (-5)", "clFinish: B (-5)"));
    assert_false(ct_cause_is_same("error: no member", "error: no member named"));
    assert_false(ct_cause_is_same("", "x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_words_are_no_error),
        cmocka_unit_test(without_an_error_it_is_the_first_line),
        cmocka_unit_test(values_do_not_distinguish_causes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
