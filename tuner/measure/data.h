// SPDX-License-Identifier: Apache-2.0
// The contents of buffers before a launch, on the host.
#ifndef CT_MEASURE_DATA_H
#define CT_MEASURE_DATA_H

#include "base/err.h"
#include "spec/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a buffer; false when that overflows. */
bool ct_data_size(const struct ct_plan_buffer *buffer, size_t *size_bytes);

/* Writes the buffer's fill to `bytes` (ct_data_size of them).  Random values depend on
 * the buffer's own seed and on `seed` alone, and are the same on every machine.  A ramp
 * counts scalars, pad lanes left out; pad lanes are zero (all bits set without a fill).
 */
void ct_data_fill(const struct ct_plan_buffer *buffer, uint64_t seed, void *bytes);

/* An array for host code, aligned as malloc never promises (64 bytes) and followed and
 * preceded by canaries; NULL when memory is short.  ct_data_free frees it. */
void *ct_data_alloc(size_t size_bytes);
void ct_data_free(void *array);

/* Whether nothing was written beside an array from ct_data_alloc. */
bool ct_data_intact(const void *array, size_t size_bytes);

#endif
