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

/* How long a process has waited for a processor in its life: the thread that has waited most,
 * since threads wait side by side.  0 where the system does not tell (Linux:
 * /proc/PID/task/TID/schedstat). */
uint64_t ct_outside_waited_ns(pid_t pid);

/* How much longer than `limit_ns` a process may take that is late, because the processors
 * have so much else to do; 0 when they have not, or when it does not want one.  At most
 * nine times the limit.  An estimate, for systems without the above. */
uint64_t ct_outside_busy_ns(uint64_t limit_ns, pid_t pid);

/* The same for what is told: the contents of /proc/loadavg, and a number of
 * processors. */
uint64_t ct_outside_busy_share_ns(uint64_t limit_ns, const char *loadavg,
                                  unsigned processors);

#endif
