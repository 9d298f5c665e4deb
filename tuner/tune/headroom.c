// SPDX-License-Identifier: Apache-2.0
// Compares what launches ask for with what the driver reports of the built kernels.
#include "tune/headroom.h"

#include "plan/launch_limits.h"

/* The smaller of a headroom so far (0: none) and `allowed` over `asked` (0: unknown). */
static double least_of(double least, double allowed, double asked)
{
    double ratio = asked > 0 && allowed > 0 ? allowed / asked : 0;

    return !(ratio > 0) || (least > 0 && least < ratio) ? least : ratio;
}

double ct_headroom_of(const struct ct_plan *plan, const struct ct_outcome *outcome,
                      const struct ct_devinfo *device)
{
    double room = (double)ct_devinfo_int(device, CT_DEVICE_LOCAL_MEM_SIZE, 0);
    double most = (double)ct_devinfo_int(device, CT_DEVICE_MAX_WORK_GROUP_SIZE, 0);
    double least = 0;

    /* Nothing was built, because the device would refuse it. */
    for (size_t i = 0; !outcome->fact_count && outcome->status == CT_RESULT_INVALID &&
                       i < plan->launch_count;
         i++) {
        double group = (double)ct_launch_group_items(&plan->launches[i]);

        if (most < group)
            least = least_of(least, most, group);
    }
    for (size_t i = 0; i < outcome->fact_count && i < plan->launch_count; i++) {
        const struct ct_plan_launch *launch = &plan->launches[i];
        const struct ct_kernel_facts *facts = &outcome->facts[i];

        least = least_of(least, (double)facts->work_group_size,
                         (double)ct_launch_group_items(launch));
        least = least_of(least, room, (double)facts->local_mem_bytes);
    }
    return least;
}
