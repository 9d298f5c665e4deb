// SPDX-License-Identifier: Apache-2.0
// Prints stored results.
#include "report/results.h"

#include "base/show.h"
#include "base/str.h"
#include "plan/json.h"
#include "report/csv.h"
#include "report/format.h"
#include "report/json.h"
#include "report/print.h"
#include "report/stored.h"
#include "report/table.h"
#include "tune/cause.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Why a result failed; of a build with the compiler's first error. */
static void put_message(struct ct_str *out, const struct ct_db_result *r)
{
    ct_str_puts(out, r->failure.message);
    if (strcmp(r->status, "build_failed") == 0 && *r->failure.log) {
        ct_str_puts(out, out->length ? ": " : "");
        ct_cause_put_error(out, r->failure.log);
    }
}

/* --- text --- */

static enum ct_status print_heading(const struct ct_db_listed *of, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_str problem;
    enum ct_status status;

    ct_str_init(&problem);
    status = ct_report_put_stored(&problem, of->problem_json, err);
    ct_print("%s%s on %s (driver %s)%s%s\n", ct_show_line(&arena, of->kernel),
             of->outdated ? " (an older version of its source)" : "",
             ct_show_line(&arena, of->device_name),
             ct_show_line(&arena, of->driver_version), problem.length ? ", " : "",
             problem.data);
    ct_str_release(&problem);
    ct_arena_release(&arena);
    return status;
}

static enum ct_status put_row(struct ct_table *table, const struct ct_db_result *r,
                              struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_str text;
    char time[CT_FORMAT_SIZE];
    char low[CT_FORMAT_SIZE];
    char high[CT_FORMAT_SIZE];
    enum ct_status status;

    ct_str_init(&text);
    status = ct_report_put_stored(&text, r->configuration, err);
    ct_table_row(table);
    ct_table_cell(table, r->status);
    ct_table_cell(table, r->time_ns > 0 ? ct_format_time(time, r->time_ns) : "-");
    if (r->low_ns > 0)
        ct_table_cellf(table, "%s - %s", ct_format_time(low, r->low_ns),
                       ct_format_time(high, r->high_ns));
    else
        ct_table_cell(table, "-");
    ct_table_cell(table, text.data);
    ct_str_reset(&text);
    put_message(&text, r);
    ct_table_cell(table, ct_show_line(&arena, text.data));
    ct_str_release(&text);
    ct_arena_release(&arena);
    return status;
}

enum ct_status ct_report_results(const struct ct_stored_results *results, size_t width,
                                 struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && i < results->count;) {
        const struct ct_db_listed *of = results->items[i].of;
        struct ct_table *table = ct_table_new();

        if (i)
            ct_print_text("\n");
        status = print_heading(of, err);
        ct_table_column(table, "STATUS", false);
        ct_table_column(table, "TIME", true);
        ct_table_column(table, "INTERVAL", true);
        ct_table_yields(table, (struct ct_table_yield){.leaves = CT_TABLE_FOR_ALL});
        ct_table_column(table, "CONFIGURATION", false);
        ct_table_yields(table, (struct ct_table_yield){.cut_to = CT_TABLE_CONFIG_LEAST});
        ct_table_column(table, "MESSAGE", false);
        ct_table_yields(table, (struct ct_table_yield){.cut_to = CT_TABLE_CONFIG_LEAST});
        for (; !status && i < results->count && results->items[i].of == of; i++)
            status = put_row(table, &results->items[i].result, err);
        if (!status && !ct_table_show(table, width))
            status = ct_err_nomem(err);
        ct_table_free(table);
    }
    return status;
}

/* --- CSV --- */

/* The sizes and the configuration of one result. */
struct parsed {
    struct ct_db_value *sizes;
    size_t size_count;
    struct ct_db_value *values;
    size_t value_count;
};

static enum ct_status parse_result(struct ct_arena *arena,
                                   const struct ct_stored_result *entry,
                                   struct parsed *out, struct ct_err *err)
{
    enum ct_status status =
        ct_db_parse(arena, entry->of->problem_json, &out->sizes, &out->size_count, err);

    return status ? status
                  : ct_db_parse(arena, entry->result.configuration, &out->values,
                                &out->value_count, err);
}

static enum ct_status find_columns(const struct ct_stored_results *results,
                                   struct ct_arena *arena, struct ct_csv_columns *sizes,
                                   struct ct_csv_columns *params, struct ct_err *err)
{
    for (size_t i = 0; i < results->count; i++) {
        struct parsed parsed;
        enum ct_status status = parse_result(arena, &results->items[i], &parsed, err);
        bool added = true;

        if (status)
            return status;
        for (size_t k = 0; added && k < parsed.size_count; k++)
            added = ct_csv_columns_add(sizes, parsed.sizes[k].name);
        for (size_t k = 0; added && k < parsed.value_count; k++)
            added = ct_csv_columns_add(params, parsed.values[k].name);
        if (!added)
            return ct_err_nomem(err);
    }
    return CT_OK;
}

static const char *const before[] = {"kernel", "device", "driver"};
static const char *const facts[] = {
    "status",     "time_ns",         "low_ns",       "high_ns", "objective",
    "value",      "end_to_end_ns",   "verified",     "metrics", "observed",
    "experiment", "measured_unix_s", "duplicate_of", "message",
};
static const struct ct_csv_fixed fixed = {before, sizeof(before) / sizeof(*before), facts,
                                          sizeof(facts) / sizeof(*facts)};

static void put_values(struct ct_str *out, const struct ct_csv_columns *columns,
                       const struct ct_db_value *values, size_t count)
{
    for (size_t i = 0; i < columns->count; i++) {
        struct ct_str text;

        ct_str_init(&text);
        for (size_t k = 0; k < count; k++)
            if (strcmp(values[k].name, columns->names[i]) == 0)
                ct_value_print(&text, values[k].value);
        ct_csv_text(out, text.data);
        ct_str_release(&text);
    }
}

static void put_facts(struct ct_str *out, const struct ct_db_result *r)
{
    struct ct_str message;

    ct_str_init(&message);
    put_message(&message, r);
    ct_csv_text(out, r->status);
    ct_csv_real(out, r->time_ns);
    ct_csv_real(out, r->low_ns);
    ct_csv_real(out, r->high_ns);
    ct_csv_text(out, r->stored.objective);
    ct_csv_real(out, r->objective_value);
    ct_csv_real(out, r->end_to_end.time_ns);
    ct_str_addf(out, ",%d", r->verified ? 1 : 0);
    ct_csv_text(out, r->metrics);
    ct_csv_text(out, r->observed);
    ct_csv_text(out, r->experiment.text);
    ct_str_addf(out, ",%" PRId64, r->measured_unix_s);
    ct_csv_text(out, r->twin_of);
    ct_csv_text(out, message.data);
    ct_str_puts(out, "\n");
    ct_str_release(&message);
}

enum ct_status ct_report_results_csv(const struct ct_stored_results *results,
                                     struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_csv_columns sizes = {0};
    struct ct_csv_columns params = {0};
    enum ct_status status = find_columns(results, &arena, &sizes, &params, err);
    struct ct_str out;

    ct_str_init(&out);
    if (!status)
        ct_csv_head(&out, &fixed, &sizes, &params);
    for (size_t i = 0; !status && i < results->count; i++) {
        const struct ct_stored_result *entry = &results->items[i];
        struct parsed parsed;

        status = parse_result(&arena, entry, &parsed, err);
        if (status)
            break;
        ct_csv_field(&out, entry->of->kernel);
        ct_csv_text(&out, entry->of->device_name);
        ct_csv_text(&out, entry->of->driver_version);
        put_values(&out, &sizes, parsed.sizes, parsed.size_count);
        put_values(&out, &params, parsed.values, parsed.value_count);
        put_facts(&out, &entry->result);
    }
    if (!status && out.failed)
        status = ct_err_nomem(err);
    if (!status)
        ct_print_bytes(out.data, out.length);
    ct_str_release(&out);
    free(sizes.names);
    free(params.names);
    ct_arena_release(&arena);
    return status;
}

/* --- JSON --- */

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *result_json(const struct ct_stored_result *entry)
{
    const struct ct_db_result *r = &entry->result;
    json_t *object = json_object();
    struct ct_str message;

    ct_str_init(&message);
    put_message(&message, r);
    json_object_set_new(object, "kernel", ct_json_text(entry->of->kernel));
    json_object_set_new(object, "device", ct_json_text(entry->of->device_name));
    json_object_set_new(object, "driver", ct_json_text(entry->of->driver_version));
    json_object_set_new(object, "outdated", json_boolean(entry->of->outdated));
    json_object_set_new(object, "problem", ct_json_stored(entry->of->problem_json));
    json_object_set_new(object, "configuration", ct_json_stored(r->configuration));
    json_object_set_new(object, "status", ct_json_text(r->status));
    json_object_set_new(object, "time_ns", real_or_null(r->time_ns));
    json_object_set_new(object, "low_ns", real_or_null(r->low_ns));
    json_object_set_new(object, "high_ns", real_or_null(r->high_ns));
    json_object_set_new(object, "objective", ct_json_text(r->stored.objective));
    json_object_set_new(object, "value", real_or_null(r->objective_value));
    json_object_set_new(object, "end_to_end_ns", real_or_null(r->end_to_end.time_ns));
    json_object_set_new(object, "verified", json_boolean(r->verified));
    json_object_set_new(object, "metrics", ct_json_stored(r->metrics));
    json_object_set_new(object, "observed", ct_json_stored(r->observed));
    json_object_set_new(object, "flags", ct_json_text(r->flags));
    json_object_set_new(object, "experiment", ct_json_text(r->experiment.text));
    json_object_set_new(object, "measured_unix_s",
                        json_integer((json_int_t)r->measured_unix_s));
    json_object_set_new(object, "duplicate_of", ct_json_text(r->twin_of));
    json_object_set_new(object, "phase", ct_json_text(r->failure.phase));
    json_object_set_new(object, "message", ct_json_text(message.data));
    ct_str_release(&message);
    return object;
}

void ct_report_results_json(const struct ct_stored_results *results)
{
    json_t *array = json_array();

    for (size_t i = 0; i < results->count; i++)
        json_array_append_new(array, result_json(&results->items[i]));
    ct_report_json(array);
    json_decref(array);
}
