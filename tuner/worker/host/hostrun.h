// SPDX-License-Identifier: Apache-2.0
// What host code runs on: arrays with the contents of buffers, and pointers to them.
#ifndef CT_WORKER_HOST_HOSTRUN_H
#define CT_WORKER_HOST_HOSTRUN_H

#include "worker/data/dataset.h"

/* Arrays for host code, one a buffer of the plan with its contents, and the pointers that
 * ct_host_call wants. */
struct ct_hostrun {
    size_t count;
    size_t *size_bytes;
    void **arrays;
    bool *borrowed; /* whether the array is another run's */
    void **args;
    struct ct_arena arena;
};
enum ct_status ct_hostrun_init(struct ct_hostrun *run, const struct ct_dataset *dataset,
                               const struct ct_plan_host *host, struct ct_err *err);

/* The same for another copy that runs at the same time as `first`, whose arrays it uses
 * where `shared` (one a buffer) says so: `first` has to outlive it. */
enum ct_status ct_hostrun_copy(struct ct_hostrun *run, const struct ct_hostrun *first,
                               const bool *shared, const struct ct_dataset *dataset,
                               const struct ct_plan_host *host, struct ct_err *err);
void ct_hostrun_release(struct ct_hostrun *run);

/* Gives all arrays that are its own their contents again. */
void ct_hostrun_restore(struct ct_hostrun *run, const struct ct_dataset *dataset);

/* The number of the first array beside which something was written, or `count`. */
size_t ct_hostrun_damaged(const struct ct_hostrun *run);

#endif
