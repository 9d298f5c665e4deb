// SPDX-License-Identifier: Apache-2.0
// What the compiler is given for a program.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// after those
#include <cmocka.h>

#include "protocol/compile.h"

static const struct ct_plan_macro macros[] = {{"WG", "64"}, {"EMPTY", ""}, {"WG", "32"}};

static struct ct_plan_program program(void)
{
    return (struct ct_plan_program){.source = "kernel void f() {}\n",
                                    .source_path = "/k/f.cl",
                                    .options = "-cl-std=CL1.2",
                                    .macro_count = 3,
                                    .macros = (struct ct_plan_macro *)(uintptr_t)macros};
}

static void macros_stand_before_the_source(void **state)
{
    struct ct_plan_program p = program();
    struct ct_compile c;

    (void)state;
    assert_int_equal(ct_compile_init(&c, &p, "-more", NULL), CT_OK);
    assert_string_equal(c.source.data, "#line 1 \"macros\"\n"
                                       "#undef WG\n#define WG 64\n"
                                       "#undef EMPTY\n#define EMPTY \n"
                                       "#undef WG\n#define WG 32\n"
                                       "#line 1 \"/k/f.cl\"\n"
                                       "kernel void f() {}\n");
    assert_string_equal(c.options.data, "-cl-std=CL1.2 -more");
    ct_compile_release(&c);
}

static void paths_that_no_line_can_hold(void **state)
{
    struct ct_plan_program p = program();
    struct ct_compile c;

    (void)state;
    p.source_path = "/k/\"f\".cl";
    p.macro_count = 1;
    assert_int_equal(ct_compile_init(&c, &p, "", NULL), CT_OK);
    assert_string_equal(c.source.data, "#line 1 \"macros\"\n#undef WG\n#define WG 64\n"
                                       "#line 1\nkernel void f() {}\n");
    ct_compile_release(&c);
}

static void nothing_to_define(void **state)
{
    struct ct_plan_program p = program();
    struct ct_compile c;

    (void)state;
    p.macro_count = 0;
    assert_int_equal(ct_compile_init(&c, &p, "", NULL), CT_OK);
    assert_string_equal(c.source.data, "kernel void f() {}\n");
    assert_string_equal(c.options.data, "-cl-std=CL1.2");
    ct_compile_release(&c);
}

/* A file that is included before the source may use the macros. */
static void included_files_see_macros(void **state)
{
    struct ct_plan_program p = program();
    struct ct_compile c;

    (void)state;
    p.options = "-include first.h";
    assert_int_equal(ct_compile_init(&c, &p, "", NULL), CT_OK);
    assert_string_equal(c.source.data, "kernel void f() {}\n");
    assert_string_equal(c.options.data, "-include first.h -D WG=64 -D EMPTY= -D WG=32");
    ct_compile_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(macros_stand_before_the_source),
        cmocka_unit_test(paths_that_no_line_can_hold),
        cmocka_unit_test(nothing_to_define),
        cmocka_unit_test(included_files_see_macros),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
