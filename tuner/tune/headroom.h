// SPDX-License-Identifier: Apache-2.0
// How far a built configuration is from what its driver allows: strategies learn from it which
// larger ones will be refused.
#ifndef CT_TUNE_HEADROOM_H
#define CT_TUNE_HEADROOM_H

#include "base/devinfo.h"
#include "plan/plan.h"
#include "protocol/outcome.h"

/* Over all launches, the least ratio of the work-group size that the driver reports for the kernel
 * (CL_KERNEL_WORK_GROUP_SIZE) to the one that the plan asks for, and of the device's local memory to
 * what the kernel uses.  Below 1: refused.  0: nothing is known, as it was not built. */
double ct_headroom_of(const struct ct_plan *plan, const struct ct_outcome *outcome,
                      const struct ct_devinfo *device);

#endif
