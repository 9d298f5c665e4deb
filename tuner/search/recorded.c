// SPDX-License-Identifier: Apache-2.0
// From recorded configurations to a space of exactly these.
#include "search/recorded.h"

#include "base/diag.h"
#include "base/mem.h"
#include "space/space_listed_set.h"
#include "spec/spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The values of a parameter, in the order they came. */
struct column {
    char *name;
    struct ct_value *values;
    size_t count;
    size_t room;
    uint32_t *rank; /* from that order to the order of the domain */
};

struct ct_recorder {
    struct ct_arena arena;
    char *name;
    struct column *columns;
    size_t param_count;
    uint32_t *rows; /* value numbers, in the order the values came */
    size_t rows_room;
    struct ct_record *records;
    size_t record_room;
    size_t count;
};

enum ct_status ct_recorder_new(const char *name, const char *const *params,
                               size_t param_count, struct ct_recorder **out,
                               struct ct_err *err)
{
    struct ct_recorder *recorder = ct_mem_array(1, sizeof(*recorder));

    if (!recorder)
        return ct_err_nomem(err);
    recorder->param_count = param_count;
    recorder->columns = ct_mem_array(param_count, sizeof(*recorder->columns));
    recorder->name = ct_arena_copy(&recorder->arena, name, strlen(name));
    for (size_t p = 0; p < param_count && recorder->columns; p++) {
        struct column *column = &recorder->columns[p];

        column->name = ct_arena_copy(&recorder->arena, params[p], strlen(params[p]));
        if (!column->name)
            break;
    }
    if (!recorder->columns || !recorder->name ||
        (param_count && !recorder->columns[param_count - 1].name)) {
        ct_recorder_free(recorder);
        return ct_err_nomem(err);
    }
    *out = recorder;
    return CT_OK;
}

void ct_recorder_free(struct ct_recorder *recorder)
{
    if (!recorder)
        return;
    for (size_t p = 0; p < recorder->param_count && recorder->columns; p++) {
        free(recorder->columns[p].values);
        free(recorder->columns[p].rank);
    }
    free(recorder->columns);
    free(recorder->rows);
    free(recorder->records);
    ct_arena_release(&recorder->arena);
    free(recorder);
}

/* Number of a value in its column; adds it when it is new.  UINT32_MAX: memory is short.
 */
static uint32_t number_of(struct ct_recorder *recorder, struct column *column,
                          struct ct_value value)
{
    for (size_t v = 0; v < column->count; v++)
        if (ct_value_equal(column->values[v], value))
            return (uint32_t)v;
    if (column->count >= UINT32_MAX - 1 ||
        !ct_mem_grow(&column->values, &column->room, column->count + 1,
                     sizeof(*column->values)))
        return UINT32_MAX;
    if (value.kind == CT_TEXT)
        value.u.s = ct_arena_copy(&recorder->arena, value.u.s, strlen(value.u.s));
    if (value.kind == CT_TEXT && !value.u.s)
        return UINT32_MAX;
    column->values[column->count] = value;
    return (uint32_t)column->count++;
}

enum ct_status ct_recorder_add(struct ct_recorder *recorder,
                               const struct ct_value *values,
                               const struct ct_record *record, struct ct_err *err)
{
    size_t n = recorder->param_count;
    uint32_t *row;

    if (!ct_mem_grow(&recorder->rows, &recorder->rows_room, (recorder->count + 1) * n,
                     sizeof(*recorder->rows)) ||
        !ct_mem_grow(&recorder->records, &recorder->record_room, recorder->count + 1,
                     sizeof(*recorder->records)))
        return ct_err_nomem(err);
    row = recorder->rows + recorder->count * n;
    for (size_t p = 0; p < n; p++) {
        row[p] = number_of(recorder, &recorder->columns[p], values[p]);
        if (row[p] == UINT32_MAX)
            return ct_err_nomem(err);
    }
    recorder->records[recorder->count] = *record;
    if (record->failure != CT_FAILURE_NONE)
        recorder->records[recorder->count].time_ns = NAN;
    recorder->count++;
    return CT_OK;
}

static double number(struct ct_value value)
{
    return value.kind == CT_INT ? (double)value.u.i : value.u.r;
}

/* Ranks by counting: columns are short. */
static bool rank_column(struct column *column)
{
    bool numeric = true;

    column->rank = ct_mem_array(column->count, sizeof(*column->rank));
    if (!column->rank)
        return false;
    for (size_t v = 0; v < column->count; v++)
        numeric = numeric && column->values[v].kind != CT_TEXT;
    for (size_t v = 0; v < column->count; v++) {
        column->rank[v] = numeric ? 0 : (uint32_t)v;
        for (size_t w = 0; w < column->count && numeric; w++)
            column->rank[v] += number(column->values[w]) < number(column->values[v]);
    }
    return true;
}

/* The parameters in the language of the space file. */
static enum ct_status describe(struct ct_recorder *recorder, struct ct_str *text,
                               struct ct_err *err)
{
    ct_str_puts(text, "[param]\n");
    for (size_t p = 0; p < recorder->param_count; p++) {
        struct column *column = &recorder->columns[p];

        if (!rank_column(column))
            return ct_err_nomem(err);
        ct_str_addf(text, "%s =", column->name);
        for (size_t place = 0; place < column->count; place++) {
            size_t v = 0;

            while (column->rank[v] != place)
                v++;
            ct_str_puts(text, place ? ", " : " ");
            if (column->values[v].kind == CT_TEXT &&
                strpbrk(column->values[v].u.s, "'\n\r"))
                return ct_err_set(err, CT_E_USAGE,
                                  "%s: a value of parameter '%s' has a quote or a line "
                                  "break in it; replay cannot read that",
                                  recorder->name, column->name);
            if (column->values[v].kind == CT_TEXT)
                ct_str_putc(text, '\'');
            ct_value_print(text, column->values[v]);
            if (column->values[v].kind == CT_TEXT)
                ct_str_putc(text, '\'');
        }
        ct_str_putc(text, '\n');
    }
    return text->failed ? ct_err_nomem(err) : CT_OK;
}

/* The binding of the recorded parameters. */
static enum ct_status bind(struct ct_recorder *recorder, struct ct_recorded *recorded,
                           struct ct_err *err)
{
    const struct ct_binding_options none = {0};
    struct ct_diags diags = {0};
    struct ct_err own = CT_ERR_INIT;
    struct ct_str text;
    enum ct_status status;

    ct_str_init(&text);
    status = describe(recorder, &text, err);
    if (status)
        goto out;
    status = ct_spec_parse(recorder->name, text.data, text.length, &recorded->spec,
                           &diags, &own);
    if (!status)
        status = ct_binding_new(recorded->spec, &none, &recorded->binding, &diags, &own);
    if (status == CT_E_NOMEM)
        ct_err_nomem(err);
    else if (status)
        status = ct_err_set(err, CT_E_USAGE, "%s: not a recorded space: %s",
                            recorder->name, own.message);
out:
    ct_diags_release(&diags);
    ct_str_release(&text);
    return status;
}

/* The space, and the records in its order. */
static enum ct_status fill(struct ct_recorder *recorder, struct ct_recorded *recorded,
                           struct ct_err *err)
{
    size_t n = recorder->param_count;
    bool *seen = NULL;
    enum ct_status status;

    for (size_t i = 0; i < recorder->count; i++)
        for (size_t p = 0; p < n; p++)
            recorder->rows[i * n + p] =
                recorder->columns[p].rank[recorder->rows[i * n + p]];
    status = ct_space_new_listed(recorded->binding, recorder->rows, recorder->count,
                                 &recorded->space, err);
    if (status)
        return status;
    recorded->records =
        ct_mem_array(ct_space_count(recorded->space), sizeof(*recorded->records));
    seen = ct_mem_array(ct_space_count(recorded->space), sizeof(*seen));
    if (!recorded->records || !seen) {
        free(seen);
        return ct_err_nomem(err);
    }
    recorded->best_ns = INFINITY;
    for (size_t i = 0; i < recorder->count; i++) {
        uint64_t index = 0;

        ct_space_index(recorded->space, recorder->rows + i * n, &index);
        if (seen[index])
            continue;
        seen[index] = true;
        recorded->records[index] = recorder->records[i];
        if (recorder->records[i].time_ns < recorded->best_ns)
            recorded->best_ns = recorder->records[i].time_ns;
    }
    free(seen);
    return CT_OK;
}

enum ct_status ct_recorder_finish(struct ct_recorder *recorder, struct ct_recorded **out,
                                  struct ct_err *err)
{
    struct ct_recorded *recorded = ct_mem_array(1, sizeof(*recorded));
    bool worked = false;
    enum ct_status status;

    for (size_t i = 0; i < recorder->count; i++)
        worked = worked || recorder->records[i].failure == CT_FAILURE_NONE;
    if (!recorded)
        status = ct_err_nomem(err);
    else if (!recorder->param_count || !worked)
        status = ct_err_set(err, CT_E_USAGE,
                            "%s: no configuration in it worked, so there is nothing "
                            "to find",
                            recorder->name);
    else
        status = bind(recorder, recorded, err);
    if (!status && recorded) {
        recorded->name = ct_mem_copy(recorder->name, strlen(recorder->name));
        status = recorded->name ? fill(recorder, recorded, err) : ct_err_nomem(err);
    }
    ct_recorder_free(recorder);
    if (status)
        ct_recorded_free(recorded);
    else
        *out = recorded;
    return status;
}

void ct_recorded_free(struct ct_recorded *recorded)
{
    if (!recorded)
        return;
    ct_space_free(recorded->space);
    if (recorded->binding)
        ct_binding_free(recorded->binding);
    if (recorded->spec)
        ct_spec_free(recorded->spec);
    free(recorded->records);
    free(recorded->name);
    free(recorded);
}
