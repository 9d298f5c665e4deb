// SPDX-License-Identifier: Apache-2.0
// Opens a database file, refuses foreign ones, and migrates the schema.
#define _DEFAULT_SOURCE // realpath
#include "db/internal.h"

#include "base/clock.h"
#include "db/migrations.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { APPLICATION_ID = 0x636c7475 }; /* as in db/schema/0001-initial.sql */

/* The first integer that `text` selects. */
static int select_integer(struct ct_db *db, const char *text, int64_t *out)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db->sql, text, -1, &stmt, NULL);

    if (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        *out = sqlite3_column_int64(stmt, 0);
        rc = SQLITE_OK;
    }
    sqlite3_finalize(stmt);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int do_sql(struct ct_db *db, const char *text)
{
    return sqlite3_exec(db->sql, text, NULL, NULL, NULL);
}

static enum ct_status inspect_now(struct ct_db *db, int *version, struct ct_err *err)
{
    int64_t application = 0;
    int64_t tables = 0;
    int64_t number = 0;
    int rc = select_integer(db, "SELECT count(*) FROM sqlite_schema", &tables);

    if (rc == SQLITE_OK)
        rc = select_integer(db, "PRAGMA application_id", &application);
    if (rc == SQLITE_OK)
        rc = select_integer(db, "PRAGMA user_version", &number);
    if (rc != SQLITE_OK)
        return ct_db_fail(db, rc, err);
    if (application != APPLICATION_ID && (application || tables || number))
        return ct_err_set(
            err, CT_E_DB,
            "%s is an SQLite file of another program, not a cltune database: use "
            "--db to choose another file",
            db->path);
    if (number < 0)
        return ct_err_set(
            err, CT_E_DB,
            "%s is damaged (its schema has the number %lld): restore a copy, or "
            "use --db to choose another file",
            db->path, (long long)number);
    if (number > ct_migrations_count)
        return ct_err_set(
            err, CT_E_DB,
            "%s was written by a newer cltune (schema %lld, this one supports %d): "
            "update cltune, or use --db to choose another file",
            db->path, (long long)number, ct_migrations_count);
    *version = (int)number;
    return ct_guard_schema(db, *version, err);
}

/* Checks application_id, user_version and the tables, without writing; `*version` is the
 * file's.  In one transaction: another process may be creating the schema meanwhile. */
static enum ct_status inspect_schema(struct ct_db *db, int *version, struct ct_err *err)
{
    bool own = sqlite3_get_autocommit(db->sql) != 0;
    int rc = own ? do_sql(db, "BEGIN") : SQLITE_OK;
    enum ct_status status =
        rc == SQLITE_OK ? inspect_now(db, version, err) : ct_db_fail(db, rc, err);

    /* After a failure the caller asks for its code, and closes. */
    if (status == CT_OK && own)
        do_sql(db, "COMMIT");
    return status;
}

enum { RETRY_MS = 400 }; /* for an open that coincides with another process's close */

/* Migrates a file with an older schema to the newest, or fails like ct_db_open. */
static enum ct_status migrate_schema(struct ct_db *db, struct ct_err *err)
{
    enum ct_status status = ct_db_enter(db, err);
    int version = 0;

    if (status != CT_OK)
        return status;
    /* Checked again under the lock: another process may have been faster. */
    status = inspect_schema(db, &version, err);
    for (; status == CT_OK && version < ct_migrations_count; version++) {
        char text[48];
        int rc;

        ct_guard_enter(db);
        rc = do_sql(db, ct_migrations[version]);
        ct_guard_leave(db);
        snprintf(text, sizeof(text), "PRAGMA user_version = %d", version + 1);
        if (rc == SQLITE_OK)
            rc = do_sql(db, text);
        if (rc != SQLITE_OK)
            status = ct_db_fail(db, rc, err);
    }
    return ct_db_leave(db, status, err);
}

/* Switches to write-ahead logging.  If the file system does not support it (networks) SQLite
 * stays with its rollback journal, which is slower and as safe. */
static enum ct_status use_wal(struct ct_db *db, struct ct_err *err)
{
    const struct timespec pause = {0, 10 * 1000 * 1000};
    int rc;

    /* The switch needs exclusive access and does not always wait for it. */
    for (int waited_ms = 0;; waited_ms += 10) {
        rc = do_sql(db, "PRAGMA journal_mode = WAL");
        if ((rc & 0xff) != SQLITE_BUSY || waited_ms >= db->busy_ms)
            break;
        nanosleep(&pause, NULL);
    }
    return rc == SQLITE_OK ? CT_OK : ct_db_fail(db, rc, err);
}

/* The folder of a path, or NULL if out of memory.  The caller frees. */
static char *parent_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return ct_mem_copy(".", 1);
    return ct_mem_copy(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Where SQLite opens a path: what its last part leads to if it is a link, whether or not that exists.
 * NULL if out of memory.  The caller frees. */
static char *follow_links(const char *path)
{
    enum { LINKS_MOST = 40 };
    char target[PATH_MAX];
    char *at = ct_mem_copy(path, strlen(path));
    ssize_t length;

    for (int i = 0;
         at && i < LINKS_MOST && (length = readlink(at, target, sizeof(target) - 1)) > 0;
         i++) {
        char *folder = *target == '/' ? ct_mem_copy("", 0) : parent_of(at);
        struct ct_str next;

        target[length] = '\0';
        ct_str_init(&next);
        ct_str_addf(&next, "%s%s%s", folder ? folder : "", folder && *folder ? "/" : "",
                    target);
        next.failed = next.failed || !folder;
        free(folder);
        free(at);
        at = ct_str_detach(&next);
    }
    return at;
}

/* Creates `folder` and its missing parents, for the user alone. */
static enum ct_status make_folders(char *folder, struct ct_err *err)
{
    for (char *at = folder + 1;; at++) {
        char end = *at;

        if (end != '/' && end != '\0')
            continue;
        *at = '\0';
        if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
            int code = errno;

            return ct_err_set(
                err, CT_E_DB,
                "cannot create the folder %s for the database: %s; create it, or use "
                "--db to name a file elsewhere",
                folder, strerror(code));
        }
        *at = end;
        if (!end)
            return CT_OK;
    }
}

static enum ct_status prepare_folder(const struct ct_db *db, struct ct_err *err)
{
    const char *own = getenv("CLTUNE_DB");
    char *file = follow_links(db->path);
    char *folder = file ? parent_of(file) : NULL;
    char *usual = NULL;
    struct stat info;
    enum ct_status status;

    if (!folder) {
        free(file);
        return ct_err_nomem(err);
    }
    status = ct_db_data_path(&usual, err);
    if (status != CT_OK)
        goto out;
    if (!(own && *own) && usual && strcmp(usual, file) == 0 && stat(folder, &info) != 0)
        status = make_folders(folder, err);
    if (status == CT_OK && (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode)))
        status = ct_err_set(
            err, CT_E_DB,
            "the folder %s of the database %s does not exist: create it first, or "
            "use --db to choose another file",
            folder, db->path);
    if (status == CT_OK && access(folder, W_OK) != 0)
        status = ct_err_set(
            err, CT_E_DB,
            "cannot write to the folder %s of the database %s: %s; SQLite must "
            "create files there: change its permissions, or use --db to choose "
            "another file",
            folder, db->path, strerror(errno));
out:
    free(file);
    free(folder);
    free(usual);
    return status;
}

static enum ct_status no_database(const struct ct_db *db, struct ct_err *err)
{
    return ct_err_set(err, CT_E_NOT_FOUND,
                      "no database at %s: run 'cltune search' first, or use --db to name "
                      "another file",
                      db->path);
}

static enum ct_status look_at_file(const struct ct_db *db, struct ct_err *err)
{
    struct stat info;
    bool found = stat(db->path, &info) == 0;
    bool missing = !found && (errno == ENOENT || errno == ENOTDIR);
    enum ct_status status;

    if (!*db->path)
        return ct_err_set(err, CT_E_DB, "the name of the database is empty");
    if (db->mode == CT_DB_READ && missing)
        return no_database(db, err);
    if (found && S_ISDIR(info.st_mode))
        return ct_err_set(err, CT_E_DB,
                          "%s is a folder, not a database: name a file in it", db->path);
    /* SQLite would wait for somebody to write to it. */
    if (found && S_ISFIFO(info.st_mode))
        return ct_err_set(err, CT_E_DB, "%s is a FIFO, not a database", db->path);
    status = ct_guard_beside(db->path, err);
    return status == CT_OK && db->mode == CT_DB_WRITE ? prepare_folder(db, err) : status;
}

/* Called by SQLite when another process holds a lock; 0: give up.  SQLite's own handler soon asks only
 * every 100 ms, so that one of many writers may wait for seconds while others, which have just begun to
 * ask, get every turn.  Pauses are short here, and by chance, so that all have the same prospects. */
static int wait_for_lock(void *user, int asked)
{
    enum { LEAST_US = 500, DOUBLINGS = 4 };
    struct ct_db *db = user;
    int64_t most_us = (int64_t)LEAST_US << (asked < DOUBLINGS ? asked : DOUBLINGS);
    uint64_t chance =
        (ct_clock_now_ns() ^ (uint64_t)getpid()) * 0x9e3779b97f4a7c15U >> 32;
    int64_t pause_us = most_us / 2 + (int64_t)(chance % (uint64_t)most_us);
    const struct timespec pause = {0, (long)pause_us * 1000};

    if (!asked)
        db->waited_us = 0;
    db->waited_us += pause_us;
    if (db->waited_us > (int64_t)db->busy_ms * 1000)
        return 0;
    nanosleep(&pause, NULL);
    return 1;
}

/* Closes a connection with its statements: one that has some would stay open. */
static void disconnect(struct ct_db *db)
{
    for (int i = 0; i < CT_SQL_COUNT; i++) {
        sqlite3_finalize(db->statements[i]);
        db->statements[i] = NULL;
    }
    sqlite3_close(db->sql);
    db->sql = NULL;
}

static int connect_to(struct ct_db *db, const char *name, int flags)
{
    int rc = sqlite3_open_v2(name, &db->sql, flags | SQLITE_OPEN_NOMUTEX, NULL);

    if (rc != SQLITE_OK)
        return rc;
    sqlite3_extended_result_codes(db->sql, 1);
    sqlite3_busy_handler(db->sql, wait_for_lock, db);
    return ct_guard_connection(db);
}

/* Whether a log with changes lies beside the file, or may. */
static bool has_log(const struct ct_db *db)
{
    char *whole = realpath(db->path, NULL);
    struct ct_str name;
    struct stat info;
    bool found = true;

    ct_str_init(&name);
    ct_str_addf(&name, "%s-wal", whole ? whole : db->path);
    if (!name.failed)
        found = stat(name.data, &info) == 0
                    ? info.st_size > 0
                    : errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG;
    ct_str_release(&name);
    free(whole);
    return found;
}

/* Opens a file that nobody writes to: WAL files otherwise need a -shm beside them even for reading. */
static enum ct_status open_immutable(struct ct_db *db, int *version, struct ct_err *err)
{
    struct ct_str name;
    enum ct_status status;
    int rc;

    ct_str_init(&name);
    /* After two slashes comes a host, which is none here. */
    ct_str_puts(&name, *db->path == '/' ? "file://" : "file:");
    for (const char *s = db->path; *s; s++) {
        if (strchr("%?#", *s))
            ct_str_addf(&name, "%%%02x", (unsigned)*s);
        else
            ct_str_putc(&name, *s);
    }
    ct_str_puts(&name, "?immutable=1");
    if (name.failed) {
        status = ct_err_nomem(err);
        goto out;
    }
    disconnect(db);
    rc = connect_to(db, name.data, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    status = rc == SQLITE_OK ? inspect_schema(db, version, err) : ct_db_fail(db, rc, err);
out:
    ct_str_release(&name);
    return status;
}

static enum ct_status inspect_read(struct ct_db *db, int *version, struct ct_err *err)
{
    int rc = connect_to(db, db->path, SQLITE_OPEN_READONLY);

    return rc == SQLITE_OK ? inspect_schema(db, version, err) : ct_db_fail(db, rc, err);
}

static enum ct_status open_read(struct ct_db *db, bool immutable, struct ct_err *err)
{
    struct ct_err first = CT_ERR_INIT;
    int version = 0;
    enum ct_status status = immutable && !has_log(db)
                                ? open_immutable(db, &version, &first)
                                : inspect_read(db, &version, &first);

    if (status == CT_E_DB && db->sql) {
        int rc = sqlite3_errcode(db->sql) & 0xff;

        if (rc == SQLITE_CANTOPEN || rc == SQLITE_READONLY) {
            first = (struct ct_err)CT_ERR_INIT;
            /* The folder is read-only. */
            status =
                !has_log(db)
                    ? open_immutable(db, &version, &first)
                    : ct_err_set(&first, CT_E_DB,
                                 "%s was not closed properly and cannot be recovered "
                                 "because its folder is read-only: open it once in a "
                                 "writable folder",
                                 db->path);
        }
    }
    if (status != CT_OK && err)
        *err = first;
    if (status == CT_OK && version == 0)
        return no_database(db, err);
    if (status == CT_OK && version < ct_migrations_count)
        return ct_err_set(
            err, CT_E_DB,
            "%s was written by an older cltune: run 'cltune search' with it once "
            "to update it",
            db->path);
    return status;
}

static enum ct_status try_write(struct ct_db *db, struct ct_err *err)
{
    int version = 0;
    int rc = connect_to(db, db->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    enum ct_status status;

    if (rc != SQLITE_OK)
        return ct_db_fail(db, rc, err);
    /* SQLite opens files that it may not write to for reading. */
    if (sqlite3_db_readonly(db->sql, "main") == 1)
        return ct_db_fail(db, SQLITE_READONLY, err);
    status = inspect_schema(db, &version, err);
    if (status == CT_OK && !db->draft)
        status = use_wal(db, err);
    if (status != CT_OK)
        return status;
    if (db->draft && (rc = do_sql(db, "PRAGMA journal_mode = MEMORY")) != SQLITE_OK)
        return ct_db_fail(db, rc, err);
    /* A migration may recreate a table that others refer to.  A log of 16 MB instead of 4 waits
     * for the disk a quarter as often: a search of quick kernels writes 4 MB in 80 results. */
    rc = do_sql(db, "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF;"
                    "PRAGMA wal_autocheckpoint = 4000");
    if (rc != SQLITE_OK)
        return ct_db_fail(db, rc, err);
    if (version < ct_migrations_count)
        status = migrate_schema(db, err);
    if (status != CT_OK)
        return status;
    rc = do_sql(db, "PRAGMA foreign_keys = ON");
    return rc == SQLITE_OK ? CT_OK : ct_db_fail(db, rc, err);
}

/* The last process to close a WAL file removes the log, and one that opens it at that moment gets
 * an error that a retry does not.  Write errors are not of that kind: the disk is full. */
static bool met_leaving(const struct ct_db *db)
{
    int code = db->sql ? sqlite3_extended_errcode(db->sql) : SQLITE_OK;

    switch (code) {
    case SQLITE_IOERR_WRITE:
    case SQLITE_IOERR_FSYNC:
    case SQLITE_IOERR_TRUNCATE:
    case SQLITE_IOERR_SHMSIZE:
        return false;
    default:
        return (code & 0xff) == SQLITE_IOERR ||
               ((code & 0xff) == SQLITE_CANTOPEN && access(db->path, R_OK | W_OK) == 0);
    }
}

static enum ct_status open_write(struct ct_db *db, struct ct_err *err)
{
    const struct timespec pause = {0, 20 * 1000 * 1000};

    for (int waited_ms = 0;; waited_ms += 20) {
        struct ct_err failure = CT_ERR_INIT;
        enum ct_status status = try_write(db, &failure);

        if (status == CT_OK)
            return status;
        if (status != CT_E_DB || !met_leaving(db) || waited_ms >= RETRY_MS) {
            if (err)
                *err = failure;
            return status;
        }
        disconnect(db);
        nanosleep(&pause, NULL);
    }
}

enum ct_status ct_db_open(const char *path, const struct ct_db_options *options,
                          struct ct_db **out, struct ct_err *err)
{
    struct ct_db *db = ct_mem_array(1, sizeof(*db));
    int busy_ms = options ? options->busy_ms : 0;
    enum ct_status status = CT_OK;

    *out = NULL;
    if (!db)
        return ct_err_nomem(err);
    db->mode = options ? options->mode : CT_DB_WRITE;
    db->draft = options && options->draft;
    db->busy_ms = busy_ms == 0 ? CT_DB_BUSY_MS : busy_ms < 0 ? 0 : busy_ms;
    if (path)
        db->path = ct_mem_copy(path, strlen(path));
    else
        status = ct_db_default_path(&db->path, err);
    if (status == CT_OK && db->path) {
        status = look_at_file(db, err);
        if (status == CT_OK)
            status = db->mode == CT_DB_READ
                         ? open_read(db, options && options->immutable, err)
                         : open_write(db, err);
    } else if (status == CT_OK) {
        status = ct_err_nomem(err);
    }
    if (status == CT_OK)
        *out = db;
    else
        ct_db_close(db);
    return status;
}

void ct_db_close(struct ct_db *db)
{
    if (!db)
        return;
    assert(db->guard.depth == 0);
    disconnect(db);
    free(db->subject.objective);
    free(db->path);
    free(db);
}

const char *ct_db_path(const struct ct_db *db)
{
    return db->path;
}

const char *ct_db_library_version(void)
{
    return sqlite3_libversion();
}
