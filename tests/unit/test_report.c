// SPDX-License-Identifier: Apache-2.0
// Formatting, progress and what other builds read: byte for byte.
#include "base/str.h"
#include "report/export.h"
#include "report/format.h"
#include "report/progress.h"
#include "report/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_times(void **state)
{
    char text[CT_FORMAT_SIZE];

    (void)state;
    assert_string_equal(ct_format_time(text, 0), "0 ns");
    assert_string_equal(ct_format_time(text, 931.4), "931 ns");
    assert_string_equal(ct_format_time(text, 12400), "12.40 us");
    assert_string_equal(ct_format_time(text, 1043211), "1.043 ms");
    assert_string_equal(ct_format_time(text, 2.5e9), "2.500 s");
}

static void test_durations(void **state)
{
    char text[CT_FORMAT_SIZE];

    (void)state;
    assert_string_equal(ct_format_duration(text, 0.42), "0.4 s");
    assert_string_equal(ct_format_duration(text, 59.4), "59 s");
    assert_string_equal(ct_format_duration(text, 200), "3 min 20 s");
    assert_string_equal(ct_format_duration(text, 7500), "2 h 05 min");
    assert_string_equal(ct_format_duration(text, 1e12), "more than 30 years");
}

static void test_counts(void **state)
{
    char text[CT_FORMAT_SIZE];

    (void)state;
    assert_string_equal(ct_format_count(text, 0), "0");
    assert_string_equal(ct_format_count(text, 999), "999");
    assert_string_equal(ct_format_count(text, 1000), "1,000");
    assert_string_equal(ct_format_count(text, UINT64_MAX), "18,446,744,073,709,551,615");
    assert_string_equal(ct_format_big(text, 22200000), "22,200,000");
    assert_string_equal(ct_format_big(text, 1e30), "1e+30");
    assert_string_equal(ct_format_bytes(text, 512), "512 B");
    assert_string_equal(ct_format_bytes(text, 32768), "32 KiB");
    assert_string_equal(ct_format_bytes(text, 1600000), "1.5 MiB");
    assert_string_equal(ct_format_real(text, 105.42), "105");
    assert_string_equal(ct_format_real(text, 43.9), "43.9");
    assert_string_equal(ct_format_real(text, 0.0123), "0.01230");
    assert_string_equal(ct_format_ratio(text, 3.918), "3.92x");
}

/* The line that is drawn, without its control characters. */
static const char *drawn(struct ct_progress *progress, uint64_t now_ns, uint64_t done,
                         double best_ns, double default_ns)
{
    static const char end[] = "\033[K";
    static char text[300];
    size_t length;

    progress->out = tmpfile();
    assert_non_null(progress->out);
    ct_progress_draw(progress, now_ns, done, best_ns, default_ns);
    rewind(progress->out);
    length = fread(text, 1, sizeof(text) - 1, progress->out);
    fclose(progress->out);
    assert_in_range(length, strlen(end) + 1, sizeof(text) - 2);
    text[length] = '\0';
    assert_string_equal(text + length - strlen(end), end);
    text[length - strlen(end)] = '\0';
    assert_int_equal(text[0], '\r');
    return text + 1;
}

static void test_progress_text(void **state)
{
    struct ct_progress progress;

    (void)state;
    ct_progress_init(&progress, stderr, false, 200, 0, 1000000000u);
    assert_null(progress.out);
    assert_string_equal(
        drawn(&progress, 11000000000u, 50, 931000, 3724000),
        "[#####...............] 50/200  5.0/s  best 931.0 us (4.00x)  left 30 s");
    /* A time budget ends it sooner than the rate would. */
    ct_progress_init(&progress, stderr, false, 200, 12, 1000000000u);
    assert_string_equal(drawn(&progress, 11000000000u, 50, 0, 0),
                        "[#####...............] 50/200  5.0/s  best -  left 2.0 s");
}

static void assert_estimate(double budget_s, uint64_t done, bool evaluations,
                            const char *wanted)
{
    struct ct_progress progress;
    struct ct_str text;

    ct_str_init(&text);
    ct_progress_init(&progress, stderr, false, 20, budget_s, 1000000000u);
    ct_progress_put_estimate(&progress, 301000000000u, done, evaluations, &text);
    assert_string_equal(text.data, wanted);
    ct_str_release(&text);
}

/* An estimate says which budget ends the search. */
static void test_estimate(void **state)
{
    (void)state;
    assert_estimate(0, 10, false,
                    "10 more evaluations of 30.00 s each, 5 min 00 s in total");
    assert_estimate(0, 10, true,
                    "10 more evaluations of 30.00 s each, 5 min 00 s in total, when the "
                    "budget of evaluations ends the search");
    assert_estimate(331, 10, true,
                    "1 more evaluation in 31 s, when the time budget ends the search "
                    "(30.00 s each)");
    assert_estimate(
        3000, 19, true,
        "1 more evaluation of 15.79 s each, 16 s in total, when the budget of "
        "evaluations ends the search");
}

static struct ct_export_answer example(void)
{
    static struct ct_export_value problem[2];
    static struct ct_export_value config[4];
    struct ct_export_answer emit = {
        .version = "0.1.0",
        .kernel = "fir-2",
        .device = "Odd */ \"name\"",
        .driver = "1.2",
        .evidence = "same device and driver",
        .experiment = "00112233445566778899aabbccddeeff",
        .flags = "-cl-std=CL1.2 -D WG=16 -D \"NAME=a b\"",
        .problem_count = 2,
        .problem = problem,
        .config_count = 4,
        .config = config,
        .time_ns = 931000,
        .default_time_ns = 3724000,
    };

    problem[0].name = "decimation";
    problem[0].value = ct_value_int(42);
    problem[1].name = "ratio";
    problem[1].value = ct_value_real(0.5);
    config[0].name = "WG";
    config[0].value = ct_value_int(16);
    config[1].name = "SCALE";
    config[1].value = ct_value_real(0.1);
    config[2].name = "STYLE";
    config[2].value = ct_value_text("evenodd");
    config[3].name = "MATH";
    config[3].value = ct_value_text("-D \"x\\y\"");
    return emit;
}

/* Compares with tests/golden/emit/NAME; run from the repository's root. */
static void assert_golden(const char *name, const struct ct_str *text)
{
    char path[256];
    char *wanted = calloc(1, 65536);
    FILE *file;
    size_t length;

    assert_non_null(wanted);
    snprintf(path, sizeof(path), "tests/golden/emit/%s", name);
    file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot read %s", path);
    length = fread(wanted, 1, 65535, file);
    fclose(file);
    wanted[length] = '\0';
    assert_string_equal(text->data, wanted);
    free(wanted);
}

static void test_emit(void **state)
{
    struct ct_export_answer emit = example();
    struct ct_str notes;
    struct ct_str text;

    (void)state;
    ct_str_init(&notes);
    ct_str_init(&text);
    assert_int_equal(ct_export_flags.put(&text, &emit, &notes, NULL), CT_OK);
    assert_golden("flags.txt", &text);
    ct_str_reset(&text);
    assert_int_equal(ct_export_header.put(&text, &emit, &notes, NULL), CT_OK);
    assert_string_equal(notes.data, "");
    assert_golden("header.h.txt", &text);
    ct_str_release(&notes);
    ct_str_release(&text);
}

/* Names that would be one macro: of two cases, of the header's own, of a number taken. */
static void test_emit_collisions(void **state)
{
    static const char *const names[] = {"wg", "WG", "Wg", "WG_2", "OPTIONS", "h"};
    struct ct_export_value config[6];
    struct ct_export_answer emit = example();
    struct ct_str notes;
    struct ct_str text;

    (void)state;
    for (int i = 0; i < 6; i++) {
        config[i].name = names[i];
        config[i].value = ct_value_int(i);
    }
    emit.config = config;
    emit.config_count = 6;
    ct_str_init(&notes);
    ct_str_init(&text);
    assert_int_equal(ct_export_header.put(&text, &emit, &notes, NULL), CT_OK);
    assert_golden("collisions.h.txt", &text);
    assert_golden("collisions.txt", &notes);
    ct_str_release(&notes);
    ct_str_release(&text);
}

static void assert_flags(const char *flags, const char *wanted)
{
    struct ct_export_answer emit = example();
    struct ct_err err = CT_ERR_INIT;
    struct ct_str text;

    emit.flags = flags;
    ct_str_init(&text);
    if (wanted) {
        assert_int_equal(ct_export_flags.put(&text, &emit, NULL, &err), CT_OK);
        assert_string_equal(text.data, wanted);
    } else {
        assert_int_equal(ct_export_flags.put(&text, &emit, NULL, &err), CT_E_DB);
        assert_non_null(strstr(err.message, "--format json"));
    }
    ct_str_release(&text);
}

static void test_emit_flags_words(void **state)
{
    (void)state;
    assert_flags("", "\n");
    assert_flags("-D T=(1+2) -D X=1", "-D \"T=(1+2)\" -D X=1\n");
    assert_flags("-DX=\"a b\"", "-DX=\"a b\"\n");
    assert_flags("-DX=\"a b\";c", "\"-DX=a b;c\"\n");
    assert_flags("-I ~/x {a,b} #c", "-I \"~/x\" \"{a,b}\" \"#c\"\n");
    assert_flags("-D \"N=it's\" -D M='", "-D \"N=it's\" -D \"M='\"\n");
    assert_flags("-D\tX", "-D X\n");
    assert_flags("-D N=$(id)", NULL);
    assert_flags("-D N=`id`", NULL);
    assert_flags("-D N=a\\b", NULL);
    assert_flags("-D N=1\nid", NULL);
    assert_flags("-D N=1\rid", NULL);
    assert_flags("-D \"N=1", NULL);
    assert_flags("-D N=\x1b[2J", NULL);
    assert_flags("-D N=\xc2\x9b", NULL);
    assert_flags("-D N=\x9b", NULL);
}

static void test_table_never_cuts(void **state)
{
    struct ct_table *table = ct_table_new();
    char long_cell[1500];
    char *printed = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&printed, &size);

    (void)state;
    memset(long_cell, 'x', sizeof(long_cell) - 1);
    long_cell[sizeof(long_cell) - 1] = '\0';
    ct_table_column(table, "A", true);
    ct_table_column(table, "B", false);
    ct_table_row(table);
    ct_table_cell(table, "1");
    ct_table_cell(table, long_cell);
    assert_true(ct_table_print(table, out));
    ct_table_free(table);
    fclose(out);
    assert_non_null(strstr(printed, long_cell));
    assert_ptr_equal(strstr(printed, "A B"), printed);
    free(printed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_progress_text),
        cmocka_unit_test(test_estimate),
        cmocka_unit_test(test_emit),
        cmocka_unit_test(test_emit_collisions),
        cmocka_unit_test(test_emit_flags_words),
        cmocka_unit_test(test_table_never_cuts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
