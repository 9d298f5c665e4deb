// SPDX-License-Identifier: Apache-2.0
// Shrinks launches.
#include "plan/small_launch.h"

#include <string.h>

enum {
    LAUNCHES_MOST = 16, /* loops depend on what was computed */
    LEAST_GAIN = 4,     /* times as many work-groups */
};

static uint64_t shrunk(uint64_t global, uint64_t local)
{
    uint64_t groups =
        global < CT_SMALL_LAUNCH_WIDTH ? 1 : (CT_SMALL_LAUNCH_WIDTH + local - 1) / local;

    return groups * local < global ? groups * local : global;
}

/* False if the driver chooses the work-group. */
static bool shrink(struct ct_plan_launch *launch, double *before, double *after)
{
    double all = 1;
    double left = 1;

    if (launch->kind != CT_LAUNCH_KERNEL)
        return true;
    for (uint32_t i = 0; i < launch->dims; i++) {
        if (!launch->local[i])
            return false;
        all *= (double)launch->global[i];
        launch->global[i] = shrunk(launch->global[i], launch->local[i]);
        left *= (double)launch->global[i];
    }
    *before += all;
    *after += left;
    return true;
}

bool ct_small_launch(const struct ct_plan *plan, struct ct_arena *arena,
                     struct ct_plan *out)
{
    struct ct_plan_launch *launches;
    double before = 0;
    double after = 0;

    if (!plan->launch_count || plan->launch_count > LAUNCHES_MOST)
        return false;
    launches = ct_arena_array(arena, plan->launch_count, sizeof(*launches));
    if (!launches)
        return false;
    memcpy(launches, plan->launches, plan->launch_count * sizeof(*launches));
    for (size_t i = 0; i < plan->launch_count; i++)
        if (!shrink(&launches[i], &before, &after))
            return false;
    *out = *plan;
    out->launches = launches;
    return before >= LEAST_GAIN * after && after > 0;
}
