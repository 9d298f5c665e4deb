// SPDX-License-Identifier: Apache-2.0
// "cltune best --format csv": a line for each answer, with a column for each size and parameter.
#include "report/export.h"

#include "base/mem.h"
#include "report/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool add_columns(struct ct_csv_columns *columns,
                        const struct ct_export_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!ct_csv_columns_add(columns, values[i].name))
            return false;
    return true;
}

static void put_values(struct ct_str *out, const struct ct_csv_columns *columns,
                       const struct ct_export_value *values, size_t count)
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

/* The columns that all files have, before and after those of sizes and parameters. */
static const char *const before[] = {"kernel", "device", "vendor", "type", "driver"};
static const char *const after[] = {"objective",  "value",          "time_ns",
                                    "low_ns",     "high_ns",        "default_time_ns",
                                    "flags",      "stale_macros",   "evidence",
                                    "experiment", "measured_unix_s"};
static const struct ct_csv_fixed fixed = {before, sizeof(before) / sizeof(*before), after,
                                          sizeof(after) / sizeof(*after)};

static void put_line(struct ct_str *out, const struct ct_export_answer *answer,
                     const struct ct_csv_columns *sizes,
                     const struct ct_csv_columns *params)
{
    const cltunedb_answer *a = answer->stored;

    ct_csv_field(out, answer->kernel);
    ct_csv_text(out, answer->device);
    ct_csv_text(out, answer->vendor);
    ct_csv_text(out, answer->type);
    ct_csv_text(out, answer->driver);
    put_values(out, sizes, answer->problem, answer->problem_count);
    put_values(out, params, answer->config, answer->config_count);
    ct_csv_text(out, a->objective);
    ct_csv_real(out, a->objective_value);
    ct_csv_real(out, a->time_ns);
    ct_csv_real(out, a->low_ns);
    ct_csv_real(out, a->high_ns);
    ct_csv_real(out, a->default_time_ns);
    ct_csv_text(out, answer->flags);
    ct_csv_text(out, answer->stale);
    ct_csv_text(out, answer->evidence);
    ct_csv_text(out, answer->experiment);
    ct_str_addf(out, ",%" PRId64 "\n", a->measured_unix_s);
}

static enum ct_status put_csv(struct ct_str *out, const struct ct_export_set *set,
                              struct ct_str *notes, struct ct_err *err)
{
    struct ct_csv_columns sizes = {0};
    struct ct_csv_columns params = {0};
    bool added = true;

    (void)notes;
    for (size_t i = 0; i < set->count && added; i++)
        added =
            add_columns(&sizes, set->answers[i].problem, set->answers[i].problem_count) &&
            add_columns(&params, set->answers[i].config, set->answers[i].config_count);
    if (added)
        ct_csv_head(out, &fixed, &sizes, &params);
    for (size_t i = 0; i < set->count && added; i++)
        put_line(out, &set->answers[i], &sizes, &params);
    free(sizes.names);
    free(params.names);
    return added ? CT_OK : ct_err_nomem(err);
}

const struct ct_export ct_export_csv = {
    .name = "csv",
    .help = "comma-separated values",
    .put_all = put_csv,
    .tells_staleness = true,
};
