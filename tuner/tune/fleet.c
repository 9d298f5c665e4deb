// SPDX-License-Identifier: Apache-2.0
// Runs sessions of several devices side by side.
#include "tune/fleet.h"

#include "base/mem.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct member {
    void (*run)(void *user, size_t number);
    void *user;
    size_t number;
    pthread_t thread;
    bool started;
};

static void *run_member(void *argument)
{
    const struct member *member = argument;

    member->run(member->user, member->number);
    return NULL;
}

/* Signals are for the calling thread: a handler that runs in a session would delay it. */
static void start_all(const struct ct_devinfo *const *devices, struct member *members,
                      size_t count)
{
    sigset_t all;
    sigset_t before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (size_t i = 0; i < count; i++)
        members[i].started =
            strcmp(devices[i]->type, "CPU") != 0 &&
            !pthread_create(&members[i].thread, NULL, run_member, &members[i]);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

enum ct_status ct_fleet_run(const struct ct_devinfo *const *devices, size_t count,
                            void (*run)(void *user, size_t number), void *user,
                            struct ct_err *err)
{
    struct member *members = ct_mem_array(count, sizeof(*members));

    if (!members)
        return ct_err_nomem(err);
    for (size_t i = 0; i < count; i++)
        members[i] = (struct member){.run = run, .user = user, .number = i};
    start_all(devices, members, count);
    for (size_t i = 0; i < count; i++)
        if (members[i].started)
            pthread_join(members[i].thread, NULL);
    /* CPU devices, and what found no thread. */
    for (size_t i = 0; i < count; i++)
        if (!members[i].started)
            run(user, i);
    free(members);
    return CT_OK;
}
