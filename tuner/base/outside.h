// SPDX-License-Identifier: Apache-2.0
// What is the machine's or its users' doing, and not that of a kernel: signals that
// somebody else sends, memory that is short, processors that others use.
#ifndef CT_BASE_OUTSIDE_H
#define CT_BASE_OUTSIDE_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Processes that the system has killed so far because memory was short; UINT64_MAX where
 * it does not say. */
uint64_t ct_outside_memory_kills(void);

/* Whether a signal that ended a process is one that no kernel, compiler or driver gets by
 * a fault of its own: SIGKILL, SIGTERM, SIGXFSZ ...  (SIGSEGV, SIGABRT ... are). */
bool ct_outside_signal(int number);

/* What to do about such a signal, as a sentence has it: "raise the limit on ...". */
const char *ct_outside_remedy(int number);

/* Appends what limits this process and its workers so much that drivers may not work:
 * "address space is limited to 400 MiB (ulimit -v)".  Nothing when nothing does. */
void ct_outside_limits(struct ct_str *out);

/* The time that the threads of a process have run, and that they have waited for a processor, each
 * a sum in ns over those that live. */
struct ct_outside_waits {
    uint64_t ran_ns;
    uint64_t waited_ns;
};

/* What a process has run and waited so far; both 0 where the system does not tell (Linux:
 * /proc/PID/task/TID/schedstat). */
struct ct_outside_waits ct_outside_waits(pid_t pid);

/* How much of `elapsed_ns` a process lost to waiting for processors, between two readings.  Threads
 * wait side by side: it is the share of the time they asked for that they did not get, and no more
 * than they waited, since a process that sleeps until a device is done loses nothing. */
uint64_t ct_outside_lost_ns(const struct ct_outside_waits *before,
                            const struct ct_outside_waits *after, uint64_t elapsed_ns);

/* How much longer than `limit_ns` a process may take that is late, because the processors
 * have so much else to do; 0 when they have not, or when it does not want one.  At most
 * nine times the limit.  An estimate, for systems without readings. */
uint64_t ct_outside_busy_ns(uint64_t limit_ns, pid_t pid);

/* The same from the contents of /proc/loadavg, and a number of
 * processors. */
uint64_t ct_outside_busy_share_ns(uint64_t limit_ns, const char *loadavg,
                                  unsigned processors);

#endif
