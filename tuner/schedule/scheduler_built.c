// SPDX-License-Identifier: Apache-2.0
// Jobs that end when they are built: the caches are what is wanted of them.
#include "schedule/scheduler_impl.h"

#include <string.h>

bool ct_scheduler_compiles_late(const struct ct_scheduler *scheduler)
{
    return scheduler->cpu_device &&
           (scheduler->duplicates.late_compiler ||
            scheduler->duplicates.calibration != CT_CALIBRATION_DONE);
}

/* Whether what was built is where a search finds it. */
static enum ct_status check_stored(struct ct_scheduler *scheduler,
                                   const struct ct_built *built, struct ct_err *err)
{
    bool late = ct_scheduler_compiles_late(scheduler);

    if (built->unstored)
        return ct_err_set(err, CT_E_IO, "%s", built->unstored);
    for (size_t i = 0; i < built->program_count; i++) {
        scheduler->stats.binary_bytes += built->programs[i].size_bytes;
        if (!late && !built->programs[i].size_bytes)
            return ct_err_set(err, CT_E_DEVICE,
                              "the driver provides no binaries, so nothing can be built "
                              "ahead of a search on this device");
    }
    scheduler->stats.launched += built->launched;
    scheduler->stats.unlaunched += late && !built->launched;
    return CT_OK;
}

enum ct_status ct_scheduler_built_only(struct ct_scheduler *scheduler, size_t index,
                                       struct ct_outcome *outcome,
                                       const struct ct_built *built, struct ct_err *err)
{
    if (outcome->status == CT_RESULT_OK) {
        enum ct_status status = check_stored(scheduler, built, err);

        if (status) {
            ct_outcome_release(outcome);
            return status;
        }
        scheduler->jobs.items[index]->from_cache = built->from_cache;
        scheduler->stats.from_cache += built->from_cache;
        scheduler->stats.built += !built->from_cache;
    }
    memset(outcome->spent_ns, 0, sizeof(outcome->spent_ns));
    ct_scheduler_done(scheduler, index, outcome);
    return CT_OK;
}
