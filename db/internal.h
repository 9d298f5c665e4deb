// SPDX-License-Identifier: Apache-2.0
// Shared by the files of the store: the handle, its statements, errors and transactions.
#ifndef CT_DB_INTERNAL_H
#define CT_DB_INTERNAL_H

#include "db/guard.h"
#include "db/store.h"

#include <sqlite3.h>

/* The statements of statements.def. */
enum ct_sql {
#define CT_SQL(name, text) CT_SQL_##name,
#include "db/statements.def"
#undef CT_SQL
    CT_SQL_COUNT
};

/* Their texts, by number. */
extern const char *const ct_sql_text[CT_SQL_COUNT];

enum { CT_DB_BUSY_MS = 5000 };

/* What a result takes from its run; the last one used is kept. */
struct ct_db_subject {
    int64_t run_id; /* 0: none yet */
    int64_t device_id;
    int64_t kernel_id;
    int64_t problem_id;
    char *objective;
    bool maximize;
};

/* Which process it is: see ct_db_owner_self. */
struct ct_db_owner {
    char text[128];
};

struct ct_db {
    sqlite3 *sql;
    char *path;
    enum ct_db_mode mode;
    int busy_ms;
    int64_t waited_us; /* for the lock that is being waited for */
    bool draft;        /* as in ct_db_options */
    bool grouped;      /* between ct_db_begin and ct_db_commit */
    struct ct_db_guard guard;
    struct ct_db_subject subject;
    struct ct_db_owner owner; /* the process owner_pid; 0: not known yet */
    long owner_pid;
    sqlite3_stmt *statements[CT_SQL_COUNT]; /* prepared when first used */
};

/* --- errors --- */

/* Explains SQLite's `rc` to the user, with a remedy. */
enum ct_status ct_db_fail(const struct ct_db *db, int rc, struct ct_err *err);

/* --- statements --- */

/* A statement in use: bind, step, read, and always ct_db_done.  The first failure is kept and
 * makes the rest do nothing, so that callers check once. */
struct ct_db_use {
    struct ct_db *db;
    sqlite3_stmt *stmt;
    int rc;
};

struct ct_db_use ct_db_use_begin(struct ct_db *db, enum ct_sql which);

void ct_db_bind_int(struct ct_db_use *use, int index, int64_t value);
void ct_db_bind_count(struct ct_db_use *use, int index, int64_t value); /* < 0: NULL */
void ct_db_bind_u64(struct ct_db_use *use, int index, uint64_t value);  /* saturates */
void ct_db_bind_real(struct ct_db_use *use, int index, double value);   /* NAN: NULL */
void ct_db_bind_text(struct ct_db_use *use, int index, const char *text);
void ct_db_bind_hash(struct ct_db_use *use, int index, const struct ct_hash *hash);
void ct_db_bind_blob(struct ct_db_use *use, int index, const void *bytes, size_t length);

/* True while there is a row to read. */
bool ct_db_row(struct ct_db_use *use);

/* Columns of the row; texts are copied into the arena, a failure to do so is kept. */
int64_t ct_db_int(const struct ct_db_use *use, int column);
double ct_db_real(const struct ct_db_use *use, int column); /* NULL: NAN */
const char *ct_db_text(struct ct_db_use *use, int column, struct ct_arena *arena);
const char *ct_db_peek(struct ct_db_use *use,
                       int column); /* until the next row; not NULL */
struct ct_hash ct_db_hash(const struct ct_db_use *use, int column);
int ct_db_ranking(const struct ct_db_use *use, int column); /* NULL: -1 */

/* Resets the statement and turns its result into a status. */
enum ct_status ct_db_done(struct ct_db_use *use, struct ct_err *err);

/* Runs a statement that returns no rows, after binding. */
enum ct_status ct_db_exec(struct ct_db_use *use, struct ct_err *err);

/* --- transactions --- */

/* Around a function that writes: ct_db_enter starts a transaction, or a savepoint inside a group;
 * ct_db_leave ends it, undoing everything if `status` is a failure, and returns that failure or
 * its own. */
enum ct_status ct_db_enter(struct ct_db *db, struct ct_err *err);
enum ct_status ct_db_leave(struct ct_db *db, enum ct_status status, struct ct_err *err);

/* Everything read until ct_db_read_end is a consistent snapshot, and the file is locked once
 * rather than for each statement.  Not inside a group. */
enum ct_status ct_db_read_begin(struct ct_db *db, struct ct_err *err);
void ct_db_read_end(struct ct_db *db);

/* --- helpers shared between files --- */

/* The default path without CLTUNE_DB: *out is NULL if HOME is not set either. */
enum ct_status ct_db_data_path(char **out, struct ct_err *err);

/* `direction`'s word. */
const char *ct_db_direction(bool maximize);

/* 'now' for 0. */
int64_t ct_db_when(int64_t unix_s);

/* A name for this process that is unique even after a restart of the machine; whether the process
 * of such a name may still be running. */
struct ct_db_owner ct_db_owner_self(void);
bool ct_db_owner_alive(const char *owner);
/* Whether the machine was restarted since that process ran. */
bool ct_db_owner_restarted(const char *owner);

/* Finds a device by its identity; 0: it is not stored. */
enum ct_status ct_db_device_find(struct ct_db *db, const struct ct_devinfo *info,
                                 int64_t *device_id, struct ct_err *err);

/* --- values.c --- */

/* 64 bits of a configuration's hash, as the column configuration_hash. */
int64_t ct_db_hash_configuration(const char *configuration);

#endif
