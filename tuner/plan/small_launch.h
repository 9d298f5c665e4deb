// SPDX-License-Identifier: Apache-2.0
// Launches for which a driver compiles what it compiles for those of a plan, and that compute little.
#ifndef CT_PLAN_SMALL_LAUNCH_H
#define CT_PLAN_SMALL_LAUNCH_H

#include "base/mem.h"
#include "plan/plan.h"

#include <stdbool.h>

/* From so many work-items of a dimension on, PoCL compiles for large ranges (pocl_llvm_wg.cc: the limit
 * of a device's grid width, 65535). */
#define CT_SMALL_LAUNCH_WIDTH UINT64_C(65536)

/* The same plan with one work-group in each dimension that is not larger than CT_SMALL_LAUNCH_WIDTH, and as
 * few as exceed that in the others.  The arena owns its launches; all else is borrowed.  False if that is
 * hardly less, the driver chooses a work-group by the range, there are many launches, or memory is out. */
bool ct_small_launch(const struct ct_plan *plan, struct ct_arena *arena,
                     struct ct_plan *out);

#endif
