// SPDX-License-Identifier: Apache-2.0
// A session's side of the database: one run, its results and its rankings.
#ifndef CT_TUNE_STORE_H
#define CT_TUNE_STORE_H

#include "db/store.h"
#include "tune/objective.h"
#include "tune/options.h"
#include "tune/workload.h"

/* Zeros but for the first three: closed. */
struct ct_store {
    const struct ct_tune_options *options; /* all three are borrowed */
    const struct ct_workload *work;
    const struct ct_objective *objective;
    struct ct_db *db;
    struct ct_db_run run;
    bool begun;
    struct ct_arena orphan_arena;
    struct ct_db_orphan *orphans; /* in order of their hashes */
    size_t orphan_count;
};

/* Opens the database and stores device, kernel and problem; begins the run. */
enum ct_status ct_store_begin(struct ct_store *store, const struct ct_plan *plan,
                              const char *strategy, struct ct_err *err);
void ct_store_release(struct ct_store *store);

/* Stores the outcome of the configuration in work->values; `duplicate_of`: the experiment that
 * was measured in its place (NULL: none). */
enum ct_status ct_store_result(struct ct_store *store, const struct ct_plan *plan,
                               const struct ct_hash *experiment,
                               const struct ct_outcome *outcome,
                               const struct ct_hash *duplicate_of, struct ct_err *err);

/* Stores an existing result for this run, too, with the configuration in work->values and this
 * session's objective and metrics computed from `observed`. */
enum ct_status ct_store_copy(struct ct_store *store, const struct ct_plan *plan,
                             struct ct_db_result *result,
                             const struct ct_quantities *observed, struct ct_err *err);

/* Appends the metrics of the configuration in work->values as canonical JSON.  CT_E_NOMEM. */
enum ct_status ct_store_put_metrics(const struct ct_store *store,
                                    const struct ct_quantities *observed,
                                    struct ct_str *out, struct ct_err *err);

/* Ends the run with "running" (it goes on), "done", "interrupted" or "failed". */
enum ct_status ct_store_end(struct ct_store *store, const char *status,
                            uint64_t evaluated, uint64_t reused, struct ct_err *err);

#endif
