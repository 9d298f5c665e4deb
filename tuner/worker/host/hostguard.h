// SPDX-License-Identifier: Apache-2.0
// Keeps the user's host code from affecting results and messages through changes to the process.
#ifndef CT_WORKER_HOST_HOSTGUARD_H
#define CT_WORKER_HOST_HOSTGUARD_H

#include <fenv.h>
#include <signal.h>

enum { CT_HOSTGUARD_SIGNALS = 12, CT_HOSTGUARD_LOCALE = 512 };

/* What is restored: the floating-point environment (traps, rounding, flushing to zero), the
 * locale (process and thread), signal actions, blocked signals, and timers. */
struct ct_hostguard {
    fenv_t fenv;
    char locale[CT_HOSTGUARD_LOCALE]; /* "": unknown, it is set to "C" */
    void *thread_locale;              /* locale_t */
    struct sigaction actions[CT_HOSTGUARD_SIGNALS];
    sigset_t blocked;
};

/* Saves the state.  Call in the thread that calls the host code. */
void ct_hostguard_begin(struct ct_hostguard *guard);

/* Restores it. */
void ct_hostguard_end(const struct ct_hostguard *guard);

#endif
