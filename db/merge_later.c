// SPDX-License-Identifier: Apache-2.0
// The index of configurations, made at the end of a merge.
//
// Its entries come in random order: it is made faster from all results at once than kept up to date with
// each.  That goes as long as the target had no results and nobody looks anything up by configuration.
#include "db/merge.h"

#include "db/adhoc.h"

#include <stdlib.h>
#include <string.h>

enum ct_status ct_merge_index_drop(struct ct_merge_later *later, struct ct_db *db,
                                   struct ct_err *err)
{
    struct ct_db_use use =
        ct_adhoc_begin(db, "SELECT sql FROM sqlite_master WHERE type = 'index' AND name ="
                           " 'result_by_configuration'");
    bool found = ct_db_row(&use);
    enum ct_status status;

    if (found)
        later->sql = ct_mem_copy(ct_db_peek(&use, 0), strlen(ct_db_peek(&use, 0)));
    status = ct_adhoc_end(&use, err);
    if (status != CT_OK || !found)
        return status;
    return later->sql ? ct_adhoc_run(db, "DROP INDEX result_by_configuration", err)
                      : ct_err_nomem(err);
}

enum ct_status ct_merge_index_make(struct ct_merge_later *later, struct ct_db *db,
                                   struct ct_err *err)
{
    enum ct_status status;

    if (!later || !later->sql)
        return CT_OK;
    status = ct_adhoc_run(db, later->sql, err);
    ct_merge_index_release(later);
    return status;
}

void ct_merge_index_release(struct ct_merge_later *later)
{
    free(later->sql);
    later->sql = NULL;
}
