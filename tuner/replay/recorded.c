// SPDX-License-Identifier: Apache-2.0
// Turns recorded configurations into a space of exactly these.
#include "replay/recorded.h"

#include "base/diag.h"
#include "base/mem.h"
#include "base/map.h"
#include "base/show.h"
#include "space/space_listed_set.h"
#include "spacefile/expr/expr.h"
#include "spacefile/spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The values of a parameter, in order of appearance. */
struct column {
    char *name;
    struct ct_value *values;
    size_t count;
    size_t room;
    struct ct_map by_hash; /* number of the last value of a hash */
    uint32_t *next;        /* by number: the previous one of the same hash, or NO_VALUE */
    size_t next_room;
    uint32_t *rank; /* from that order to the order of the domain */
};

#define NO_VALUE UINT32_MAX

struct ct_recorder {
    struct ct_arena arena;
    char *name;
    struct column *columns;
    size_t param_count;
    uint32_t *rows; /* value numbers, in order of appearance */
    size_t rows_room;
    struct ct_record *records;
    size_t record_room;
    size_t count;
};

static enum ct_status fail_name(const char *file, const char *name, struct ct_err *err)
{
    struct ct_arena arena = {0};
    enum ct_status status = ct_err_set(
        err, CT_E_USAGE, "%s: '%s' is no parameter name: use letters, digits and '_'",
        file, ct_show_line(&arena, name));

    ct_arena_release(&arena);
    return status;
}

enum ct_status ct_recorder_new(const char *name, const char *const *params,
                               size_t param_count, struct ct_recorder **out,
                               struct ct_err *err)
{
    struct ct_recorder *recorder = NULL;

    for (size_t p = 0; p < param_count; p++)
        if (!ct_expr_is_word(params[p], strlen(params[p])))
            return fail_name(name, params[p], err);
    recorder = ct_mem_array(1, sizeof(*recorder));
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
        free(recorder->columns[p].next);
        ct_map_release(&recorder->columns[p].by_hash);
        free(recorder->columns[p].rank);
    }
    free(recorder->columns);
    free(recorder->rows);
    free(recorder->records);
    ct_arena_release(&recorder->arena);
    free(recorder);
}

/* Equal values have equal hashes, whatever their kinds. */
static uint64_t hash_of(struct ct_value value)
{
    uint64_t hash = 14695981039346656037u;
    double real;

    if (value.kind == CT_TEXT) { /* FNV-1a */
        for (const char *c = value.u.s; *c; c++)
            hash = (hash ^ (unsigned char)*c) * 1099511628211u;
        return hash;
    }
    real = ct_value_number(value) + 0.0; /* -0 and 0 are equal */
    memcpy(&hash, &real, sizeof(hash));
    return hash;
}

/* Number of a value in its column; adds it if it is new.  NO_VALUE: out of memory. */
static uint32_t number_of(struct ct_recorder *recorder, struct column *column,
                          struct ct_value value)
{
    uint64_t hash = hash_of(value);
    uint32_t last = (uint32_t)ct_map_get(&column->by_hash, hash, NO_VALUE);

    for (uint32_t v = last; v != NO_VALUE; v = column->next[v])
        if (ct_value_equal(column->values[v], value))
            return v;
    if (column->count >= NO_VALUE - 1 ||
        !ct_mem_grow(&column->values, &column->room, column->count + 1,
                     sizeof(*column->values)) ||
        !ct_mem_grow(&column->next, &column->next_room, column->count + 1,
                     sizeof(*column->next)))
        return NO_VALUE;
    if (value.kind == CT_TEXT)
        value.u.s = ct_arena_copy(&recorder->arena, value.u.s, strlen(value.u.s));
    if ((value.kind == CT_TEXT && !value.u.s) ||
        !ct_map_put(&column->by_hash, hash, column->count))
        return NO_VALUE;
    column->values[column->count] = value;
    column->next[column->count] = last;
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
        if (row[p] == NO_VALUE)
            return ct_err_nomem(err);
    }
    recorder->records[recorder->count] = *record;
    if (record->failure != CT_FAILURE_NONE)
        recorder->records[recorder->count].time_ns = NAN;
    recorder->count++;
    return CT_OK;
}

struct placed {
    double number;
    uint32_t value;
};

static int by_number(const void *left, const void *right)
{
    const struct placed *a = left;
    const struct placed *b = right;

    if (a->number < b->number || a->number > b->number)
        return a->number < b->number ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

/* Numbers by size, other values in order of appearance; `order` has them by position. */
static bool rank_column(struct column *column, struct placed **order)
{
    bool numeric = true;

    *order = ct_mem_array(column->count, sizeof(**order));
    column->rank = ct_mem_array(column->count, sizeof(*column->rank));
    if (!column->rank || !*order)
        return false;
    for (size_t v = 0; v < column->count; v++)
        numeric = numeric && column->values[v].kind != CT_TEXT;
    for (size_t v = 0; v < column->count; v++)
        (*order)[v] = (struct placed){
            numeric ? ct_value_number(column->values[v]) : (double)v, (uint32_t)v};
    qsort(*order, column->count, sizeof(**order), by_number);
    for (size_t place = 0; place < column->count; place++)
        column->rank[(*order)[place].value] = (uint32_t)place;
    return true;
}

static enum ct_status describe_column(struct ct_recorder *recorder, struct column *column,
                                      struct ct_str *text, struct ct_err *err)
{
    enum ct_status status = CT_OK;
    struct placed *order;

    if (!rank_column(column, &order))
        status = ct_err_nomem(err);
    ct_str_addf(text, "%s =", column->name);
    for (size_t place = 0; place < column->count && !status; place++) {
        struct ct_value value = column->values[order[place].value];

        ct_str_puts(text, place ? ", " : " ");
        if (value.kind == CT_TEXT && strpbrk(value.u.s, "'\n\r"))
            status = ct_err_set(
                err, CT_E_USAGE,
                "%s: a value of parameter '%s' contains a quote or a line break, which "
                "replay does not support",
                recorder->name, column->name);
        if (value.kind == CT_TEXT)
            ct_str_putc(text, '\'');
        ct_value_print(text, value);
        if (value.kind == CT_TEXT)
            ct_str_putc(text, '\'');
    }
    ct_str_putc(text, '\n');
    free(order);
    return status;
}

/* Writes the parameters in the space file's language. */
static enum ct_status describe_params(struct ct_recorder *recorder, struct ct_str *text,
                                      struct ct_err *err)
{
    enum ct_status status = CT_OK;

    ct_str_puts(text, "[param]\n");
    for (size_t p = 0; p < recorder->param_count && !status; p++)
        status = describe_column(recorder, &recorder->columns[p], text, err);
    if (!status && text->failed)
        status = ct_err_nomem(err);
    return status;
}

/* Binds the recorded parameters. */
static enum ct_status bind_params(struct ct_recorder *recorder,
                                  struct ct_recorded *recorded, struct ct_err *err)
{
    const struct ct_binding_options none = {0};
    struct ct_diags diags = {0};
    struct ct_err own = CT_ERR_INIT;
    struct ct_str text;
    enum ct_status status;

    ct_str_init(&text);
    status = describe_params(recorder, &text, err);
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
    else if (recorded->spec->param_count != recorder->param_count)
        status = ct_err_set(err, CT_E_INTERNAL, "%s: %zu parameters were read as %zu",
                            recorder->name, recorder->param_count,
                            recorded->spec->param_count);
out:
    ct_diags_release(&diags);
    ct_str_release(&text);
    return status;
}

/* Fills in the space, and the records in its order. */
static enum ct_status fill_records(struct ct_recorder *recorder,
                                   struct ct_recorded *recorded, struct ct_err *err)
{
    size_t n = recorder->param_count;
    bool *filled = NULL;
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
    filled = ct_mem_array(ct_space_count(recorded->space), sizeof(*filled));
    if (!recorded->records || !filled) {
        free(filled);
        return ct_err_nomem(err);
    }
    recorded->best_ns = INFINITY;
    for (size_t i = 0; i < recorder->count; i++) {
        uint64_t index = 0;

        ct_space_index(recorded->space, recorder->rows + i * n, &index);
        if (filled[index])
            continue;
        filled[index] = true;
        recorded->records[index] = recorder->records[i];
        if (recorder->records[i].time_ns < recorded->best_ns)
            recorded->best_ns = recorder->records[i].time_ns;
    }
    free(filled);
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
        status = ct_err_set(
            err, CT_E_NOT_FOUND,
            "%s: none of its configurations succeeded, so there is nothing to find",
            recorder->name);
    else
        status = bind_params(recorder, recorded, err);
    if (!status && recorded) {
        recorded->name = ct_mem_copy(recorder->name, strlen(recorder->name));
        status =
            recorded->name ? fill_records(recorder, recorded, err) : ct_err_nomem(err);
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
