// SPDX-License-Identifier: Apache-2.0
// Failures caused by the machine or its users, not by a kernel: signals sent by others, short
// memory, processors used by others.
#ifndef CT_BASE_OUTSIDE_H
#define CT_BASE_OUTSIDE_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Processes that the system has killed so far because memory was short; UINT64_MAX if not
 * reported. */
uint64_t ct_outside_memory_kills(void);

/* Whether a signal that ended a process is one that no kernel, compiler or driver causes by a
 * fault of its own: SIGKILL, SIGTERM, SIGXFSZ ...  (SIGSEGV, SIGABRT ... are). */
bool ct_outside_signal(int number);

/* The remedy for such a signal, as part of a sentence: "raise the limit on ...". */
const char *ct_outside_remedy(int number);

/* Appends limits of this process and its workers that may keep drivers from working: "address
 * space is limited to 400 MiB (ulimit -v)".  Nothing if there are none. */
void ct_outside_limits(struct ct_str *out);

/* The time for which the threads of a process have run, and have waited for a processor, each a
 * sum in ns over living threads. */
struct ct_outside_waits {
    uint64_t ran_ns;
    uint64_t waited_ns;
};

/* The times of a process so far; both 0 if the system does not report them (Linux:
 * /proc/PID/task/TID/schedstat). */
struct ct_outside_waits ct_outside_waits_of(pid_t pid);

/* How many pieces of code of shared objects a process has mapped; 0 if the system does not report them
 * (Linux: /proc/PID/maps). */
size_t ct_outside_objects_of(pid_t pid);

/* The same of this process, as its dynamic linker knows it: in microseconds, where the system's list of
 * thousands of mappings takes milliseconds. */
size_t ct_outside_objects_here(void);

/* How much of `elapsed_ns` a process lost to waiting for processors, between two readings.
 * Threads wait in parallel: it is the share of the requested time that they did not get, and no
 * more than they waited, since a process that sleeps until a device is done loses nothing. */
uint64_t ct_outside_lost_ns(const struct ct_outside_waits *before,
                            const struct ct_outside_waits *after, uint64_t elapsed_ns);

/* How much longer than `limit_ns` a late process may take because the processors are busy with
 * other work; 0 if they are not, or if it does not need one.  At most nine times the limit.  An
 * estimate, for systems without readings. */
uint64_t ct_outside_busy_ns(uint64_t limit_ns, pid_t pid);

/* The same from the contents of /proc/loadavg, and a number of processors. */
uint64_t ct_outside_busy_share_ns(uint64_t limit_ns, const char *loadavg,
                                  unsigned processors);

#endif
