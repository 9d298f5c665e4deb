// SPDX-License-Identifier: Apache-2.0
// Saves and restores what host code may change in the process.
#define _GNU_SOURCE // uselocale, SIGPROF
#include "worker/host/hostguard.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

/* Signals whose handlers could disguise a kernel's crash, or which may arrive unexpectedly. */
static const int signals[CT_HOSTGUARD_SIGNALS] = {
    SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGABRT, SIGTRAP,
    SIGALRM, SIGPROF, SIGPIPE, SIGCHLD, SIGTERM, SIGXFSZ,
};

void ct_hostguard_begin(struct ct_hostguard *guard)
{
    const char *locale = setlocale(LC_ALL, NULL);

    memset(guard, 0, sizeof(*guard));
    if (locale && strlen(locale) < sizeof(guard->locale))
        snprintf(guard->locale, sizeof(guard->locale), "%s", locale);
    guard->thread_locale = (void *)uselocale((locale_t)0);
    for (size_t i = 0; i < CT_HOSTGUARD_SIGNALS; i++)
        sigaction(signals[i], NULL, &guard->actions[i]);
    pthread_sigmask(SIG_SETMASK, NULL, &guard->blocked);
    fegetenv(&guard->fenv);
}

void ct_hostguard_end(const struct ct_hostguard *guard)
{
    const struct itimerval none = {{0, 0}, {0, 0}};
    const char *wanted = *guard->locale ? guard->locale : "C";
    const char *locale;

    /* First: with traps enabled, the next rounding would raise SIGFPE. */
    fesetenv(&guard->fenv);
    setitimer(ITIMER_REAL, &none, NULL);
    setitimer(ITIMER_PROF, &none, NULL);
    for (size_t i = 0; i < CT_HOSTGUARD_SIGNALS; i++)
        sigaction(signals[i], &guard->actions[i], NULL);
    pthread_sigmask(SIG_SETMASK, &guard->blocked, NULL);
    uselocale((locale_t)guard->thread_locale);
    locale = setlocale(LC_ALL, NULL);
    if (!locale || strcmp(locale, wanted) != 0)
        setlocale(LC_ALL, wanted);
}
