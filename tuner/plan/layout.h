// SPDX-License-Identifier: Apache-2.0
// Sizes of buffers, and where their scalars are: in host memory and on the device.
#ifndef CT_PLAN_LAYOUT_H
#define CT_PLAN_LAYOUT_H

#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

/* Size of a buffer in bytes; false on overflow. */
bool ct_layout_size(const struct ct_plan_buffer *buffer, size_t *size_bytes);

/* The positions of a buffer's scalars: scalar `c` of record `r` has index r * record_step + c *
 * scalar_step. */
struct ct_layout {
    enum ct_scalar scalar;
    size_t records;
    size_t components; /* scalars per record, without pad lanes */
    size_t record_step;
    size_t scalar_step;
};

/* In host memory: records. */
struct ct_layout ct_layout_host(const struct ct_plan_buffer *buffer);

/* On the device: planes if the buffer has them, else the same. */
struct ct_layout ct_layout_device(const struct ct_plan_buffer *buffer);

/* Whether the two differ, and the size of the buffer on the device if so (as ct_layout_size
 * otherwise: planes have no pad lanes). */
bool ct_layout_has_planes(const struct ct_plan_buffer *buffer);
bool ct_layout_device_size(const struct ct_plan_buffer *buffer, size_t *size_bytes);

#endif
