// SPDX-License-Identifier: Apache-2.0
// What init concludes from kernels: their use of work-items and arguments, sizes, data and
// parameters.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "init/guess.h"
#include "init/resolve.h"

#include <stdlib.h>
#include <string.h>

static struct ct_code code;
static struct ct_part part = {.path = "a.cl", .label = "a.cl", .first = 1};
static const struct ct_parts parts = {&part, 1};
static struct ct_subject subject;
static struct ct_draft draft;

static int forget(void **state)
{
    (void)state;
    ct_macros_release(&subject.macros);
    ct_draft_release(&draft);
    ct_code_release(&code);
    subject = (struct ct_subject){0};
    return 0;
}

/* The first kernel of a source. */
static void look(const char *source)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_kernel_code *kernels;
    size_t count;

    forget(NULL);
    assert_int_equal(ct_code_read(source, strlen(source), &code, &err), CT_OK);
    assert_int_equal(ct_kernels_find(&code, &kernels, &count, &err), CT_OK);
    assert_true(count >= 1);
    subject = (struct ct_subject){.code = &code,
                                  .parts = &parts,
                                  .kernel = kernels,
                                  .function = kernels->name,
                                  .args = kernels->args,
                                  .arg_count = kernels->arg_count,
                                  .group_max = 256};
    assert_int_equal(ct_usage_find(&code, kernels, subject.arg_count, subject.args,
                                   &subject.usage, &err),
                     CT_OK);
    assert_true(ct_macros_find(source, &subject.macros));
}

static enum ct_status guess(const char *source, struct ct_err *err)
{
    struct ct_guess how = {.sizes = {64, 64, 64}};

    look(source);
    draft.options = "";
    return ct_guess_all(&subject, &how, &draft, err);
}

static void assert_param(const char *name, const char *begin)
{
    const struct ct_draft_line *line = ct_draft_find(&draft.params, name);

    assert_non_null(line);
    assert_memory_equal(line->value, begin, strlen(begin));
}

/* --- usage --- */

static void usage_sees_dimensions_and_bounds(void **state)
{
    (void)state;
    look("kernel void f(global float *a, global const float *b, int n, int m) {\n"
         "    int i = (int)get_global_id(0), j = get_global_id(1);\n"
         "    if (i < n && m > j) a[i] += b[j];\n}\n");
    assert_int_equal(subject.usage.dims, 2);
    assert_true(subject.usage.knows_dims);
    assert_true(subject.usage.args[0].is_read && subject.usage.args[0].is_written);
    assert_true(subject.usage.args[1].is_read && !subject.usage.args[1].is_written);
    assert_int_equal(subject.usage.args[2].bound, 1);
    assert_true(subject.usage.has_bounds[0]);
    assert_int_equal(subject.usage.args[3].bound, 2);
}

static void usage_sees_macros_and_functions(void **state)
{
    (void)state;
    look("#define GID get_global_id(2)\nkernel void f(global int *a) { a[GID] = 1; }\n");
    assert_int_equal(subject.usage.dims, 3);
    look(
        "kernel void f(global int *a) { fill(a); }\nvoid fill(global int *a) { a[get_local_id(1)] = 1; }\n");
    assert_int_equal(subject.usage.dims, 2);
    assert_true(subject.usage.uses_local_id);
    assert_true(subject.usage.args[0].is_read && subject.usage.args[0].is_written);
    look("kernel void f(global int *a) { a[get_global_id(7)] = get_global_id(n); }\n");
    assert_int_equal(subject.usage.dims, 1);
    assert_false(subject.usage.knows_dims);
}

static void usage_sees_images_and_local_arrays(void **state)
{
    (void)state;
    look("kernel void f(read_only image2d_t in, write_only image2d_t out) {\n"
         "    local float tile[16][8]; barrier(CLK_LOCAL_MEM_FENCE);\n"
         "    write_imageui(out, p, convert(read_imagef(in, s, p))); }\n");
    assert_int_equal(subject.usage.args[0].image, 'f');
    assert_int_equal(subject.usage.args[1].image, 'u');
    assert_true(subject.usage.args[1].is_written && !subject.usage.args[1].is_read);
    assert_true(subject.usage.has_barrier);
    assert_int_equal(subject.usage.local_dims, 2);
    assert_string_equal(subject.usage.local_shape[0], "8");
    assert_string_equal(subject.usage.local_shape[1], "16");
}

/* Bodies that end where something is looked for behind a word. */
static void bodies_may_end_anywhere(void **state)
{
    static const char *const bodies[] = {
        "{",
        "{ a",
        "{ a[",
        "{ a[0",
        "{ a[0].",
        "{ a[0][",
        "{ &a",
        "{ i = (",
        "{ i =",
        "{ i = get_global_id",
        "{ i = get_global_id(",
        "{ if (get_global_id(0)",
        "{ if (get_global_id(0) <",
        "{ local",
        "{ local float t",
        "{ local float t[",
        "{ local float t[]",
        "{ local float t[8][",
        "{ local float t[1][2][3];",
        "{ read_imagef",
        "{ read_imagef(",
        "{ read_image(a",
        "{ < }",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
        struct ct_str text;

        ct_str_init(&text);
        ct_str_addf(&text, "kernel void f(global float *a, int n) %s", bodies[i]);
        look(text.data);
        assert_int_equal(subject.usage.local_dims, 0);
        ct_str_release(&text);
    }
}

static void more_numbers_of_work_items_than_are_kept(void **state)
{
    struct ct_str text;

    (void)state;
    ct_str_init(&text);
    ct_str_puts(&text, "kernel void f(global float *a, int n) {");
    for (int i = 0; i < 100; i++)
        ct_str_addf(&text, "int i%d = get_global_id(0); if (i%d < n) a[i%d] = 0;", i, i,
                    i);
    look(text.data);
    assert_int_equal(subject.usage.args[1].bound, 1);
    ct_str_release(&text);
}

/* --- sizes --- */

static const char *resolve(const char *text, int64_t *number)
{
    *number = -1;
    return ct_resolve_size(&subject, &draft, text, number);
}

static void sizes_are_sums_and_products(void **state)
{
    struct ct_undefined undefined = {.name = "WIDTH_OF_TILE"};
    int64_t number;

    (void)state;
    look(
        "#define A 4\n#define B (A + 2)\n#define F(x) x\n#define EMPTY\nkernel void f(int n) {}\n");
    subject.undefined = &undefined;
    subject.undefined_count = 1;
    ct_draft_add(&draft, &draft.defaults,
                 (struct ct_draft_line){.name = "WG", .value = "32"});
    assert_string_equal(resolve("WG * 2", &number), "WG * 2");
    assert_int_equal(number, 64);
    assert_string_equal(resolve("(WG + B) / A", &number), "(WG + ((4 + 2))) / 4");
    assert_int_equal(number, 9);
    assert_string_equal(resolve("B * B - 1", &number), "35");
    assert_non_null(resolve("WIDTH_OF_TILE", &number));
    assert_string_equal(resolve(" 7 ", &number), "7");
}

static void what_is_no_size_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        " ",
        "0",
        "1 - 1",
        "1 - 2",
        "1 / 0",
        "(1",
        "1)",
        "1 +",
        "* 2",
        "x",
        "F(2)",
        "EMPTY",
        "LOOP",
        "1 % 2",
        "1 << 2",
        "0x7fffffff",
        "(1 - 5) * 2",
        "32768 * 32768 * 2",
        "((((((((((((((((((((1))))))))))))))))))))",
        "a_name_that_is_longer_than_any_macro_that_anybody_would_ever_write_down",
        "\"8\"",
    };
    int64_t number;

    (void)state;
    look(
        "#define F(x) x\n#define EMPTY\n#define LOOP LOOP + 1\nkernel void f(int n) {}\n");
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        assert_null(resolve(texts[i], &number));
}

/* 8 ^ 12 terms. */
static void sizes_do_not_multiply(void **state)
{
    struct ct_str text;
    int64_t number;

    (void)state;
    ct_str_init(&text);
    for (int i = 0; i < 12; i++)
        ct_str_addf(&text, "#define A%d A%d+A%d+A%d+A%d+A%d+A%d+A%d+A%d\n", i, i + 1,
                    i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1);
    ct_str_puts(&text, "#define A12 1\nkernel void f(int n) {}\n");
    look(text.data);
    assert_null(resolve("A0", &number));
    assert_non_null(resolve("A10", &number));
    assert_int_equal(number, 64);
    ct_str_release(&text);
}

/* --- guesses --- */

static void arguments_get_data(void **state)
{
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    assert_int_equal(
        guess(
            "typedef struct { float x, y; } point;\n"
            "kernel void f(global float4 *out, global const uchar *in, global void *raw,\n"
            "    local int *scratch, int n, float beta, int offset, point at, sampler_t s,\n"
            "    global point *many, read_only image3d_t im) {\n"
            "    int i = get_global_id(0); if (i < n) out[i] = in[i]; }\n",
            &err),
        CT_OK);
    assert_int_equal(draft.arg_count, 11);
    assert_string_equal(draft.args[0].type, "float4");
    assert_string_equal(draft.args[0].fill, "zero");
    assert_non_null(draft.args[0].check);
    assert_string_equal(draft.args[1].fill, "uniform(0, 255)");
    assert_null(draft.args[1].check);
    assert_string_equal(draft.args[2].count, "16 * size");
    assert_non_null(draft.args[2].decide);
    assert_string_equal(draft.args[3].text, "local(4 * LOCAL_X)");
    assert_string_equal(draft.args[4].text, "int(size)");
    assert_null(draft.args[4].decide);
    assert_string_equal(draft.args[5].text, "float(0.0)");
    assert_string_equal(draft.args[6].text, "int(0)");
    assert_string_equal(draft.args[7].text, "struct(float(1), float(1))");
    assert_string_equal(draft.args[8].text, "sampler(clamp_to_edge, nearest)");
    assert_string_equal(draft.args[9].count, "8 * size");
    assert_string_equal(draft.args[10].count, "64, 64, 64");
}

static void what_space_files_lack_is_refused(void **state)
{
    static const char *const types[] = {"image2d_array_t", "queue_t", "struct unknown",
                                        "pipe int"};

    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        struct ct_err err = CT_ERR_INIT;
        struct ct_str text;

        ct_str_init(&text);
        ct_str_addf(&text, "kernel void f(%s x) {}", types[i]);
        assert_int_equal(guess(text.data, &err), CT_E_USAGE);
        assert_non_null(strstr(err.message, "argument 1"));
        ct_str_release(&text);
    }
}

static void parameters_come_from_macros(void **state)
{
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    assert_int_equal(
        guess("#ifndef WPT\n#define WPT 4\n#endif\n#define TILE 16\n#define SIZE 64\n"
              "#define DEBUG 0\n#define BIG_TILE 100000\n"
              "kernel void f(global int *a) { local int t[TILE];\n"
              "    a[get_global_id(0) * WPT + SIZE + BIG_TILE] = t[get_local_id(0)]; }\n",
              &err),
        CT_OK);
    assert_param("WPT", "4, ");
    assert_param("TILE", "16, ");
    /* Suggestions: what decides about sizes of data, and what is too large or unused. */
    assert_null(ct_draft_find(&draft.params, "SIZE"));
    assert_null(ct_draft_find(&draft.params, "BIG_TILE"));
    assert_null(ct_draft_find(&draft.params, "DEBUG"));
    assert_string_equal(draft.local[0], "TILE");
}

static void work_groups_are_those_of_the_source(void **state)
{
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    assert_int_equal(guess("kernel __attribute__((reqd_work_group_size(8, 4, 1)))\n"
                           "void f(global int *a) { a[get_global_id(1)] = 1; }\n",
                           &err),
                     CT_OK);
    assert_string_equal(draft.local[0], "8");
    assert_string_equal(draft.local[1], "4");
    assert_null(draft.launch_decide);
    /* Local arrays that no work-group of the device could have. */
    assert_int_equal(guess("kernel void f(global int *a) { local int t[512];\n"
                           "    a[get_global_id(0)] = t[get_local_id(0)]; }\n",
                           &err),
                     CT_OK);
    assert_string_equal(draft.local[0], "LOCAL_X");
    assert_param("LOCAL_X", "0, ");
    /* Names that the kernel uses itself. */
    assert_int_equal(
        guess("kernel void f(global int *LOCAL_X) { LOCAL_X[get_global_id(0)] = 1; }\n",
              &err),
        CT_OK);
    assert_string_equal(draft.local[0], "CLTUNE_LOCAL_X");
}

static void names_of_memory_are_free(void **state)
{
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    assert_int_equal(
        guess("kernel void f(global int *in, global int *size, global int *float_) {\n"
              "    in[get_global_id(0)] = size[0]; }\n",
              &err),
        CT_OK);
    for (size_t i = 0; i < draft.arg_count; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(draft.args[i].name, draft.args[j].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(usage_sees_dimensions_and_bounds, forget),
        cmocka_unit_test_teardown(usage_sees_macros_and_functions, forget),
        cmocka_unit_test_teardown(usage_sees_images_and_local_arrays, forget),
        cmocka_unit_test_teardown(bodies_may_end_anywhere, forget),
        cmocka_unit_test_teardown(more_numbers_of_work_items_than_are_kept, forget),
        cmocka_unit_test_teardown(sizes_are_sums_and_products, forget),
        cmocka_unit_test_teardown(what_is_no_size_is_refused, forget),
        cmocka_unit_test_teardown(sizes_do_not_multiply, forget),
        cmocka_unit_test_teardown(arguments_get_data, forget),
        cmocka_unit_test_teardown(what_space_files_lack_is_refused, forget),
        cmocka_unit_test_teardown(parameters_come_from_macros, forget),
        cmocka_unit_test_teardown(work_groups_are_those_of_the_source, forget),
        cmocka_unit_test_teardown(names_of_memory_are_free, forget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
