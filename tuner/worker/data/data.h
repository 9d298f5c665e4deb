// SPDX-License-Identifier: Apache-2.0
// The contents of buffers before a launch, on the host.
#ifndef CT_WORKER_DATA_DATA_H
#define CT_WORKER_DATA_DATA_H

#include "base/err.h"
#include "plan/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies between two layouts of the same buffer; pad lanes are not touched. */
void ct_data_convert(const struct ct_layout *from, const void *source,
                     const struct ct_layout *to, void *target);

/* Writes the buffer's fill to `bytes` (ct_layout_size of them); for kinds that need other buffers
 * or files see worker/data/fill.h.  Random values depend only on the buffer's own seed and on
 * `seed`, and are the same on every machine.  A ramp counts scalars without pad lanes; pad lanes
 * are zero (all bits set without a fill).  Integers are computed in integers and clamped to their
 * type. */
void ct_data_fill(const struct ct_plan_buffer *buffer, uint64_t seed, void *bytes);

/* An array for host code, aligned to 64 bytes, which malloc does not guarantee, with canaries
 * before and behind; NULL if out of memory.  Freed by ct_data_free. */
void *ct_data_alloc(size_t size_bytes);
void ct_data_free(void *array);

/* The same with the contents of a file (of a whole buffer), which are copied page by page when they
 * are written, and never in the file; NULL if that is not possible.  Freed by ct_data_unmap. */
void *ct_data_map(int fd, size_t size_bytes);
void ct_data_unmap(void *array, size_t size_bytes);

/* Whether nothing was written outside an array from ct_data_alloc or ct_data_map. */
bool ct_data_intact(const void *array, size_t size_bytes);

#endif
