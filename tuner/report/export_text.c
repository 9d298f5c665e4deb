// SPDX-License-Identifier: Apache-2.0
// "cltune best --format text": answers for users.
#include "report/export.h"

#include "base/mem.h"
#include "base/show.h"
#include "report/format.h"
#include "report/stale.h"
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char unverified[] = "unverified: its outputs were not checked";

/* How reliable the answer is. */
static void print_confidence(struct ct_str *out, const cltunedb_answer *a)
{
    if (a->rounds)
        ct_str_addf(out, "play-off  timed in %u process%s", a->rounds,
                    a->rounds == 1 ? "" : "es");
    if (a->rounds && a->tied_count)
        ct_str_addf(out, "; statistically tied with %u other%s", a->tied_count,
                    a->tied_count == 1 ? "" : "s");
    if (a->rounds)
        ct_str_putc(out, '\n');
    if (!a->verified)
        ct_str_addf(out, "note      %s\n", unverified);
    if (*a->unknown_limits) {
        ct_str_addf(out, "note      ");
        ct_export_put_limits(out, a->unknown_limits);
        ct_str_putc(out, '\n');
    }
}

/* The options; if they are for another problem than that of the answer, that is said. */
static void print_options(struct ct_str *out, const struct ct_export_answer *answer)
{
    struct ct_arena arena = {0};

    ct_str_addf(out, "options   %s\n", ct_show_line(&arena, answer->flags));
    if (*answer->stale)
        ct_str_addf(
            out,
            "note      these options are for the problem above: %s cannot be computed for "
            "yours\n",
            ct_show_line(&arena, answer->stale));
    else if (strcmp(answer->flags, answer->stored->flags) != 0)
        ct_str_puts(out, "note      their macros are those of your problem\n");
    ct_arena_release(&arena);
}

static void print_stale(struct ct_str *out, const cltunedb_answer *a)
{
    struct ct_str lines;

    ct_str_init(&lines);
    ct_stale_put(&lines, a);
    for (char *line = lines.data, *end; (end = strchr(line, '\n')); line = end + 1)
        ct_str_addf(out, "note      %.*s\n", (int)(end - line), line);
    ct_str_release(&lines);
}

static void print_one(struct ct_str *out, const struct ct_export_answer *answer)
{
    struct ct_arena arena = {0};
    cltunedb_answer shown = *answer->stored;
    const cltunedb_answer *a = &shown;
    struct ct_str text;
    char time[CT_FORMAT_SIZE];
    char low[CT_FORMAT_SIZE];
    char high[CT_FORMAT_SIZE];

    ct_export_show_texts(&arena, &shown);
    ct_str_init(&text);
    ct_str_addf(out, "kernel    %s%s\n", a->kernel,
                a->outdated ? " (from an older version of its source)" : "");
    ct_str_addf(out, "device    %s (%s, %s)\n", a->device_name, a->device_vendor,
                a->device_type);
    ct_str_addf(out, "driver    %s\n", a->driver_version);
    ct_export_put_values(&text, a->problem, a->problem_count);
    if (*text.data)
        ct_str_addf(out, "problem   %s%s\n", text.data,
                    a->problem_distance > 0 ? " (the nearest)" : "");
    if (a->layer_number)
        ct_str_addf(out, "database  %s\n", ct_show_line(&arena, a->layer_path));
    ct_str_addf(out, "evidence  %s", cltunedb_evidence_text(a->evidence));
    if (a->evidence >= CLTUNEDB_SAME_ARCHITECTURE)
        ct_str_addf(out, ": %.0f%% of the best on %u device%s",
                    100 * a->relative_performance, a->device_count,
                    a->device_count == 1 ? "" : "s");
    ct_str_reset(&text);
    if (a->candidate)
        ct_str_addf(out, "\ntry also  %u: with those before, %.0f%% of the best on them",
                    a->candidate, 100 * a->coverage);
    ct_export_put_values(&text, a->configuration, a->configuration_count);
    ct_str_addf(out, "\nbest      %s\n", text.data);
    print_options(out, answer);
    ct_str_reset(&text);
    if (ct_export_put_objective(&text, a))
        ct_str_addf(out, "objective %s (%s is better)\n", text.data,
                    a->maximize ? "larger" : "smaller");
    if (a->time_ns > 0) {
        ct_str_addf(out, "time      %s", ct_format_time(time, a->time_ns));
        if (a->low_ns > 0)
            ct_str_addf(out, " (%s to %s)", ct_format_time(low, a->low_ns),
                        ct_format_time(high, a->high_ns));
        if (a->default_time_ns > 0)
            ct_str_addf(out, ", %.2f times as fast as the default",
                        a->default_time_ns / a->time_ns);
        ct_str_putc(out, '\n');
    }
    print_confidence(out, a);
    print_stale(out, a);
    ct_str_release(&text);
    ct_arena_release(&arena);
}

/* A row; texts are escaped as a whole. */
static void put_row(struct ct_table *table, const cltunedb_answer *stored)
{
    struct ct_arena arena = {0};
    cltunedb_answer a = *stored;
    struct ct_str text;
    char time[CT_FORMAT_SIZE];

    ct_export_show_texts(&arena, &a);
    ct_str_init(&text);
    ct_table_row(table);
    ct_table_cell(table, a.kernel);
    ct_table_cell(table, a.device_name);
    ct_export_put_values(&text, a.problem, a.problem_count);
    ct_table_cell(table, text.data);
    ct_str_reset(&text);
    if (strcmp(a.objective, "time") == 0)
        ct_table_cell(table, ct_format_time(time, a.time_ns));
    else
        ct_table_cellf(table, "%s %s", a.objective,
                       ct_export_format_value(time, &a, a.objective_value));
    if (ct_export_gain(&a) > 0)
        ct_table_cellf(table, "%.2fx", ct_export_gain(&a));
    else
        ct_table_cell(table, "-");
    ct_export_put_values(&text, a.configuration, a.configuration_count);
    ct_table_cell(table, text.data);
    ct_str_release(&text);
    ct_arena_release(&arena);
}

static enum ct_status put_table(struct ct_str *out, const struct ct_export_set *set,
                                struct ct_err *err)
{
    struct ct_table *table = ct_table_new();
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    bool printed;

    ct_table_column(table, "KERNEL", false);
    ct_table_column(table, "DEVICE", false);
    ct_table_column(table, "PROBLEM", false);
    ct_table_column(table, "TIME", true);
    ct_table_column(table, "SPEED-UP", true);
    ct_table_column(table, "CONFIGURATION", false);
    for (size_t i = 0; i < set->count; i++)
        put_row(table, set->answers[i].stored);
    printed = stream && ct_table_print(table, stream);
    if (stream && fclose(stream) == 0 && printed)
        ct_str_add(out, text, length);
    else
        printed = false;
    free(text);
    ct_table_free(table);
    ct_str_puts(out, "name a kernel, --device or --problem for options, intervals and "
                     "evidence\n");
    return printed ? CT_OK : ct_err_nomem(err);
}

/* More would not be seen at once. */
enum { ANSWERS_IN_FULL = 3 };

static enum ct_status put_text(struct ct_str *out, const struct ct_export_set *set,
                               struct ct_str *notes, struct ct_err *err)
{
    (void)notes;
    if (set->count > ANSWERS_IN_FULL)
        return put_table(out, set, err);
    for (size_t i = 0; i < set->count; i++) {
        if (i)
            ct_str_putc(out, '\n');
        print_one(out, &set->answers[i]);
    }
    return CT_OK;
}

const struct ct_export ct_export_text = {
    .name = "text",
    .help = "for reading",
    .put_all = put_text,
    .tells_staleness = true,
};
