// SPDX-License-Identifier: Apache-2.0
// Statements that are prepared for one use: those of maintenance, which read whole tables.
#ifndef CT_DB_ADHOC_H
#define CT_DB_ADHOC_H

#include "db/internal.h"

/* Prepares `sql`; bind and step it as others, then always ct_adhoc_end. */
struct ct_db_use ct_adhoc_begin(struct ct_db *db, const char *sql);

/* Finalizes the statement and turns its result into a status. */
enum ct_status ct_adhoc_end(struct ct_db_use *use, struct ct_err *err);

/* Makes the statement ready for another use, with its bindings cleared; keeps the first failure. */
void ct_adhoc_again(struct ct_db_use *use);

/* Runs a statement without parameters and rows. */
enum ct_status ct_adhoc_run(struct ct_db *db, const char *sql, struct ct_err *err);

/* Binds the value of a column of another statement. */
void ct_adhoc_copy(struct ct_db_use *to, int index, struct ct_db_use *from, int column);

#endif
