// SPDX-License-Identifier: Apache-2.0
// The checked specification: the reference space file, and broken ones with their
// messages.
#include "plan/binding.h"
#include "spacefile/source.h"
#include "spacefile/spec.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GOLDEN "tests/golden/space-files"

/* --- broken files --- */

static void put_place(struct ct_str *out, int line, int column, const char *severity,
                      const char *message)
{
    ct_str_addf(out, "%d:%d: %s: %s\n", line, column, severity, message);
}

/* The device that a file's first line asks for (`; device: no-images no-fp64`), or NULL:
 * one that lacks what is named and tells nothing else. */
static const struct ct_devinfo *wanted_device(const char *path, struct ct_devinfo *device)
{
    char line[256] = "";
    FILE *file = fopen(path, "rb");

    if (file) {
        if (!fgets(line, sizeof(line), file))
            *line = '\0';
        fclose(file);
    }
    if (strncmp(line, "; device:", 9) != 0)
        return NULL;
    memset(device, 0, sizeof(*device));
    device->type = "CPU";
    device->props[CT_DEVICE_IMAGE_SUPPORT] = ct_value_int(!strstr(line, "no-images"));
    device->props[CT_DEVICE_EXTENSIONS] =
        ct_value_text(strstr(line, "no-fp64") ? "cl_khr_icd" : "cl_khr_fp64");
    return device;
}

/* What a search would ask of a file, as long as nothing fails. */
static void go_on(const struct ct_spec *spec, struct ct_diags *diags, struct ct_err *err)
{
    struct ct_devinfo device;
    struct ct_binding_options options = {.device = wanted_device(spec->path, &device)};
    struct ct_binding *binding = NULL;
    struct ct_source_cache *cache = ct_source_cache_new();
    struct ct_value *values = calloc(spec->param_count + 1, sizeof(*values));
    struct ct_arena arena = {0};
    struct ct_plan plan;

    assert_non_null(cache);
    assert_non_null(values);
    if (!ct_binding_new(spec, &options, &binding, diags, err) &&
        !ct_binding_default(binding, values, err) && spec->kernel.present)
        ct_binding_plan(binding, values, cache, &arena, &plan, err);
    ct_arena_release(&arena);
    ct_source_cache_free(cache);
    free(values);
    ct_binding_free(binding);
}

/* Binding repeats the first of its findings. */
static bool is_known(const struct ct_diags *diags, const struct ct_err *err)
{
    for (size_t i = 0; i < diags->count; i++)
        if (diags->items[i].line == err->line && diags->items[i].column == err->column &&
            strcmp(diags->items[i].message, err->message) == 0)
            return true;
    return false;
}

/* All findings about a file, one a line. */
static void findings(const char *path, struct ct_str *out)
{
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_spec *spec = NULL;
    enum ct_status status = ct_spec_load(path, &spec, &diags, &err);
    bool loaded = !status && spec;

    assert_int_equal(status == CT_OK, diags.errors == 0);
    assert_int_equal(status == CT_OK, spec != NULL);
    if (loaded)
        go_on(spec, &diags, &err);
    for (size_t i = 0; i < diags.count; i++) {
        assert_string_equal(diags.items[i].file, path);
        put_place(out, diags.items[i].line, diags.items[i].column,
                  diags.items[i].severity == CT_ERROR ? "error" : "warning",
                  diags.items[i].message);
    }
    if (loaded && err.code && !is_known(&diags, &err))
        put_place(out, err.line, err.column, "error", err.message);
    ct_spec_free(spec);
    ct_diags_release(&diags);
}

static void read_text(const char *path, struct ct_str *out)
{
    FILE *file = fopen(path, "rb");
    char chunk[4096];
    size_t got;

    while (file && (got = fread(chunk, 1, sizeof(chunk), file)) > 0)
        ct_str_add(out, chunk, got);
    if (file)
        fclose(file);
}

/* CT_GOLDEN_WRITE=1 writes the messages instead of comparing them: look at the difference
 * before keeping it. */
static bool matches_golden(const char *ini, const char *txt)
{
    struct ct_str actual;
    struct ct_str expected;
    bool same = true;

    ct_str_init(&actual);
    ct_str_init(&expected);
    findings(ini, &actual);
    if (getenv("CT_GOLDEN_WRITE")) {
        FILE *file = fopen(txt, "wb");

        assert_non_null(file);
        fwrite(actual.data, 1, actual.length, file);
        fclose(file);
    } else {
        read_text(txt, &expected);
        same = actual.length > 0 && strcmp(actual.data, expected.data) == 0;
        if (!same)
            print_error("%s\n--- expected\n%s--- found\n%s", ini, expected.data,
                        actual.data);
    }
    ct_str_release(&actual);
    ct_str_release(&expected);
    return same;
}

static void broken_files_give_their_messages(void **state)
{
    DIR *dir = opendir(GOLDEN);
    struct dirent *entry;
    int count = 0;
    int wrong = 0;

    (void)state;
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        size_t length = strlen(entry->d_name);
        char ini[512];
        char txt[512];

        if (length < 5 || strcmp(entry->d_name + length - 4, ".ini") != 0)
            continue;
        snprintf(ini, sizeof(ini), "%s/%s", GOLDEN, entry->d_name);
        snprintf(txt, sizeof(txt), "%s/%.*s.txt", GOLDEN, (int)length - 4, entry->d_name);
        count++;
        wrong += !matches_golden(ini, txt);
    }
    closedir(dir);
    assert_true(count >= 120);
    assert_int_equal(wrong, 0);
}

/* --- whole files --- */

static struct ct_spec *parse(const char *text, struct ct_diags *diags)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_spec *spec = NULL;
    enum ct_status status =
        ct_spec_parse("folder/test.ini", text, strlen(text), &spec, diags, &err);

    if (status)
        print_error("%d:%d: %s\n", err.line, err.column, err.message);
    return spec;
}

static void the_reference_file_is_read(void **state)
{
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_spec *spec = NULL;

    (void)state;
    assert_int_equal(ct_spec_load("spaces/fir.ini", &spec, &diags, &err), CT_OK);
    for (size_t i = 0; i < diags.count; i++)
        print_error("%d: %s\n", diags.items[i].line, diags.items[i].message);
    assert_int_equal(diags.count, 0);
    assert_string_equal(spec->kernel.name, "fir");
    assert_int_equal(spec->dir[0], '/');
    assert_true(spec->kernel.present);
    assert_true(spec->param_count >= 7);
    assert_int_equal(spec->buffer_count, 3);
    assert_int_equal(spec->launch_count, 1);
    assert_int_equal(spec->launches[0].arg_count, 7);
    assert_true(spec->reference.host.present && spec->baseline.present);
    assert_string_equal(spec->baseline.libs, "-lvolk");
    assert_int_equal(ct_spec_find_param(spec, "WG"), 0);
    assert_int_equal(ct_spec_find_param(spec, "taps"), -1);
    assert_int_equal(ct_spec_find(spec, "nothing"), -1);
    for (size_t i = 0; i < spec->slots.count; i++)
        assert_int_equal(ct_spec_find(spec, spec->slots.symbols[i].name), i);
    for (int i = 0; i < CT_DEVPROP_COUNT; i++)
        assert_string_equal(spec->slots.symbols[i].name, ct_devprops[i].name);
    ct_spec_free(spec);
    ct_diags_release(&diags);
}

static void a_space_needs_no_kernel(void **state)
{
    struct ct_diags diags = {0};
    struct ct_spec *spec =
        parse("[param]\nA = 1, 2\n[measure]\nstrategy = random\n"
              "evaluations = 10 * 5\nduration = 1.5 min\n"
              "samples = 10 * 1000\ncache = cold\n"
              "target = 1.5 ms\nno_progress = 30\nfraction = 5 %\nuntil_chance = 10%\n",
              &diags);

    (void)state;
    assert_non_null(spec);
    assert_int_equal(diags.count, 0);
    assert_false(spec->kernel.present);
    assert_string_equal(spec->kernel.name, "test");
    assert_string_equal(spec->measure.strategy.text, "random");
    assert_int_equal(spec->measure.evaluations, 50);
    assert_true(spec->measure.duration_s == 90);
    assert_int_equal(spec->measure.samples, 10000);
    assert_true(spec->measure.cold);
    assert_string_equal(spec->measure.target.text, "1.5 ms");
    assert_int_equal(spec->measure.no_progress, 30);
    assert_true(spec->measure.fraction == 0.05);
    assert_true(spec->measure.until_chance == 0.1);
    ct_spec_free(spec);
    ct_diags_release(&diags);
}

/* Shares and goals, of space files and of the command line. */
static void shares_and_goals(void **state)
{
    static const char *const no_shares[] = {"",      "0",   "1.01", "101%", "-1%",
                                            "5 %x",  "inf", "0x1",  "nan",  "%",
                                            "1e999", "5%%", "."};
    static const char *const no_goals[] = {"",      "-",   "ms",    "1 m",  "0 ms",
                                           "-1 ms", "inf", "nan s", "0x10", "1ms ",
                                           "1e999", "1 2", "."};
    double value;
    bool is_time;

    (void)state;
    for (size_t i = 0; i < sizeof(no_shares) / sizeof(no_shares[0]); i++)
        assert_false(ct_spec_share(no_shares[i], &value));
    for (size_t i = 0; i < sizeof(no_goals) / sizeof(no_goals[0]); i++)
        assert_false(ct_spec_goal(no_goals[i], &value, &is_time));
    assert_true(ct_spec_share("1", &value) && value == 1);
    assert_true(ct_spec_share("100%", &value) && value == 1);
    assert_true(ct_spec_share("12.5 %", &value) && value == 0.125);
    assert_true(ct_spec_share(".5", &value) && value == 0.5);
    assert_true(ct_spec_goal("1.5ms", &value, &is_time) && value == 1.5e6 && is_time);
    assert_true(ct_spec_goal("2 s", &value, &is_time) && value == 2e9 && is_time);
    assert_true(ct_spec_goal("7 us", &value, &is_time) && value == 7e3 && is_time);
    assert_true(ct_spec_goal("9ns", &value, &is_time) && value == 9 && is_time);
    assert_true(ct_spec_goal("1e3", &value, &is_time) && value == 1000 && !is_time);
    assert_true(ct_spec_goal("-2.5", &value, &is_time) && value == -2.5 && !is_time);
    assert_true(ct_spec_goal("0", &value, &is_time) && value == 0 && !is_time);
}

static void definitions_are_ordered(void **state)
{
    struct ct_diags diags = {0};
    struct ct_spec *spec = parse("[let]\nc = b + a\nb = a * 2\n[derive]\na = n + P\n"
                                 "[problem]\nn = m\nm = 3\n[param]\nP = 1..c2 if n > 1\n"
                                 "[let]\n",
                                 &diags);

    (void)state;
    assert_null(spec); /* [let] is repeated and c2 unknown */
    assert_int_equal(diags.errors, 2);
    ct_diags_release(&diags);
    spec = parse("[let]\nc = b + a\nb = a * 2\n[derive]\na = n + P\n"
                 "[problem]\nn = m\nm = 3\n[param]\nP = 1..n if n > 1\n",
                 &diags);
    assert_non_null(spec);
    assert_int_equal(spec->slots.order_count, 5);
    for (size_t i = 0; i < spec->slots.order_count; i++) {
        const struct ct_expr *expr = spec->slots.symbols[spec->slots.order[i]].expr;

        for (size_t j = 0; j < expr->slot_count; j++)
            for (size_t k = i; k < spec->slots.order_count; k++)
                assert_int_not_equal(spec->slots.order[k], expr->slots[j]);
    }
    ct_spec_free(spec);
    ct_diags_release(&diags);
}

/* Chains and lists that recursion or a quadratic search would not survive. */
static void large_files_are_read(void **state)
{
    struct ct_diags diags = {0};
    struct ct_str text;
    struct ct_spec *spec;

    (void)state;
    ct_str_init(&text);
    ct_str_puts(&text, "[let]\n");
    for (int i = 0; i < 20000; i++)
        ct_str_addf(&text, "x%d = x%d + 1\n", i, i + 1);
    ct_str_puts(&text, "x20000 = 1\n[param]\nA = 1..x0\nB = ");
    for (int i = 0; i < 100000; i++)
        ct_str_addf(&text, "%d, ", i);
    ct_str_puts(&text, "100000\nC = 'w0'");
    for (int i = 1; i < 20000; i++)
        ct_str_addf(&text, ", 'w%d'", i);
    spec = parse(text.data, &diags);
    assert_non_null(spec);
    assert_int_equal(diags.count, 0);
    assert_int_equal(spec->slots.order_count, 20001);
    ct_spec_free(spec);
    ct_diags_release(&diags);
    ct_str_release(&text);
}

static void tables_of_the_language_fit_together(void **state)
{
    (void)state;
    for (size_t i = 0; i < ct_spec_key_count; i++) {
        bool known = false;

        for (size_t j = 0; j < ct_spec_section_count; j++)
            known = known ||
                    (strcmp(ct_spec_sections[j].kind, ct_spec_keys[i].section) == 0 &&
                     !ct_spec_sections[j].free_keys);
        assert_true(known);
        assert_true(*ct_spec_keys[i].help);
        assert_false(ct_spec_keys[i].form == CT_FORM_OWN && !ct_spec_keys[i].read);
        for (size_t j = 0; j < i; j++)
            assert_false(strcmp(ct_spec_keys[i].section, ct_spec_keys[j].section) == 0 &&
                         strcmp(ct_spec_keys[i].key, ct_spec_keys[j].key) == 0);
    }
}

static void missing_files_are_said_to_be(void **state)
{
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_spec *spec;

    (void)state;
    assert_int_equal(ct_spec_load("no/such.ini", &spec, &diags, &err), CT_E_USAGE);
    assert_null(spec);
    assert_int_equal(diags.count, 0);
    assert_non_null(strstr(err.message, "no/such.ini"));
    ct_diags_release(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_files_give_their_messages),
        cmocka_unit_test(the_reference_file_is_read),
        cmocka_unit_test(a_space_needs_no_kernel),
        cmocka_unit_test(shares_and_goals),
        cmocka_unit_test(definitions_are_ordered),
        cmocka_unit_test(large_files_are_read),
        cmocka_unit_test(tables_of_the_language_fit_together),
        cmocka_unit_test(missing_files_are_said_to_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
