// SPDX-License-Identifier: Apache-2.0
// Runs sessions of several devices side by side.
#include "tune/fleet.h"

#include "base/mem.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct session {
    void (*run)(void *user, size_t number);
    void *user;
    size_t number;
    pthread_t thread;
    bool started;
};

static void *run_session(void *argument)
{
    const struct session *session = argument;

    session->run(session->user, session->number);
    return NULL;
}

/* Signals are for the calling thread: a handler that runs in a session would delay it. */
static void start_all(const struct ct_devinfo *const *devices, struct session *sessions,
                      size_t count)
{
    sigset_t all;
    sigset_t before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (size_t i = 0; i < count; i++)
        sessions[i].started =
            strcmp(devices[i]->type, "CPU") != 0 &&
            !pthread_create(&sessions[i].thread, NULL, run_session, &sessions[i]);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

enum ct_status ct_fleet_run(const struct ct_devinfo *const *devices, size_t count,
                            void (*run)(void *user, size_t number), void *user,
                            struct ct_err *err)
{
    struct session *sessions = ct_mem_array(count, sizeof(*sessions));

    if (!sessions)
        return ct_err_nomem(err);
    for (size_t i = 0; i < count; i++)
        sessions[i] = (struct session){.run = run, .user = user, .number = i};
    start_all(devices, sessions, count);
    for (size_t i = 0; i < count; i++)
        if (sessions[i].started)
            pthread_join(sessions[i].thread, NULL);
    /* CPU devices, and what found no thread. */
    for (size_t i = 0; i < count; i++)
        if (!sessions[i].started)
            run(user, i);
    free(sessions);
    return CT_OK;
}
