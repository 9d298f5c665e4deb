// SPDX-License-Identifier: Apache-2.0
// Rows that a callback makes, as a table that one INSERT ... SELECT reads: a statement a table instead
// of one a row.  Its rows come from another connection, which stays as guarded as it is.
#ifndef CT_DB_MERGE_FEED_H
#define CT_DB_MERGE_FEED_H

#include "db/internal.h"

/* What makes the rows.  Neither function may write to the database that is fed. */
struct ct_merge_feed {
    /* Goes to the first or next row; false: there is none, or a failure, which `user` keeps. */
    bool (*next)(void *user);
    /* Answers a column of the row, from 0; what it points to stays until the next row. */
    void (*value)(void *user, sqlite3_context *to, int column);
    void *user;
};

/* Runs `sql`, a statement that returns no rows and reads the columns c0, c1, ... of the table `feed`.
 * As for ct_db_open; the caller asks `user` first whether its functions have failed. */
enum ct_status ct_merge_feed_run(struct ct_db *db, const char *sql,
                                 const struct ct_merge_feed *feed, struct ct_err *err);

/* Answers with a column of another connection's row, without copying it. */
void ct_merge_feed_copy(sqlite3_context *to, sqlite3_stmt *from, int column);

#endif
