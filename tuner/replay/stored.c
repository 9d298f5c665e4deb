// SPDX-License-Identifier: Apache-2.0
// Stored results of a kernel, device and problem as a recorded space: exactly the configurations
// that were evaluated.
#include "replay/stored.h"

#include "base/file.h"
#include "base/mem.h"
#include "db/store.h"
#include "replay/recorded_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a file is a cltune database, by SQLite's header. */
static bool is_db(const char *path)
{
    /* SQLite 3's format: a magic string, and at byte 68 the application's number. */
    static const unsigned char ours[] = {0x63, 0x6c, 0x74, 0x75};
    unsigned char head[72];
    FILE *file;
    bool found;

    if (ct_file_open(path, UINT64_MAX, &file, NULL))
        return false;
    found = fread(head, 1, sizeof(head), file) == sizeof(head) &&
            memcmp(head, "SQLite format 3", 16) == 0 &&
            memcmp(head + 68, ours, sizeof(ours)) == 0;
    fclose(file);
    return found;
}

/* One stored result. */
struct row {
    struct ct_db_value *values;
    size_t count;
    struct ct_record record;
};

struct rows {
    struct ct_arena arena;
    struct row *items;
    size_t count;
    size_t capacity;
};

static enum ct_status add_recorded(void *user, const struct ct_db_known *known,
                                   struct ct_err *err)
{
    struct rows *rows = user;
    bool ok = strcmp(known->status, "ok") == 0;
    struct row *row;

    /* Interrupted: no outcome. */
    if (strcmp(known->status, "interrupted") == 0 || (ok && !(known->time_ns > 0)))
        return CT_OK;
    if (!ct_mem_grow(&rows->items, &rows->capacity, rows->count + 1, sizeof(*row)))
        return ct_err_nomem(err);
    row = &rows->items[rows->count++];
    row->record = (struct ct_record){
        .time_ns = ok ? known->time_ns : NAN,
        .failure = ok ? CT_FAILURE_NONE : ct_recorded_failure(known->status),
        .compile_ns = (double)known->build_ns,
        .bench_ns = (double)(known->first_ns + known->check_ns + known->measure_ns),
    };
    return ct_db_parse(&rows->arena, known->configuration, &row->values, &row->count,
                       err);
}

static bool same_names(const struct row *a, const struct row *b)
{
    bool same = a->count == b->count;

    for (size_t i = 0; i < a->count && same; i++)
        same = strcmp(a->values[i].name, b->values[i].name) == 0;
    return same;
}

/* "gemm@NVIDIA H200 m=512 n=512" */
static enum ct_status put_name(const struct ct_db_record *subject, struct ct_str *out,
                               struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_db_value *values;
    size_t count;
    enum ct_status status =
        ct_db_parse(&arena, subject->of.problem_json, &values, &count, err);

    if (!status) {
        ct_str_addf(out, "%s@%s", subject->of.kernel, subject->of.device_name);
        for (size_t i = 0; i < count; i++) {
            ct_str_addf(out, " %s=", values[i].name);
            ct_value_print(out, values[i].value);
        }
        status = out->failed ? ct_err_nomem(err) : CT_OK;
    }
    ct_arena_release(&arena);
    return status;
}

/* The newest rows determine the parameters, and the result of a configuration that was measured
 * more than once. */
static enum ct_status record(const struct rows *rows, const char *name,
                             struct ct_recorded **out, struct ct_err *err)
{
    const struct row *newest = &rows->items[rows->count - 1];
    const char **names = ct_mem_array(newest->count, sizeof(*names));
    struct ct_value *values = ct_mem_array(newest->count, sizeof(*values));
    struct ct_recorder *recorder = NULL;
    enum ct_status status;

    if (!names || !values) {
        free(names);
        free(values);
        return ct_err_nomem(err);
    }
    for (size_t i = 0; i < newest->count; i++)
        names[i] = newest->values[i].name;
    status = ct_recorder_new(name, names, newest->count, &recorder, err);
    for (size_t r = rows->count; r-- > 0 && !status;) {
        const struct row *row = &rows->items[r];

        if (!same_names(row, newest))
            continue;
        for (size_t i = 0; i < row->count; i++)
            values[i] = row->values[i].value;
        status = ct_recorder_add(recorder, values, &row->record, err);
    }
    free(names);
    free(values);
    if (!status)
        return ct_recorder_finish(recorder, out, err);
    ct_recorder_free(recorder);
    return status;
}

/* Adds the space of one subject, if it has enough results. */
static enum ct_status add_subject(struct ct_db *db, const struct ct_db_record *subject,
                                  struct ct_recorded_list *list, struct ct_err *err)
{
    struct rows rows = {0};
    struct ct_recorded *recorded = NULL;
    struct ct_str name;
    size_t worked = 0;
    enum ct_status status =
        ct_db_results_each(db, subject->of.device_id, subject->of.kernel_id,
                           subject->of.problem_id, add_recorded, &rows, err);

    ct_str_init(&name);
    for (size_t i = 0; i < rows.count; i++)
        worked += rows.items[i].record.failure == CT_FAILURE_NONE;
    if (!status && rows.count >= CT_REPLAY_DB_LEAST && worked) {
        status = put_name(subject, &name, err);
        if (!status)
            status = record(&rows, name.data, &recorded, err);
        if (!status)
            recorded->stored = true;
        if (!status && !ct_mem_grow(&list->items, &list->capacity, list->count + 1,
                                    sizeof(struct ct_recorded *))) {
            ct_recorded_free(recorded);
            status = ct_err_nomem(err);
        }
        if (!status)
            list->items[list->count++] = recorded;
    }
    ct_str_release(&name);
    ct_arena_release(&rows.arena);
    free(rows.items);
    return status;
}

/* Adds a space for each kernel, device and problem with enough results. */
static enum ct_status read_db(const char *path, struct ct_recorded_list *list,
                              struct ct_err *err)
{
    const struct ct_db_options options = {.mode = CT_DB_READ};
    const cltunedb_query all = CLTUNEDB_QUERY_INIT;
    struct ct_arena arena = {0};
    struct ct_db_record *listed;
    struct ct_db *db;
    size_t before = list->count;
    size_t count = 0;
    enum ct_status status = ct_db_open(path, &options, &db, err);

    if (status)
        return status;
    status = ct_db_records(db, &all, &arena, &listed, &count, err);
    for (size_t i = 0; i < count && !status; i++)
        status = add_subject(db, &listed[i], list, err);
    if (!status && list->count == before)
        status = ct_err_set(err, CT_E_NOT_FOUND,
                            "%s: no kernel has %d results for one device and problem, so "
                            "there is nothing to replay",
                            path, CT_REPLAY_DB_LEAST);
    ct_arena_release(&arena);
    ct_db_close(db);
    return status;
}

enum ct_status ct_recorded_list_add(struct ct_recorded_list *list, const char *path,
                                    struct ct_err *err)
{
    struct ct_recorded *one = NULL;
    enum ct_status status;

    if (is_db(path)) {
        list->database = true;
        return read_db(path, list, err);
    }
    status = ct_recorded_read(path, &one, err);
    if (!status && !ct_mem_grow(&list->items, &list->capacity, list->count + 1,
                                sizeof(struct ct_recorded *))) {
        ct_recorded_free(one);
        status = ct_err_nomem(err);
    }
    if (!status)
        list->items[list->count++] = one;
    return status;
}

void ct_recorded_list_release(struct ct_recorded_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        ct_recorded_free(list->items[i]);
    free(list->items);
    memset(list, 0, sizeof(*list));
}
