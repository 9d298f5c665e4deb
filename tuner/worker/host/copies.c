// SPDX-License-Identifier: Apache-2.0
// Threads that wait for their calls.
#include "worker/host/copies.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct copy {
    struct ct_copies *all;
    unsigned index;
    pthread_t thread;
    struct ct_hostrun own; /* for all but the first */
    struct ct_hostrun *run;
};

struct ct_copies {
    const struct ct_host_code *code;
    const struct ct_bind *bind;
    pthread_mutex_t mutex;
    pthread_cond_t begun;
    pthread_cond_t ended;
    uint64_t round;
    uint64_t calls; /* in this round */
    size_t busy;
    bool quit;
    size_t started;
    size_t count;
    struct copy *copies;
};

static void *run_copy(void *data)
{
    struct copy *copy = data;
    struct ct_copies *all = copy->all;
    uint64_t round = 0;

    ct_bind_thread(all->bind, copy->index);
    for (;;) {
        uint64_t calls;

        pthread_mutex_lock(&all->mutex);
        while (all->round == round && !all->quit)
            pthread_cond_wait(&all->begun, &all->mutex);
        round = all->round;
        calls = all->quit ? 0 : all->calls;
        pthread_mutex_unlock(&all->mutex);
        if (!calls)
            return NULL;
        for (uint64_t i = 0; i < calls; i++)
            ct_host_call(all->code, copy->run->args);
        pthread_mutex_lock(&all->mutex);
        if (--all->busy == 0)
            pthread_cond_signal(&all->ended);
        pthread_mutex_unlock(&all->mutex);
    }
}

enum ct_status ct_copies_new(const struct ct_host_code *code, struct ct_hostrun *first,
                             const bool *shared, const struct ct_dataset *data,
                             const struct ct_plan_host *host, const struct ct_bind *bind,
                             struct ct_copies **out, struct ct_err *err)
{
    struct ct_copies *copies = calloc(1, sizeof(*copies));
    struct copy *list = ct_mem_array(ct_bind_count(bind), sizeof(*list));
    enum ct_status status = CT_OK;

    if (!copies || !list) {
        free(copies);
        free(list);
        return ct_err_nomem(err);
    }
    copies->code = code;
    copies->bind = bind;
    pthread_mutex_init(&copies->mutex, NULL);
    pthread_cond_init(&copies->begun, NULL);
    pthread_cond_init(&copies->ended, NULL);
    copies->count = ct_bind_count(bind);
    copies->copies = list;
    for (size_t i = 0; !status && i < copies->count; i++) {
        struct copy *copy = &list[i];

        copy->all = copies;
        copy->index = (unsigned)i;
        copy->run = i ? &copy->own : first;
        if (i)
            status = ct_hostrun_copy(&copy->own, first, shared, data, host, err);
        if (!status && pthread_create(&copy->thread, NULL, run_copy, copy))
            status = ct_err_set(err, CT_E_IO,
                                "cannot start threads for the copies of the baseline");
        copies->started += !status;
    }
    if (status)
        ct_copies_free(copies);
    else
        *out = copies;
    return status;
}

uint64_t ct_copies_run(struct ct_copies *copies, uint64_t calls)
{
    uint64_t begin_ns;

    pthread_mutex_lock(&copies->mutex);
    begin_ns = ct_clock_now_ns();
    copies->calls = calls;
    copies->busy = copies->count;
    copies->round++;
    pthread_cond_broadcast(&copies->begun);
    while (copies->busy)
        pthread_cond_wait(&copies->ended, &copies->mutex);
    pthread_mutex_unlock(&copies->mutex);
    return ct_clock_now_ns() - begin_ns;
}

size_t ct_copies_count(const struct ct_copies *copies)
{
    return copies->count;
}

struct ct_hostrun *ct_copies_at(struct ct_copies *copies, size_t index)
{
    return copies->copies[index].run;
}

void ct_copies_free(struct ct_copies *copies)
{
    if (!copies)
        return;
    pthread_mutex_lock(&copies->mutex);
    copies->quit = true;
    pthread_cond_broadcast(&copies->begun);
    pthread_mutex_unlock(&copies->mutex);
    for (size_t i = 0; i < copies->started; i++)
        pthread_join(copies->copies[i].thread, NULL);
    for (size_t i = 0; i < copies->count; i++)
        ct_hostrun_release(&copies->copies[i].own);
    free(copies->copies);
    pthread_cond_destroy(&copies->ended);
    pthread_cond_destroy(&copies->begun);
    pthread_mutex_destroy(&copies->mutex);
    free(copies);
}
