// SPDX-License-Identifier: Apache-2.0
// Which launches a device or a built kernel refuses, whatever else they are.
#ifndef CT_PLAN_LAUNCH_LIMITS_H
#define CT_PLAN_LAUNCH_LIMITS_H

#include "base/devinfo.h"
#include "base/str.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

/* What a driver reports of a built kernel, before arguments are set. */
struct ct_launch_limits {
    uint64_t work_group_size; /* CL_KERNEL_WORK_GROUP_SIZE; 0: unknown */
    uint64_t local_mem_bytes; /* CL_KERNEL_LOCAL_MEM_SIZE: without local arguments */
};

/* The bytes of local memory that a launch's arguments ask for; UINT64_MAX if that overflows. */
uint64_t ct_launch_local_bytes(const struct ct_plan_launch *launch);

/* The work-items of a work-group: 0 where the driver chooses, UINT64_MAX if that overflows. */
uint64_t ct_launch_group_items(const struct ct_plan_launch *launch);

/* Whether the launch asks for more local memory or a larger work-group than there is, or for no
 * work-items; then appends why, one sentence without a full stop.  Limits that the device does not
 * report refuse nothing. */
bool ct_launch_refused(const struct ct_plan_launch *launch,
                       const struct ct_devinfo *device,
                       const struct ct_launch_limits *kernel, struct ct_str *why);

#endif
