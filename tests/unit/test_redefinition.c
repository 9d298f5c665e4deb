// SPDX-License-Identifier: Apache-2.0
// Sources that define macros of the space themselves.
#include "plan/redefinition.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct ct_plan_macro macros[] = {{"WG", "16"}, {"TILE", "8"}, {"N", "64"}};

/* Expects NAME at a line; NULL: nothing is found. */
static void assert_found(const char *text, const char *name, int line)
{
    struct ct_redefinition again = {0};
    bool found =
        ct_redefinition_find("a.cl", text, strlen(text), macros, 3, NULL, &again);

    if (found != (name != NULL) || (found && again.line != line))
        print_error("%s\n", text);
    assert_int_equal(found, name != NULL);
    if (name) {
        assert_string_equal(again.macro->name, name);
        assert_string_equal(again.path, "a.cl");
        assert_int_equal(again.line, line);
    }
}

static void a_plain_definition_is_found(void **state)
{
    (void)state;
    assert_found("#define WG 32\n", "WG", 1);
    assert_found("\n\n  #  define\tTILE\t4 // tiles\nkernel void k() {}\n", "TILE", 3);
    /* A comment joins its lines. */
    assert_found("/* two\nlines */ #define N\n", "N", 1);
    assert_found("#define /* here */ WG(x) x\n", "WG", 1);
    assert_found("#define \\\n  WG 1\n", "WG", 1);
    assert_found("#undef WG\n#define WG 1", "WG", 2);
    assert_found("#undef WG\n#ifndef WG\n#define WG 1\n#endif\n", "WG", 3);
    assert_found("#undef WG\n#ifdef WG\n#define TILE 1\n#endif\n", NULL, 0);
    assert_found("#ifdef X\n#undef WG\n#endif\n#ifndef WG\n#define WG 1\n#endif\n", NULL,
                 0);
}

static void others_are_none(void **state)
{
    (void)state;
    assert_found("", NULL, 0);
    assert_found("#define WGX 1\n#define MY_WG WG\nint define WG;\n", NULL, 0);
    assert_found("// #define WG 1\n/*\n#define WG 1\n*/\n", NULL, 0);
    assert_found("const char *s = \"#define WG 1\";\n", NULL, 0);
}

static void defaults_are_not_found(void **state)
{
    (void)state;
    assert_found("#ifndef WG\n#define WG 1\n#endif\n", NULL, 0);
    assert_found("#if !defined(WG)\n#define WG 1\n#endif\n", NULL, 0);
    assert_found("#if !defined WG\n# define WG 1\n#endif\n", NULL, 0);
    assert_found("#ifdef WG\n#else\n#define WG 1\n#endif\n", NULL, 0);
    assert_found("#if 0\n#define WG 1\n#endif\n", NULL, 0);
    assert_found("#if 1\n#elif 1\n#define WG 1\n#else\n#define WG 2\n#endif\n", NULL, 0);
}

static void only_what_is_certain_counts(void **state)
{
    (void)state;
    assert_found("#ifdef cl_khr_fp16\n#define WG 1\n#endif\n", NULL, 0);
    assert_found("#if N > 32\n#define WG 1\n#else\n#define WG 2\n#endif\n", NULL, 0);
    assert_found("#ifdef X\n#ifdef WG\n#define WG 1\n#endif\n#endif\n", NULL, 0);
    assert_found("#ifdef WG\n#define WG 1\n#endif\n", "WG", 2);
    assert_found("#if 1\n#define WG 1\n#endif\n", "WG", 2);
    assert_found("#if defined(WG)\n#if 0\n#endif\n#define TILE 1\n#endif\n", "TILE", 4);
    assert_found("#ifndef WG\n#endif\n#define WG 1\n", "WG", 3);
    assert_found("#if 0\n#else\n#define WG 1\n#endif\n", "WG", 3);
    assert_found("#endif\n#else\n#define WG 1\n", "WG", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_definition_is_found),
        cmocka_unit_test(others_are_none),
        cmocka_unit_test(defaults_are_not_found),
        cmocka_unit_test(only_what_is_certain_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
