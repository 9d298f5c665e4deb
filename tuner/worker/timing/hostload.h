// SPDX-License-Identifier: Apache-2.0
// How busy the host's processors are: with this process, and with everything.
#ifndef CT_WORKER_TIMING_HOSTLOAD_H
#define CT_WORKER_TIMING_HOSTLOAD_H

#include <stdbool.h>
#include <stdint.h>

enum { CT_HOSTLOAD_PROCESSORS = 8192 };

/* A set of processors: bit N of the array is processor N. */
struct ct_hostload_set {
    uint64_t bits[CT_HOSTLOAD_PROCESSORS / 64];
};

/* One moment.  Differences of two are meant to be used. */
struct ct_hostload {
    uint64_t wall_ns; /* as ct_clock_now_ns */
    uint64_t own_ns;  /* processor time of this process, all threads together */
    uint64_t busy_ns; /* time for which the set's processors had something to do, summed;
                         counted in steps of ct_hostload_step_ns */
    bool busy_known;
};

/* The processors that this thread may run on; none where the system does not tell. */
void ct_hostload_allowed(struct ct_hostload_set *set);

/* What the system counts in: 10 ms nearly everywhere. */
uint64_t ct_hostload_step_ns(void);

/* Reads all clocks.  `stat_path` is /proc/stat, a file that may be missing.  `wall_ns`
 * and `own_ns` are read last with `before`, and else first: what reading costs lies
 * outside of what is watched. */
void ct_hostload_read(const char *stat_path, const struct ct_hostload_set *set,
                      bool before, struct ct_hostload *out);

#endif
