// SPDX-License-Identifier: Apache-2.0
// Jobs that end when they are built: the caches are what is wanted of them.
#include "schedule/scheduler_impl.h"

enum ct_status ct_scheduler_check_built(struct ct_scheduler *scheduler, size_t index,
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
    scheduler->stats.from_cache += built->from_cache;
    scheduler->stats.built += !built->from_cache;
    scheduler->jobs.items[index]->from_cache = built->from_cache;
    return CT_OK;
}

void ct_scheduler_note_small(struct ct_scheduler *scheduler,
                             const struct ct_worker_slot *slot, bool built,
                             const struct ct_outcome *outcome)
{
    bool died =
        built && slot->small && outcome->phase == CT_PHASE_FIRST &&
        (outcome->status == CT_RESULT_CRASHED || outcome->status == CT_RESULT_TIMEOUT);
    struct ct_scheduler_job *job =
        slot->calibrating ? NULL : scheduler->jobs.items[slot->at];

    if (!job && died) {
        scheduler->duplicates.small_kills = true;
        scheduler->duplicates.again |= 1U << slot->at;
    } else if (job && built) {
        job->doubted = died;
    } else if (job && job->doubted && outcome->status == CT_RESULT_OK) {
        /* It was the launch's fault, and others may share it. */
        scheduler->duplicates.small_is_enough = false;
    }
}
