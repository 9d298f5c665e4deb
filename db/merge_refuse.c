// SPDX-License-Identifier: Apache-2.0
// Why a file is not merged.
#include "db/merge.h"

#include <string.h>

enum ct_status ct_merge_missing(const char *path, const char *table, struct ct_err *err)
{
    return ct_err_set(err, CT_E_DB,
                      "%s is damaged (a row of %s refers to one that is missing) and "
                      "is not merged; run 'cltune db check --db %s'",
                      path, table, path);
}

enum ct_status ct_merge_refuse(const char *path, const char *why, struct ct_err *err)
{
    return ct_err_set(err, CT_E_DB,
                      "%s has a row that cltune would not store (%.*s) and is not merged",
                      path, (int)strcspn(why, "\n"), why);
}

enum ct_status ct_merge_future(const char *path, struct ct_err *err)
{
    return ct_err_set(err, CT_E_DB,
                      "%s has a time that is more than a day in the future and is not "
                      "merged; check the clocks of both machines",
                      path);
}
