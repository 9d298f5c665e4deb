// SPDX-License-Identifier: Apache-2.0
// The text form of the bests, for programs that read them without SQLite.
#include "report/db.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 64 bits of FNV-1a, which a reader computes in three lines. */
static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = 14695981039346656037u;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return hash;
}

/* Tabs and line ends are the format's own, and in words blanks and equals signs, too. */
static void put_escaped(struct ct_str *out, const char *text, bool word)
{
    for (; *text; text++)
        switch (*text) {
        case ' ':
            ct_str_puts(out, word ? "\\s" : " ");
            break;
        case '=':
            ct_str_puts(out, word ? "\\e" : "=");
            break;
        case '\t':
            ct_str_puts(out, "\\t");
            break;
        case '\n':
            ct_str_puts(out, "\\n");
            break;
        case '\r':
            ct_str_puts(out, "\\r");
            break;
        case '\\':
            ct_str_puts(out, "\\\\");
            break;
        default:
            ct_str_putc(out, *text);
        }
}

static void put_field(struct ct_str *out, const char *text)
{
    put_escaped(out, text, false);
    ct_str_putc(out, '\t');
}

/* NAME=VALUE with blanks between, escaped once. */
static void put_values(struct ct_str *out, const cltunedb_value *values, size_t count)
{
    struct ct_str text;

    ct_str_init(&text);
    for (size_t i = 0; i < count; i++) {
        ct_str_reset(&text);
        ct_value_print(&text, values[i].kind == CLTUNEDB_INT ? ct_value_int(values[i].i)
                              : values[i].kind == CLTUNEDB_REAL
                                  ? ct_value_real(values[i].r)
                                  : ct_value_text(values[i].s));
        ct_str_puts(out, i ? " " : "");
        put_escaped(out, values[i].name, true);
        ct_str_putc(out, '=');
        put_escaped(out, text.data, true);
    }
    ct_str_putc(out, '\t');
    out->failed |= text.failed;
    ct_str_release(&text);
}

/* A line, with its hash: who it is for, then what is best there. */
static void put_line(struct ct_str *out, const char *level, const char *device,
                     const char *vendor, const char *type, const char *driver,
                     const cltunedb_answer *a)
{
    size_t first = out->length;

    put_field(out, level);
    put_field(out, a->kernel);
    put_field(out, device);
    put_field(out, vendor);
    put_field(out, type);
    put_field(out, driver);
    put_values(out, a->problem, a->problem_count);
    put_field(out, a->objective);
    ct_str_addf(out, "%.17g\t", isfinite(a->time_ns) ? a->time_ns : 0);
    put_values(out, a->configuration, a->configuration_count);
    put_field(out, a->flags);
    /* What follows from the problem is for this one alone. */
    put_field(out, a->problem_macros_json && strcmp(a->problem_macros_json, "{}") == 0
                       ? "any"
                       : "this");
    ct_str_addf(out, "%016" PRIx64 "\n", hash_of(out->data + first, out->length - first));
}

/* The answers of the group that a query describes, as lines of its level. */
static enum ct_status put_group(cltunedb *db, const cltunedb_answer *like,
                                const char *level, struct ct_str *out, struct ct_err *err)
{
    const cltunedb_evidence wanted = strcmp(level, "vendor") == 0 ? CLTUNEDB_SAME_VENDOR
                                     : strcmp(level, "type") == 0 ? CLTUNEDB_SAME_TYPE
                                                                  : CLTUNEDB_ANY_DEVICE;
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    char message[CLTUNEDB_MESSAGE_BYTES];
    const char *vendor = strcmp(level, "vendor") == 0 ? like->device_vendor : "";
    const char *type = strcmp(level, "any") != 0 ? like->device_type : "";
    cltunedb_answers *answers = NULL;
    cltunedb_status found;

    query.kernel = like->kernel;
    query.device_name = "-";
    query.device_vendor = vendor;
    query.device_type = type;
    query.problem = like->problem;
    query.problem_count = like->problem_count;
    query.objective = like->objective;
    found = cltunedb_find(db, &query, &answers, message, sizeof(message));
    if (found == CLTUNEDB_OK && cltunedb_answer_count(answers) == 1 &&
        cltunedb_answer_at(answers, 0)->evidence == wanted &&
        !cltunedb_answer_at(answers, 0)->outdated)
        put_line(out, level, "", vendor, type, "", cltunedb_answer_at(answers, 0));
    cltunedb_free(answers);
    return found == CLTUNEDB_OK || found == CLTUNEDB_E_NOT_FOUND
               ? CT_OK
               : ct_err_set(err, CT_E_DB, "%s", message);
}

static bool is_same(const cltunedb_answer *a, const cltunedb_answer *b, const char *level)
{
    return strcmp(a->kernel, b->kernel) == 0 &&
           strcmp(a->problem_json, b->problem_json) == 0 &&
           strcmp(a->objective, b->objective) == 0 &&
           (strcmp(level, "any") == 0 || strcmp(a->device_type, b->device_type) == 0) &&
           (strcmp(level, "vendor") != 0 ||
            strcmp(a->device_vendor, b->device_vendor) == 0);
}

/* A line for each group that the answers belong to. */
static enum ct_status put_groups(cltunedb *db, const cltunedb_answers *answers,
                                 const char *level, struct ct_str *out,
                                 struct ct_err *err)
{
    size_t count = cltunedb_answer_count(answers);
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < count && status == CT_OK; i++) {
        bool seen = false;

        for (size_t k = 0; k < i && !seen; k++)
            seen = is_same(cltunedb_answer_at(answers, k), cltunedb_answer_at(answers, i),
                           level);
        if (!seen)
            status = put_group(db, cltunedb_answer_at(answers, i), level, out, err);
    }
    return status;
}

enum ct_status ct_report_db_text(const char *path, const cltunedb_query *query,
                                 struct ct_str *out, struct ct_err *err)
{
    static const char *const levels[] = {"vendor", "type", "any"};
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    cltunedb_answers *answers = NULL;
    cltunedb *db = NULL;
    cltunedb_status found = cltunedb_open(path, &db, message, sizeof(message));
    enum ct_status status = CT_OK;
    size_t lines = 0; /* those of the head and the end are not counted */

    if (found == CLTUNEDB_OK)
        found = cltunedb_find(db, query, &answers, message, sizeof(message));
    if (found != CLTUNEDB_OK)
        status = ct_err_set(err, found == CLTUNEDB_E_NOT_FOUND ? CT_E_NOT_FOUND : CT_E_DB,
                            "%s", message);
    ct_str_puts(out, "cltunedb-text 1\n");
    for (size_t i = 0; i < cltunedb_answer_count(answers); i++) {
        const cltunedb_answer *a = cltunedb_answer_at(answers, i);

        if (a->outdated)
            continue;
        put_line(out, "device", a->device_name, a->device_vendor, a->device_type,
                 a->driver_version, a);
    }
    for (size_t i = 0; i < 3 && status == CT_OK; i++)
        status = put_groups(db, answers, levels[i], out, err);
    for (const char *at = out->data; (at = strchr(at, '\n')); at++)
        lines++;
    ct_str_addf(out, "end\t%zu\t%016" PRIx64 "\n", lines - 1,
                hash_of(out->data, out->length));
    cltunedb_free(answers);
    cltunedb_close(db);
    if (status == CT_OK && out->failed)
        status = ct_err_nomem(err);
    return status;
}
