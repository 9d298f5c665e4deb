// SPDX-License-Identifier: Apache-2.0
// The data of host code: arrays with the contents of buffers, and pointers to them.
#ifndef CT_WORKER_HOST_HOSTRUN_H
#define CT_WORKER_HOST_HOSTRUN_H

#include "worker/data/dataset.h"

/* Arrays for host code, one per buffer of the plan with its contents, and the pointers for
 * ct_host_call. */
struct ct_hostrun {
    size_t count;
    size_t *size_bytes;
    void **arrays;  /* NULL: a reference's that it does not get */
    bool *borrowed; /* whether the array belongs to another run */
    bool *mapped;   /* whether it is from ct_data_map */
    void **args;
    struct ct_arena arena;
};
enum ct_status ct_hostrun_init(struct ct_hostrun *run, const struct ct_dataset *dataset,
                               const struct ct_plan_host *host, struct ct_err *err);

/* The same for the plan's reference, which may get inputs that are already in memory as mappings,
 * and has no arrays of buffers that it neither gets nor defines. */
enum ct_status ct_hostrun_reference(struct ct_hostrun *run,
                                    const struct ct_session *session,
                                    const struct ct_dataset *dataset,
                                    const struct ct_plan *plan, struct ct_err *err);

/* The same for another copy that runs at the same time as `first`, whose arrays it uses where
 * `shared` (one per buffer) is set: `first` must outlive it. */
enum ct_status ct_hostrun_copy(struct ct_hostrun *run, const struct ct_hostrun *first,
                               const bool *shared, const struct ct_dataset *dataset,
                               const struct ct_plan_host *host, struct ct_err *err);
void ct_hostrun_release(struct ct_hostrun *run);

/* Restores the contents of all arrays of its own. */
void ct_hostrun_restore(struct ct_hostrun *run, const struct ct_dataset *dataset);

/* The index of the first array with a write outside it, or `count`. */
size_t ct_hostrun_damaged(const struct ct_hostrun *run);

#endif
