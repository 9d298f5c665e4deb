// SPDX-License-Identifier: Apache-2.0
// Recorded spaces from files: tab-separated values here, JSON in recorded_json.c.
#include "replay/recorded_read.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#include <zlib.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Why a file cannot be read to its end. */
static enum ct_status fail_reading(gzFile file, const char *path, bool too_large,
                                   struct ct_err *err)
{
    char why_not[CT_FILE_WHY_SIZE];
    int code;
    const char *why = gzerror(file, &code);
    const char *reason = strstr(why, ": "); /* behind "<fd:4>" */
    int error = too_large ? CT_FILE_TOO_LARGE : code == Z_ERRNO ? errno : 0;

    if (code == Z_MEM_ERROR)
        return ct_err_nomem(err);
    if (error)
        return ct_err_set(err, ct_file_status(error), "cannot read %s: %s", path,
                          ct_file_why(why_not, error, CT_FILE_RECORDED_MAX));
    return ct_err_set(err, CT_E_USAGE, "cannot read %s: %s", path,
                      reason ? reason + 2 : why);
}

/* The whole file, decompressed if necessary. */
static enum ct_status read_file(const char *path, struct ct_str *text, struct ct_err *err)
{
    char why_not[CT_FILE_WHY_SIZE];
    char buffer[1 << 15];
    FILE *packed = NULL;
    gzFile file;
    int got;
    int error = ct_file_open(path, CT_FILE_RECORDED_MAX, &packed, NULL);

    if (error)
        return ct_err_set(err, ct_file_status(error), "cannot open %s: %s", path,
                          ct_file_why(why_not, error, CT_FILE_RECORDED_MAX));
    file = gzdopen(dup(fileno(packed)), "rb");
    fclose(packed);
    if (!file)
        return ct_err_nomem(err);
    while ((got = gzread(file, buffer, sizeof(buffer))) > 0 &&
           text->length < CT_FILE_RECORDED_MAX)
        ct_str_add(text, buffer, (size_t)got);
    if (got != 0) {
        enum ct_status status = fail_reading(file, path, got > 0, err);

        gzclose(file);
        return status;
    }
    /* A truncated compressed file shows only here. */
    if (gzclose(file) != Z_OK)
        return ct_err_set(err, CT_E_USAGE, "cannot read %s: it is truncated", path);
    return text->failed ? ct_err_nomem(err) : CT_OK;
}

/* A whole number, else a real number, else the text itself (borrowed). */
static struct ct_value value_of_text(const char *text)
{
    char *end;
    long long integer;
    double real;

    errno = 0;
    integer = strtoll(text, &end, 10);
    if (*text && !*end && !errno)
        return ct_value_int(integer);
    real = strtod(text, &end);
    if (*text && !*end && isfinite(real))
        return ct_value_real(real);
    return ct_value_text(text);
}

enum ct_status ct_recorded_check_text(const char *path, const struct ct_str *text,
                                      struct ct_err *err)
{
    const char *nul = memchr(text->data, '\0', text->length);
    int line = 1;

    if (!nul)
        return CT_OK;
    for (const char *c = text->data; c < nul; c++)
        line += *c == '\n';
    return ct_err_at(err, CT_E_USAGE, path, line, 0, "a NUL byte: not a text file");
}

/* --- tab-separated values --- */

struct table {
    const char *path;
    int line;
    char **fields; /* of the current line */
    size_t count;
    size_t room;
    size_t columns;
    size_t param_count;
    size_t time_ms;
    size_t status;
    size_t compile_ms;
    size_t bench_ms;
    size_t headroom;
};

enum { NO_COLUMN = 1 << 30 };

/* Splits a line at its tabs, in place; returns where the next line starts. */
static char *cut(struct table *table, char *line, bool *enough)
{
    char *end = line + strcspn(line, "\n");
    char *next = *end ? end + 1 : end;

    table->line++;
    table->count = 0;
    *end = '\0';
    if (end > line && end[-1] == '\r')
        end[-1] = '\0';
    *enough = true;
    for (char *field = line; field; table->count++) {
        if (!ct_mem_grow(&table->fields, &table->room, table->count + 1,
                         sizeof(*table->fields))) {
            *enough = false;
            return next;
        }
        table->fields[table->count] = field;
        field = strchr(field, '\t');
        if (field)
            *field++ = '\0';
    }
    return next;
}

static size_t column_named(const struct table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->fields[i], name) == 0)
            return i;
    return NO_COLUMN;
}

static enum ct_status read_names(struct table *table, const char *name,
                                 struct ct_recorder **recorder, struct ct_err *err)
{
    table->columns = table->count;
    table->time_ms = column_named(table, "time_ms");
    table->status = column_named(table, "status");
    table->compile_ms = column_named(table, "compile_ms");
    table->bench_ms = column_named(table, "bench_ms");
    table->headroom = column_named(table, "headroom");
    table->param_count = table->time_ms;
    if (table->time_ms == NO_COLUMN || !table->time_ms)
        return ct_err_at(err, CT_E_USAGE, table->path, table->line, 0,
                         "no column 'time_ms' after those of the parameters");
    return ct_recorder_new(name, (const char *const *)table->fields, table->param_count,
                           recorder, err);
}

static enum ct_status read_number(const struct table *table, size_t at, double *out,
                                  struct ct_err *err)
{
    char *end;
    const char *text = at == NO_COLUMN ? "" : table->fields[at];

    *out = *text ? strtod(text, &end) : NAN;
    if (*text && (*end || !isfinite(*out * 1e6) || *out < 0))
        return ct_err_at(err, CT_E_USAGE, table->path, table->line, 0,
                         "'%s' is not a number of milliseconds", text);
    return CT_OK;
}

enum ct_failure ct_recorded_failure(const char *status)
{
    static const struct {
        const char *part;
        enum ct_failure failure;
    } kinds[] = {
        {"compil", CT_FAILURE_BUILD},    {"build", CT_FAILURE_BUILD},
        {"invalid", CT_FAILURE_INVALID}, {"constraint", CT_FAILURE_INVALID},
        {"skipped", CT_FAILURE_INVALID}, {"correctness", CT_FAILURE_WRONG},
        {"wrong", CT_FAILURE_WRONG},     {"timeout", CT_FAILURE_TIMEOUT},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (ct_str_contains_nocase(status, kinds[i].part))
            return kinds[i].failure;
    return CT_FAILURE_CRASHED;
}

static enum ct_status read_row(struct table *table, struct ct_recorder *recorder,
                               struct ct_value *values, struct ct_err *err)
{
    struct ct_record record = {0};
    double compile_ms;
    double bench_ms;
    double headroom;
    enum ct_status status;

    if (table->count != table->columns)
        return ct_err_at(err, CT_E_USAGE, table->path, table->line, 0,
                         "%zu fields, but %zu names", table->count, table->columns);
    status = read_number(table, table->time_ms, &record.time_ns, err);
    if (!status)
        status = read_number(table, table->compile_ms, &compile_ms, err);
    if (!status)
        status = read_number(table, table->bench_ms, &bench_ms, err);
    if (!status)
        status = read_number(table, table->headroom, &headroom, err);
    if (status)
        return status;
    record.time_ns *= 1e6;
    record.compile_ns = isnan(compile_ms) ? 0 : compile_ms * 1e6;
    record.bench_ns = isnan(bench_ms) ? 0 : bench_ms * 1e6;
    record.headroom = headroom > 0 ? headroom : 0;
    if (table->status != NO_COLUMN && strcmp(table->fields[table->status], "ok") != 0)
        record.failure = ct_recorded_failure(table->fields[table->status]);
    else if (!(record.time_ns > 0))
        record.failure = CT_FAILURE_CRASHED;
    for (size_t p = 0; p < table->param_count; p++)
        values[p] = value_of_text(table->fields[p]);
    return ct_recorder_add(recorder, values, &record, err);
}

static enum ct_status read_table(struct table *table, char *text, const char *name,
                                 struct ct_recorded **out, struct ct_err *err)
{
    struct ct_recorder *recorder = NULL;
    struct ct_value *values = NULL;
    enum ct_status status = CT_OK;

    while (*text && !status) {
        bool comment = *text == '#';
        bool blank = *text == '\n' || *text == '\r';
        bool enough;

        text = cut(table, text, &enough);
        if (!enough) {
            status = ct_err_nomem(err);
        } else if (comment || blank) {
            continue;
        } else if (!recorder) {
            status = read_names(table, name, &recorder, err);
            if (!status)
                values = ct_mem_array(table->param_count, sizeof(*values));
            if (!status && !values)
                status = ct_err_nomem(err);
        } else if (values) {
            status = read_row(table, recorder, values, err);
        }
    }
    free(values);
    if (!status && !recorder)
        status =
            ct_err_set(err, CT_E_NOT_FOUND, "%s: contains no configuration", table->path);
    if (!status)
        return ct_recorder_finish(recorder, out, err);
    ct_recorder_free(recorder);
    return status;
}

/* The file's name without folder and extensions. */
static char *name_of(const char *path)
{
    static const char *const endings[] = {".gz", ".tsv", ".json"};
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t length = strlen(base);

    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        size_t ending = strlen(endings[i]);

        if (length > ending && memcmp(base + length - ending, endings[i], ending) == 0)
            length -= ending;
    }
    return ct_mem_copy(base, length);
}

enum ct_status ct_recorded_read(const char *path, struct ct_recorded **out,
                                struct ct_err *err)
{
    struct table table = {.path = path};
    char *name = name_of(path);
    struct ct_str text;
    enum ct_status status;

    ct_str_init(&text);
    status = name ? read_file(path, &text, err) : ct_err_nomem(err);
    if (!status && text.data[strspn(text.data, " \t\r\n")] == '{') {
        status = ct_recorded_json(path, name, &text, out, err);
    } else if (!status) {
        status = ct_recorded_check_text(path, &text, err);
        if (!status)
            status = read_table(&table, text.data, name, out, err);
    }
    free(table.fields);
    free(name);
    ct_str_release(&text);
    return status;
}
