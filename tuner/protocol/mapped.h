// SPDX-License-Identifier: Apache-2.0
// Machine code that a driver has mapped for a launch.
//
// Drivers for CPU devices that compile at the first launch keep the code in shared objects of
// their own cache, one per kernel and local size, in folders with the kernel's name (PoCL:
// .../KERNEL/16-1-1-goffs0/KERNEL.so).  That code is what really runs: the program's binary is
// not specialised yet, and requesting it costs another compilation.
#ifndef CT_PROTOCOL_MAPPED_H
#define CT_PROTOCOL_MAPPED_H

#include "base/str.h"
#include "plan/plan.h"

#include <stdbool.h>

/* The shared objects of this process at one moment. */
struct ct_mapped {
    struct ct_str names; /* each ended by a zero */
};

void ct_mapped_note(struct ct_mapped *mapped);
void ct_mapped_release(struct ct_mapped *mapped);

/* Goes through the objects that were mapped between two moments.  Initialise with {before, now, 0, 0}. */
struct ct_mapped_walk {
    const struct ct_mapped *before;
    const struct ct_mapped *now;
    size_t seen; /* so much of `before` */
    size_t at;   /* and of `now` */
};

/* The path of the next one; NULL if there are no more.  Those in both are in the same order in both, and
 * what is new comes last: that takes time in proportion to their number. */
const char *ct_mapped_next(struct ct_mapped_walk *walk);

/* How many objects the plan's kernels have: one for each launch that differs in kernel, program
 * or sizes. */
size_t ct_mapped_needed(const struct ct_plan *plan);

/* Appends the code of all kernels that the plan launches, mapped since `before`.  False, and
 * nothing appended, unless there is an object for each launch that differs in kernel or sizes:
 * some may have been mapped earlier. */
bool ct_mapped_code(const struct ct_mapped *before, const struct ct_plan *plan,
                    struct ct_str *out);

#endif
