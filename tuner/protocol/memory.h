// SPDX-License-Identifier: Apache-2.0
// How much memory builders take, and may take.
//
// The limit is looked after from outside, a few times a second: RLIMIT_AS and RLIMIT_DATA
// would also count address space that drivers only reserve (tens of GiB with NVIDIA's),
// and a driver whose malloc fails dies without a word of why.
#ifndef CT_PROTOCOL_MEMORY_H
#define CT_PROTOCOL_MEMORY_H

#include <stdint.h>
#include <sys/types.h>

/* Resident memory of a process and of all that it has started (compilers), in bytes; 0
 * when there is no such process. */
uint64_t ct_memory_of(pid_t pid);

/* The machine's memory in bytes, or what the control group may take where that is less; 0
 * where nobody knows. */
uint64_t ct_memory_total(void);

/* One builder's share, of `jobs` and a runner: of three quarters of all memory; at least
 * 512 MiB. */
uint64_t ct_memory_share(unsigned jobs);

#endif
