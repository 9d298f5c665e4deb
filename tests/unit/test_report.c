// SPDX-License-Identifier: Apache-2.0
// Formatting, progress and what other builds read: byte for byte.
#include "base/str.h"
#include "report/export.h"
#include "report/format.h"
#include "report/json.h"
#include "report/progress.h"
#include "report/screen.h"
#include "report/table.h"

#include <errno.h>
#include <math.h>
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

static struct ct_progress_view example_view(uint64_t done)
{
    return (struct ct_progress_view){.phase = "search: auto (surrogate)",
                                     .done = done,
                                     .best_ns = 931000,
                                     .default_ns = 3724000,
                                     .proposing = true,
                                     .counts = "45 ok",
                                     .failures = "4 invalid, 1 wrong",
                                     .workers = "workers: timing WG=12 VEC=16; 2 of 2 "
                                                "builders compiling"};
}

/* Everything that was written, which the caller frees. */
static char *written(FILE *stream)
{
    char *text = calloc(1, 4000);

    assert_non_null(text);
    rewind(stream);
    assert_true(fread(text, 1, 3999, stream) < 3999);
    return text;
}

/* On a terminal with that many columns; without the commands to the terminal. */
static void assert_shown(const struct ct_progress *progress, uint64_t now_ns,
                         const struct ct_progress_view *view, size_t columns,
                         const char *wanted)
{
    struct ct_progress copy = *progress;
    char *text;
    char *end;

    copy.out = tmpfile();
    copy.columns = columns;
    assert_non_null(copy.out);
    ct_progress_draw(&copy, now_ns, view);
    text = written(copy.out);
    fclose(copy.out);
    assert_int_equal(text[0], '\r');
    for (char *clear; (clear = strstr(text, "\033[K"));)
        memmove(clear, clear + 3, strlen(clear + 3) + 1);
    end = strstr(text, "\033[J");
    assert_non_null(end);
    snprintf(end, 3, "\n");
    assert_string_equal(text + 1, wanted);
    free(text);
}

static void test_progress_text(void **state)
{
    struct ct_progress_view view = example_view(50);
    struct ct_progress progress;

    (void)state;
    ct_progress_init(&progress, stderr, NULL, false, 1000000000u);
    assert_null(progress.out);
    ct_progress_plan(&progress, 200, 0, 1000000000u);
    assert_shown(
        &progress, 11000000000u, &view, 81,
        "[#####...............]  50/200  5.0/s  best 931.0 us (4.00x)  left 30 s\n"
        "search: auto (surrogate)  4 invalid, 1 wrong  45 ok\n"
        "workers: timing WG=12 VEC=16; 2 of 2 builders compiling\n");
    assert_shown(&progress, 11000000000u, &view, 41,
                 "50/200  best 931.0 us (4.00x)  left 30 s\n"
                 "search: auto (surrogate)\n"
                 "workers: timing WG=12 VEC=16; 2 of 2 b..\n");
    /* A play-off has no rate, but a plan. */
    view.proposing = false;
    view.left_s = 12;
    assert_shown(&progress, 11000000000u, &view, 41,
                 "50/200  best 931.0 us (4.00x)  left 12 s\n"
                 "search: auto (surrogate)\n"
                 "workers: timing WG=12 VEC=16; 2 of 2 b..\n");
    assert_shown(&progress, 11000000000u, &view, 81,
                 "[#####...............]  50/200  best 931.0 us (4.00x)  left 12 s\n"
                 "search: auto (surrogate)  4 invalid, 1 wrong  45 ok\n"
                 "workers: timing WG=12 VEC=16; 2 of 2 builders compiling\n");
    view.proposing = true;
    /* A time budget ends it sooner than the rate would. */
    ct_progress_plan(&progress, 200, 12, 1000000000u);
    view.best_ns = view.default_ns = 0;
    view.failures = view.workers = "";
    assert_shown(&progress, 11000000000u, &view, 81,
                 "[#####...............]  50/200  5.0/s  best -  left 2.0 s\n"
                 "search: auto (surrogate)  45 ok\n");
    setenv("LC_ALL", "C.UTF-8", 1);
    progress.utf8 = true;
    assert_shown(
        &progress, 11000000000u, &view, 61,
        "[\u2588\u2588\u2588\u2591\u2591\u2591\u2591\u2591\u2591\u2591]  50/200  "
        "5.0/s  best -  left 2.0 s\n"
        "search: auto (surrogate)  45 ok\n");
    setenv("LC_ALL", "C", 1);
}

/* The rate is that of the last minute: what was slow before does not count. */
static void test_progress_rate(void **state)
{
    struct ct_progress_view view = example_view(0);
    struct ct_progress progress;
    const uint64_t second = 1000000000;

    (void)state;
    ct_progress_init(&progress, stderr, stderr, false, second);
    progress.log = tmpfile();
    assert_non_null(progress.log);
    ct_progress_plan(&progress, 10000, 0, second);
    /* One a second for 100 s, then ten a second. */
    for (uint64_t s = 2; s <= 201; s++) {
        view.done = s <= 101 ? s - 1 : 100 + 10 * (s - 101);
        ct_progress_draw(&progress, s * second, &view);
    }
    assert_shown(&progress, 201 * second, &view, 61,
                 "1100/10000  10.0/s  best 931.0 us (4.00x)  left 14 min 50 s\n"
                 "search: auto (surrogate)  4 invalid, 1 wrong  45 ok\n"
                 "workers: timing WG=12 VEC=16; 2 of 2 builders compiling\n");
    fclose(progress.log);
}

/* Where there is no terminal: one line a minute. */
static void test_progress_log(void **state)
{
    struct ct_progress_view view = example_view(0);
    struct ct_progress progress;
    const uint64_t second = 1000000000;
    FILE *log = tmpfile();
    char *text;

    (void)state;
    assert_non_null(log);
    ct_progress_init(&progress, log, log, true, second);
    ct_progress_plan(&progress, 2000, 0, second);
    for (uint64_t s = 1; s <= 130; s++) {
        view.done = 5 * (s - 1);
        if (ct_progress_due(&progress, s * second))
            ct_progress_draw(&progress, s * second, &view);
    }
    text = written(log);
    assert_string_equal(
        text, "progress: search: auto (surrogate), 300/2000, 5.0/s, best 931.0 us "
              "(4.00x), left 5 min 40 s, 4 invalid, 1 wrong\n"
              "progress: search: auto (surrogate), 600/2000, 5.0/s, best 931.0 us "
              "(4.00x), left 4 min 40 s, 4 invalid, 1 wrong\n");
    free(text);
    fclose(log);
}

/* What is drawn over what was there, colours and all. */
static void test_progress_drawn(void **state)
{
    struct ct_progress_view view = example_view(50);
    struct ct_progress progress;
    FILE *out = tmpfile();
    char *text;

    (void)state;
    assert_non_null(out);
    ct_progress_init(&progress, out, NULL, true, 1000000000u);
    ct_progress_plan(&progress, 200, 0, 1000000000u);
    progress.out = out;
    progress.color = true;
    view.failures = "";
    view.workers = "";
    ct_progress_draw(&progress, 11000000000u, &view);
    ct_progress_clear(&progress);
    ct_progress_clear(&progress); /* nothing is there */
    text = written(out);
    assert_string_equal(text, "\r\033[36m[#####...............]\033[0m  50/200  5.0/s  "
                              "\033[32mbest 931.0 us (4.00x)\033[0m  left 30 s\033[K\n"
                              "\033[1msearch: auto (surrogate)\033[0m  45 ok\033[J"
                              "\r\033[1A\033[J");
    free(text);
    fclose(out);
}

static void assert_estimate(double budget_s, uint64_t done, bool evaluations,
                            const char *wanted)
{
    struct ct_progress progress;
    struct ct_str text;

    ct_str_init(&text);
    ct_progress_init(&progress, stderr, NULL, false, 1000000000u);
    ct_progress_plan(&progress, 20, budget_s, 1000000000u);
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
                    "10 more evaluations of 30.00 s each, 5 min 00 s in total, then the "
                    "budget of evaluations is used up");
    assert_estimate(331, 10, true,
                    "1 more evaluation in 31 s, then the time budget is used up "
                    "(30.00 s each)");
    assert_estimate(
        3000, 19, true,
        "1 more evaluation of 15.79 s each, 16 s in total, then the budget of "
        "evaluations is used up");
}

/* What was done once, before the first result, is no part of what the others cost. */
static void test_estimate_without_opening(void **state)
{
    const uint64_t second = 1000000000u;
    struct ct_progress progress;
    struct ct_str text;

    (void)state;
    ct_str_init(&text);
    ct_progress_init(&progress, stderr, NULL, false, second);
    ct_progress_plan(&progress, 20, 0, second);
    ct_progress_note(&progress, 101 * second, 1);
    ct_progress_note(&progress, 111 * second, 6);
    ct_progress_put_estimate(&progress, 121 * second, 11, false, &text);
    assert_string_equal(text.data, "9 more evaluations of 2.000 s each, 18 s in total");
    ct_str_release(&text);
    /* All at once tell nothing of the next ones. */
    ct_str_init(&text);
    ct_progress_plan(&progress, 20, 0, second);
    ct_progress_note(&progress, 101 * second, 10);
    ct_progress_put_estimate(&progress, 101 * second, 10, false, &text);
    assert_string_equal(text.data,
                        "10 more evaluations of 10.00 s each, 1 min 40 s in total");
    ct_str_release(&text);
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

/* A number that is not finite has no JSON: whoever reads an empty answer must not take it for success. */
static void test_json_that_cannot_be(void **state)
{
    json_t *impossible = json_pack("{s:f}", "low_ns", (double)NAN);

    (void)state;
    ct_screen_open();
    assert_null(impossible);
    assert_int_equal(ct_screen_finish(), 0);
    assert_false(ct_report_json(impossible));
    assert_int_equal(ct_screen_finish(), EPIPE);
}

int main(void)
{
    /* ".." for what is cut, not a character. */
    setenv("LC_ALL", "C", 1);

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_progress_text),
        cmocka_unit_test(test_progress_rate),
        cmocka_unit_test(test_progress_log),
        cmocka_unit_test(test_progress_drawn),
        cmocka_unit_test(test_estimate),
        cmocka_unit_test(test_estimate_without_opening),
        cmocka_unit_test(test_emit),
        cmocka_unit_test(test_emit_collisions),
        cmocka_unit_test(test_emit_flags_words),
        cmocka_unit_test(test_table_never_cuts),
        /* The last one: the output is incomplete from now on. */
        cmocka_unit_test(test_json_that_cannot_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
