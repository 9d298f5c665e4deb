// SPDX-License-Identifier: Apache-2.0
// Reads results in CSV.
#include "tune/import.h"

#include "base/mem.h"
#include "base/show.h"
#include "replay/recorded_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 256 };

struct table {
    const char *path;
    char *at;       /* what is read next */
    int line;       /* of what is read now, from 1 */
    int line_feeds; /* in the line so far: quoted fields may have some */
    char *head[COLUMNS_MOST];
    size_t head_count;
    const char *params[COLUMNS_MOST];
    size_t param_count;
    size_t row_count;
    struct ct_recorder *recorder;
};

/* Cuts off the next field, with quotes removed in place; false: it was the last one of its line. */
static bool cut_field(struct table *t, char **field)
{
    char *at = t->at;
    char *to = at;
    bool quoted = *at == '"';
    bool more;

    *field = at;
    if (quoted)
        at++;
    for (; *at && (quoted || (*at != ',' && *at != '\n' && *at != '\r')); at++) {
        if (quoted && *at == '"') {
            if (at[1] != '"') {
                quoted = false;
                continue;
            }
            at++;
        }
        t->line_feeds += *at == '\n';
        *to++ = *at;
    }
    more = *at == ',';
    if (more) {
        at++;
    } else {
        at += strspn(at, "\r");
        t->line_feeds += *at == '\n';
        at += *at == '\n';
    }
    *to = '\0';
    t->at = at;
    return more;
}

static void skip_blank_lines(struct table *t)
{
    for (; *t->at == '\n' || *t->at == '\r'; t->at++)
        t->line_feeds += *t->at == '\n';
    t->line += t->line_feeds;
    t->line_feeds = 0;
}

/* The columns that are no parameters. */
static bool is_fact(const char *name)
{
    static const char *const names[] = {
        "kernel", "device",  "vendor",  "type",    "driver",
        "status", "time_ns", "time_ms", "message",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool has_column(const struct table *t, const char *name)
{
    for (size_t i = 0; i < t->head_count; i++)
        if (strcmp(t->head[i], name) == 0)
            return true;
    return false;
}

static enum ct_status read_head(struct table *t, struct ct_err *err)
{
    bool more = true;

    while (more && t->head_count < COLUMNS_MOST) {
        more = cut_field(t, &t->head[t->head_count]);
        if (!is_fact(t->head[t->head_count]))
            t->params[t->param_count++] = t->head[t->head_count];
        t->head_count++;
    }
    if (t->head_count == COLUMNS_MOST)
        return ct_err_set(err, CT_E_USAGE, "%s: more than %d columns", t->path,
                          COLUMNS_MOST - 1);
    if (strcmp(t->head[0], "kernel") == 0 && has_column(t, "driver") &&
        has_column(t, "low_ns") && has_column(t, "objective"))
        return ct_err_at(
            err, CT_E_USAGE, t->path, t->line, 0,
            "CSV that cltune itself has written does not tell sizes from parameters: use "
            "'cltune db export' and 'cltune db merge'");
    return ct_recorder_new(t->path, t->params, t->param_count, &t->recorder, err);
}

/* A whole number, else a real number, else the text itself (borrowed). */
static enum ct_status read_value(const struct table *t, const char *text,
                                 struct ct_value *out, struct ct_err *err)
{
    char *end;
    long long integer;
    double real;
    bool beyond;

    errno = 0;
    integer = strtoll(text, &end, 10);
    beyond = *text && !*end && errno == ERANGE;
    if (*text && !*end && !beyond) {
        *out = ct_value_int(integer);
        return CT_OK;
    }
    errno = 0;
    real = strtod(text, &end);
    beyond = beyond || (*text && !*end && errno == ERANGE);
    if (beyond)
        return ct_err_at(err, CT_E_USAGE, t->path, t->line, 0,
                         "the number %s is out of range", text);
    *out = *text && !*end && isfinite(real) ? ct_value_real(real) : ct_value_text(text);
    return CT_OK;
}

static enum ct_status fail_time(const struct table *t, const char *text,
                                struct ct_err *err)
{
    struct ct_arena arena = {0};
    enum ct_status status = ct_err_at(err, CT_E_USAGE, t->path, t->line, 0,
                                      "'%s' is not a time", ct_show_line(&arena, text));

    ct_arena_release(&arena);
    return status;
}

static enum ct_status read_time(const struct table *t, const char *text, double unit_ns,
                                double *out, struct ct_err *err)
{
    char *end;

    if (!*text)
        return CT_OK;
    errno = 0;
    *out = strtod(text, &end) * unit_ns;
    if (*end || errno || !(*out >= 0) || *out > CT_IMPORT_LONGEST_NS)
        return fail_time(t, text, err);
    return CT_OK;
}

/* What all rows must agree on: a file is of one kernel and one device. */
static enum ct_status read_name(const struct table *t, const char *column,
                                const char *text, struct ct_imported *out,
                                struct ct_err *err)
{
    const struct {
        const char *column;
        char **name;
    } names[] = {
        {"kernel", &out->kernel},
        {"device", &out->device},
        {"vendor", &out->vendor},
        {"type", &out->type},
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char **name = names[i].name;

        if (strcmp(column, names[i].column) != 0)
            continue;
        if (!t->row_count && *text && !*name) {
            *name = ct_mem_copy(text, strlen(text));
            return *name ? CT_OK : ct_err_nomem(err);
        }
        if (strcmp(text, *name ? *name : "") != 0)
            return ct_err_at(err, CT_E_USAGE, t->path, t->line, 0,
                             "results of several %ss: import them separately", column);
    }
    return CT_OK;
}

static enum ct_status read_row(struct table *t, struct ct_imported *out,
                               struct ct_err *err)
{
    struct ct_record record = {.time_ns = (double)NAN};
    struct ct_value values[COLUMNS_MOST];
    const char *word = "";
    size_t count = 0;
    size_t column = 0;
    bool more = true;
    enum ct_status status = CT_OK;

    for (; more && column < t->head_count && status == CT_OK; column++) {
        const char *name = t->head[column];
        char *field;

        more = cut_field(t, &field);
        if (!is_fact(name))
            status = read_value(t, field, &values[count++], err);
        else if (strcmp(name, "time_ns") == 0)
            status = read_time(t, field, 1, &record.time_ns, err);
        else if (strcmp(name, "time_ms") == 0)
            status = read_time(t, field, 1e6, &record.time_ns, err);
        else if (strcmp(name, "status") == 0)
            word = field;
        else
            status = read_name(t, name, field, out, err);
    }
    if (status == CT_OK && (more || column < t->head_count))
        status = ct_err_at(err, CT_E_USAGE, t->path, t->line, 0,
                           "a line has not as many fields as the first");
    if (*word && strcmp(word, "ok") != 0)
        record.failure = ct_recorded_failure(word);
    else if (!(record.time_ns > 0))
        record.failure = CT_FAILURE_CRASHED;
    if (record.failure != CT_FAILURE_NONE)
        record.time_ns = (double)NAN;
    t->row_count++;
    return status == CT_OK ? ct_recorder_add(t->recorder, values, &record, err) : status;
}

enum ct_status ct_imported_csv(const char *path, struct ct_str *text,
                               struct ct_imported *out, struct ct_err *err)
{
    struct table t = {.path = path, .at = text->data, .line = 1};
    enum ct_status status = ct_recorded_check_text(path, text, err);

    out->origin = "CSV";
    if (status == CT_OK)
        status = read_head(&t, err);
    for (skip_blank_lines(&t); status == CT_OK && *t.at; skip_blank_lines(&t))
        status = read_row(&t, out, err);
    if (status == CT_OK)
        return ct_recorder_finish(t.recorder, &out->recorded, err);
    ct_recorder_free(t.recorder);
    return status;
}
