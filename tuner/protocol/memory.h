// SPDX-License-Identifier: Apache-2.0
// How much memory builders take, and may take.
//
// The limit is checked from outside, once to ten times a second: RLIMIT_AS and RLIMIT_DATA would also
// count address space that drivers only reserve (tens of GiB with NVIDIA's), and a driver whose
// malloc fails dies without an explanation.
#ifndef CT_PROTOCOL_MEMORY_H
#define CT_PROTOCOL_MEMORY_H

#include <stdint.h>
#include <sys/types.h>

/* Resident memory of a process and all its children (compilers), in bytes; 0 if there is no such
 * process. */
uint64_t ct_memory_of(pid_t pid);

/* For how long a builder that takes `used_bytes` need not be looked at: memory grows by 8 GiB a second at
 * most.  A tenth of a second to a second. */
uint64_t ct_memory_pause_ns(uint64_t used_bytes, uint64_t limit_bytes);

/* The machine's memory in bytes, or the control group's limit if that is less; 0: unknown. */
uint64_t ct_memory_total(void);

/* One builder's share, for `jobs` builders and a runner: of three quarters of all memory; at
 * least 512 MiB. */
uint64_t ct_memory_share(unsigned jobs);

#endif
