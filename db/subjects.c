// SPDX-License-Identifier: Apache-2.0
// Listing what a database holds.
#include "db/lookup.h"

enum ct_status ct_db_subjects(struct ct_db *db, const cltunedb_query *query, size_t top,
                              struct ct_arena *arena, struct ct_db_subject_best **out,
                              size_t *count, struct ct_err *err)
{
    (void)query;
    (void)top;
    (void)arena;
    *out = NULL;
    *count = 0;
    return ct_err_set(err, CT_E_NOT_FOUND, "%s has no good result that fits", db->path);
}

enum ct_status ct_db_records(struct ct_db *db, const cltunedb_query *query,
                             struct ct_arena *arena, struct ct_db_record **out,
                             size_t *count, struct ct_err *err)
{
    (void)query;
    (void)arena;
    *out = NULL;
    *count = 0;
    return ct_err_set(err, CT_E_NOT_FOUND, "%s has no result that fits", db->path);
}
