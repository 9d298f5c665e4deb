// SPDX-License-Identifier: Apache-2.0
// What a database contains, and what is removed from it.
#include "db/maintain.h"

#include "db/adhoc.h"
#include "db/names.h"

#include <string.h>
#include <sys/stat.h>

/* --- contents --- */

static uint64_t bytes_of(const char *path, const char *end)
{
    struct ct_str name;
    struct stat info;
    uint64_t bytes = 0;

    ct_str_init(&name);
    ct_str_addf(&name, "%s%s", path, end);
    if (!name.failed && stat(name.data, &info) == 0 && info.st_size > 0)
        bytes = (uint64_t)info.st_size;
    ct_str_release(&name);
    return bytes;
}

static enum ct_status count_rows(struct ct_db *db, const char *sql, uint64_t *out,
                                 struct ct_err *err)
{
    struct ct_db_use use = ct_adhoc_begin(db, sql);

    if (ct_db_row(&use))
        *out = (uint64_t)ct_db_int(&use, 0);
    return ct_adhoc_end(&use, err);
}

enum ct_status ct_db_contents_count(struct ct_db *db, struct ct_db_contents *out,
                                    struct ct_err *err)
{
    uint64_t schema = 0;
    uint64_t first = 0;
    uint64_t last = 0;
    const struct {
        const char *sql;
        uint64_t *out;
    } counts[] = {
        {"PRAGMA user_version", &schema},
        {"SELECT count(*) FROM device", &out->devices},
        {"SELECT count(*) FROM kernel", &out->kernels},
        {"SELECT count(*) FROM problem", &out->problems},
        {"SELECT count(*) FROM run", &out->runs},
        {"SELECT count(*) FROM result", &out->results},
        {"SELECT count(*) FROM result WHERE status = 'ok'", &out->ok},
        {"SELECT count(*) FROM best", &out->bests},
        {"SELECT count(*) FROM result JOIN run ON run.id = run_id"
         " WHERE strategy = 'import'",
         &out->imported},
        {"SELECT coalesce(min(measured_unix_s), 0) FROM result", &first},
        {"SELECT coalesce(max(measured_unix_s), 0) FROM result", &last},
    };
    enum ct_status status = CT_OK;

    *out = (struct ct_db_contents){0};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]) && status == CT_OK; i++)
        status = count_rows(db, counts[i].sql, counts[i].out, err);
    out->schema = (int)schema;
    out->first_unix_s = (int64_t)first;
    out->last_unix_s = (int64_t)last;
    out->file_bytes = bytes_of(ct_db_path(db), "") + bytes_of(ct_db_path(db), "-wal");
    return status;
}

enum ct_status ct_db_contents_read(struct ct_db *db, struct ct_db_contents *out,
                                   struct ct_err *err)
{
    enum ct_status status = ct_db_read_begin(db, err);

    if (status != CT_OK)
        return status;
    status = ct_db_contents_count(db, out, err);
    ct_db_read_end(db);
    return status;
}

enum ct_status ct_db_drop_empty_imports(struct ct_db *db, struct ct_err *err)
{
    return ct_adhoc_run(db,
                        "DELETE FROM run WHERE strategy = 'import' AND NOT EXISTS"
                        " (SELECT 1 FROM result WHERE run_id = run.id)",
                        err);
}

/* --- removing --- */

/* The devices and kernels that fit, as lists of identities: "1,2,3". */
struct fitting_ids {
    struct ct_str devices;
    struct ct_str kernels;
};

static void add_id(struct ct_str *list, int64_t id)
{
    ct_str_addf(list, "%s%lld", list->length ? "," : "", (long long)id);
}

static enum ct_status find_devices(struct ct_db *db, const struct ct_db_pruning *p,
                                   struct fitting_ids *out, struct ct_err *err)
{
    struct ct_db_use use =
        ct_adhoc_begin(db, "SELECT id, name, vendor, type FROM device ORDER BY id");

    while (ct_db_row(&use))
        if (!p->device || ct_name_matches(p->device, ct_db_peek(&use, 1),
                                          ct_db_peek(&use, 2), ct_db_peek(&use, 3)))
            add_id(&out->devices, ct_db_int(&use, 0));
    return ct_adhoc_end(&use, err);
}

static enum ct_status find_kernels(struct ct_db *db, const struct ct_db_pruning *p,
                                   struct fitting_ids *out, struct ct_err *err)
{
    struct ct_db_use use = ct_adhoc_begin(
        db, "SELECT id, name, row_number() OVER (PARTITION BY name ORDER BY"
            " used_unix_s DESC, source_hash DESC) FROM kernel ORDER BY id");
    bool found = false;
    enum ct_status status;

    while (ct_db_row(&use)) {
        if (p->kernel && strcmp(p->kernel, ct_db_peek(&use, 1)) != 0)
            continue;
        found = true;
        if (!p->outdated || ct_db_int(&use, 2) > 1)
            add_id(&out->kernels, ct_db_int(&use, 0));
    }
    status = ct_adhoc_end(&use, err);
    if (status == CT_OK && p->kernel && !found)
        status = ct_err_set(err, CT_E_NOT_FOUND, "%s has no kernel %s", ct_db_path(db),
                            p->kernel);
    return status;
}

#define SPARED                                                                           \
    "(id IN (SELECT result_id FROM best) OR id IN"                                       \
    " (SELECT result_id FROM score WHERE standing IS NOT NULL))"

static enum ct_status run_on_fitting(struct ct_db *db, const char *begin,
                                     const struct fitting_ids *fit,
                                     const struct ct_db_pruning *p, const char *end,
                                     uint64_t *count, struct ct_err *err)
{
    struct ct_str sql;
    struct ct_db_use use;
    enum ct_status status;

    ct_str_init(&sql);
    ct_str_addf(&sql, "%s FROM result WHERE device_id IN (%s) AND kernel_id IN (%s)",
                begin, fit->devices.data, fit->kernels.data);
    if (p->before_unix_s)
        ct_str_addf(&sql, " AND measured_unix_s < %lld", (long long)p->before_unix_s);
    ct_str_addf(&sql, " AND %s", end);
    use = ct_adhoc_begin(db, sql.data);
    if (sql.failed)
        use.rc = SQLITE_NOMEM;
    while (ct_db_row(&use))
        *count = (uint64_t)ct_db_int(&use, 0);
    status = ct_adhoc_end(&use, err);
    ct_str_release(&sql);
    return status;
}

static enum ct_status prune_rows(struct ct_db *db, const struct fitting_ids *fit,
                                 const struct ct_db_pruning *p, struct ct_db_pruned *out,
                                 struct ct_err *err)
{
    uint64_t before = 0;
    uint64_t after = 0;
    enum ct_status status =
        run_on_fitting(db, "SELECT count(*)", fit, p, SPARED, &out->kept, err);

    if (status == CT_OK)
        status = run_on_fitting(db, "SELECT count(*)", fit, p, "NOT " SPARED,
                                &out->results, err);
    if (status != CT_OK || p->dry_run)
        return status;
    status = run_on_fitting(db, "DELETE", fit, p, "NOT " SPARED, &after, err);
    if (status == CT_OK)
        status = count_rows(db, "SELECT count(*) FROM run", &before, err);
    /* The runs of other processes may not have a result yet. */
    if (status == CT_OK)
        status = ct_adhoc_run(db,
                              "DELETE FROM run WHERE status <> 'running' AND NOT EXISTS"
                              " (SELECT 1 FROM result WHERE run_id = run.id)",
                              err);
    if (status == CT_OK)
        status = count_rows(db, "SELECT count(*) FROM run", &after, err);
    out->runs = before - after;
    return status;
}

/* VACUUM makes the schema, which is verified, in a temporary database that it attaches: a guarded
 * connection may have none, nor use json_valid there.  It holds all that stays: in a file. */
static void give_room_back(struct ct_db *db)
{
    int most = sqlite3_limit(db->sql, SQLITE_LIMIT_ATTACHED, 1);

    sqlite3_db_config(db->sql, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1, NULL);
    sqlite3_exec(db->sql, "PRAGMA temp_store = FILE; VACUUM", NULL, NULL, NULL);
    sqlite3_exec(db->sql, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
    sqlite3_db_config(db->sql, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_limit(db->sql, SQLITE_LIMIT_ATTACHED, most);
}

enum ct_status ct_db_prune(struct ct_db *db, const struct ct_db_pruning *pruning,
                           struct ct_db_pruned *out, struct ct_err *err)
{
    struct fitting_ids fit;
    enum ct_status status;

    *out = (struct ct_db_pruned){0};
    ct_str_init(&fit.devices);
    ct_str_init(&fit.kernels);
    db->guard.unlimited = true;
    status = ct_db_begin(db, err);
    if (status == CT_OK) {
        status = find_devices(db, pruning, &fit, err);
        if (status == CT_OK)
            status = find_kernels(db, pruning, &fit, err);
        if (status == CT_OK)
            status = prune_rows(db, &fit, pruning, out, err);
        if (status == CT_OK)
            status = ct_db_commit(db, err);
        else
            ct_db_rollback(db);
    }
    /* The room goes back to the disk, unless another process reads just now. */
    if (status == CT_OK && out->results && !pruning->dry_run)
        give_room_back(db);
    db->guard.unlimited = false;
    ct_str_release(&fit.devices);
    ct_str_release(&fit.kernels);
    return status;
}
