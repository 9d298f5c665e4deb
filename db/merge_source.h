// SPDX-License-Identifier: Apache-2.0
// Files that are merged: opened and checked, the next one while the present one is copied.
#ifndef CT_DB_MERGE_SOURCE_H
#define CT_DB_MERGE_SOURCE_H

#include "db/internal.h"

#include <pthread.h>

/* A file to merge.  Initialise with {0}. */
struct ct_merge_source {
    const char *path;
    const char *target; /* the file that it is merged into, which it must not be */
    struct ct_db *db;   /* open and checked, in a transaction that reads */
    enum ct_status status;
    struct ct_err err;
    bool begun;   /* it is prepared, or being prepared */
    bool running; /* by a thread, which is not joined yet */
    pthread_t thread;
};

/* Begins to open and check the file, in a thread if there is one to be had and SQLite allows it.  The paths
 * are borrowed until the end. */
void ct_merge_source_begin(struct ct_merge_source *source, const char *path,
                           const char *target);

/* Waits until it is checked.  CT_E_DB: it is damaged, or of the future in its small tables; CT_E_USAGE: it is the target itself;
 * CT_E_NOT_FOUND: there is none; else as for ct_db_open. */
enum ct_status ct_merge_source_wait(struct ct_merge_source *source, struct ct_err *err);

/* Closes the file, and waits for it first.  Does nothing for one that was not begun. */
void ct_merge_source_end(struct ct_merge_source *source);

/* Begins a transaction that reads much of an open database. */
enum ct_status ct_merge_source_read(struct ct_db *from, struct ct_err *err);

#endif
