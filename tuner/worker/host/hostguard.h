// SPDX-License-Identifier: Apache-2.0
// Host code is the user's: what it changes in the process stays without effect on
// verdicts and messages.
#ifndef CT_WORKER_HOST_HOSTGUARD_H
#define CT_WORKER_HOST_HOSTGUARD_H

#include <fenv.h>
#include <signal.h>

enum { CT_HOSTGUARD_SIGNALS = 12, CT_HOSTGUARD_LOCALE = 512 };

/* What is put back: the floating-point environment (traps, rounding, flushing to zero),
 * the locale (process and thread), what signals do and which are blocked, and timers. */
struct ct_hostguard {
    fenv_t fenv;
    char locale[CT_HOSTGUARD_LOCALE]; /* "": not known, it is set to "C" */
    void *thread_locale;              /* locale_t */
    struct sigaction actions[CT_HOSTGUARD_SIGNALS];
    sigset_t blocked;
};

/* Remembers all that.  To be called in the thread that calls the host code. */
void ct_hostguard_begin(struct ct_hostguard *guard);

/* Puts it back. */
void ct_hostguard_end(const struct ct_hostguard *guard);

#endif
