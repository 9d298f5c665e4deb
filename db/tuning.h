// SPDX-License-Identifier: Apache-2.0
// What online tuning asks a store, also one that is open for reading only.
#ifndef CT_DB_TUNING_H
#define CT_DB_TUNING_H

#include "db/store.h"

/* The identities of a device, a kernel with this source, and a problem; an identity of 0: not stored. */
struct ct_db_tuned {
    int64_t device_id;
    int64_t kernel_id;
    int64_t problem_id;
    bool done; /* a search for time, or tuning, has come to its end */
};

/* Finds them, without writing.  `problem` is canonical JSON. */
enum ct_status ct_db_tuned_find(struct ct_db *db, const struct ct_devinfo *device,
                                const char *kernel, const struct ct_hash *source_hash,
                                const char *problem, struct ct_db_tuned *out,
                                struct ct_err *err);

/* The strategy of a run; "" if there is no such run. */
enum ct_status ct_db_run_strategy(struct ct_db *db, int64_t run_id,
                                  struct ct_arena *arena, const char **out,
                                  struct ct_err *err);

/* The absolute path that the space file of the newest version of a kernel had; "" if not known. */
enum ct_status ct_db_kernel_place(struct ct_db *db, const char *kernel,
                                  struct ct_arena *arena, const char **out,
                                  struct ct_err *err);

#endif
