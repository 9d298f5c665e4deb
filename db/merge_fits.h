// SPDX-License-Identifier: Apache-2.0
// Checks rows that are read against the conditions of their table's schema, without SQLite.
#ifndef CT_DB_MERGE_FITS_H
#define CT_DB_MERGE_FITS_H

#include "db/internal.h"

enum { CT_MERGE_RULES = 32 };

/* The conditions that are checked here. */
struct ct_merge_fits {
    struct ct_merge_rule {
        int kind;
        int column;       /* of the statement that reads */
        const char *text; /* of the condition, in the schema */
    } rules[CT_MERGE_RULES];
    size_t count;
};

/* Finds the conditions of the table in the newest schema.  `columns` are the names of what the statement
 * reads, with commas between; the first has the number `first`.  A condition of a form that is not known
 * here, or of another column, is appended to `sql` for SQLite, with AND between. */
void ct_merge_fits_find(struct ct_merge_fits *fits, const char *table,
                        const char *columns, int first, struct ct_str *sql);

/* Whether the row fulfils them; as in SQLite, a value that is NULL does. */
bool ct_merge_row_fits(const struct ct_merge_fits *fits, sqlite3_stmt *row);

#endif
