// SPDX-License-Identifier: Apache-2.0
// The processes below this one, including those that have left their parents.
#ifndef CT_WORKER_COMMAND_FAMILY_H
#define CT_WORKER_COMMAND_FAMILY_H

#include <stdint.h>

/* Waits until all have ended, at most that long. */
void ct_family_wait(uint64_t patience_ns);

/* Kills and reaps all of them, again and again until none is left, ten seconds at most (a process
 * that a driver blocks in the kernel does not die).  Returns how many were alive.  This process
 * must be a subreaper. */
uint32_t ct_family_kill(void);

/* The same for all but processes of this program, and what is below those: what a keeper that was
 * killed has left to its parent. */
void ct_family_kill_orphans(void);

#endif
