// SPDX-License-Identifier: Apache-2.0
// What is trusted in a database file of unknown origin: its schema, once it is verified as
// cltune's own, and how much work and memory reading it may cost.
#ifndef CT_DB_GUARD_H
#define CT_DB_GUARD_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ct_db;

/* The cost of the current statement, or of a look-up of several, so far. */
struct ct_db_guard {
    bool verified;       /* the schema is verified */
    bool exceeded;       /* this guard caused the last failure */
    bool unlimited;      /* work of our own on all rows: maintenance, merging */
    int depth;           /* statements and look-ups in use */
    uint64_t calls;      /* of the progress handler */
    uint64_t bytes;      /* of texts and blobs returned */
    uint64_t file_bytes; /* on disk, with the log; queried when much work has been done */
    uint64_t cpu_ns;     /* of this thread, when opening began */
};

/* Sets up a connection that was just opened: limits for lengths and counts, no triggers, no
 * views, nothing of the schema is trusted, and work is limited.  Returns SQLite's code.
 *
 * The work is limited in steps of SQLite's virtual machine, the texts in bytes: a constant and a
 * multiple of the file's size on disk, more than any intact file of that size needs. Until the
 * schema is verified, processor time is limited, too. */
int ct_guard_connection(struct ct_db *db);

/* Around what is limited as a whole; they nest, and the outermost starts anew. */
void ct_guard_enter(struct ct_db *db);
void ct_guard_leave(struct ct_db *db);

/* Counts `length` bytes that are about to be copied; false: too many. */
bool ct_guard_take(struct ct_db *db, size_t length);

/* Whether the text (NULL: none) is JSON, and an object: as the functions json_valid and json_type of a
 * guarded connection say. */
bool ct_guard_is_json(const char *text, size_t length, bool *object);

/* Compares the file's tables and indices with those of migrations 1 to `version`, ignoring
 * blanks, comments and unnecessary quotes.  CT_E_DB names the first that is missing, foreign, or
 * different. */
enum ct_status ct_guard_schema(struct ct_db *db, int version, struct ct_err *err);

/* Refuses files beside the database that SQLite would trust: a log or journal of another user,
 * one that is a link, a journal that names a further file (SQLite would delete that). */
enum ct_status ct_guard_beside(const char *path, struct ct_err *err);

#endif
