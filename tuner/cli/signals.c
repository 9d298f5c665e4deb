// SPDX-License-Identifier: Apache-2.0
// Ctrl-C ends the measurement, and results so far are stored.
#include "cli/cli.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t signals;

/* The first signal lets the search store and report its results; the second exits at once
 * (workers die with the process that started them). */
static void on_signal(int number)
{
    (void)number;
    if (signals++)
        _exit(CT_EXIT_INTERRUPTED);
    ct_measure_interrupt();
}

void ct_cli_catch_signals(void)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    struct sigaction old;

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
        /* nohup, and shells for background jobs, ignore signals: these remain ignored. */
        if (sigaction(caught[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(caught[i], &action, NULL);
}
