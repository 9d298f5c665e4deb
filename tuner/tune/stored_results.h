// SPDX-License-Identifier: Apache-2.0
// All stored results that match a query, whatever their status.
#ifndef CT_TUNE_STORED_RESULTS_H
#define CT_TUNE_STORED_RESULTS_H

#include "base/mem.h"
#include "db/store.h"

struct ct_stored_result {
    const struct ct_db_listed *of; /* its kernel, problem and device */
    struct ct_db_result result;
};

/* Initialise with {0}; always release. */
struct ct_stored_results {
    struct ct_arena arena;
    struct ct_stored_result *items;
    size_t count;
    size_t capacity;
};

enum ct_stored_order {
    CT_STORED_BY_TIME, /* successful ones, fastest first, then failures */
    CT_STORED_BY_STATUS,
    CT_STORED_BY_AGE, /* the oldest first */
};

/* Reads the results of the subjects that `query` selects (ct_db_records) and whose status is among
 * `statuses` ("ok", "wrong", ..., NULL-terminated; NULL: any), by subject and in this order.
 * CT_E_NOT_FOUND if there is none; other errors as for ct_db_open and ct_db_records. */
enum ct_status ct_stored_results_read(const char *db_path, const cltunedb_query *query,
                                      const char *const *statuses,
                                      enum ct_stored_order order,
                                      struct ct_stored_results *out, struct ct_err *err);

void ct_stored_results_release(struct ct_stored_results *results);

#endif
