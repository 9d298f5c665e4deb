// SPDX-License-Identifier: Apache-2.0
// Prepared statements: binding, stepping, reading, and the meaning of SQLite's errors.
#include "db/internal.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ct_sql_text[CT_SQL_COUNT] = {
#define CT_SQL(name, text) text,
#include "db/statements.def"
#undef CT_SQL
};

static enum ct_status fail_room(const struct ct_db *db, const char *why,
                                struct ct_err *err)
{
    return ct_err_set(
        err, CT_E_DB,
        "cannot write to %s: %s; results so far are stored; make room, then "
        "run the search again to continue",
        db->path, why);
}

static enum ct_status fail_locked(const struct ct_db *db, struct ct_err *err)
{
    return ct_err_set(
        err, CT_E_DB,
        "%s is locked by another process (waited %.3g s): let the other cltune "
        "finish, or use --db to name another file",
        db->path, db->busy_ms / 1000.0);
}

static enum ct_status fail_open(const struct ct_db *db, const char *why,
                                struct ct_err *err)
{
    int error = db->sql ? sqlite3_system_errno(db->sql) : 0;

    return ct_err_set(err, CT_E_DB,
                      "cannot open %s: %s; check the permissions of the file and its "
                      "folder, or use --db to choose another file",
                      db->path, error ? strerror(error) : why);
}

enum ct_status ct_db_fail(const struct ct_db *db, int rc, struct ct_err *err)
{
    const char *why = db->sql ? sqlite3_errmsg(db->sql) : sqlite3_errstr(rc);
    int kind = rc & 0xff;

    /* SQLite distinguishes a full disk from other failures, but not a quota or a limit. */
    if (kind == SQLITE_FULL)
        return fail_room(db, "the disk is full", err);
    if (rc == SQLITE_IOERR_WRITE || rc == SQLITE_IOERR_SHMSIZE)
        return fail_room(
            db, "the disk is full or fails, or a quota or a limit is reached", err);
    switch (kind) {
    case SQLITE_NOMEM:
        return ct_err_nomem(err);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return fail_locked(db, err);
    case SQLITE_READONLY:
        return ct_err_set(
            err, CT_E_DB,
            "cannot write to %s: the file or its folder is read-only; change its "
            "permissions, or use --db to choose another file",
            db->path);
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return fail_open(db, why, err);
    case SQLITE_NOTADB:
        return ct_err_set(
            err, CT_E_DB,
            "%s is not a cltune database (not an SQLite file, or its start is "
            "damaged): use --db to choose another file, or move this one away",
            db->path);
    case SQLITE_CORRUPT:
        return ct_err_set(err, CT_E_DB,
                          "%s is damaged (%s): restore a copy, or save what is left with "
                          "\"sqlite3 FILE .recover\", and move this one away",
                          db->path, why);
    case SQLITE_INTERRUPT:
        return ct_err_set(
            err, CT_E_DB,
            "reading %s takes more work than a database of its size should need: "
            "it is damaged or malicious; restore a copy, or use --db to choose "
            "another file",
            db->path);
    case SQLITE_TOOBIG:
        return ct_err_set(
            err, CT_E_DB,
            "%s contains, or would contain, a text that is too long for cltune: "
            "restore a copy, or use --db to choose another file",
            db->path);
    case SQLITE_CONSTRAINT:
        return ct_err_set(err, CT_E_INTERNAL, "%s: %s", db->path, why);
    default:
        return ct_err_set(err, CT_E_DB, "%s: %s", db->path, why);
    }
}

struct ct_db_use ct_db_use_begin(struct ct_db *db, enum ct_sql which)
{
    struct ct_db_use use = {db, db->statements[which], SQLITE_OK};

    ct_guard_enter(db);
    if (use.stmt)
        return use;
    use.rc = sqlite3_prepare_v3(db->sql, ct_sql_text[which], -1,
                                SQLITE_PREPARE_PERSISTENT, &use.stmt, NULL);
    db->statements[which] = use.stmt;
    return use;
}

static void use_note_status(struct ct_db_use *use, int rc)
{
    if (use->rc == SQLITE_OK)
        use->rc = rc;
}

void ct_db_bind_int(struct ct_db_use *use, int index, int64_t value)
{
    if (use->rc == SQLITE_OK)
        use_note_status(use, sqlite3_bind_int64(use->stmt, index, value));
}

void ct_db_bind_count(struct ct_db_use *use, int index, int64_t value)
{
    /* Statements are reset with their bindings cleared, so that unbound is NULL. */
    if (value >= 0)
        ct_db_bind_int(use, index, value);
}

void ct_db_bind_u64(struct ct_db_use *use, int index, uint64_t value)
{
    ct_db_bind_int(use, index, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

void ct_db_bind_real(struct ct_db_use *use, int index, double value)
{
    if (use->rc == SQLITE_OK && isfinite(value))
        use_note_status(use, sqlite3_bind_double(use->stmt, index, value));
}

/* Length of the well-formed UTF-8 character at `s`, or 0. */
static size_t utf8_length(const unsigned char *s)
{
    size_t more;
    unsigned least;
    unsigned code;

    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xc2 && s[0] <= 0xdf)
        more = 1, least = 0x80, code = s[0] & 0x1fU;
    else if (s[0] >= 0xe0 && s[0] <= 0xef)
        more = 2, least = 0x800, code = s[0] & 0x0fU;
    else if (s[0] >= 0xf0 && s[0] <= 0xf4)
        more = 3, least = 0x10000, code = s[0] & 0x07U;
    else
        return 0;
    for (size_t i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3fU);
    }
    if (code < least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return 0;
    return more + 1;
}

void ct_db_bind_text(struct ct_db_use *use, int index, const char *text)
{
    const unsigned char *s = (const unsigned char *)(text ? text : "");
    size_t length = strlen((const char *)s);
    size_t at = 0;
    char *copy;

    if (use->rc != SQLITE_OK)
        return;
    while (s[at] && utf8_length(s + at))
        at += utf8_length(s + at);
    if (at == length) {
        use_note_status(use, sqlite3_bind_text64(use->stmt, index, (const char *)s,
                                                 length, SQLITE_STATIC, SQLITE_UTF8));
        return;
    }
    copy = ct_mem_copy((const char *)s, length);
    if (!copy) {
        use_note_status(use, SQLITE_NOMEM);
        return;
    }
    for (at = 0; at < length;) {
        size_t step = utf8_length(s + at);

        if (!step) {
            copy[at] = '?';
            step = 1;
        }
        at += step;
    }
    use_note_status(
        use, sqlite3_bind_text64(use->stmt, index, copy, length, free, SQLITE_UTF8));
}

void ct_db_bind_hash(struct ct_db_use *use, int index, const struct ct_hash *hash)
{
    ct_db_bind_text(use, index, hash->text);
}

void ct_db_bind_blob(struct ct_db_use *use, int index, const void *bytes, size_t length)
{
    if (use->rc == SQLITE_OK)
        use_note_status(use, sqlite3_bind_blob64(use->stmt, index, length ? bytes : "",
                                                 length, SQLITE_STATIC));
}

bool ct_db_row(struct ct_db_use *use)
{
    int rc;

    if (use->rc != SQLITE_OK)
        return false;
    rc = sqlite3_step(use->stmt);
    if (rc == SQLITE_ROW)
        return true;
    if (rc != SQLITE_DONE)
        use_note_status(use, rc);
    return false;
}

int64_t ct_db_int(const struct ct_db_use *use, int column)
{
    return sqlite3_column_int64(use->stmt, column);
}

double ct_db_real(const struct ct_db_use *use, int column)
{
    if (sqlite3_column_type(use->stmt, column) == SQLITE_NULL)
        return NAN;
    return sqlite3_column_double(use->stmt, column);
}

const char *ct_db_peek(struct ct_db_use *use, int column)
{
    const char *text = (const char *)sqlite3_column_text(use->stmt, column);

    return text ? text : "";
}

const char *ct_db_text(struct ct_db_use *use, int column, struct ct_arena *arena)
{
    const char *text = ct_db_peek(use, column);
    const char *copy = NULL;

    if (!ct_guard_take(use->db, strlen(text)))
        use_note_status(use, SQLITE_INTERRUPT);
    else if (!(copy = ct_arena_copy(arena, text, strlen(text))))
        use_note_status(use, SQLITE_NOMEM);
    return copy ? copy : "";
}

struct ct_hash ct_db_hash(const struct ct_db_use *use, int column)
{
    const char *text = (const char *)sqlite3_column_text(use->stmt, column);
    struct ct_hash hash;

    snprintf(hash.text, sizeof(hash.text), "%s", text ? text : "");
    return hash;
}

int ct_db_ranking(const struct ct_db_use *use, int column)
{
    if (sqlite3_column_type(use->stmt, column) == SQLITE_NULL)
        return -1;
    return sqlite3_column_int(use->stmt, column);
}

enum ct_status ct_db_done(struct ct_db_use *use, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    if (use->rc != SQLITE_OK)
        status = ct_db_fail(use->db, use->rc, err);
    ct_guard_leave(use->db);
    if (use->stmt) {
        sqlite3_reset(use->stmt);
        sqlite3_clear_bindings(use->stmt);
    }
    return status;
}

enum ct_status ct_db_exec(struct ct_db_use *use, struct ct_err *err)
{
    while (ct_db_row(use)) {
    }
    return ct_db_done(use, err);
}

static enum ct_status simple(struct ct_db *db, enum ct_sql which, struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(db, which);

    return ct_db_exec(&use, err);
}

/* SQLite ends a transaction on its own if it cannot continue (disk full). */
static bool lost(const struct ct_db *db)
{
    return db->grouped && sqlite3_get_autocommit(db->sql);
}

static enum ct_status fail_lost(const struct ct_db *db, struct ct_err *err)
{
    return ct_err_set(err, CT_E_DB, "%s: an earlier failure rolled the transaction back",
                      db->path);
}

enum ct_status ct_db_enter(struct ct_db *db, struct ct_err *err)
{
    if (db->mode == CT_DB_READ)
        return ct_err_set(err, CT_E_INTERNAL, "%s was opened for reading only", db->path);
    if (lost(db))
        return fail_lost(db, err);
    return simple(db, db->grouped ? CT_SQL_SAVE : CT_SQL_BEGIN, err);
}

enum ct_status ct_db_leave(struct ct_db *db, enum ct_status status, struct ct_err *err)
{
    if (status == CT_OK)
        status = simple(db, db->grouped ? CT_SQL_RELEASE : CT_SQL_COMMIT, err);
    if (status == CT_OK || sqlite3_get_autocommit(db->sql))
        return status;
    if (db->grouped) {
        simple(db, CT_SQL_UNDO, NULL);
        simple(db, CT_SQL_RELEASE, NULL);
    } else {
        simple(db, CT_SQL_ROLLBACK, NULL);
    }
    return status;
}

enum ct_status ct_db_read_begin(struct ct_db *db, struct ct_err *err)
{
    enum ct_status status;

    ct_guard_enter(db);
    status = simple(db, CT_SQL_READ, err);
    if (status != CT_OK)
        ct_guard_leave(db);
    return status;
}

void ct_db_read_end(struct ct_db *db)
{
    simple(db, CT_SQL_COMMIT, NULL);
    ct_guard_leave(db);
}

enum ct_status ct_db_begin(struct ct_db *db, struct ct_err *err)
{
    enum ct_status status;

    if (db->grouped)
        return ct_err_set(err, CT_E_INTERNAL, "%s: transactions do not nest", db->path);
    status = ct_db_enter(db, err);
    db->grouped = status == CT_OK;
    return status;
}

enum ct_status ct_db_commit(struct ct_db *db, struct ct_err *err)
{
    bool undone = lost(db);
    enum ct_status status;

    if (!db->grouped)
        return ct_err_set(err, CT_E_INTERNAL, "%s: no transaction to commit", db->path);
    db->grouped = false;
    status = undone ? fail_lost(db, err) : ct_db_leave(db, CT_OK, err);
    /* As after ct_db_rollback. */
    if (status != CT_OK)
        db->subject.run_id = 0;
    return status;
}

void ct_db_rollback(struct ct_db *db)
{
    bool undone = lost(db);

    if (db->grouped && !undone)
        simple(db, CT_SQL_ROLLBACK, NULL);
    db->grouped = false;
    /* Identities found inside the group may not exist any more. */
    db->subject.run_id = 0;
}

const char *ct_db_direction(bool maximize)
{
    return maximize ? "maximize" : "minimize";
}

int64_t ct_db_when(int64_t unix_s)
{
    return unix_s ? unix_s : ct_clock_unix_s();
}
