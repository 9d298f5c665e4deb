// SPDX-License-Identifier: Apache-2.0
// Sources of init that are not OpenCL files: strings of C++ programs, and T1 descriptions; also of
// strangers who want more than a kernel to be tuned.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "init/init.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KERNEL(name) "kernel void " name "(global int *a) { a[get_global_id(0)] = 1; }"

static char folder[64];
static char file[128];
static char output[128];
static struct ct_init init;
static struct ct_t1 *t1;
static struct ct_draft draft;
static struct ct_err err;

static int enter(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/cltune-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int leave(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -r '%s'", folder);
    return system(command); /* NOLINT(cert-env33-c) */
}

static int forget(void **state)
{
    (void)state;
    ct_init_release(&init);
    init = (struct ct_init){0};
    ct_draft_release(&draft);
    ct_t1_free(t1);
    t1 = NULL;
    return 0;
}

static void write_file(const char *name, const char *text, size_t length)
{
    FILE *out;

    snprintf(file, sizeof(file), "%s/%s", folder, name);
    out = fopen(file, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
}

/* --- C++ --- */

/* Opens the text as a C++ file; its kernels' files go with `init`. */
static enum ct_status extract(const char *text, const char *kernel)
{
    struct ct_init_options options = {
        .from_cpp = file, .output = output, .kernel = kernel};

    forget(NULL);
    write_file("program.cpp", text, strlen(text));
    snprintf(output, sizeof(output), "%s/space.ini", folder);
    err = (struct ct_err)CT_ERR_INIT;
    return ct_init_open(&options, &init, &err);
}

static void assert_source(const char *text, const char *source)
{
    assert_int_equal(extract(text, NULL), CT_OK);
    assert_int_equal(init.source.length, strlen(source));
    assert_memory_equal(init.source.data, source, strlen(source));
}

static void strings_have_many_forms(void **state)
{
    (void)state;
    assert_source("const char *a = \"" KERNEL("f") "\";", KERNEL("f"));
    assert_source("x = R\"(" KERNEL("f") ")\";", KERNEL("f"));
    assert_source("x = u8R\"--(" KERNEL("f") " // )\" )-\" \n)--\";",
                  KERNEL("f") " // )\" )-\" \n");
    assert_source(
        "x = \"kernel void \" /* \"no\" */ // \"no\"\n  L\"f() { }\\n\\x41\\101\\t\\\n\";",
        "kernel void f() { }\nAA\t");
    assert_source("char q = '\"'; auto n = 1'000'000; x = \"kernel void f() { }\";",
                  "kernel void f() { }");
}

static void files_are_named_after_variables(void **state)
{
    (void)state;
    assert_int_equal(extract("static const char *mine = \"" KERNEL("f") "\";", NULL),
                     CT_OK);
    assert_string_equal(init.label, "mine.cl");
    assert_int_equal(extract("run(\"" KERNEL("f") "\");", NULL), CT_OK);
    assert_string_equal(init.label, "program_1.cl");
    /* Names are letters, so no file lands in another folder. */
    assert_int_equal(extract("a[\"../../x\"] = \"" KERNEL("f") "\";", NULL), CT_OK);
    assert_null(strchr(init.label, '/'));
}

static void kernels_are_chosen(void **state)
{
    static const char two[] = "a = \"" KERNEL("f") "\"; b = \"" KERNEL("g") "\";";

    (void)state;
    assert_int_equal(extract(two, NULL), CT_E_USAGE);
    assert_non_null(strstr(err.message, "name one with --kernel"));
    assert_int_equal(extract(two, "g"), CT_OK);
    assert_string_equal(init.label, "b.cl");
    assert_int_equal(extract(two, "h"), CT_E_NOT_FOUND);
}

static void programs_without_kernels_are_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "int main() { return 0; }",
        "// \"" KERNEL("f") "\"",
        "/* \"" KERNEL("f") "\"",
        "\"" KERNEL("f"),         /* no end */
        "\"" KERNEL("f") "\n\";", /* a line's end */
        "\"kernel",
        "\"\\",
        "\"\\x",
        "R\"",
        "R\"(",
        "R\"(kernel",
        "R\"a_delimiter_that_is_too_long(" KERNEL("f") ")a_delimiter_that_is_too_long",
        "'\\",
        "'",
        "u8",
        "= = = ;",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        assert_int_equal(extract(texts[i], NULL), CT_E_NOT_FOUND);
        assert_non_null(strstr(err.message, "no string of"));
    }
}

/* Each would be looked for to the end of the file. */
static void many_raw_strings_without_an_end(void **state)
{
    struct ct_str text;

    (void)state;
    ct_str_init(&text);
    for (int i = 0; i < 100000; i++)
        ct_str_puts(&text, "R\"a(kernel R\"");
    assert_int_equal(extract(text.data, NULL), CT_E_NOT_FOUND);
    ct_str_release(&text);
}

/* --- T1 --- */

/* A description of a copy; the texts are JSON. */
static enum ct_status describe(const char *param, const char *argument, const char *more)
{
    static const struct ct_described_arg args[] = {{.name = "a", .type = "int*"}};
    struct ct_subject subject = {.function = "f", .args = args, .arg_count = 1};
    struct ct_str text;
    enum ct_status status;

    forget(NULL);
    ct_str_init(&text);
    ct_str_addf(
        &text,
        "{\"ConfigurationSpace\": {\"TuningParameters\": [%s]%s},"
        "\"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": \"f\","
        "\"KernelFile\": \"f.cl\", \"GlobalSize\": {\"X\": \"1024\"},"
        "\"Arguments\": [%s]}}",
        param, more, argument);
    write_file("t1.json", text.data, text.length);
    ct_str_release(&text);
    err = (struct ct_err)CT_ERR_INIT;
    status = ct_t1_open(file, &t1, &err);
    return status ? status : ct_t1_draft(t1, &subject, &draft, &err);
}

#define PARAM "{\"Name\": \"WG\", \"Type\": \"int\", \"Values\": \"[32, 64]\"}"
#define ARGUMENT                                                                         \
    "{\"Name\": \"a\", \"Type\": \"int32\", \"MemoryType\": \"Vector\", \"Size\": 64}"

static void descriptions_become_drafts(void **state)
{
    (void)state;
    assert_int_equal(describe(PARAM, ARGUMENT, ""), CT_OK);
    assert_string_equal(ct_draft_find(&draft.params, "WG")->value, "32, 64");
    assert_string_equal(ct_draft_find(&draft.defaults, "WG")->value, "32");
    assert_string_equal(draft.args[0].type, "int");
    assert_string_equal(draft.args[0].count, "64");
    assert_string_equal(draft.args[0].fill, "constant(0)");
    assert_int_equal(describe(PARAM,
                              "{\"Name\": \"s\", \"Type\": \"custom\", \"MemoryType\": "
                              "\"Vector\", \"Size\": 10, \"TypeSize\": 12}",
                              ""),
                     CT_OK);
    assert_string_equal(draft.args[0].count, "120");
    assert_string_equal(draft.args[0].type, "uchar");
}

static void arguments_without_a_size_are_refused(void **state)
{
    static const char *const sizes[] = {
        "\"Size\": 0",
        "\"Size\": 9223372036854775807, \"TypeSize\": 16",
        "\"Size\": -4, \"TypeSize\": 4",
        "\"Size\": -4611686018427387904, \"TypeSize\": -4",
        "\"Size\": [4], \"TypeSize\": 4",
        "\"TypeSize\": 4",
        "\"Size\": \"import os\"",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        struct ct_str text;

        ct_str_init(&text);
        ct_str_addf(
            &text,
            "{\"Name\": \"s\", \"Type\": \"custom\", \"MemoryType\": \"Vector\", %s}",
            sizes[i]);
        assert_int_equal(describe(PARAM, text.data, ""), CT_E_USAGE);
        assert_non_null(strstr(err.message, "has no Size"));
        ct_str_release(&text);
    }
}

/* Nothing of a description becomes a line of the space file that is not meant: a line [reference]
 * would run C code. */
static void descriptions_add_no_lines(void **state)
{
    static const char trap[] = "\\n[reference]\\nc = /tmp/trap.c\\n";
    struct ct_str text;
    struct ct_str written;

    (void)state;
    ct_str_init(&text);
    ct_str_init(&written);
    ct_str_addf(&text, "{\"Name\": \"WG%s\", \"Type\": \"int\", \"Values\": \"[1]\"}",
                trap);
    assert_int_equal(describe(text.data, ARGUMENT, ""), CT_E_USAGE);
    assert_non_null(strstr(err.message, "is not a name"));
    assert_null(strchr(err.message, '\n'));
    ct_str_reset(&text);
    ct_str_addf(
        &text, "{\"Name\": \"WG\", \"Type\": \"int\", \"Values\": \"[lambda%s]\"}", trap);
    assert_int_equal(describe(text.data, ARGUMENT, ""), CT_E_USAGE);
    assert_null(strchr(err.message, '\n'));
    ct_str_reset(&text);
    ct_str_addf(&text, ", \"Conditions\": [{\"Expression\": \"lambda: %s\"}]", trap);
    assert_int_equal(
        describe(PARAM,
                 "{\"Name\": \"a\\n[reference]\\nc = t\", \"Type\": \"float\", "
                 "\"MemoryType\": \"Vector\", \"Size\": 4, \"FillType\": "
                 "\"File\", \"DataSource\": \"x\\n[reference]\\nc = t\"}",
                 text.data),
        CT_OK);
    draft.origin = draft.function = draft.name = draft.source = "f";
    ct_draft_put(&draft, false, &written);
    assert_non_null(strstr(written.data, "trap.c"));
    assert_null(strstr(written.data, "\n[reference]"));
    assert_null(strstr(written.data, "\nc "));
    ct_str_release(&written);
    ct_str_release(&text);
}

static void options_are_one_line(void **state)
{
    static const char description[] =
        "{\"ConfigurationSpace\": {\"TuningParameters\": [" PARAM "]},"
        "\"KernelSpecification\": {\"CompilerOptions\": [\"-DA=1\\nc = t\", 3, \"-DB\"]}}";
    struct ct_str text;

    (void)state;
    ct_str_init(&text);
    write_file("t1.json", description, strlen(description));
    assert_int_equal(ct_t1_open(file, &t1, &err), CT_OK);
    ct_t1_put_options(t1, &text);
    assert_string_equal(text.data, "-DA=1 c = t -DB");
    ct_str_release(&text);
}

static void what_is_no_description_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "null",
        "{\"ConfigurationSpace\": 1}",
        "{\"ConfigurationSpace\": {\"TuningParameters\": []}, \"KernelSpecification\": {}}",
        "{\"ConfigurationSpace\": {\"TuningParameters\": [1]}, \"KernelSpecification\": []}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        forget(NULL);
        write_file("no.json", texts[i], strlen(texts[i]));
        assert_int_equal(ct_t1_open(file, &t1, &err), CT_E_USAGE);
        t1 = NULL;
    }
    assert_int_equal(describe("7", ARGUMENT, ""), CT_E_USAGE);
    assert_int_equal(describe("{\"Name\": \"A\"}", ARGUMENT, ""), CT_E_USAGE);
    assert_int_equal(describe(PARAM, "7", ""), CT_E_USAGE);
    assert_int_equal(describe(PARAM, "", ""), CT_E_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(strings_have_many_forms, forget),
        cmocka_unit_test_teardown(files_are_named_after_variables, forget),
        cmocka_unit_test_teardown(kernels_are_chosen, forget),
        cmocka_unit_test_teardown(programs_without_kernels_are_refused, forget),
        cmocka_unit_test_teardown(many_raw_strings_without_an_end, forget),
        cmocka_unit_test_teardown(descriptions_become_drafts, forget),
        cmocka_unit_test_teardown(arguments_without_a_size_are_refused, forget),
        cmocka_unit_test_teardown(descriptions_add_no_lines, forget),
        cmocka_unit_test_teardown(options_are_one_line, forget),
        cmocka_unit_test_teardown(what_is_no_description_is_refused, forget),
    };

    return cmocka_run_group_tests(tests, enter, leave);
}
