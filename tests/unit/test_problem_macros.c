// SPDX-License-Identifier: Apache-2.0
// Macros that follow from the problem: which they are, and their values for another problem.
#include "plan/problem_macros.h"

#include "db/problem_flags.h"

#include "language_file.h"

#include <stdlib.h>

#define HEAD "[kernel]\nname = k\nsource = kernel.cl\n"
#define REST                                                                             \
    "[problem]\nn = 64\nm = 2\nhalf = n / 2\n[param]\nWG = 4, 8\n"                       \
    "STYLE = 'plain', 'fast'\n[buffer x]\ntype = float\ncount = n\n"                     \
    "[launch l]\nkernel = k\nargs = x\nglobal = n\n"

static void assert_written(const char *text, const char *expected)
{
    struct file f;
    char *json;

    open_file(&f, text);
    json = ct_problem_macros_json(f.spec);
    assert_non_null(json);
    assert_string_equal(json, expected);
    free(json);
    close_file(&f);
}

static void those_of_the_problem_are_kept(void **state)
{
    (void)state;
    assert_written(HEAD REST, "{}");
    assert_written(HEAD REST "[define]\nA = 3\nB = WG * 2\n", "{}");
    assert_written(HEAD REST "[define]\nA = n\nB = n * WG - 1\nC = STYLE\n",
                   "{\"A\":\"n\",\"B\":\"n * WG - 1\"}");
}

static void definitions_are_inserted(void **state)
{
    (void)state;
    assert_written(HEAD REST
                   "[let]\nk = n + m\n[derive]\nD = k * WG\n[define]\nA = 2 * D\n",
                   "{\"A\":\"2 * ((n + m) * WG)\",\"D\":\"(n + m) * WG\"}");
}

static void what_follows_from_more_has_no_expression(void **state)
{
    (void)state;
    assert_written(HEAD REST "[define]\nA = n * DEVICE_MAX_COMPUTE_UNITS\n",
                   "{\"A\":null}");
    assert_written(HEAD REST "[define]\nA = half\n", "{\"A\":null}");
    assert_written(HEAD REST "[define]\nA = 1 if n > 3\n", "{\"A\":null}");
    assert_written(HEAD "options = -DN=${n}\n" REST, "{\"\":null}");
    assert_written(HEAD REST "define = A = n\n", "{\"A\":\"n\"}");
    assert_written(HEAD REST "define = A = 5\n[define]\nA = n\n", "{\"A\":null}");
}

/* The configuration WG=8 STYLE=fast for n=4096, or with the stored m=2. */
static const char *applied(const char *flags, const char *macros, struct ct_str *out,
                           struct ct_str *unknown)
{
    static const struct ct_problem_macros_name names[] = {
        {"WG", {.kind = CT_INT, .u.i = 8}},   {"STYLE", {.kind = CT_TEXT, .u.s = "fast"}},
        {"n", {.kind = CT_INT, .u.i = 4096}}, {"m", {.kind = CT_INT, .u.i = 2}},
        {"n", {.kind = CT_INT, .u.i = 64}},
    };
    bool known;

    ct_str_reset(out);
    ct_str_reset(unknown);
    known = ct_problem_macros_apply(flags, macros, names, 5, 2, out, unknown);
    assert_false(out->failed);
    assert_int_equal(known, !unknown->length);
    return known ? out->data : unknown->data;
}

static void their_values_are_those_of_the_other_problem(void **state)
{
    static const char flags[] = "-O -DX=1 -D WG=8 -D N=64 -D M=2 -D \"S=a b\"";
    struct ct_str out;
    struct ct_str unknown;

    (void)state;
    ct_str_init(&out);
    ct_str_init(&unknown);
    assert_string_equal(applied(flags, "{}", &out, &unknown), flags);
    assert_string_equal(
        applied(flags, "{\"N\":\"n\",\"M\":\"n * WG / m\"}", &out, &unknown),
        "-O -DX=1 -D WG=8 -D N=4096 -D M=16384 -D \"S=a b\"");
    assert_string_equal(applied(flags, "{\"M\":\"0.5 * m\"}", &out, &unknown),
                        "-O -DX=1 -D WG=8 -D N=64 -D M=1.0 -D \"S=a b\"");
    ct_str_release(&unknown);
    ct_str_release(&out);
}

static void what_cannot_be_computed_is_named(void **state)
{
    static const char flags[] = "-D WG=8 -D STYLE=fast -D STYLE_fast=1 -D N=64 -D M=2";
    struct ct_str out;
    struct ct_str unknown;

    (void)state;
    ct_str_init(&out);
    ct_str_init(&unknown);
    assert_string_equal(applied(flags, "", &out, &unknown), "N, M");
    assert_string_equal(
        applied("-D WG=8 -D STYLE=fast -D STYLE_fast=1", "", &out, &unknown),
        "-D WG=8 -D STYLE=fast -D STYLE_fast=1");
    assert_string_equal(applied(flags, "{\"N\":null}", &out, &unknown), "N");
    assert_string_equal(
        applied(flags, "{\"N\":\"n / 0\",\"M\":\"other\"}", &out, &unknown), "N, M");
    assert_string_equal(
        applied(flags, "{\"N\":\"'a text'\",\"M\":\")(\"}", &out, &unknown), "N, M");
    assert_string_equal(applied(flags, "{\"\":null}", &out, &unknown), "the options");
    ct_str_release(&unknown);
    ct_str_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_of_the_problem_are_kept),
        cmocka_unit_test(definitions_are_inserted),
        cmocka_unit_test(what_follows_from_more_has_no_expression),
        cmocka_unit_test(their_values_are_those_of_the_other_problem),
        cmocka_unit_test(what_cannot_be_computed_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
