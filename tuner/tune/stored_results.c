// SPDX-License-Identifier: Apache-2.0
// Reads stored results and orders them.
#include "tune/stored_results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ct_stored_results_release(struct ct_stored_results *results)
{
    free(results->items);
    ct_arena_release(&results->arena);
    memset(results, 0, sizeof(*results));
}

/* What one pass over a subject collects: a result is read after the pass. */
struct collecting {
    struct ct_stored_results *out;
    const struct ct_db_listed *of;
    const char *const *statuses;
};

static bool is_wanted(const char *const *statuses, const char *status)
{
    for (; statuses && *statuses; statuses++)
        if (strcmp(*statuses, status) == 0)
            return true;
    return !statuses;
}

static enum ct_status collect_result(void *user, const struct ct_db_known *known,
                                     struct ct_err *err)
{
    struct collecting *c = user;
    struct ct_stored_results *out = c->out;

    if (!is_wanted(c->statuses, known->status))
        return CT_OK;
    if (!ct_mem_grow(&out->items, &out->capacity, out->count + 1, sizeof(*out->items)))
        return ct_err_nomem(err);
    out->items[out->count].of = c->of;
    out->items[out->count++].result.experiment = known->experiment;
    return CT_OK;
}

static enum ct_status read_subject(struct ct_db *db, struct collecting *c,
                                   struct ct_err *err)
{
    struct ct_stored_results *out = c->out;
    size_t first = out->count;
    enum ct_status status = ct_db_results_each(db, c->of->device_id, c->of->kernel_id,
                                               c->of->problem_id, collect_result, c, err);

    for (size_t i = first; !status && i < out->count; i++) {
        struct ct_hash experiment = out->items[i].result.experiment;

        status =
            ct_db_result_get_of(db, c->of->device_id, c->of->kernel_id, c->of->problem_id,
                                &experiment, &out->arena, &out->items[i].result, err);
        if (status == CT_E_NOT_FOUND)
            status = ct_err_set(err, CT_E_DB, "a result vanished while it was read");
    }
    return status;
}

/* --- order --- */

static int compare_reals(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static bool is_ok(const struct ct_stored_result *entry)
{
    return strcmp(entry->result.status, "ok") == 0;
}

/* Subjects keep their order: their records are in one array. */
static int compare_subjects(const struct ct_stored_result *a,
                            const struct ct_stored_result *b)
{
    return (a->of > b->of) - (a->of < b->of);
}

static int compare_ages(const struct ct_stored_result *a,
                        const struct ct_stored_result *b)
{
    int order = (a->result.measured_unix_s > b->result.measured_unix_s) -
                (a->result.measured_unix_s < b->result.measured_unix_s);

    return order ? order
                 : (a->result.stored.id > b->result.stored.id) -
                       (a->result.stored.id < b->result.stored.id);
}

static int by_age(const void *left, const void *right)
{
    const struct ct_stored_result *a = left;
    const struct ct_stored_result *b = right;
    int order = compare_subjects(a, b);

    return order ? order : compare_ages(a, b);
}

static int by_time(const void *left, const void *right)
{
    const struct ct_stored_result *a = left;
    const struct ct_stored_result *b = right;
    int order = compare_subjects(a, b);

    if (!order)
        order = is_ok(b) - is_ok(a);
    if (!order)
        order = compare_reals(a->result.time_ns, b->result.time_ns);
    return order ? order : compare_ages(a, b);
}

static int by_status(const void *left, const void *right)
{
    const struct ct_stored_result *a = left;
    const struct ct_stored_result *b = right;
    int order = compare_subjects(a, b);

    if (!order)
        order = strcmp(a->result.status, b->result.status);
    return order ? order : by_time(left, right);
}

static void sort_results(struct ct_stored_results *out, enum ct_stored_order order)
{
    static int (*const compare[])(const void *, const void *) = {
        [CT_STORED_BY_TIME] = by_time,
        [CT_STORED_BY_STATUS] = by_status,
        [CT_STORED_BY_AGE] = by_age,
    };

    if (out->count)
        qsort(out->items, out->count, sizeof(*out->items), compare[order]);
}

enum ct_status ct_stored_results_read(const char *db_path, const cltunedb_query *query,
                                      const char *const *statuses,
                                      enum ct_stored_order order,
                                      struct ct_stored_results *out, struct ct_err *err)
{
    struct ct_db_options reading = {.mode = CT_DB_READ};
    struct ct_db_record *records = NULL;
    struct ct_db *db = NULL;
    size_t count = 0;
    enum ct_status status = ct_db_open(db_path, &reading, &db, err);

    if (!status)
        status = ct_db_records(db, query, &out->arena, &records, &count, err);
    for (size_t i = 0; !status && i < count; i++) {
        struct collecting c = {out, &records[i].of, statuses};

        status = read_subject(db, &c, err);
    }
    ct_db_close(db);
    if (!status && !out->count)
        status = ct_err_set(err, CT_E_NOT_FOUND, "no stored result has this status");
    if (!status)
        sort_results(out, order);
    return status;
}
