// SPDX-License-Identifier: Apache-2.0
// Stored results as columns, for reports: a hundred thousand of them take a few megabytes.
#ifndef CT_TUNE_STORED_COLUMNS_H
#define CT_TUNE_STORED_COLUMNS_H

#include "base/map.h"
#include "base/mem.h"
#include "db/history.h"
#include "protocol/outcome.h"

/* A parameter: its distinct values, and which of them each result has. */
struct ct_stored_param {
    const char *name;
    struct ct_value *values; /* in the order of their first use */
    size_t value_count;
    size_t value_capacity;
    int32_t *codes; /* of each result, an index into values; -1: none */
    struct ct_map by_text;
};

/* A metric, or what was observed besides time. */
struct ct_stored_metric {
    const char *name;
    double *values; /* of each result; NAN: none */
};

struct ct_stored_row {
    uint8_t status;  /* enum ct_result_status */
    int32_t failure; /* index into failures; -1: none */
    int32_t run;     /* index into runs; -1: not known */
    uint32_t rounds;
    double value; /* of the subject's objective; NAN: unknown */
    double time_ns;
    double low_ns;
    double high_ns;
    double raw_ns; /* before the first play-off; NAN: in none */
    int64_t measured_unix_s;
};

/* Failures with the same status, phase and message; the first one's log. */
struct ct_stored_failure {
    const char *status;
    const char *phase;
    const char *message;
    const char *log;
    size_t count;
    size_t first; /* the row */
};

/* The results of a kernel and problem on a device, in the order of first evaluations. */
struct ct_stored_subject {
    struct ct_db_listed of;
    const char *objective; /* of the newest run */
    bool maximize;
    struct ct_stored_row *rows;
    size_t count;
    size_t capacity;
    struct ct_stored_param *params;
    size_t param_count;
    size_t param_capacity;
    struct ct_stored_metric *metrics;
    size_t metric_count;
    size_t metric_capacity;
    struct ct_stored_failure *failures;
    size_t failure_count;
    size_t failure_capacity;
    struct ct_map failures_by_text;
    struct ct_db_run *runs; /* oldest first */
    size_t run_count;
    struct ct_db_result *top; /* the best, ranked ones first */
    size_t top_count;
    size_t *top_rows; /* of each, its row; SIZE_MAX: not found */
    struct ct_db_ceiling *ceilings;
    size_t ceiling_count;
    struct ct_db_device_facts device;
};

/* Initialise with {0}; always release. */
struct ct_stored_columns {
    struct ct_arena arena;
    struct ct_stored_subject *subjects;
    size_t count;
};

enum {
    CT_STORED_FAILURES_MOST = 200, /* kinds of failures; the last one is "others" */
    CT_STORED_TOP = 20,
};

/* Reads everything about the subjects that `query` selects (ct_db_records).  CT_E_NOT_FOUND if
 * there is nothing; CT_E_DB if stored JSON is damaged; other errors as for ct_db_open. */
enum ct_status ct_stored_columns_read(const char *db_path, const cltunedb_query *query,
                                      struct ct_stored_columns *out, struct ct_err *err);

void ct_stored_columns_release(struct ct_stored_columns *columns);

#endif
