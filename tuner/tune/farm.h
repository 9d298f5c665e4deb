// SPDX-License-Identifier: Apache-2.0
// Builds configurations without running them, for the caches that searches read (`cltune build-farm`).
#ifndef CT_TUNE_FARM_H
#define CT_TUNE_FARM_H

#include "tune/workload.h"

struct ct_farm {
    const struct ct_tune_options *options; /* borrowed */
    struct ct_workload work;
    struct ct_arena arena;
    uint64_t
        *indices;   /* in the order of building, after the default; NULL: see `shard` */
    uint64_t count; /* of configurations, besides a default that is none of them */
    /* --- results --- */
    uint64_t done;   /* built, failed or without a plan, the default included */
    uint64_t failed; /* by their own fault */
    struct ct_scheduler_stats stats;
    uint64_t wall_ns;
    char *first_failure;        /* NULL: none */
    struct ct_str cache;        /* folder of cltune's caches */
    struct ct_str driver_cache; /* of PoCL's */
};

/* Chooses the configurations: those of options->shard, else all; with options->strategy those that it
 * asks for without results; at most options->budget.evaluations of them, unless that is 0.  Takes over
 * binding and space, also on failure; release always.  CT_E_IO if a cache cannot be written, CT_E_USAGE,
 * CT_E_SPEC for a [program], CT_E_NOMEM. */
enum ct_status ct_farm_init(struct ct_farm *farm, const struct ct_tune_options *options,
                            const struct ct_devinfo *device, const struct ct_spec *spec,
                            struct ct_binding *binding, struct ct_space *space,
                            struct ct_err *err);

/* Builds the default and all of them; what is in the cache already is loaded only, so a task that is
 * started again continues.  Failures of configurations are counted.  CT_E_IO (a binary cannot be
 * stored), CT_E_DEVICE (the driver provides none), CT_E_INTERRUPTED, else as for ct_scheduler_wait. */
enum ct_status ct_farm_run(struct ct_farm *farm, struct ct_err *err);

void ct_farm_release(struct ct_farm *farm);

#endif
