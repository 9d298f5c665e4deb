// SPDX-License-Identifier: Apache-2.0
// What the compiler is given for a program.
#define _GNU_SOURCE // folder.h
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// after those
#include <cmocka.h>

#include "../cl/folder.h"
#include "protocol/compile.h"

#include <stdio.h>
#include <string.h>

static const struct ct_plan_macro macros[] = {{"WG", "64"}, {"EMPTY", ""}, {"WG", "32"}};

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
}

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
    assert_int_equal(ct_compile_init(&c, &p, "-more", NULL, NULL), CT_OK);
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
    assert_int_equal(ct_compile_init(&c, &p, "", NULL, NULL), CT_OK);
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
    assert_int_equal(ct_compile_init(&c, &p, "", NULL, NULL), CT_OK);
    assert_string_equal(c.source.data, "kernel void f() {}\n");
    assert_string_equal(c.options.data, "-cl-std=CL1.2");
    ct_compile_release(&c);
}

static void assert_source(const struct ct_plan_program *p, struct ct_program_texts *texts,
                          const char *wanted)
{
    struct ct_compile c;

    assert_int_equal(ct_compile_init(&c, p, "", texts, NULL), CT_OK);
    assert_string_equal(c.source.data, wanted);
    ct_compile_release(&c);
}

/* So that a driver knows the source again that it has compiled for another configuration. */
static void unused_macros_are_left_out(void **state)
{
    static const struct ct_plan_macro some[] = {
        {"WG", "64"}, {"VEC", "4"}, {"CT_CANARY", "17"}};
    struct ct_program_texts *texts = ct_program_texts_new();
    struct ct_plan_program p = program();

    (void)state;
    p.macros = (struct ct_plan_macro *)(uintptr_t)some;
    p.source = "kernel void f() { int VEC; }\n";
    p.source_path = "f.cl";
    assert_source(&p, texts,
                  "#line 1 \"macros\"\n#undef VEC\n#define VEC 4\n"
                  "#undef CT_CANARY\n#define CT_CANARY 17\n"
                  "#line 1 \"f.cl\"\nkernel void f() { int VEC; }\n");
    ct_program_texts_free(texts);
}

/* What its old text does not use its new one may. */
static void not_once_an_included_file_has_changed(void **state)
{
    static const char with_all[] = "#line 1 \"macros\"\n#undef WG\n#define WG 64\n"
                                   "#line 1 \"f.cl\"\n#include \"part.h\"\n";
    struct ct_program_texts *texts = ct_program_texts_new();
    const char *folders[] = {test_folder};
    struct ct_plan_program p = program();
    char path[200];

    (void)state;
    snprintf(path, sizeof(path), "%s/part.h", test_folder);
    write_text(path, "kernel void f() {}\n");
    p.source = "#include \"part.h\"\n";
    p.source_path = "f.cl";
    p.macro_count = 1;
    p.include_count = 1;
    p.include_dirs = folders;
    assert_source(&p, texts,
                  "#line 1 \"macros\"\n#line 1 \"f.cl\"\n#include \"part.h\"\n");
    write_text(path, "kernel void f() { int x = WG; }\n");
    assert_source(&p, texts, with_all);
    ct_program_texts_free(texts);
}

/* A file that is included before the source may use the macros. */
static void included_files_see_macros(void **state)
{
    struct ct_plan_program p = program();
    struct ct_compile c;

    (void)state;
    p.options = "-include first.h";
    assert_int_equal(ct_compile_init(&c, &p, "", NULL, NULL), CT_OK);
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
        cmocka_unit_test(unused_macros_are_left_out),
        cmocka_unit_test(not_once_an_included_file_has_changed),
        cmocka_unit_test(included_files_see_macros),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
