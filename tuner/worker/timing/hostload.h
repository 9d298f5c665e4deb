// SPDX-License-Identifier: Apache-2.0
// How busy the host's processors are: with this process, and in total.
#ifndef CT_WORKER_TIMING_HOSTLOAD_H
#define CT_WORKER_TIMING_HOSTLOAD_H

#include <stdbool.h>
#include <stdint.h>

enum { CT_HOSTLOAD_PROCESSORS = 8192 };

/* A set of processors: bit N of the array is processor N. */
struct ct_hostload_set {
    uint64_t bits[CT_HOSTLOAD_PROCESSORS / 64];
};

/* One moment; only differences of two have a meaning. */
struct ct_hostload {
    uint64_t wall_ns; /* as ct_clock_now_ns */
    uint64_t own_ns;  /* processor time of this process, all threads together */
    /* time for which the set's processors were busy, summed; in steps of ct_hostload_step_ns */
    uint64_t busy_ns;
    bool busy_known;
};

/* The processors that this thread may run on; none if the system does not report them. */
void ct_hostload_allowed(struct ct_hostload_set *set);

/* The system's step: 10 ms nearly everywhere. */
uint64_t ct_hostload_step_ns(void);

/* Reads all clocks.  `stat_path` is /proc/stat, a file that may be missing.  `wall_ns` and
 * `own_ns` are read last with `before`, and first otherwise: the cost of reading is outside the
 * interval. */
void ct_hostload_read(const char *stat_path, const struct ct_hostload_set *set,
                      bool before, struct ct_hostload *out);

#endif
