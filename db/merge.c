// SPDX-License-Identifier: Apache-2.0
// Merges databases: the small tables.  Rows are read through the guarded connection of
// their file and written through ours, whose own checks they must pass.
#include "db/merge.h"

#include "db/adhoc.h"
#include "db/merge_ranks.h"
#include "db/merge_source.h"
#include "db/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- small tables --- */

#define DEVICE_COLUMNS                                                                   \
    "hash, platform_name, platform_version, name, vendor, type, driver_version,"         \
    " opencl_version, compute_units, name_key, vendor_key, architecture_key, limits,"    \
    " first_seen_unix_s"
enum { DEVICE_COLUMN_COUNT = 14 };

#define KERNEL_TEXTS                                                                     \
    "used_unix_s, space_path, parameters, constraints, problem_macros, space_file,"      \
    " space_hash"
enum { KERNEL_TEXT_COUNT = 7 };

#define RUN_COLUMNS                                                                       \
    "objective, direction, strategy, seed, version, started_unix_s, status, space_count," \
    " valid_count, evaluated_count, reused_count, default_value, default_time_ns,"        \
    " baseline_time_ns, ended_unix_s, resolution, playoff_resolution, samples,"           \
    " noise_processes, noise_within, noise_between, drift, race_saved_ns,"                \
    " baseline_all_time_ns, baseline_all_processors, observed"
enum { RUN_COLUMN_COUNT = 26, RUN_OBSERVED = 25, RUN_DEFAULT = 12, RUN_ENDED = 14 };

/* The first column of the row that a bound statement finds; 0: none. */
static int64_t find_row(struct ct_db_use *use)
{
    int64_t id = ct_db_row(use) ? ct_db_int(use, 0) : 0;

    ct_adhoc_again(use);
    return id;
}

/* Steps a statement that gives no rows; the identity of what it inserted. */
static int64_t insert_row(struct ct_db_use *use)
{
    int64_t id;

    while (ct_db_row(use)) {
    }
    id = use->rc == SQLITE_OK ? sqlite3_last_insert_rowid(use->db->sql) : 0;
    ct_adhoc_again(use);
    return id;
}

/* Ends statements; the first failure counts. */
static enum ct_status end_all(struct ct_db_use *const *uses, size_t count,
                              enum ct_status status, struct ct_err *err)
{
    for (size_t i = 0; i < count; i++) {
        enum ct_status own = ct_adhoc_end(uses[i], status == CT_OK ? err : NULL);

        status = status == CT_OK ? own : status;
    }
    return status;
}

static enum ct_status merge_devices(struct ct_merge *m, struct ct_err *err)
{
    struct ct_db_use from =
        ct_adhoc_begin(m->from, "SELECT id, " DEVICE_COLUMNS " FROM device ORDER BY id");
    struct ct_db_use find =
        ct_adhoc_begin(m->to, "SELECT id FROM device WHERE hash = ?1");
    struct ct_db_use add = ct_adhoc_begin(
        m->to, "INSERT INTO device (" DEVICE_COLUMNS
               ") VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)");
    struct ct_db_use seen = ct_adhoc_begin(
        m->to, "UPDATE device SET first_seen_unix_s = min(first_seen_unix_s, ?1)"
               " WHERE id = ?2 AND first_seen_unix_s > ?1");
    struct ct_db_use *const all[] = {&from, &find, &add, &seen};
    const char *pattern = m->selection->device;
    enum ct_status status = CT_OK;

    while (status == CT_OK && ct_db_row(&from)) {
        int64_t id;

        if (pattern &&
            !ct_name_matches(pattern, (const char *)sqlite3_column_text(from.stmt, 4),
                             (const char *)sqlite3_column_text(from.stmt, 5),
                             (const char *)sqlite3_column_text(from.stmt, 6))) {
            status = ct_merge_ids_add(&m->devices, ct_db_int(&from, 0), 0, err);
            continue;
        }
        ct_adhoc_copy(&find, 1, &from, 1);
        id = find_row(&find);
        if (id) {
            ct_adhoc_copy(&seen, 1, &from, DEVICE_COLUMN_COUNT);
            ct_db_bind_int(&seen, 2, id);
            insert_row(&seen);
        } else {
            for (int i = 1; i <= DEVICE_COLUMN_COUNT; i++)
                ct_adhoc_copy(&add, i, &from, i);
            id = insert_row(&add);
            m->done->devices++;
        }
        if (id)
            status = ct_merge_ids_add(&m->devices, ct_db_int(&from, 0), id, err);
        if (find.rc != SQLITE_OK || add.rc != SQLITE_OK || seen.rc != SQLITE_OK)
            break;
    }
    return end_all(all, 4, status, err);
}

/* More than any two times of use differ by: sources of a layer are older than those above it. */
#define LAYER_AGE_S ((int64_t)1 << 40)

/* Binds what is stored of a kernel's space; nothing that names a file, if it is given away. */
static void bind_kernel(struct ct_merge *m, struct ct_db_use *to, struct ct_db_use *from)
{
    for (int i = 0; i < KERNEL_TEXT_COUNT; i++)
        if (m->selection->contribute && (i == 1 || i >= 5))
            ct_db_bind_text(to, i + 1, "");
        else
            ct_adhoc_copy(to, i + 1, from, 3 + i);
    if (m->selection->layer)
        ct_db_bind_int(to, 1, ct_db_int(from, 3) - m->selection->layer * LAYER_AGE_S);
}

static enum ct_status merge_kernels(struct ct_merge *m, struct ct_err *err)
{
    struct ct_db_use from =
        ct_adhoc_begin(m->from, "SELECT id, name, source_hash, " KERNEL_TEXTS
                                " FROM kernel ORDER BY id");
    struct ct_db_use find = ct_adhoc_begin(
        m->to, "SELECT id FROM kernel WHERE name = ?1 AND source_hash = ?2");
    struct ct_db_use add =
        ct_adhoc_begin(m->to, "INSERT INTO kernel (" KERNEL_TEXTS ", name, source_hash)"
                              " VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)");
    /* The parameters that were used last; of equals the greater text, so that order is no matter.  A
     * stranger's file does not say which of the user's files are read. */
    struct ct_db_use change = ct_adhoc_begin(
        m->to, "UPDATE kernel SET used_unix_s = ?1, parameters = ?3, constraints = ?4,"
               " problem_macros = ?5 WHERE id = ?8 AND (used_unix_s, parameters,"
               " constraints, problem_macros) < (?1, ?3, ?4, ?5)");
    struct ct_db_use *const all[] = {&from, &find, &add, &change};
    const char *wanted = m->selection->kernel;
    enum ct_status status = CT_OK;

    while (status == CT_OK && ct_db_row(&from)) {
        int64_t id;

        if (wanted && strcmp(wanted, ct_db_peek(&from, 1)) != 0) {
            status = ct_merge_ids_add(&m->kernels, ct_db_int(&from, 0), 0, err);
            continue;
        }
        ct_adhoc_copy(&find, 1, &from, 1);
        ct_adhoc_copy(&find, 2, &from, 2);
        id = find_row(&find);
        if (id && !m->selection->layer) {
            bind_kernel(m, &change, &from);
            ct_db_bind_int(&change, 8, id);
            insert_row(&change);
        } else if (!id) {
            bind_kernel(m, &add, &from);
            ct_adhoc_copy(&add, 8, &from, 1);
            ct_adhoc_copy(&add, 9, &from, 2);
            id = insert_row(&add);
            m->done->kernels++;
        }
        if (id)
            status = ct_merge_ids_add(&m->kernels, ct_db_int(&from, 0), id, err);
        if (find.rc != SQLITE_OK || add.rc != SQLITE_OK || change.rc != SQLITE_OK)
            break;
    }
    return end_all(all, 4, status, err);
}

static enum ct_status merge_problems(struct ct_merge *m, struct ct_err *err)
{
    struct ct_db_use from =
        ct_adhoc_begin(m->from, "SELECT id, hash, sizes FROM problem ORDER BY id");
    struct ct_db_use find =
        ct_adhoc_begin(m->to, "SELECT id FROM problem WHERE hash = ?1");
    struct ct_db_use add =
        ct_adhoc_begin(m->to, "INSERT INTO problem (hash, sizes) VALUES (?1, ?2)");
    struct ct_db_use *const all[] = {&from, &find, &add};
    enum ct_status status = CT_OK;

    while (status == CT_OK && ct_db_row(&from)) {
        int64_t id;

        const char *sizes = ct_db_peek(&from, 2);
        struct ct_hash hash = ct_hash_bytes(sizes, strlen(sizes));

        if (strcmp(hash.text, ct_db_peek(&from, 1)) != 0) {
            status =
                ct_err_set(err, CT_E_DB,
                           "%s is damaged (problem %lld is not what its hash says) and "
                           "is not merged",
                           ct_db_path(m->from), (long long)ct_db_int(&from, 0));
            break;
        }
        ct_adhoc_copy(&find, 1, &from, 1);
        id = find_row(&find);
        if (!id) {
            ct_adhoc_copy(&add, 1, &from, 1);
            ct_adhoc_copy(&add, 2, &from, 2);
            id = insert_row(&add);
        }
        if (id)
            status = ct_merge_ids_add(&m->problems, ct_db_int(&from, 0), id, err);
        if (find.rc != SQLITE_OK || add.rc != SQLITE_OK)
            break;
    }
    return end_all(all, 3, status, err);
}

/* Binds what is stored of a run; what was observed of the machine is not given away. */
static void bind_run(struct ct_merge *m, struct ct_db_use *to, struct ct_db_use *from)
{
    for (int i = 0; i < RUN_COLUMN_COUNT; i++)
        if (m->selection->contribute && i == RUN_OBSERVED)
            ct_db_bind_text(to, 4 + i, "");
        else
            ct_adhoc_copy(to, 4 + i, from, 4 + i);
}

/* A run is identified by its subject, its search and its start; the row of one that ended, or ended
 * later, counts.  Of two that ended in one second, any, but the same for everybody. */
#define RUN_IS_OLDER                                                                     \
    "SELECT 1 FROM run WHERE id = ?1 AND (coalesce(ended_unix_s, 0),"                    \
    " coalesce(default_time_ns, 0)) < (coalesce(?2, 0), coalesce(?3, 0))"

/* Notes the objective of the next run. */
static enum ct_status note_objective(struct ct_merge *m, struct ct_db_use *from,
                                     struct ct_err *err)
{
    struct ct_merge_objectives *all = &m->objectives;

    if (!ct_mem_grow(&all->of_runs, &all->run_capacity, m->runs.count + 1,
                     sizeof(*all->of_runs)))
        return ct_err_nomem(err);
    return ct_merge_objective(all, ct_db_peek(from, 4), ct_db_peek(from, 5),
                              &all->of_runs[m->runs.count], err);
}

/* The stored run that has the same subject, search and start; 0: none. */
static int64_t find_run(struct ct_db_use *find, const int64_t of[3],
                        struct ct_db_use *from)
{
    for (int i = 0; i < 3; i++)
        ct_db_bind_int(find, i + 1, of[i]);
    for (int i = 0; i < 6; i++)
        ct_adhoc_copy(find, 4 + i, from, 4 + i);
    return find_row(find);
}

static enum ct_status merge_runs(struct ct_merge *m, struct ct_err *err)
{
    struct ct_db_use from = ct_adhoc_begin(
        m->from, "SELECT id, kernel_id, problem_id, device_id, " RUN_COLUMNS
                 " FROM run ORDER BY id");
    struct ct_db_use find = ct_adhoc_begin(
        m->to,
        "SELECT id FROM run WHERE kernel_id = ?1 AND problem_id = ?2 AND device_id = ?3"
        " AND objective = ?4 AND direction = ?5 AND strategy = ?6 AND seed = ?7"
        " AND version = ?8 AND started_unix_s = ?9");
    struct ct_db_use add = ct_adhoc_begin(
        m->to,
        "INSERT INTO run (kernel_id, problem_id, device_id, " RUN_COLUMNS ") VALUES"
        " (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,"
        "?21,?22,?23,?24,?25,?26,?27,?28,?29)");
    struct ct_db_use older = ct_adhoc_begin(m->to, RUN_IS_OLDER);
    struct ct_db_use change = ct_adhoc_begin(
        m->to,
        "UPDATE run SET (" RUN_COLUMNS ") = (?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,"
        "?15,?16,?17,?18,?19,?20,?21,?22,?23,?24,?25,?26,?27,?28,?29) WHERE id = ?1");
    struct ct_db_use *const all[] = {&from, &find, &add, &older, &change};
    enum ct_status status = CT_OK;

    while (status == CT_OK && ct_db_row(&from) &&
           (status = note_objective(m, &from, err)) == CT_OK) {
        const int64_t of[] = {ct_merge_id_of(&m->kernels, ct_db_int(&from, 1)),
                              ct_merge_id_of(&m->problems, ct_db_int(&from, 2)),
                              ct_merge_id_of(&m->devices, ct_db_int(&from, 3))};
        struct ct_db_use *put = &add;
        int64_t id;

        if (!of[0] || !of[1] || !of[2]) {
            status = ct_merge_ids_add(&m->runs, ct_db_int(&from, 0), 0, err);
            continue;
        }
        id = find_run(&find, of, &from);
        if (id) {
            ct_db_bind_int(&older, 1, id);
            ct_adhoc_copy(&older, 2, &from, 4 + RUN_ENDED);
            ct_adhoc_copy(&older, 3, &from, 4 + RUN_DEFAULT);
            put = find_row(&older) ? &change : NULL;
        }
        for (int i = 0; put && i < 3; i++)
            ct_db_bind_int(put, i + 1, put == &change ? id : of[i]);
        if (put)
            bind_run(m, put, &from);
        if (put == &add)
            id = insert_row(put);
        else if (put)
            insert_row(put);
        m->done->runs += put == &add;
        if (id)
            status = ct_merge_ids_add(&m->runs, ct_db_int(&from, 0), id, err);
        if (find.rc != SQLITE_OK || add.rc != SQLITE_OK || change.rc != SQLITE_OK)
            break;
    }
    return end_all(all, 5, status, err);
}

/* Baselines and ceilings: the one that was measured last; of equals the smaller value. */
static enum ct_status merge_references(struct ct_merge *m, struct ct_err *err)
{
    struct ct_db_use from = ct_adhoc_begin(
        m->from,
        "SELECT kernel_id, problem_id, host_cpu, function, time_ns, low_ns, high_ns,"
        " measured_unix_s, processors, all_time_ns, all_low_ns, all_high_ns"
        " FROM baseline");
    struct ct_db_use put = ct_adhoc_begin(
        m->to, "INSERT INTO baseline (kernel_id, problem_id, host_cpu, function, time_ns,"
               " low_ns, high_ns, measured_unix_s, processors, all_time_ns, all_low_ns,"
               " all_high_ns) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)"
               " ON CONFLICT DO UPDATE SET function = ?4, time_ns = ?5, low_ns = ?6,"
               " high_ns = ?7, measured_unix_s = ?8, processors = ?9, all_time_ns = ?10,"
               " all_low_ns = ?11, all_high_ns = ?12"
               " WHERE (measured_unix_s, -time_ns, function) < (?8, -?5, ?4)");
    struct ct_db_use ceilings = ct_adhoc_begin(
        m->from, "SELECT device_id, name, unit, value, low, high, measured_unix_s"
                 " FROM ceiling");
    struct ct_db_use put_ceiling = ct_adhoc_begin(
        m->to, "INSERT INTO ceiling (device_id, name, unit, value, low, high,"
               " measured_unix_s) VALUES (?1,?2,?3,?4,?5,?6,?7) ON CONFLICT DO UPDATE SET"
               " unit = ?3, value = ?4, low = ?5, high = ?6, measured_unix_s = ?7"
               " WHERE (measured_unix_s, value) < (?7, ?4)");
    struct ct_db_use *const all[] = {&from, &put, &ceilings, &put_ceiling};

    while (!m->selection->contribute && put.rc == SQLITE_OK && ct_db_row(&from)) {
        int64_t kernel = ct_merge_id_of(&m->kernels, ct_db_int(&from, 0));
        int64_t problem = ct_merge_id_of(&m->problems, ct_db_int(&from, 1));

        if (!kernel || !problem)
            continue;
        ct_db_bind_int(&put, 1, kernel);
        ct_db_bind_int(&put, 2, problem);
        for (int i = 2; i < 12; i++)
            ct_adhoc_copy(&put, i + 1, &from, i);
        insert_row(&put);
    }
    while (put_ceiling.rc == SQLITE_OK && ct_db_row(&ceilings)) {
        int64_t device = ct_merge_id_of(&m->devices, ct_db_int(&ceilings, 0));

        if (!device)
            continue;
        ct_db_bind_int(&put_ceiling, 1, device);
        for (int i = 1; i < 7; i++)
            ct_adhoc_copy(&put_ceiling, i + 1, &ceilings, i);
        insert_row(&put_ceiling);
    }
    return end_all(all, 4, CT_OK, err);
}

/* --- one file --- */

static void release(struct ct_merge *m)
{
    free(m->devices.items);
    free(m->kernels.items);
    free(m->problems.items);
    free(m->runs.items);
    free(m->leaders.items);
    free(m->rows);
    free(m->subjects);
    free(m->ordered_subjects);
    ct_merge_objectives_release(&m->objectives);
}

static enum ct_status merge_steps(struct ct_merge *m, struct ct_err *err)
{
    static enum ct_status (*const steps[])(struct ct_merge *, struct ct_err *) = {
        merge_devices,    merge_kernels,         merge_problems,   merge_runs,
        merge_references, ct_merge_find_leaders, ct_merge_results, ct_merge_scores,
    };
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && status == CT_OK; i++)
        status = steps[i](m, err);
    return status;
}

/* Copies from an open database, in a transaction that reads, by a copy of `how`, which has no source yet. */
static enum ct_status merge_from(const struct ct_merge *how, struct ct_db *from,
                                 struct ct_err *err)
{
    struct ct_merge m = *how;
    struct ct_err own = CT_ERR_INIT;
    enum ct_status status;

    m.from = from;
    status = merge_steps(&m, &own);
    if (own.code == CT_E_INTERNAL)
        status = ct_merge_refuse(ct_db_path(from), own.message, err);
    else if (own.code && err)
        *err = own;
    release(&m);
    return status;
}

/* Copies from all files, of which the next one is checked meanwhile. */
static enum ct_status merge_files(const struct ct_merge *how, const char *const *paths,
                                  size_t count, struct ct_err *err)
{
    struct ct_merge_source sources[2] = {{0}, {0}};
    enum ct_status status = CT_OK;

    if (count)
        ct_merge_source_begin(&sources[0], paths[0], ct_db_path(how->to));
    for (size_t i = 0; i < count && status == CT_OK; i++) {
        struct ct_merge_source *source = &sources[i % 2];

        status = ct_merge_source_wait(source, err);
        if (status == CT_OK && i + 1 < count)
            ct_merge_source_begin(&sources[(i + 1) % 2], paths[i + 1],
                                  ct_db_path(how->to));
        if (status == CT_OK)
            status = merge_from(how, source->db, err);
        ct_merge_source_end(source);
    }
    ct_merge_source_end(&sources[0]);
    ct_merge_source_end(&sources[1]);
    return status;
}

/* Ends the group that a merge is. */
static enum ct_status end_group(struct ct_db *db, enum ct_status status,
                                struct ct_err *err)
{
    if (status == CT_OK)
        status = ct_db_commit(db, err);
    else
        ct_db_rollback(db);
    db->guard.unlimited = false;
    sqlite3_exec(db->sql, "PRAGMA foreign_keys = ON", NULL, NULL, NULL);
    return status;
}

enum ct_status ct_db_merge_layer(struct ct_db *db, struct ct_db *from,
                                 const struct ct_db_selection *selection,
                                 struct ct_err *err)
{
    struct ct_db_merged ignored = {0};
    const struct ct_merge how = {.to = db, .selection = selection, .done = &ignored};
    enum ct_status status = ct_db_begin(db, err);

    if (status != CT_OK)
        return status;
    db->guard.unlimited = true;
    status = ct_merge_source_read(from, err);
    if (status == CT_OK) {
        status = merge_from(&how, from, err);
        ct_db_read_end(from);
    }
    return end_group(db, status, err);
}

static enum ct_status has_results(struct ct_db *db, bool *has, struct ct_err *err)
{
    struct ct_db_use use = ct_adhoc_begin(db, "SELECT 1 FROM result LIMIT 1");

    *has = ct_db_row(&use);
    return ct_adhoc_end(&use, err);
}

enum ct_status ct_db_merge(struct ct_db *db, const char *const *paths, size_t count,
                           const struct ct_db_selection *selection,
                           struct ct_db_merged *out, struct ct_err *err)
{
    static const struct ct_db_selection everything = {0};
    struct ct_map seen = {0};
    struct ct_map configurations = {0};
    struct ct_merge_later later = {0};
    struct ct_merge how = {.to = db,
                           .later = &later,
                           .selection = selection ? selection : &everything,
                           .checked = true,
                           .done = out};
    enum ct_status status;
    bool had = true;

    *out = (struct ct_db_merged){0};
    db->guard.unlimited = true;
    /* All references that are written were looked up in the source, and lead to rows that were found or
     * written here: SQLite would look for each once more. */
    sqlite3_exec(db->sql, "PRAGMA cache_size = -200000; PRAGMA foreign_keys = OFF", NULL,
                 NULL, NULL);
    status = ct_db_begin(db, err);
    if (status != CT_OK) {
        db->guard.unlimited = false;
        sqlite3_exec(db->sql, "PRAGMA foreign_keys = ON", NULL, NULL, NULL);
        return status;
    }
    status = has_results(db, &had, err);
    how.seen = had ? NULL : &seen;
    how.configurations = had ? NULL : &configurations;
    if (status == CT_OK && !had)
        status = ct_merge_index_drop(&later, db, err);
    if (status == CT_OK)
        status = merge_files(&how, paths, count, err);
    if (status == CT_OK)
        status = ct_merge_index_make(&later, db, err);
    ct_merge_index_release(&later);
    ct_map_release(&seen);
    ct_map_release(&configurations);
    return end_group(db, status, err);
}
