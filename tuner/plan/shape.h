// SPDX-License-Identifier: Apache-2.0
// The shape of a buffer's contents in host memory, as an array of scalars.
#ifndef CT_PLAN_SHAPE_H
#define CT_PLAN_SHAPE_H

#include "plan/plan.h"

#include <stdint.h>

enum { CT_SHAPE_DIMS = 4 };

/* The slowest dimension first, as NumPy orders them. */
struct ct_shape {
    unsigned dims;
    uint64_t size[CT_SHAPE_DIMS];
};

/* Elements of a plain buffer, depth, height and width of an image; then the components of a
 * vector, or of a record of a buffer with planes.  Pad lanes of three-vectors do not count. */
struct ct_shape ct_shape_of(const struct ct_plan_buffer *buffer);

/* The indices, in that shape, of scalar number `element`, which counts those in memory (pad lanes
 * included).  Beyond the end the first index is too large. */
struct ct_shape ct_shape_index(const struct ct_plan_buffer *buffer, uint64_t element);

#endif
