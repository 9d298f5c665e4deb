// SPDX-License-Identifier: Apache-2.0
// What init reads from a source without a compiler: words, directives, kernels and structures; also
// of sources that no compiler would take.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "init/code.h"
#include "init/kernels.h"
#include "init/structs.h"

#include <stdlib.h>
#include <string.h>

static struct ct_code code;
static struct ct_kernel_code *kernels;
static size_t kernel_count;

static int forget(void **state)
{
    (void)state;
    ct_code_release(&code);
    return 0;
}

/* Reads a source in memory of its own length, so that a sanitizer sees what is read behind it. */
static void look(const char *source)
{
    size_t length = strlen(source);
    char *copy = malloc(length + 1);
    struct ct_err err = CT_ERR_INIT;

    assert_non_null(copy);
    memcpy(copy, source, length + 1);
    ct_code_release(&code);
    assert_int_equal(ct_code_read(copy, length, &code, &err), CT_OK);
    free(copy);
    assert_int_equal(ct_kernels_find(&code, &kernels, &kernel_count, &err), CT_OK);
}

/* --- words and directives --- */

static void assert_branch(int line, const char *text, int of)
{
    const struct ct_code_branch *branch = ct_code_branch_of(&code, line);

    if (!text) {
        assert_null(branch);
        return;
    }
    assert_non_null(branch);
    assert_string_equal(branch->text, text);
    assert_int_equal(branch->line, of);
}

/* The innermost branch around each line; directives that nothing has opened end nothing. */
static void branches_are_around_lines(void **state)
{
    (void)state;
    look("a\n"                      /* 1 */
         "#endif\n"                 /* 2 */
         "#if defined(A) /* ? */\n" /* 3 */
         "b\n"                      /* 4 */
         "#ifdef B\n"               /* 5 */
         "c\n"                      /* 6 */
         "#else\n"                  /* 7 */
         "d\n"                      /* 8 */
         "#endif\n"                 /* 9 */
         "e\n"                      /* 10 */
         "#elif C\n"                /* 11 */
         "f\n"                      /* 12 */
         "#endif\n"                 /* 13 */
         "g\n"                      /* 14 */
         "#ifndef OPEN\n"           /* 15 */
         "h\n");                    /* 16 */
    assert_branch(1, NULL, 0);
    assert_branch(4, "#if defined(A)", 3);
    assert_branch(6, "#ifdef B", 5);
    assert_branch(8, "#else", 7);
    assert_branch(10, "#if defined(A)", 3);
    assert_branch(12, "#elif C", 11);
    assert_branch(14, NULL, 0);
    assert_branch(16, "#ifndef OPEN", 15);
}

static void tokens_have_kinds_and_lines(void **state)
{
    static const enum ct_token_kind kinds[] = {
        CT_TOKEN_WORD, CT_TOKEN_SIGN, CT_TOKEN_NUMBER, CT_TOKEN_SIGN, CT_TOKEN_NUMBER,
        CT_TOKEN_SIGN, CT_TOKEN_TEXT, CT_TOKEN_SIGN,   CT_TOKEN_TEXT};

    (void)state;
    look("/* a */ x <<\n1.5e-3f -> .5 ; \"a\\\"b\" , 'c'");
    assert_int_equal(code.token_count, 9);
    for (size_t i = 0; i < 9; i++)
        assert_int_equal(code.tokens[i].kind, kinds[i]);
    assert_string_equal(code.tokens[1].text, "<<");
    assert_string_equal(code.tokens[2].text, "1.5e-3f");
    assert_string_equal(code.tokens[6].text, "\"a\\\"b\"");
    assert_int_equal(code.tokens[0].line, 1);
    assert_int_equal(code.tokens[2].line, 2);
}

static void sources_may_end_anywhere(void **state)
{
    static const char *const ends[] = {
        "",
        "\"",
        "\"\\",
        "'",
        "'\\",
        "/*",
        "#",
        "#define",
        "#define ",
        "#define F(",
        "#if",
        "#elif",
        "#ifndef",
        "#endif\n#endif\n#else\n#elif X\n",
        "kernel",
        "kernel void",
        "kernel void f",
        "kernel void f(",
        "kernel void f(int",
        "kernel void f(int a",
        "kernel void f(int a[",
        "kernel void f(int a)",
        "kernel void f(int a) {",
        "kernel __attribute__",
        "kernel __attribute__((reqd_work_group_size",
        "kernel __attribute__((reqd_work_group_size(",
        "kernel __attribute__((reqd_work_group_size(1,2))) void f(int a) {}",
        "kernel void f(int __attribute__((",
        "kernel void f(,,) {}",
        "kernel void f(int ], int b) {}",
        "kernel kernel kernel f(int a) {}",
        "kernel __kernel void f() {}",
        "1e+",
        "0x1p-",
        ".",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
        look(ends[i]);
}

static void macros_are_numbers_through_others(void **state)
{
    int64_t value = 0;

    (void)state;
    look(
        "#define A B\n#define B (( 0x10u ))\n#define C D\n#define D C\n#define E 09\n"
        "#define F(x) 4\n#define G -1\n#define H 99999999999999999999\n#define A2 1\n#define A2 2\n"
        "#define EMPTY\n");
    assert_true(ct_code_integer(&code, "A", &value));
    assert_int_equal(value, 16);
    assert_true(ct_code_integer(&code, "A2", &value));
    assert_int_equal(value, 2);
    assert_true(ct_code_integer(&code, " 12UL ", &value));
    assert_int_equal(value, 12);
    assert_false(ct_code_integer(&code, "C", &value)); /* refers to itself */
    assert_false(ct_code_integer(&code, "E", &value)); /* no octal number */
    assert_false(ct_code_integer(&code, "F", &value));
    assert_false(ct_code_integer(&code, "G", &value));
    assert_false(ct_code_integer(&code, "H", &value)); /* too large */
    assert_false(ct_code_integer(&code, "EMPTY", &value));
    assert_false(ct_code_integer(&code, "1 2", &value));
    assert_false(ct_code_integer(&code, "", &value));
    assert_null(ct_code_find_macro(&code, "Z"));
}

static void conditionals_ask_for_names(void **state)
{
    (void)state;
    look(
        "#ifdef FAST\n#endif\n#if defined(WIDE) && LEVEL > 2 || __OPENCL_VERSION__ > 1\n#endif\n"
        "#if 0\n#ifdef DEAD\n#endif\nint dead;\n#else\nint alive;\n#endif\n"
        "#ifndef N\n#define N 4\n#endif\n#define M 5\n");
    assert_int_equal(code.switch_count, 3);
    assert_string_equal(code.switches[0].name, "FAST");
    assert_false(code.switches[0].by_value);
    assert_string_equal(code.switches[1].name, "WIDE");
    assert_false(code.switches[1].by_value);
    assert_string_equal(code.switches[2].name, "LEVEL");
    assert_true(code.switches[2].by_value);
    assert_true(ct_code_is(&code, 1, "alive"));
    assert_int_equal(code.token_count, 3);
    assert_true(ct_code_find_macro(&code, "N")->is_guarded);
    assert_false(ct_code_find_macro(&code, "M")->is_guarded);
}

static void brackets_close_by_kind(void **state)
{
    (void)state;
    look(") ( a [ ( ] ) { ) } ( [");
    /*    0 1 2 3 4 5 6 7 8 9 10 11 */
    assert_int_equal(ct_code_closing(&code, 1), 8);
    assert_int_equal(ct_code_closing(&code, 4), 6);
    assert_int_equal(ct_code_closing(&code, 3), 5);
    assert_int_equal(ct_code_closing(&code, 7), 9);
    assert_int_equal(ct_code_closing(&code, 10), code.token_count);
    assert_int_equal(ct_code_closing(&code, 11), code.token_count);
    assert_false(ct_code_is(&code, code.token_count, "["));
}

/* --- kernels --- */

static void kernels_have_arguments(void **state)
{
    (void)state;
    look(
        "#define KERNEL extern __kernel\n#define IN __global const\ntypedef unsigned int index;\n"
        "void helper(int x) {}\n"
        "KERNEL void one(IN float4 *restrict a, __local int *b, index n, constant char c[4],\n"
        "    read_only image2d_t im, global float *z __attribute__((aligned(16)))) { a[0]; }\n"
        "__attribute__((x)) kernel __attribute__((reqd_work_group_size(8, TILE * 2, 1)))\n"
        "    void two(void) {}\n");
    assert_int_equal(kernel_count, 2);
    assert_string_equal(kernels[0].name, "one");
    assert_true(kernels[0].has_args);
    assert_int_equal(kernels[0].arg_count, 6);
    assert_string_equal(kernels[0].args[0].name, "a");
    assert_string_equal(kernels[0].args[0].type, "float4*");
    assert_int_equal(kernels[0].args[0].place, CT_PLACE_GLOBAL);
    assert_true(kernels[0].args[0].is_const);
    assert_int_equal(kernels[0].args[1].place, CT_PLACE_LOCAL);
    assert_string_equal(kernels[0].args[3].name, "c");
    assert_string_equal(kernels[0].args[3].type, "char*");
    assert_int_equal(kernels[0].args[3].place, CT_PLACE_CONSTANT);
    assert_string_equal(kernels[0].args[4].type, "image2d_t");
    assert_string_equal(kernels[0].args[5].name, "z");
    assert_string_equal(kernels[0].args[5].type, "float*");
    assert_string_equal(ct_kernels_type(&code, kernels[0].args[2].type).name, "uint");
    assert_int_equal(kernels[1].arg_count, 0);
    assert_true(kernels[1].has_args);
    assert_string_equal(kernels[1].required[1], "TILE * 2");
}

static void definitions_win_over_declarations(void **state)
{
    (void)state;
    look("kernel void f(global int *a);\nkernel void f(global int *x) { x[0] = 1; }\n"
         "kernel void f(global int *late) { }\n");
    assert_int_equal(kernel_count, 1);
    assert_string_equal(kernels[0].args[0].name, "x");
    assert_int_equal(kernels[0].line, 2);
}

static void macros_with_arguments_cannot_be_read(void **state)
{
    (void)state;
    look(
        "kernel void f(GLOBAL(float) a, int n) {}\nkernel void g(int (*call)(int)) {}\n");
    assert_int_equal(kernel_count, 2);
    assert_false(kernels[0].has_args);
    assert_false(kernels[1].has_args);
}

static void aliases_may_be_endless(void **state)
{
    (void)state;
    look("#define A B\n#define B A\ntypedef C D;\ntypedef D C;\ntypedef real real;\n");
    assert_null(ct_kernels_type(&code, "A").name);
    assert_null(ct_kernels_type(&code, "C").name);
    assert_null(ct_kernels_type(&code, "real").name);
    assert_null(ct_kernels_type(&code, "").name);
    assert_string_equal(ct_kernels_type(&code, "const volatile u32 *").name, "uint");
}

/* --- structures --- */

static uint64_t size_of(const char *source, const char *type)
{
    look(source);
    return ct_structs_size(&code, type);
}

static void structures_have_sizes(void **state)
{
    struct ct_str text;

    (void)state;
    assert_int_equal(size_of("struct p { char a; double b; float3 c; };", "struct p"),
                     32);
    assert_int_equal(size_of("typedef struct { int a, b[3]; short s; } q;", "q"), 20);
    assert_int_equal(size_of("#define N 2\nstruct p { int a[N][3]; };", "struct p"), 24);
    assert_int_equal(
        size_of("struct in { char c; int i; };\nstruct p { char c; struct in x[2]; };",
                "struct p"),
        20);
    ct_str_init(&text);
    look("typedef struct { float2 a; int b[2]; } q;");
    assert_true(ct_structs_put(&code, "q", &text));
    assert_string_equal(text.data, "struct(float2(1), int(1), int(1))");
    ct_str_release(&text);
}

static void unknown_structures_have_none(void **state)
{
    static const char *const sources[] = {
        "",
        "struct",
        "struct s",
        "struct s {",
        "struct s {}",
        "struct s { int a[",
        "struct s { int a[4",
        "struct s { int a[4;",
        "struct s { int a[0]; };",
        "struct s { int a[-1]; };",
        "struct s { int a[N]; };",
        "struct s { int a[100000]; };",
        "struct s { int a[100000][100000][100000][100000]; };",
        "struct s { unknown a; };",
        "struct s { int *a; };",
        "struct s { int; };",
        "struct s { int a : 3; };",
        "struct s { struct s a; };",
        "struct s { struct t a; }; struct t { struct s b; };",
        "struct __attribute__((packed s { int a; };",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
        assert_int_equal(size_of(sources[i], "struct s"), 0);
}

/* Six levels of 256 members each would take for ever. */
static void structures_do_not_multiply(void **state)
{
    (void)state;
    assert_int_equal(
        size_of("struct a { char x[256]; };\nstruct b { struct a x[256]; };\n"
                "struct c { struct b x[256]; };\nstruct d { struct c x[256]; };\n"
                "struct e { struct d x[256]; };\n",
                "struct e"),
        0);
    assert_int_equal(size_of("struct a { char x[256]; };", "struct a"), 256);
    assert_int_equal(size_of("struct a { char x[256]; char y; };", "struct a"), 0);
}

/* Of sources whose reading would take for ever if it began again at each bracket or macro. */
static void large_sources_are_read_once(void **state)
{
    enum { MANY = 50000 };
    struct ct_str text;

    (void)state;
    ct_str_init(&text);
    for (size_t i = 0; i < MANY; i++)
        ct_str_addf(&text, "#define M%zu 1\nkernel x%zu(M%zu(\n", i, i, i);
    look(text.data);
    assert_int_equal(kernel_count, 0);
    assert_int_equal(code.macro_count, MANY);
    ct_str_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(branches_are_around_lines, forget),
        cmocka_unit_test_teardown(tokens_have_kinds_and_lines, forget),
        cmocka_unit_test_teardown(sources_may_end_anywhere, forget),
        cmocka_unit_test_teardown(macros_are_numbers_through_others, forget),
        cmocka_unit_test_teardown(conditionals_ask_for_names, forget),
        cmocka_unit_test_teardown(brackets_close_by_kind, forget),
        cmocka_unit_test_teardown(kernels_have_arguments, forget),
        cmocka_unit_test_teardown(definitions_win_over_declarations, forget),
        cmocka_unit_test_teardown(macros_with_arguments_cannot_be_read, forget),
        cmocka_unit_test_teardown(aliases_may_be_endless, forget),
        cmocka_unit_test_teardown(structures_have_sizes, forget),
        cmocka_unit_test_teardown(unknown_structures_have_none, forget),
        cmocka_unit_test_teardown(structures_do_not_multiply, forget),
        cmocka_unit_test_teardown(large_sources_are_read_once, forget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
