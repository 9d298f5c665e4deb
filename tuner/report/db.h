// SPDX-License-Identifier: Apache-2.0
// What a database contains, for users.
#ifndef CT_REPORT_DB_H
#define CT_REPORT_DB_H

#include "db/maintain.h"
#include "db/merge.h"

/* Prints the contents of a file. */
void ct_report_contents(const char *path, const struct ct_db_contents *contents,
                        bool json);

/* Prints the kernels, devices and problems with results that `query` selects, with the number of
 * their results and their best, in rows of `width` columns (0: no limit).  Errors as for
 * ct_db_records. */
enum ct_status ct_report_subjects(struct ct_db *db, const cltunedb_query *query,
                                  bool json, size_t width, struct ct_err *err);

/* Prints what a merge did. */
void ct_report_merged(const char *path, const struct ct_db_merged *merged, bool json);

/* Prints what was removed, or would be. */
void ct_report_pruned(const struct ct_db_pruned *pruned, bool dry_run, bool json);

/* Prints the faults of a file. */
void ct_report_faults(const char *path, const struct ct_db_faults *faults, bool json);

/* Appends the text form of the bests that `query` selects (db/cltunedb-mini.h describes it): those of
 * each device, and those that serve a vendor's devices, a type of devices, and any device best.
 * Answers come from the file at `path`. */
enum ct_status ct_report_db_text(const char *path, const cltunedb_query *query,
                                 struct ct_str *out, struct ct_err *err);

#endif
