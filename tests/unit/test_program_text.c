// SPDX-License-Identifier: Apache-2.0
// Which macros a program cannot depend on, for sources that would fool a careless reader.
#define _GNU_SOURCE // folder.h
// cmocka wants these four before it.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "../cl/folder.h"
#include "plan/program_text.h"

#include <stdio.h>
#include <string.h>

static void write_file(const char *name, const char *text)
{
    char path[200];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", test_folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
}

/* Whether macro number 0, LOOK, is found to be unused in a program: another value of it changes
 * nothing. */
static bool unused_in(const struct ct_plan_program *program)
{
    struct ct_program_texts *texts = ct_program_texts_new();
    struct ct_plan_program changed = *program;
    struct ct_plan plan = {.program_count = 1, .programs = &changed};
    struct ct_plan_macro macros[2];
    struct ct_hash first;
    struct ct_hash other;
    char path[200];

    snprintf(path, sizeof(path), "%s/kernel.cl", test_folder);
    assert_non_null(texts);
    assert_in_range(program->macro_count, 1, 2);
    memcpy(macros, program->macros, program->macro_count * sizeof(*macros));
    changed.source_path = path;
    changed.macros = macros;
    first = ct_program_text_key(texts, &plan);
    macros[0].value = "another";
    other = ct_program_text_key(texts, &plan);
    assert_string_not_equal(first.text, "");
    assert_string_not_equal(other.text, "");
    ct_program_texts_free(texts);
    return strcmp(first.text, other.text) == 0;
}

static bool unused(const char *source)
{
    struct ct_plan_macro macro = {"LOOK", "1"};
    struct ct_plan_program program = {
        .source = source, .options = "-cl-std=CL1.2", .macro_count = 1, .macros = &macro};

    return unused_in(&program);
}

#define KERNEL "kernel void f(global int *p) { p[0] = 1; }\n"

static void what_is_not_there_is_unused(void **state)
{
    (void)state;
    assert_true(unused(KERNEL));
    assert_true(unused(KERNEL "int LOOKS, OVERLOOK, LOOK_, look;\n"));
    assert_true(unused("#define SQUARE(x) ((x) * (x))\n" KERNEL));
    assert_true(unused("constant char text[] = \"100 %# and \\\" no\";\n" KERNEL));
    assert_true(unused("constant char mark = '#';\n" KERNEL));
    assert_true(unused("#if 1 /* a # in a comment */\n#endif // ## here, too\n" KERNEL));
}

static void what_stands_anywhere_is_used(void **state)
{
    static const char *const sources[] = {
        KERNEL "int x = LOOK;\n",
        "#ifdef LOOK\n#endif\n" KERNEL,
        "#if 0\nint x = LOOK;\n#endif\n" KERNEL,
        "// LOOK\n" KERNEL,
        "/* #pragma some LOOK */\n" KERNEL,
        "constant char text[] = \"LOOK\";\n" KERNEL,
        "_Pragma(\"unroll LOOK\")\n" KERNEL,
        "int x = LO\\\nOK;\n" KERNEL,
        "int x = LO\\\r\nOK;\n" KERNEL,
        "int x = 2/**/LOOK;\n" KERNEL,
    };

    (void)state;
    for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
        if (unused(sources[i]))
            fail_msg("unused in: %s", sources[i]);
}

static void what_may_be_hidden_is_used(void **state)
{
    static const char *const sources[] = {
        "#define JOIN(a, b) a##b\n" KERNEL,
        "#define JOIN(a, b) a %:%: b\n" KERNEL,
        "#define JOIN(a, b) a ?\?=?\?= b\n" KERNEL,
        "#define TEXT(a) #a\n" KERNEL,
        "#define TEXT(a) %:a\n" KERNEL,
        "#define\\\n JOIN(a, b) a#\\\n#b\n" KERNEL,
        "int x = LO\\ \nOK;\n" KERNEL,
        "int x = LO?\?/\nOK;\n" KERNEL,
        "int x = LO\\\rOK;\n" KERNEL,
        "int x = \\u004COOK;\n" KERNEL,
        "#define HEADER <stdio.h>\n#include HEADER\n" KERNEL,
        "#include \"nowhere.h\"\n" KERNEL,
        "#if 0\n#include \"nowhere.h\"\n#endif\n" KERNEL,
        "#include <opencl-c.h>\n" KERNEL,
        "#inc\\\nlude MACRO\n" KERNEL,
        "  # /* */ include /* */ MACRO\n" KERNEL,
        "%:include MACRO\n" KERNEL,
    };

    (void)state;
    for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
        if (unused(sources[i]))
            fail_msg("unused in: %s", sources[i]);
}

static void includes_are_followed(void **state)
{
    (void)state;
    write_file("plain.h", "#define OTHER 1\n");
    write_file("deep.h", "#if 0\n#include \"deeper.h\"\n#endif\n");
    write_file("deeper.h", "int x = LOOK;\n");
    write_file("pasting.h", "#define JOIN(a, b) a##b\n");
    write_file("self.h", "#include \"self.h\"\n");
    assert_true(unused("#include \"plain.h\"\n" KERNEL));
    assert_true(unused("#include <plain.h>\n" KERNEL));
    assert_true(unused("#include \"self.h\"\n" KERNEL));
    assert_false(unused("#include \"deep.h\"\n" KERNEL));
    assert_false(unused("#if 0\n#include \"deeper.h\"\n#endif\n" KERNEL));
    assert_false(unused("#include \"pasting.h\"\n" KERNEL));
}

/* Where a file of one name stands in two folders, either may be meant. */
static void all_folders_count(void **state)
{
    struct ct_plan_macro macro = {"LOOK", "1"};
    char sub[200];
    const char *dirs[] = {sub};
    struct ct_plan_program program = {.source = "#include \"twice.h\"\n" KERNEL,
                                      .options = "",
                                      .macro_count = 1,
                                      .macros = &macro,
                                      .include_count = 1,
                                      .include_dirs = dirs};

    (void)state;
    snprintf(sub, sizeof(sub), "%s/sub", test_folder);
    assert_int_equal(mkdir(sub, 0700), 0);
    write_file("twice.h", "int nothing;\n");
    assert_true(unused_in(&program));
    write_file("sub/twice.h", "int x = LOOK;\n");
    assert_false(unused_in(&program));
}

static void options_and_values_count(void **state)
{
    struct ct_plan_macro macros[2] = {{"LOOK", "1"}, {"OTHER", "7"}};
    struct ct_plan_program program = {
        .source = KERNEL, .options = "", .macro_count = 2, .macros = macros};
    static const char *const options[] = {"-DHIDE=LOOK",
                                          "-D HIDE=LOOK",
                                          "-include x.h",
                                          "-Isomewhere",
                                          "-I somewhere",
                                          "@file",
                                          "-cl-mad-enable -imacros x.h"};
    static const char *const values[] = {"LOOK",   "(LOOK)", "f(2,LOOK)",
                                         "LO##OK", "#x",     "LO\\\nOK"};

    (void)state;
    assert_true(unused_in(&program));
    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
        program.options = options[i];
        if (unused_in(&program))
            fail_msg("unused with %s", options[i]);
    }
    program.options = "-cl-std=CL2.0 -cl-fast-relaxed-math -w -Werror";
    assert_true(unused_in(&program));
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
        macros[1].value = values[i];
        if (unused_in(&program))
            fail_msg("unused with OTHER=%s", values[i]);
    }
    macros[1].value = "LOOKS";
    assert_true(unused_in(&program));
    macros[0].value = "LOOK"; /* names itself */
    assert_false(unused_in(&program));
}

/* What drivers' own headers may ask for. */
static void reserved_names_are_used(void **state)
{
    static const char *const names[] = {
        "cl_khr_fp64", "__IMAGE_SUPPORT__", "M_PI_F", "_Bool", "F(x)", "FLT_MAX"};
    struct ct_plan_macro macro = {"", "1"};
    struct ct_plan_program program = {
        .source = KERNEL, .options = "", .macro_count = 1, .macros = &macro};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        macro.name = names[i];
        if (unused_in(&program))
            fail_msg("unused: %s", names[i]);
    }
}

/* More sources than are kept: an early one is read again, and its answers are the same. */
static void old_texts_are_read_again(void **state)
{
    struct ct_program_texts *texts = ct_program_texts_new();
    struct ct_plan_macro macro = {"LOOK", "1"};
    const struct ct_program_text *text;
    char source[80];

    (void)state;
    assert_non_null(texts);
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < 2 * CT_PROGRAM_TEXTS; i++) {
            struct ct_plan_program program = {
                .source = source, .options = "", .macro_count = 1, .macros = &macro};

            snprintf(source, sizeof(source), "kernel void f%d() { %s; }\n", i,
                     i % 2 ? "LOOK" : "");
            assert_int_equal(ct_program_text_get(texts, &program, &text, NULL), CT_OK);
            assert_int_equal(ct_program_text_is_unused(text, &program, 0), i % 2 == 0);
        }
    ct_program_texts_free(texts);
}

static void keys_leave_unused_macros_out(void **state)
{
    struct ct_plan_macro macros[2] = {{"LOOK", "1"}, {"USED", "1"}};
    struct ct_plan_program program = {.source = KERNEL "int x = USED;\n",
                                      .source_path = "k.cl",
                                      .options = "",
                                      .macro_count = 2,
                                      .macros = macros};
    struct ct_plan_launch launch = {
        .name = "l", .kernel = "f", .dims = 1, .global = {64}, .local = {8}};
    struct ct_plan plan = {
        .program_count = 1, .programs = &program, .launch_count = 1, .launches = &launch};
    struct ct_program_texts *texts = ct_program_texts_new();
    struct ct_hash first = ct_program_text_key(texts, &plan);
    struct ct_hash other;

    (void)state;
    assert_string_not_equal(first.text, "");
    macros[0].value = "2";
    other = ct_program_text_key(texts, &plan);
    assert_string_equal(first.text, other.text);
    macros[1].value = "2";
    other = ct_program_text_key(texts, &plan);
    assert_string_not_equal(first.text, other.text);
    macros[1].value = "1";
    launch.local[0] = 16;
    other = ct_program_text_key(texts, &plan);
    assert_string_not_equal(first.text, other.text);
    launch.local[0] = 8;
    program.options = "-w";
    other = ct_program_text_key(texts, &plan);
    assert_string_not_equal(first.text, other.text);
    ct_program_texts_free(texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_there_is_unused),
        cmocka_unit_test(what_stands_anywhere_is_used),
        cmocka_unit_test(what_may_be_hidden_is_used),
        cmocka_unit_test(includes_are_followed),
        cmocka_unit_test(all_folders_count),
        cmocka_unit_test(options_and_values_count),
        cmocka_unit_test(reserved_names_are_used),
        cmocka_unit_test(old_texts_are_read_again),
        cmocka_unit_test(keys_leave_unused_macros_out),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
