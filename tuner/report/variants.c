// SPDX-License-Identifier: Apache-2.0
// Few configurations for many devices and problems: what is shown of them, and the table.
#include "report/variants.h"

#include "report/export.h"
#include "report/format.h"
#include "report/print.h"
#include "report/screen.h"
#include "report/table.h"
#include "report/warn.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- what is shown --- */

/* The end of a word of options; blanks between double quotes belong to it. */
static const char *word_end(const char *at)
{
    bool quoted = false;

    for (; *at && (quoted || *at != ' '); at++)
        quoted ^= *at == '"';
    return at;
}

static bool has_member(const json_t *macros, const char *name, size_t length)
{
    const char *key;
    json_t *value;
    bool found = false;

    json_object_foreach((json_t *)(uintptr_t)macros, key, value) found =
        found || (strlen(key) == length && memcmp(key, name, length) == 0);
    return found;
}

/* Appends `flags` without the definitions of macros that follow from the problem. */
static void put_own_flags(struct ct_str *out, const char *flags, const json_t *macros)
{
    for (const char *at = flags, *end; *at; at = end) {
        bool defines = strncmp(at, "-D ", 3) == 0;
        const char *word = defines ? at + 3 : at;

        end = word_end(word);
        if (!defines || !has_member(macros, word, strcspn(word, "= "))) {
            ct_str_puts(out, out->length ? " " : "");
            ct_str_add(out, at, (size_t)(end - at));
        }
        end += strspn(end, " ");
    }
}

static const char *own_flags(struct ct_report_choice *choice, const char *flags,
                             const json_t *macros)
{
    struct ct_str text;
    const char *copy;

    ct_str_init(&text);
    put_own_flags(&text, flags, macros);
    copy = text.failed ? NULL : ct_arena_copy(&choice->arena, text.data, text.length);
    ct_str_release(&text);
    return copy;
}

static const char *list_macros(struct ct_report_choice *choice, const json_t *macros)
{
    struct ct_str text;
    const char *copy;
    const char *key;
    json_t *value;

    ct_str_init(&text);
    json_object_foreach((json_t *)(uintptr_t)macros, key, value)
    {
        ct_str_puts(&text, text.length ? ", " : "");
        ct_str_puts(&text, key);
    }
    copy = text.failed ? NULL : ct_arena_copy(&choice->arena, text.data, text.length);
    ct_str_release(&text);
    return copy;
}

/* One point's result, and what it says about its variant. */
static enum ct_status read_point(struct ct_db *db, struct ct_db_points *points,
                                 struct ct_report_choice *choice, const json_t *macros,
                                 size_t p, struct ct_err *err)
{
    size_t v = choice->variants->of_point[p];
    struct ct_report_variant *variant = &choice->each[v];
    const struct ct_db_cell *cell =
        ct_db_points_cell(points, choice->variants->configurations[v], p);
    const char *flags;
    enum ct_status status;

    if (!cell)
        return ct_err_set(err, CT_E_INTERNAL, "a variant does not serve its case");
    status = ct_db_points_result(db, points, cell, &choice->results[p], err);
    if (status)
        return status;
    flags = own_flags(choice, choice->results[p].flags, macros);
    if (!flags)
        return ct_err_nomem(err);
    if (!variant->points++) {
        variant->result = choice->results[p];
        variant->flags = flags;
        variant->same_flags = true;
    }
    variant->same_flags = variant->same_flags && strcmp(variant->flags, flags) == 0;
    variant->worst_loss = fmax(variant->worst_loss, choice->variants->losses[p]);
    return CT_OK;
}

enum ct_status ct_report_choice_read(struct ct_db *db, struct ct_db_points *points,
                                     const struct ct_variants *variants,
                                     struct ct_report_choice *out, struct ct_err *err)
{
    json_t *macros = json_loads(points->problem_macros, JSON_ALLOW_NUL, NULL);
    enum ct_status status = CT_OK;

    *out = (struct ct_report_choice){.points = points, .variants = variants};
    out->each = ct_arena_array(&out->arena, variants->count, sizeof(*out->each));
    out->results =
        ct_arena_array(&out->arena, points->point_count, sizeof(*out->results));
    out->size_macros = list_macros(out, macros);
    if (!out->each || !out->results || !out->size_macros)
        status = ct_err_nomem(err);
    for (size_t p = 0;
         out->each && out->results && p < points->point_count && status == CT_OK; p++)
        status = read_point(db, points, out, macros, p, err);
    json_decref(macros);
    return status;
}

void ct_report_choice_release(struct ct_report_choice *choice)
{
    ct_arena_release(&choice->arena);
    memset(choice, 0, sizeof(*choice));
}

/* --- the table --- */

static void put_stored(struct ct_str *out, const struct ct_db_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ct_str_addf(out, "%s%s=", i ? " " : "", values[i].name);
        ct_value_print(out, values[i].value);
    }
    if (!count)
        ct_str_putc(out, '-');
}

static void print_value(struct ct_table *table, const struct ct_db_points *points,
                        double value)
{
    char text[CT_FORMAT_SIZE];
    bool is_time = strcmp(points->objective, "time") == 0 ||
                   strcmp(points->objective, "end_to_end") == 0;

    ct_table_cell(table,
                  is_time ? ct_format_time(text, value) : ct_format_real(text, value));
}

static void print_summary(const struct ct_report_choice *choice)
{
    const struct ct_variants *variants = choice->variants;
    size_t count = choice->points->point_count;
    struct ct_str kernel;

    ct_str_init(&kernel);
    ct_export_put_comment(&kernel, choice->points->kernel);
    if (choice->portable)
        ct_print(
            "kernel %s: the configuration with the best mean over %zu case%s (devices "
            "and problems)\n",
            kernel.data, count, count == 1 ? "" : "s");
    else
        ct_print("kernel %s: %zu configuration%s for %zu case%s (devices and problems), "
                 "%s\n",
                 kernel.data, variants->count, variants->count == 1 ? "" : "s", count,
                 count == 1 ? "" : "s",
                 variants->exact ? "no choice is better" : "chosen greedily");
    ct_print("  loss       at most %.1f%% of the best performance; on average %.1f%% "
             "(geometric mean)\n\n",
             100 * variants->worst_loss, 100 * (1 - variants->mean));
    ct_str_release(&kernel);
}

static bool print_variants(const struct ct_report_choice *choice)
{
    struct ct_table *table = ct_table_new();
    struct ct_str text;
    bool printed;

    ct_table_column(table, "variant", true);
    ct_table_column(table, "cases", true);
    ct_table_column(table, "worst loss", true);
    ct_table_column(table, "configuration", false);
    ct_str_init(&text);
    for (size_t i = 0; i < choice->variants->count; i++) {
        const struct ct_report_variant *v = &choice->each[i];

        ct_str_reset(&text);
        put_stored(&text, v->result.values, v->result.value_count);
        ct_table_row(table);
        ct_table_cellf(table, "%zu", i);
        ct_table_cellf(table, "%zu", v->points);
        ct_table_cellf(table, "%.1f%%", 100 * v->worst_loss);
        ct_table_cell(table, text.data);
    }
    ct_str_release(&text);
    printed = ct_table_print(table, ct_screen_out());
    ct_table_free(table);
    return printed;
}

static bool print_points(const struct ct_report_choice *choice)
{
    const struct ct_db_points *points = choice->points;
    struct ct_table *table = ct_table_new();
    struct ct_str text;
    bool printed;

    ct_table_column(table, "device", false);
    ct_table_column(table, "problem", false);
    ct_table_column(table, "best", true);
    ct_table_column(table, "variant", true);
    ct_table_column(table, points->objective, true);
    ct_table_column(table, "loss", true);
    ct_str_init(&text);
    for (size_t p = 0; p < points->point_count; p++) {
        ct_str_reset(&text);
        put_stored(&text, points->points[p].sizes, points->points[p].size_count);
        ct_table_row(table);
        ct_table_cell(table, points->points[p].device_name);
        ct_table_cell(table, text.data);
        print_value(table, points, points->points[p].best);
        ct_table_cellf(table, "%zu", choice->variants->of_point[p]);
        print_value(table, points, choice->results[p].value);
        ct_table_cellf(table, "%.1f%%", 100 * choice->variants->losses[p]);
    }
    ct_str_release(&text);
    printed = ct_table_print(table, ct_screen_out());
    ct_table_free(table);
    return printed;
}

enum ct_status ct_report_choice_text(const struct ct_report_choice *choice,
                                     struct ct_err *err)
{
    bool printed;

    print_summary(choice);
    printed = print_variants(choice);
    ct_print_text("\n");
    printed = print_points(choice) && printed;
    return printed ? CT_OK : ct_err_nomem(err);
}
