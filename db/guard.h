// SPDX-License-Identifier: Apache-2.0
// What of a database file from anybody is believed: its schema, once it is found to be
// cltune's own, and how much work and memory reading it may cost.
#ifndef CT_DB_GUARD_H
#define CT_DB_GUARD_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ct_db;

/* What the statement in use, or a look-up of several, has cost so far. */
struct ct_db_guard {
    bool verified;       /* the schema is ours */
    bool exceeded;       /* the last failure was this guard's */
    int depth;           /* statements and look-ups in use */
    uint64_t calls;      /* of the progress handler */
    uint64_t bytes;      /* of texts and blobs handed out */
    uint64_t file_bytes; /* on disk, with the log; asked for when the work becomes much */
    uint64_t cpu_ns;     /* of this thread, when opening began */
};

/* Sets up a connection that was just opened: limits for lengths and counts, no triggers,
 * no views, nothing of the schema is trusted, and work is bounded.  Returns SQLite's
 * code.
 *
 * The work is bounded in steps of SQLite's virtual machine, the texts in bytes: a
 * constant and a multiple of the file's size on disk, more than any sound file of that
 * size needs. Until the schema is verified, processor time is bounded, too. */
int ct_guard_connection(struct ct_db *db);

/* Around what is to be bounded as a whole; they nest, and the outermost starts anew. */
void ct_guard_enter(struct ct_db *db);
void ct_guard_leave(struct ct_db *db);

/* Counts `length` bytes that are about to be copied; false: they are too many. */
bool ct_guard_take(struct ct_db *db, size_t length);

/* Compares the file's tables and indices with those that migrations 1 to `version` make.
 * Blanks, comments and needless quotes make no difference.  CT_E_DB names the first that
 * is missing, not ours, or another.  */
enum ct_status ct_guard_schema(struct ct_db *db, int version, struct ct_err *err);

/* Refuses files beside the database that SQLite would believe: a log or journal of
 * another user, one that is a link, a journal that names a further file (SQLite would
 * delete that). */
enum ct_status ct_guard_beside(const char *path, struct ct_err *err);

#endif
