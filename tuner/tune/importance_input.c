// SPDX-License-Identifier: Apache-2.0
// The results of a search, or of the database, as input of the analysis of importance.
#include "tune/importance.h"

#include "base/mem.h"
#include "tune/search.h"
#include "tune/stored_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An input under construction: `values` and `cost` have room for all results. */
struct rows {
    struct ct_importance_input input;
    const char **names;
    struct ct_value *values;
    double *cost;
};

static bool rows_init(struct rows *rows, size_t width, size_t most)
{
    rows->input.width = width;
    rows->names = ct_mem_array(width, sizeof(*rows->names));
    rows->values = ct_mem_array(most * width, sizeof(*rows->values));
    rows->cost = ct_mem_array(most, sizeof(*rows->cost));
    rows->input.names = rows->names;
    rows->input.values = rows->values;
    rows->input.cost = rows->cost;
    return rows->names && rows->values && rows->cost;
}

static enum ct_status rows_finish(struct rows *rows, bool enough,
                                  struct ct_importance *out, struct ct_err *err)
{
    enum ct_status status =
        enough ? ct_importance_find(&rows->input, out, err) : ct_err_nomem(err);

    free(rows->names);
    free(rows->values);
    free(rows->cost);
    return status;
}

/* Room for the values of the next row; NULL if the value is none that has a logarithm. */
static struct ct_value *next_row(struct rows *rows, double value, bool maximize)
{
    if (!isfinite(value) || value <= 0 || !isfinite(1 / value))
        return NULL;
    rows->cost[rows->input.count] = maximize ? 1 / value : value;
    return rows->values + rows->input.count++ * rows->input.width;
}

/* Whether a status says something of the configuration. */
static bool is_failure(enum ct_result_status status)
{
    return status != CT_RESULT_OK && status != CT_RESULT_SKIPPED &&
           status != CT_RESULT_INTERRUPTED;
}

static void add_result(struct rows *rows, const struct ct_search *search,
                       const struct ct_evaluated *entry)
{
    struct ct_evaluated scaled;
    struct ct_value *values;

    if (is_failure(entry->status))
        rows->input.failed++;
    if (entry->status != CT_RESULT_OK)
        return;
    ct_search_rescale(search, entry, &scaled);
    values = next_row(rows, scaled.value, search->objective.maximize);
    if (!values)
        return;
    ct_workload_values(&search->work, entry->index);
    memcpy(values, search->work.values, rows->input.width * sizeof(*values));
}

enum ct_status ct_importance_of_search(const struct ct_search *search,
                                       struct ct_importance *out, struct ct_err *err)
{
    const struct ct_spec *spec = search->work.spec;
    struct rows rows = {0};
    bool enough = rows_init(&rows, spec->param_count, search->results.done_count);

    rows.input.valid = ct_space_count(search->work.space);
    rows.input.standard = search->work.default_values;
    rows.input.noise = search->noise.known && search->noise.result.resolution > 0
                           ? search->noise.result.resolution
                           : 0;
    for (size_t p = 0; enough && p < spec->param_count; p++)
        rows.names[p] = spec->slots.symbols[spec->params[p].slot].name;
    for (size_t i = 0; enough && i < search->results.done_count; i++)
        add_result(&rows, search, &search->results.done[i]);
    return rows_finish(&rows, enough, out, err);
}

static void add_stored(struct rows *rows, const struct ct_stored_subject *s, size_t row)
{
    struct ct_value *values;

    if (is_failure((enum ct_result_status)s->rows[row].status))
        rows->input.failed++;
    if (s->rows[row].status != CT_RESULT_OK)
        return;
    values = next_row(rows, s->rows[row].value, s->maximize);
    for (size_t p = 0; values && p < s->param_count; p++) {
        int32_t code = s->params[p].codes[row];

        if (code < 0)
            values[p] = ct_value_absent();
        else
            values[p] = s->params[p].values[code];
    }
}

enum ct_status ct_importance_of_stored(const struct ct_stored_subject *subject,
                                       struct ct_importance *out, struct ct_err *err)
{
    struct rows rows = {0};
    bool enough = rows_init(&rows, subject->param_count, subject->count);

    /* Runs may have restricted the space: the largest is the one that all results are in. */
    for (size_t i = 0; i < subject->run_count; i++) {
        const struct ct_db_run *run = &subject->runs[i];

        if (run->valid_count > 0 && (uint64_t)run->valid_count > rows.input.valid)
            rows.input.valid = (uint64_t)run->valid_count;
        if (run->noise.resolution > 0)
            rows.input.noise = run->noise.resolution;
    }
    for (size_t p = 0; enough && p < subject->param_count; p++)
        rows.names[p] = subject->params[p].name;
    for (size_t i = 0; enough && i < subject->count; i++)
        add_stored(&rows, subject, i);
    return rows_finish(&rows, enough, out, err);
}
