// SPDX-License-Identifier: Apache-2.0
// Statements that are prepared for one use.
#include "db/adhoc.h"

struct ct_db_use ct_adhoc_begin(struct ct_db *db, const char *sql)
{
    struct ct_db_use use = {db, NULL, SQLITE_OK};

    ct_guard_enter(db);
    use.rc = sqlite3_prepare_v2(db->sql, sql, -1, &use.stmt, NULL);
    return use;
}

enum ct_status ct_adhoc_end(struct ct_db_use *use, struct ct_err *err)
{
    enum ct_status status =
        use->rc == SQLITE_OK ? CT_OK : ct_db_fail(use->db, use->rc, err);

    ct_guard_leave(use->db);
    sqlite3_finalize(use->stmt);
    use->stmt = NULL;
    return status;
}

void ct_adhoc_again(struct ct_db_use *use)
{
    if (!use->stmt)
        return;
    sqlite3_reset(use->stmt);
    sqlite3_clear_bindings(use->stmt);
    /* Each use counts as a statement of its own for the limits of work. */
    ct_guard_leave(use->db);
    ct_guard_enter(use->db);
}

enum ct_status ct_adhoc_run(struct ct_db *db, const char *sql, struct ct_err *err)
{
    struct ct_db_use use = ct_adhoc_begin(db, sql);

    while (ct_db_row(&use)) {
    }
    return ct_adhoc_end(&use, err);
}

void ct_adhoc_copy(struct ct_db_use *to, int index, struct ct_db_use *from, int column)
{
    if (to->rc == SQLITE_OK)
        to->rc =
            sqlite3_bind_value(to->stmt, index, sqlite3_column_value(from->stmt, column));
}
