// SPDX-License-Identifier: Apache-2.0
// Checks a database, and repairs what follows from its tables: indices and bests.
#include "db/maintain.h"

#include "db/adhoc.h"
#include "db/merge.h"
#include "db/merge_ranks.h"

#include <stdlib.h>
#include <string.h>

static void add_fault(struct ct_db_faults *faults, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_fault(struct ct_db_faults *faults, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    ct_str_vaddf(&faults->text, format, args);
    va_end(args);
    ct_str_putc(&faults->text, '\n');
    faults->count++;
}

static enum ct_status check_pages(struct ct_db *db, struct ct_db_faults *faults,
                                  struct ct_err *err)
{
    struct ct_db_use use = ct_adhoc_begin(db, "PRAGMA integrity_check(20)");

    while (ct_db_row(&use))
        if (strcmp(ct_db_peek(&use, 0), "ok") != 0)
            add_fault(faults, "%.200s", ct_db_peek(&use, 0));
    return ct_adhoc_end(&use, err);
}

static enum ct_status check_references(struct ct_db *db, struct ct_db_faults *faults,
                                       struct ct_err *err)
{
    struct ct_db_use use = ct_adhoc_begin(db, "PRAGMA foreign_key_check");
    int shown = 0;

    while (ct_db_row(&use) && shown++ < 20)
        add_fault(faults, "row %lld of %.60s refers to a row of %.60s that is missing",
                  (long long)ct_db_int(&use, 1), ct_db_peek(&use, 0),
                  ct_db_peek(&use, 2));
    return ct_adhoc_end(&use, err);
}

static enum ct_status check_ranks(struct ct_db *db, struct ct_db_faults *faults,
                                  struct ct_err *err)
{
    struct ct_db_use use = ct_adhoc_begin(db, ct_merge_odd_ranks);

    while (ct_db_row(&use))
        add_fault(faults, "result %lld competes with %g, but its value is %g",
                  (long long)ct_db_int(&use, 0), ct_db_real(&use, 1),
                  ct_db_real(&use, 2));
    return ct_adhoc_end(&use, err);
}

/* Subjects whose best is not the first of their scores: appended to `subjects`. */
static enum ct_status check_bests(struct ct_db *db, struct ct_merge_subject **subjects,
                                  size_t *count, struct ct_err *err)
{
    struct ct_db_use use = ct_adhoc_begin(
        db,
        "SELECT device_id, kernel_id, problem_id FROM (SELECT device_id, kernel_id,"
        " problem_id, objective, direction, CASE WHEN min(standing) = 0 THEN"
        " min(CASE WHEN standing = 0 THEN rank END) ELSE min(rank) END AS least FROM score"
        " GROUP BY 1, 2, 3, 4, 5) AS s LEFT JOIN best USING (device_id, kernel_id,"
        " problem_id, objective, direction) WHERE best.value IS NULL OR"
        " best.value <> CASE direction WHEN 'maximize' THEN -least ELSE least END"
        " UNION SELECT device_id, kernel_id, problem_id FROM best WHERE NOT EXISTS"
        " (SELECT 1 FROM score WHERE score.result_id = best.result_id AND"
        " score.device_id = best.device_id AND score.kernel_id = best.kernel_id AND"
        " score.problem_id = best.problem_id AND score.objective = best.objective AND"
        " score.direction = best.direction)");
    size_t capacity = 0;

    while (ct_db_row(&use)) {
        if (!ct_mem_grow(subjects, &capacity, *count + 1, sizeof(**subjects))) {
            use.rc = SQLITE_NOMEM;
            break;
        }
        (*subjects)[(*count)++] =
            (struct ct_merge_subject){.device_id = ct_db_int(&use, 0),
                                      .kernel_id = ct_db_int(&use, 1),
                                      .problem_id = ct_db_int(&use, 2)};
    }
    return ct_adhoc_end(&use, err);
}

static enum ct_status check_all(struct ct_db *db, struct ct_db_faults *faults,
                                struct ct_merge_subject **subjects, size_t *count,
                                struct ct_err *err)
{
    enum ct_status status = check_pages(db, faults, err);

    if (status == CT_OK)
        status = check_references(db, faults, err);
    if (status == CT_OK)
        status = check_ranks(db, faults, err);
    if (status == CT_OK)
        status = check_bests(db, subjects, count, err);
    for (size_t i = 0; i < *count && i < 20; i++)
        add_fault(
            faults,
            "the best of kernel %lld, device %lld, problem %lld is not the first of its "
            "scores",
            (long long)(*subjects)[i].kernel_id, (long long)(*subjects)[i].device_id,
            (long long)(*subjects)[i].problem_id);
    return status;
}

/* Makes indices anew and finds the bests again, then checks once more; kept if that helped. */
static enum ct_status repair(struct ct_db *db, struct ct_db_faults *faults,
                             struct ct_err *err)
{
    struct ct_merge_subject *subjects = NULL;
    size_t count = 0;
    size_t before = faults->count;
    enum ct_status status = ct_db_begin(db, err);

    if (status != CT_OK)
        return status;
    status = ct_adhoc_run(db, "REINDEX", err);
    if (status == CT_OK)
        status = check_bests(db, &subjects, &count, err);
    if (status == CT_OK)
        status = ct_merge_settle(db, subjects, count, err);
    free(subjects);
    if (status != CT_OK) {
        ct_db_rollback(db);
        return status;
    }
    status = ct_db_commit(db, err);
    subjects = NULL;
    count = 0;
    ct_str_reset(&faults->text);
    faults->count = 0;
    if (status == CT_OK)
        status = check_all(db, faults, &subjects, &count, err);
    free(subjects);
    faults->repaired = before > faults->count ? before - faults->count : 0;
    return status;
}

enum ct_status ct_db_check(struct ct_db *db, bool repairing, struct ct_db_faults *out,
                           struct ct_err *err)
{
    struct ct_merge_subject *subjects = NULL;
    size_t count = 0;
    enum ct_status status;

    db->guard.unlimited = db->mode == CT_DB_WRITE;
    status = check_all(db, out, &subjects, &count, err);
    free(subjects);
    if (status == CT_OK && repairing && out->count)
        status = repair(db, out, err);
    db->guard.unlimited = false;
    if (status == CT_OK && out->text.failed)
        status = ct_err_nomem(err);
    return status;
}
