// SPDX-License-Identifier: Apache-2.0
// What a report needs of the store besides results: every result in short, the runs that brought
// them, and what is known of the device.
#ifndef CT_DB_HISTORY_H
#define CT_DB_HISTORY_H

#include "db/store.h"

/* A result in short; texts live only during the callback.  Unknown reals are NAN. */
struct ct_db_brief {
    int64_t id; /* in the order of first evaluations */
    int64_t run_id;
    const char *status;
    const char *phase;
    const char *configuration; /* canonical JSON */
    const char *objective;     /* of objective_value */
    double objective_value;
    double time_ns;
    double low_ns;
    double high_ns;
    double raw_ns; /* time_ns before the first play-off */
    uint64_t rounds;
    uint64_t spent_ns; /* by all phases of its evaluation */
    int64_t measured_unix_s;
    const char *metrics; /* canonical JSON, or "" */
    const char *message; /* "" unless it failed */
    const char *log;     /* likewise */
};

/* Calls `each` for every result of a device, kernel and problem, in the order of first evaluations;
 * a status other than CT_OK from it ends the loop and is returned.  `each` must not use `db`. */
enum ct_status ct_db_briefs_each(struct ct_db *db, const struct ct_db_listed *of,
                                 enum ct_status (*each)(void *user,
                                                        const struct ct_db_brief *brief,
                                                        struct ct_err *err),
                                 void *user, struct ct_err *err);

/* The runs of a device, kernel and problem, oldest first; what a run did not determine is NAN, a
 * negative count or "".  The array is the arena's. */
enum ct_status ct_db_runs(struct ct_db *db, const struct ct_db_listed *of,
                          struct ct_arena *arena, struct ct_db_run **out, size_t *count,
                          struct ct_err *err);

struct ct_db_device_facts {
    const char *platform_name;
    const char *platform_version;
    const char *opencl_version;
    const char *limits; /* JSON: {"DEVICE_MAX_WORK_GROUP_SIZE":1024,...} */
};

/* What is stored of a device besides ct_db_listed; all "" if there is no such device. */
enum ct_status ct_db_device_facts_read(struct ct_db *db, int64_t device_id,
                                       struct ct_arena *arena,
                                       struct ct_db_device_facts *out,
                                       struct ct_err *err);

#endif
