// SPDX-License-Identifier: Apache-2.0
// Reads stored results into columns.
#include "tune/stored_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one pass over a subject needs. */
struct filling {
    struct ct_stored_columns *out;
    struct ct_stored_subject *subject;
    struct ct_map rows; /* from a result's id */
    struct ct_map runs; /* from a run's id */
    struct ct_str key;
};

/* A column that starts late has no value in the rows before; both kinds of columns have as many
 * elements as there is room for rows. */
static bool add_rows(struct ct_stored_subject *s)
{
    size_t capacity = s->capacity;

    if (!ct_mem_grow(&s->rows, &s->capacity, s->count + 1, sizeof(*s->rows)))
        return false;
    if (s->capacity == capacity)
        return true;
    for (size_t p = 0; p < s->param_count; p++) {
        int32_t *codes = realloc(s->params[p].codes, s->capacity * sizeof(*codes));

        if (!codes)
            return false;
        s->params[p].codes = codes;
    }
    for (size_t m = 0; m < s->metric_count; m++) {
        double *values = realloc(s->metrics[m].values, s->capacity * sizeof(*values));

        if (!values)
            return false;
        s->metrics[m].values = values;
    }
    return true;
}

/* The parameter of this name, usually at the same place as in the row before; NULL: out of memory. */
static struct ct_stored_param *param_named(struct filling *f, const char *name, size_t at)
{
    struct ct_stored_subject *s = f->subject;
    struct ct_stored_param *param;

    for (size_t i = 0; i < s->param_count; i++) {
        param = &s->params[(at + i) % s->param_count];
        if (strcmp(param->name, name) == 0)
            return param;
    }
    if (!ct_mem_grow(&s->params, &s->param_capacity, s->param_count + 1,
                     sizeof(*s->params)))
        return NULL;
    param = &s->params[s->param_count];
    param->name = ct_arena_copy(&f->out->arena, name, strlen(name));
    param->codes = ct_mem_array(s->capacity, sizeof(*param->codes));
    if (!param->name || !param->codes) {
        free(param->codes);
        param->codes = NULL;
        return NULL;
    }
    for (size_t i = 0; i < s->capacity; i++)
        param->codes[i] = -1;
    s->param_count++;
    return param;
}

static bool set_param(struct filling *f, struct ct_stored_param *param,
                      struct ct_value value)
{
    struct ct_hash hash;
    uint64_t code;

    ct_str_reset(&f->key);
    ct_str_putc(&f->key, value.kind == CT_TEXT ? 't' : 'n');
    ct_value_print(&f->key, value);
    if (f->key.failed)
        return false;
    hash = ct_hash_bytes(f->key.data, f->key.length);
    if (!ct_map_find_hash(&param->by_text, &hash, &code)) {
        code = param->value_count;
        if (!ct_mem_grow(&param->values, &param->value_capacity, param->value_count + 1,
                         sizeof(*param->values)) ||
            !ct_map_put_hash(&param->by_text, &hash, code))
            return false;
        if (value.kind == CT_TEXT) {
            value.u.s = ct_arena_copy(&f->out->arena, value.u.s, strlen(value.u.s));
            if (!value.u.s)
                return false;
        }
        param->values[param->value_count++] = value;
    }
    param->codes[f->subject->count] = (int32_t)code;
    return true;
}

static double *metric_named(struct filling *f, const char *name, size_t at)
{
    struct ct_stored_subject *s = f->subject;
    struct ct_stored_metric *metric;

    for (size_t i = 0; i < s->metric_count; i++) {
        metric = &s->metrics[(at + i) % s->metric_count];
        if (strcmp(metric->name, name) == 0)
            return metric->values;
    }
    if (!ct_mem_grow(&s->metrics, &s->metric_capacity, s->metric_count + 1,
                     sizeof(*s->metrics)))
        return NULL;
    metric = &s->metrics[s->metric_count];
    metric->name = ct_arena_copy(&f->out->arena, name, strlen(name));
    metric->values = ct_mem_array(s->capacity, sizeof(*metric->values));
    if (!metric->name || !metric->values) {
        free(metric->values);
        metric->values = NULL;
        return NULL;
    }
    for (size_t i = 0; i < s->capacity; i++)
        metric->values[i] = NAN;
    s->metric_count++;
    return metric->values;
}

static enum ct_status set_params(struct filling *f, const char *json, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_db_value *values;
    size_t count;
    enum ct_status status = ct_db_parse(&arena, json, &values, &count, err);

    for (size_t i = 0; i < f->subject->param_count; i++)
        f->subject->params[i].codes[f->subject->count] = -1;
    for (size_t i = 0; !status && i < count; i++) {
        struct ct_stored_param *param = param_named(f, values[i].name, i);

        if (!param || !set_param(f, param, values[i].value))
            status = ct_err_nomem(err);
    }
    ct_arena_release(&arena);
    return status;
}

static enum ct_status set_metrics(struct filling *f, const char *json, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_db_value *values = NULL;
    size_t count = 0;
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < f->subject->metric_count; i++)
        f->subject->metrics[i].values[f->subject->count] = NAN;
    if (*json)
        status = ct_db_parse(&arena, json, &values, &count, err);
    for (size_t i = 0; !status && i < count; i++) {
        double *column;

        if (values[i].value.kind != CT_INT && values[i].value.kind != CT_REAL)
            continue;
        column = metric_named(f, values[i].name, i);
        if (column)
            column[f->subject->count] = ct_value_number(values[i].value);
        else
            status = ct_err_nomem(err);
    }
    ct_arena_release(&arena);
    return status;
}

/* --- failures --- */

static bool add_failure(struct filling *f, const struct ct_db_brief *brief)
{
    struct ct_stored_subject *s = f->subject;
    struct ct_arena *arena = &f->out->arena;
    bool last = s->failure_count + 1 == CT_STORED_FAILURES_MOST;
    struct ct_stored_failure *next;

    if (!ct_mem_grow(&s->failures, &s->failure_capacity, s->failure_count + 1,
                     sizeof(*s->failures)))
        return false;
    next = &s->failures[s->failure_count];
    next->status = last ? "" : ct_arena_copy(arena, brief->status, strlen(brief->status));
    next->phase = last ? "" : ct_arena_copy(arena, brief->phase, strlen(brief->phase));
    next->message = last ? "other failures"
                         : ct_arena_copy(arena, brief->message, strlen(brief->message));
    next->log = last ? "" : ct_arena_copy(arena, brief->log, strlen(brief->log));
    next->first = s->count;
    s->failure_count++;
    return next->status && next->phase && next->message && next->log;
}

/* Finds or adds the kind of a failure; -1: out of memory. */
static int32_t failure_of(struct filling *f, const struct ct_db_brief *brief)
{
    struct ct_stored_subject *s = f->subject;
    struct ct_hash hash;
    uint64_t index;

    ct_str_reset(&f->key);
    ct_str_addf(&f->key, "%s\n%s\n%s", brief->status, brief->phase, brief->message);
    /* Compilers say it in their logs alone. */
    if (strcmp(brief->status, "build_failed") == 0)
        ct_str_addf(&f->key, "\n%s", brief->log);
    if (f->key.failed)
        return -1;
    hash = ct_hash_bytes(f->key.data, f->key.length);
    if (!ct_map_find_hash(&s->failures_by_text, &hash, &index)) {
        index = s->failure_count;
        if (index == CT_STORED_FAILURES_MOST)
            index--;
        else if (!add_failure(f, brief) ||
                 !ct_map_put_hash(&s->failures_by_text, &hash, index))
            return -1;
    }
    s->failures[index].count++;
    return (int32_t)index;
}

/* --- rows --- */

static uint8_t status_of(const char *name)
{
    for (int i = 0; i < CT_RESULT_STATUS_COUNT; i++)
        if (strcmp(name, ct_result_status_name((enum ct_result_status)i)) == 0)
            return (uint8_t)i;
    return CT_RESULT_SKIPPED;
}

/* The metric of this name in the row that is being added; NAN if it has none. */
static double metric_of(const struct ct_stored_subject *s, const char *name)
{
    for (size_t i = 0; i < s->metric_count; i++)
        if (strcmp(s->metrics[i].name, name) == 0)
            return s->metrics[i].values[s->count];
    return NAN;
}

static enum ct_status add_row(void *user, const struct ct_db_brief *brief,
                              struct ct_err *err)
{
    struct filling *f = user;
    struct ct_stored_subject *s = f->subject;
    struct ct_stored_row *row;
    enum ct_status status;

    if (!add_rows(s))
        return ct_err_nomem(err);
    row = &s->rows[s->count];
    *row = (struct ct_stored_row){
        .status = status_of(brief->status),
        .failure = -1,
        .run =
            (int32_t)(int64_t)ct_map_get(&f->runs, (uint64_t)brief->run_id, (uint64_t)-1),
        .rounds = (uint32_t)brief->rounds,
        .time_ns = brief->time_ns,
        .low_ns = brief->low_ns,
        .high_ns = brief->high_ns,
        .raw_ns = brief->raw_ns,
        .measured_unix_s = brief->measured_unix_s,
    };
    status = set_params(f, brief->configuration, err);
    if (!status)
        status = set_metrics(f, brief->metrics, err);
    if (status)
        return status;
    row->value = strcmp(brief->objective, s->objective) == 0 ? brief->objective_value
                 : strcmp(s->objective, "time") == 0         ? brief->time_ns
                                                             : metric_of(s, s->objective);
    if (row->status != CT_RESULT_OK) {
        row->failure = failure_of(f, brief);
        if (row->failure < 0)
            return ct_err_nomem(err);
    }
    if (!ct_map_put(&f->rows, (uint64_t)brief->id, s->count))
        return ct_err_nomem(err);
    s->count++;
    return CT_OK;
}

static enum ct_status read_runs(struct filling *f, struct ct_db *db, struct ct_err *err)
{
    struct ct_stored_subject *s = f->subject;
    enum ct_status status =
        ct_db_runs(db, &s->of, &f->out->arena, &s->runs, &s->run_count, err);

    s->objective = "time";
    for (size_t i = 0; !status && i < s->run_count; i++) {
        if (!ct_map_put(&f->runs, (uint64_t)s->runs[i].id, i))
            status = ct_err_nomem(err);
        s->objective = s->runs[i].objective;
        s->maximize = s->runs[i].maximize;
    }
    return status;
}

static enum ct_status read_top(struct filling *f, struct ct_db *db, struct ct_err *err)
{
    struct ct_stored_subject *s = f->subject;
    enum ct_status status;

    s->top = ct_arena_array(&f->out->arena, CT_STORED_TOP, sizeof(*s->top));
    s->top_rows = ct_arena_array(&f->out->arena, CT_STORED_TOP, sizeof(*s->top_rows));
    if (!s->top || !s->top_rows)
        return ct_err_nomem(err);
    status = ct_db_best_top(db, s->of.device_id, s->of.kernel_id, s->of.problem_id,
                            s->objective, s->maximize, CT_STORED_TOP, &f->out->arena,
                            s->top, &s->top_count, err);
    for (size_t i = 0; !status && i < s->top_count; i++)
        s->top_rows[i] =
            (size_t)ct_map_get(&f->rows, (uint64_t)s->top[i].stored.id, SIZE_MAX);
    return status;
}

static enum ct_status read_subject(struct ct_stored_columns *out,
                                   struct ct_stored_subject *subject, struct ct_db *db,
                                   struct ct_err *err)
{
    struct filling f = {.out = out, .subject = subject};
    enum ct_status status;

    ct_str_init(&f.key);
    status = read_runs(&f, db, err);
    if (!status)
        status = ct_db_briefs_each(db, &subject->of, add_row, &f, err);
    if (!status)
        status = read_top(&f, db, err);
    if (!status)
        status = ct_db_ceilings(db, subject->of.device_id, &out->arena,
                                &subject->ceilings, &subject->ceiling_count, err);
    if (!status)
        status = ct_db_device_facts_read(db, subject->of.device_id, &out->arena,
                                         &subject->device, err);
    ct_str_release(&f.key);
    ct_map_release(&f.rows);
    ct_map_release(&f.runs);
    return status;
}

enum ct_status ct_stored_columns_read(const char *db_path, const cltunedb_query *query,
                                      struct ct_stored_columns *out, struct ct_err *err)
{
    struct ct_db_options reading = {.mode = CT_DB_READ};
    struct ct_db_record *records = NULL;
    struct ct_db *db = NULL;
    size_t count = 0;
    enum ct_status status = ct_db_open(db_path, &reading, &db, err);

    if (!status)
        status = ct_db_records(db, query, &out->arena, &records, &count, err);
    if (!status) {
        out->subjects = ct_arena_array(&out->arena, count, sizeof(*out->subjects));
        if (!out->subjects) {
            count = 0;
            status = ct_err_nomem(err);
        }
    }
    for (size_t i = 0; !status && i < count; i++) {
        struct ct_stored_subject *subject = &out->subjects[out->count++];

        subject->of = records[i].of;
        status = read_subject(out, subject, db, err);
    }
    ct_db_close(db);
    return status;
}

void ct_stored_columns_release(struct ct_stored_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        struct ct_stored_subject *s = &columns->subjects[i];

        for (size_t p = 0; p < s->param_count; p++) {
            free(s->params[p].values);
            free(s->params[p].codes);
            ct_map_release(&s->params[p].by_text);
        }
        for (size_t m = 0; m < s->metric_count; m++)
            free(s->metrics[m].values);
        free(s->rows);
        free(s->params);
        free(s->metrics);
        free(s->failures);
        ct_map_release(&s->failures_by_text);
    }
    ct_arena_release(&columns->arena);
    memset(columns, 0, sizeof(*columns));
}
