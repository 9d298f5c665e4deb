// SPDX-License-Identifier: Apache-2.0
// Compares launches with the limits of the device and of their kernels.
#include "plan/launch_limits.h"

#include <inttypes.h>

uint64_t ct_launch_local_bytes(const struct ct_plan_launch *launch)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < launch->arg_count; i++)
        if (launch->args[i].kind == CT_ARG_LOCAL) {
            if (launch->args[i].local_bytes > UINT64_MAX - sum)
                return UINT64_MAX;
            sum += launch->args[i].local_bytes;
        }
    return sum;
}

static bool memory_refused(const struct ct_plan_launch *launch,
                           const struct ct_devinfo *device,
                           const struct ct_launch_limits *kernel, struct ct_str *why)
{
    int64_t room = ct_devinfo_int(device, CT_DEVICE_LOCAL_MEM_SIZE, INT64_MAX);
    uint64_t bytes = ct_launch_local_bytes(launch);

    bytes = bytes > UINT64_MAX - kernel->local_mem_bytes
                ? UINT64_MAX
                : bytes + kernel->local_mem_bytes;
    if (bytes <= (uint64_t)room)
        return false;
    ct_str_addf(why,
                "launch %s: %" PRIu64 " bytes of local memory are more than "
                "the device's %" PRId64,
                launch->name, bytes, room);
    return true;
}

uint64_t ct_launch_group_items(const struct ct_plan_launch *launch)
{
    uint64_t group = 1;

    for (uint32_t d = 0; d < launch->dims; d++)
        if (launch->local[d] && group > UINT64_MAX / launch->local[d])
            group = UINT64_MAX;
        else
            group *= launch->local[d];
    return group;
}

static bool items_refused(const struct ct_plan_launch *launch,
                          const struct ct_devinfo *device, struct ct_str *why)
{
    for (uint32_t d = 0; d < launch->dims; d++) {
        int64_t items = ct_devinfo_int(
            device, (enum ct_devprop)(CT_DEVICE_MAX_WORK_ITEM_SIZES_0 + d), INT64_MAX);

        if (!launch->global[d]) {
            ct_str_addf(why, "launch %s: the global size is 0", launch->name);
            return true;
        }
        if (launch->local[d] > (uint64_t)items) {
            ct_str_addf(why,
                        "launch %s: a local size of %" PRIu64
                        " in dimension %u is more than the device's %" PRId64,
                        launch->name, launch->local[d], (unsigned)d, items);
            return true;
        }
    }
    return false;
}

static bool group_refused(const struct ct_plan_launch *launch,
                          const struct ct_devinfo *device,
                          const struct ct_launch_limits *kernel, struct ct_str *why)
{
    int64_t most = ct_devinfo_int(device, CT_DEVICE_MAX_WORK_GROUP_SIZE, INT64_MAX);
    uint64_t group = ct_launch_group_items(launch);

    if (group > (uint64_t)most) {
        ct_str_addf(why,
                    "launch %s: a work-group of %" PRIu64
                    " is larger than the device's %" PRId64,
                    launch->name, group, most);
        return true;
    }
    if (kernel->work_group_size && group > kernel->work_group_size) {
        ct_str_addf(why,
                    "launch %s: a work-group of %" PRIu64
                    " is larger than kernel %s allows (%" PRIu64 ")",
                    launch->name, group, launch->kernel, kernel->work_group_size);
        return true;
    }
    return false;
}

bool ct_launch_refused(const struct ct_plan_launch *launch,
                       const struct ct_devinfo *device,
                       const struct ct_launch_limits *kernel, struct ct_str *why)
{
    return memory_refused(launch, device, kernel, why) ||
           items_refused(launch, device, why) ||
           group_refused(launch, device, kernel, why);
}
