// SPDX-License-Identifier: Apache-2.0
// How many copies of its buffers a plan needs to be timed with cold caches.
#ifndef CT_WORKER_TIMING_COLD_COPIES_H
#define CT_WORKER_TIMING_COLD_COPIES_H

#include "device/device.h"

/* Each copy is an allocation with guard bands. */
enum { CT_COLD_COPIES_MOST = 4096 };

/* The number of copies, including the plan's own buffers: enough that `used_bytes` (what launches
 * access of one) times that number exceed twice `cache_bytes`, but no more than fit into
 * `room_bytes` (the first exists already, each other one takes `copy_bytes`), nor than
 * CT_COLD_COPIES_MOST.  `*short_of`: whether more would be needed. */
size_t ct_cold_copies_count(uint64_t used_bytes, uint64_t copy_bytes,
                            uint64_t cache_bytes, uint64_t room_bytes, bool *short_of);

/* The size of the last-level cache, as the device reports it; of a CPU device the larger of that
 * and the operating system's value; 64 MiB if unknown. */
uint64_t ct_cold_copies_cache_bytes(const struct ct_devinfo *info, bool processor);

#endif
