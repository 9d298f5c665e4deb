// SPDX-License-Identifier: Apache-2.0
// Online tuning's results on their way into the user's database.
#ifndef CT_ONLINE_RECORD_H
#define CT_ONLINE_RECORD_H

#include "db/store.h"
#include "online/trials.h"
#include "online/work.h"

/* Closed while `db` is NULL: the file is open only while something is tried.  Zeros but for the
 * path. */
struct ct_online_record {
    const char *path; /* borrowed; NULL: the default */
    struct ct_db *db;
    struct ct_db_run run;
    uint64_t evaluated;
    struct ct_arena arena;
    struct ct_db_orphan *orphans; /* in flight when a tuned program or the machine died */
    size_t orphan_count;
};

/* A result. */
struct ct_online_result {
    struct ct_hash experiment;
    const char *configuration; /* canonical JSON */
    const char *flags;
    enum ct_failure failure;
    const char *message; /* of a failure; NULL: none */
    const double *samples_ns;
    size_t sample_count;
    bool is_default;
};

/* Opens the file, where it is not open, and begins a run.  Errors as for ct_db_open. */
enum ct_status ct_online_record_open(struct ct_online_record *record,
                                     const struct ct_online_work *work,
                                     const struct ct_plan *plan, uint64_t seed,
                                     struct ct_err *err);

/* Whether an experiment was in flight when a program that tuned, or the machine, died. */
bool ct_online_record_died(const struct ct_online_record *record,
                           const struct ct_hash *experiment);

/* Records that an experiment is about to run for the first time. */
enum ct_status ct_online_record_begin(struct ct_online_record *record,
                                      const struct ct_hash *experiment,
                                      struct ct_err *err);

enum ct_status ct_online_record_put(struct ct_online_record *record,
                                    const struct ct_online_result *result,
                                    struct ct_err *err);

/* Ranks finalists, the first of which is the best; `results` has what identifies each, for those
 * that are not stored yet. */
enum ct_status ct_online_record_rank(struct ct_online_record *record,
                                     const struct ct_trials_finalist *finalists,
                                     struct ct_online_result *results, size_t count,
                                     struct ct_err *err);

/* Ends the run with this status ("done", "interrupted"), and closes the file. */
enum ct_status ct_online_record_end(struct ct_online_record *record, const char *status,
                                    struct ct_err *err);

#endif
