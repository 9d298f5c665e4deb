// SPDX-License-Identifier: Apache-2.0
// Work on large arrays, divided among threads that live only as long as the work.
//
// Threads are not kept: idle ones would be counted with those of host code, and would be inherited
// by whatever is timed next.  Starting sixteen takes less than a millisecond.
#ifndef CT_WORKER_PARALLEL_H
#define CT_WORKER_PARALLEL_H

#include <stddef.h>

/* A part of the work: the elements from `begin` to before `end`. */
typedef void (*ct_parallel_part)(void *data, size_t begin, size_t end);

/* Covers [0, count) with calls of `part`, on as many threads as there are processors that this
 * thread may use; returns when all have returned.  Parts begin at multiples of `least` and are at
 * least that long, except for the last one: what is done for a part must not depend on its length.
 * Work of up to `least` elements, and all work if no thread can be started, is done by the
 * caller. */
void ct_parallel(size_t count, size_t least, ct_parallel_part part, void *data);

/* memcpy and memset by several threads: the first write to fresh memory is mostly the kernel's
 * work, which clears pages. */
void ct_parallel_copy(void *to, const void *from, size_t size_bytes);
void ct_parallel_set(void *to, int byte, size_t size_bytes);

#endif
