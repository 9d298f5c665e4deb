// SPDX-License-Identifier: Apache-2.0
// What a database contains, as tables and JSON.
#include "report/db.h"

#include "base/show.h"
#include "plan/json.h"
#include "report/format.h"
#include "report/json.h"
#include "report/print.h"
#include "report/stored.h"
#include "report/table.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void print_json(json_t *json)
{
    ct_report_json(json);
    json_decref(json);
}

/* "2026-01-31" in `text`; "-" for 0. */
static const char *date_of(char text[CT_FORMAT_SIZE], int64_t unix_s)
{
    time_t seconds = (time_t)unix_s;
    struct tm parts;

    if (!unix_s || !gmtime_r(&seconds, &parts) ||
        !strftime(text, CT_FORMAT_SIZE, "%Y-%m-%d", &parts))
        snprintf(text, CT_FORMAT_SIZE, "-");
    return text;
}

void ct_report_contents(const char *path, const struct ct_db_contents *c, bool json)
{
    char first[CT_FORMAT_SIZE];
    char last[CT_FORMAT_SIZE];
    char bytes[CT_FORMAT_SIZE];

    if (json) {
        print_json(json_pack(
            "{s:o, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "file",
            ct_json_text(path), "schema", c->schema, "file_bytes",
            (json_int_t)c->file_bytes, "devices", (json_int_t)c->devices, "kernels",
            (json_int_t)c->kernels, "problems", (json_int_t)c->problems, "runs",
            (json_int_t)c->runs, "results", (json_int_t)c->results, "ok",
            (json_int_t)c->ok, "bests", (json_int_t)c->bests, "imported",
            (json_int_t)c->imported, "first_unix_s", (json_int_t)c->first_unix_s,
            "last_unix_s", (json_int_t)c->last_unix_s));
        return;
    }
    ct_print("file      %s (%s, schema %d)\n", path,
             ct_format_bytes(bytes, c->file_bytes), c->schema);
    ct_print("results   %" PRIu64 ", %" PRIu64 " of them successful, %" PRIu64
             " imported\n",
             c->results, c->ok, c->imported);
    ct_print("bests     %" PRIu64 "\n", c->bests);
    ct_print("of        %" PRIu64 " kernel version%s, %" PRIu64 " device%s, %" PRIu64
             " problem%s, in %" PRIu64 " run%s\n",
             c->kernels, c->kernels == 1 ? "" : "s", c->devices,
             c->devices == 1 ? "" : "s", c->problems, c->problems == 1 ? "" : "s",
             c->runs, c->runs == 1 ? "" : "s");
    ct_print("measured  %s to %s\n", date_of(first, c->first_unix_s),
             date_of(last, c->last_unix_s));
}

enum { NAME_LEAST = 12 }; /* least width of names and problems */

/* The best time of a subject; NAN: none. */
static double best_of(struct ct_db *db, const struct ct_db_listed *of, struct ct_err *err,
                      enum ct_status *status)
{
    struct ct_arena arena = {0};
    struct ct_db_result best;
    size_t count = 0;
    double time_ns = (double)NAN;

    *status = ct_db_best_top(db, of->device_id, of->kernel_id, of->problem_id, "time",
                             false, 1, &arena, &best, &count, err);
    if (*status == CT_OK && count)
        time_ns = best.time_ns;
    ct_arena_release(&arena);
    return time_ns;
}

static void put_row(struct ct_table *table, const struct ct_db_record *record,
                    double best_ns)
{
    const struct ct_db_listed *of = &record->of;
    struct ct_arena arena = {0};
    char time[CT_FORMAT_SIZE];
    struct ct_str sizes;

    ct_str_init(&sizes);
    ct_report_put_stored(&sizes, of->problem_json, NULL);
    ct_table_row(table);
    ct_table_cellf(table, "%s%s", ct_show_line(&arena, of->kernel),
                   of->outdated ? " (older source)" : "");
    ct_table_cell(table, ct_show_line(&arena, of->device_name));
    ct_table_cell(table, sizes.data ? sizes.data : "");
    ct_table_cell(table, ct_show_line(&arena, of->driver_version));
    ct_table_cellf(table, "%" PRIu64, record->result_count);
    ct_table_cell(table, best_ns > 0 ? ct_format_time(time, best_ns) : "-");
    ct_str_release(&sizes);
    ct_arena_release(&arena);
}

static json_t *record_json(const struct ct_db_record *record, double best_ns)
{
    const struct ct_db_listed *of = &record->of;

    return json_pack(
        "{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "kernel",
        ct_json_text(of->kernel), "outdated", of->outdated, "device",
        ct_json_text(of->device_name), "vendor", ct_json_text(of->device_vendor), "type",
        ct_json_text(of->device_type), "driver", ct_json_text(of->driver_version),
        "problem", ct_json_stored(of->problem_json), "results",
        (json_int_t)record->result_count, "best_time_ns", ct_json_time(best_ns));
}

enum ct_status ct_report_subjects(struct ct_db *db, const cltunedb_query *query,
                                  bool json, size_t width, struct ct_err *err)
{
    static const char *const left[] = {"KERNEL", "DEVICE", "PROBLEM", "DRIVER"};
    struct ct_arena arena = {0};
    struct ct_db_record *records = NULL;
    size_t count = 0;
    struct ct_table *table = json ? NULL : ct_table_new();
    json_t *array = json ? json_array() : NULL;
    enum ct_status status = ct_db_records(db, query, &arena, &records, &count, err);

    for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
        ct_table_column(table, left[i], false);
        ct_table_yields(table, (struct ct_table_yield){.cut_to = NAME_LEAST});
    }
    ct_table_yields(table, (struct ct_table_yield){.leaves = CT_TABLE_FOR_ALL});
    ct_table_column(table, "RESULTS", true);
    ct_table_column(table, "BEST", true);
    for (size_t i = 0; i < count && status == CT_OK; i++) {
        double best_ns = best_of(db, &records[i].of, err, &status);

        if (json)
            json_array_append_new(array, record_json(&records[i], best_ns));
        else
            put_row(table, &records[i], best_ns);
    }
    if (status == CT_OK && json)
        print_json(json_incref(array));
    else if (status == CT_OK && !ct_table_show(table, width))
        status = ct_err_nomem(err);
    json_decref(array);
    ct_table_free(table);
    ct_arena_release(&arena);
    return status;
}

/* --- changes --- */

void ct_report_merged(const char *path, const struct ct_db_merged *m, bool json)
{
    if (json) {
        print_json(json_pack(
            "{s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "file", ct_json_text(path), "results",
            (json_int_t)m->results, "added", (json_int_t)m->added, "replaced",
            (json_int_t)m->replaced, "devices", (json_int_t)m->devices, "kernels",
            (json_int_t)m->kernels, "runs", (json_int_t)m->runs));
        return;
    }
    ct_print("%s: %" PRIu64 " of %" PRIu64 " results added, %" PRIu64
             " replaced; %" PRIu64 " new device%s, %" PRIu64 " new kernel version%s\n",
             path, m->added, m->results, m->replaced, m->devices,
             m->devices == 1 ? "" : "s", m->kernels, m->kernels == 1 ? "" : "s");
}

void ct_report_pruned(const struct ct_db_pruned *p, bool dry_run, bool json)
{
    if (json) {
        print_json(json_pack("{s:b, s:I, s:I, s:I}", "dry_run", dry_run, "removed",
                             (json_int_t)p->results, "kept", (json_int_t)p->kept, "runs",
                             (json_int_t)p->runs));
        return;
    }
    ct_print("%" PRIu64 " result%s %s; %" PRIu64 " kept, which %s best or ranked\n",
             p->results, p->results == 1 ? "" : "s", dry_run ? "to remove" : "removed",
             p->kept, p->kept == 1 ? "is" : "are");
}

void ct_report_faults(const char *path, const struct ct_db_faults *faults, bool json)
{
    if (json) {
        json_t *list = json_array();

        for (const char *line = faults->text.data, *end; (end = strchr(line, '\n'));
             line = end + 1) {
            struct ct_str text;

            ct_str_init(&text);
            ct_str_add(&text, line, (size_t)(end - line));
            json_array_append_new(list, ct_json_text(text.data));
            ct_str_release(&text);
        }
        print_json(json_pack("{s:o, s:I, s:o}", "file", ct_json_text(path), "repaired",
                             (json_int_t)faults->repaired, "faults", list));
        return;
    }
    ct_print_text(faults->text.data);
    if (faults->repaired)
        ct_print("%s: repaired\n", path);
    if (!faults->count)
        ct_print("%s: no faults found\n", path);
}
