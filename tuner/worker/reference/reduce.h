// SPDX-License-Identifier: Apache-2.0
// Reduces a buffer to one value per component before comparing it: pure functions.
#ifndef CT_WORKER_REFERENCE_REDUCE_H
#define CT_WORKER_REFERENCE_REDUCE_H

#include "base/wide.h"
#include "protocol/protocol.h"
#include "worker/data/data.h"

/* One component.  Reals are reduced in double, integers exactly. */
struct ct_reduced {
    double value;
    bool exact;           /* `whole` is the value, `value` the nearest double */
    struct ct_wide whole; /* 0 if not exact */
};

/* Reduces the first `compare` elements of the buffer (in units of its `count`), at `bytes` in
 * `layout`, into `out` (layout->components of them).  NaN makes a component NaN.  For no elements
 * at all the sum is 0, the minimum infinity, the maximum minus infinity. */
void ct_reduce_outputs(const struct ct_plan_buffer *buffer,
                       const struct ct_layout *layout, const void *bytes,
                       struct ct_reduced *out);

/* Compares reduced values by the buffer's check; the scale of a relative check is the larger of
 * the value and the root mean square of `expected`.  As ct_verify_buffer; `element` is the
 * component. */
bool ct_reduce_right(const struct ct_plan_buffer *buffer, const struct ct_reduced *actual,
                     const struct ct_reduced *expected, size_t components,
                     struct ct_mismatch *mismatch);

/* "sum", "minimum" or "maximum". */
const char *ct_reduce_name(enum ct_reduce reduce);

#endif
