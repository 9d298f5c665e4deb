// SPDX-License-Identifier: Apache-2.0
// Opens and checks a file that is merged.
//
// A thread checks the next file while the present one is copied.  Each file has a connection of its own, which
// one thread after the other uses; what is checked and what is copied later is one transaction's.
#include "db/merge_source.h"

#include "base/file.h"
#include "db/adhoc.h"
#include "db/merge.h"

#include <stdio.h>
#include <string.h>

/* --- checks --- */

/* Whether pages, indices and the types of values are sound. */
static enum ct_status check_source(struct ct_db *from, struct ct_err *err)
{
    struct ct_db_use use = ct_adhoc_begin(from, "PRAGMA quick_check(1)");
    char fault[200] = "";
    enum ct_status status;

    if (ct_db_row(&use) && strcmp(ct_db_peek(&use, 0), "ok") != 0)
        snprintf(fault, sizeof(fault), "%s", ct_db_peek(&use, 0));
    status = ct_adhoc_end(&use, err);
    if (status != CT_OK || *fault)
        return status != CT_OK
                   ? status
                   : ct_err_set(
                         err, CT_E_DB,
                         "%s is damaged (%s) and is not merged; run 'cltune db check "
                         "--db %s'",
                         ct_db_path(from), fault, ct_db_path(from));
    return CT_OK;
}

/* References of the small tables; those of results and scores are looked up when their rows are read. */
static enum ct_status check_references(struct ct_db *from, struct ct_err *err)
{
    static const char *const tables[] = {"run", "best", "baseline", "inflight",
                                         "ceiling"};
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && status == CT_OK; i++) {
        struct ct_db_use use;
        char sql[64];
        bool missing;

        snprintf(sql, sizeof(sql), "PRAGMA foreign_key_check(%s)", tables[i]);
        use = ct_adhoc_begin(from, sql);
        missing = ct_db_row(&use);
        status = ct_adhoc_end(&use, err);
        if (status == CT_OK && missing)
            status = ct_merge_missing(ct_db_path(from), tables[i], err);
    }
    return status;
}

/* What pages and references do not show, but would count for ever; merge_results.c and merge_scores.c look
 * at results and ranks while they read them. */
static enum ct_status check_contents(struct ct_db *from, struct ct_err *err)
{
    struct ct_db_use use = ct_adhoc_begin(
        from,
        "SELECT max(s) FROM (SELECT max(measured_unix_s) AS s FROM baseline UNION ALL"
        " SELECT max(measured_unix_s) FROM ceiling UNION ALL"
        " SELECT max(used_unix_s) FROM kernel UNION ALL"
        " SELECT max(max(started_unix_s, coalesce(ended_unix_s, 0))) FROM run)");
    bool future = ct_db_row(&use) && ct_db_int(&use, 0) > ct_db_when(0) + CT_MERGE_DAY_S;
    enum ct_status status = ct_adhoc_end(&use, err);

    return status == CT_OK && future ? ct_merge_future(ct_db_path(from), err) : status;
}

/* --- a file --- */

static enum ct_status check_all(struct ct_db *from, struct ct_err *err)
{
    enum ct_status status = check_source(from, err);

    if (status == CT_OK)
        status = check_references(from, err);
    return status == CT_OK ? check_contents(from, err) : status;
}

static enum ct_status open_source(struct ct_merge_source *source, struct ct_err *err)
{
    const struct ct_db_options reading = {.mode = CT_DB_READ};
    enum ct_status status;

    if (ct_file_is_same(source->path, source->target))
        return ct_err_set(err, CT_E_USAGE, "%s cannot be merged into itself",
                          source->path);
    status = ct_db_open(source->path, &reading, &source->db, err);
    if (status == CT_E_NOT_FOUND)
        return ct_err_set(err, CT_E_NOT_FOUND, "no database at %s to merge",
                          source->path);
    if (status != CT_OK)
        return status;
    /* The rows that are checked are those that are read. */
    status = ct_merge_source_read(source->db, err);
    return status == CT_OK ? check_all(source->db, err) : status;
}

static void *prepare(void *user)
{
    struct ct_merge_source *source = user;

    source->status = open_source(source, &source->err);
    return NULL;
}

void ct_merge_source_begin(struct ct_merge_source *source, const char *path,
                           const char *target)
{
    *source = (struct ct_merge_source){.path = path, .target = target, .begun = true};
    source->running = sqlite3_threadsafe() &&
                      pthread_create(&source->thread, NULL, prepare, source) == 0;
    if (!source->running)
        prepare(source);
}

static void join(struct ct_merge_source *source)
{
    if (source->running)
        pthread_join(source->thread, NULL);
    source->running = false;
}

enum ct_status ct_merge_source_wait(struct ct_merge_source *source, struct ct_err *err)
{
    join(source);
    if (source->status != CT_OK && err)
        *err = source->err;
    return source->status;
}

void ct_merge_source_end(struct ct_merge_source *source)
{
    if (!source->begun)
        return;
    join(source);
    if (source->db)
        ct_db_read_end(source->db);
    ct_db_close(source->db);
    *source = (struct ct_merge_source){0};
}

enum ct_status ct_merge_source_read(struct ct_db *from, struct ct_err *err)
{
    /* Scores refer to results in another order, and both are read more than once. */
    sqlite3_exec(from->sql, "PRAGMA cache_size = -64000", NULL, NULL, NULL);
    return ct_db_read_begin(from, err);
}
