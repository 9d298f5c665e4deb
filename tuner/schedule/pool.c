// SPDX-License-Identifier: Apache-2.0
// Shares the builders of a machine between schedulers.
#include "schedule/pool.h"

#include "base/cpuinfo.h"
#include "base/mem.h"
#include "schedule/worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct ct_pool_member {
    struct ct_pool *pool;
    struct ct_pool_member *next;
    int wake;          /* readable: something may have changed */
    unsigned builders; /* at work */
    bool starved;      /* waits for a builder */
    bool held_up;      /* waits for whoever has the machine for itself */
    bool active;       /* its workers may work */
    bool queues;       /* wants the machine for itself; its workers rest */
};

struct ct_pool {
    pthread_mutex_t lock;
    struct ct_pool_member *first;
    struct ct_pool_member
        *alone; /* has the machine for itself, or is about to; NULL: nobody */
    unsigned builders;
    unsigned used;
};

enum ct_status ct_pool_new(unsigned builders, struct ct_pool **out, struct ct_err *err)
{
    struct ct_pool *pool = ct_mem_array(1, sizeof(*pool));

    if (!pool || pthread_mutex_init(&pool->lock, NULL)) {
        free(pool);
        return ct_err_nomem(err);
    }
    pool->builders = builders ? builders : ct_cpuinfo_usable();
    *out = pool;
    return CT_OK;
}

void ct_pool_free(struct ct_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

/* --- members; the pool is locked --- */

static void wake(const struct ct_pool_member *member)
{
    uint64_t one = 1;

    while (write(member->wake, &one, sizeof(one)) < 0 && errno == EINTR) {
    }
}

/* Builders are free, or somebody rests. */
static void wake_others(const struct ct_pool *pool, const struct ct_pool_member *by)
{
    for (const struct ct_pool_member *m = pool->first; m; m = m->next)
        if (m != by && (m->starved || m->held_up || m->queues))
            wake(m);
}

/* Whether somebody who waits has fewer builders. */
static bool must_stand_back(const struct ct_pool_member *member)
{
    for (const struct ct_pool_member *m = member->pool->first; m; m = m->next)
        if (m != member && m->starved && m->builders < member->builders)
            return true;
    return false;
}

static bool others_rest(const struct ct_pool_member *member)
{
    for (const struct ct_pool_member *m = member->pool->first; m; m = m->next)
        if (m != member && m->active && !m->queues)
            return false;
    return true;
}

/* --- joining and leaving --- */

enum ct_status ct_pool_join(struct ct_pool *pool, struct ct_pool_member **out,
                            struct ct_err *err)
{
    struct ct_pool_member *member = ct_mem_array(1, sizeof(*member));

    if (!member)
        return ct_err_nomem(err);
    member->pool = pool;
    member->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (member->wake < 0) {
        free(member);
        return ct_err_set(err, CT_E_WORKER, "cannot create a descriptor for events");
    }
    pthread_mutex_lock(&pool->lock);
    member->next = pool->first;
    pool->first = member;
    pthread_mutex_unlock(&pool->lock);
    *out = member;
    return CT_OK;
}

void ct_pool_leave(struct ct_pool_member *member)
{
    struct ct_pool *pool;
    struct ct_pool_member **at;

    if (!member)
        return;
    pool = member->pool;
    pthread_mutex_lock(&pool->lock);
    for (at = &pool->first; *at != member; at = &(*at)->next) {
    }
    *at = member->next;
    pool->used -= member->builders;
    if (pool->alone == member)
        pool->alone = NULL;
    wake_others(pool, member);
    pthread_mutex_unlock(&pool->lock);
    close(member->wake);
    free(member);
}

/* --- builders --- */

bool ct_pool_take(struct ct_pool_member *member, bool waits)
{
    struct ct_pool *pool = member->pool;
    bool taken;

    pthread_mutex_lock(&pool->lock);
    taken = pool->used < pool->builders && !must_stand_back(member);
    member->starved = !taken && waits;
    if (taken) {
        member->builders++;
        pool->used++;
    }
    /* Who no longer waits keeps nobody from the rest. */
    if (taken && pool->used < pool->builders)
        wake_others(pool, member);
    pthread_mutex_unlock(&pool->lock);
    return taken;
}

void ct_pool_give(struct ct_pool_member *member, unsigned count)
{
    struct ct_pool *pool = member->pool;

    if (!count)
        return;
    pthread_mutex_lock(&pool->lock);
    member->builders -= count;
    pool->used -= count;
    wake_others(pool, member);
    pthread_mutex_unlock(&pool->lock);
}

/* --- the machine for oneself --- */

bool ct_pool_enter(struct ct_pool_member *member)
{
    struct ct_pool *pool = member->pool;

    pthread_mutex_lock(&pool->lock);
    /* Asked anew by whoever still needs a builder. */
    member->starved = false;
    member->held_up = pool->alone && pool->alone != member;
    if (!member->held_up)
        member->active = true;
    pthread_mutex_unlock(&pool->lock);
    return !member->held_up;
}

void ct_pool_rest(struct ct_pool_member *member)
{
    struct ct_pool *pool = member->pool;

    pthread_mutex_lock(&pool->lock);
    if (member->active && pool->alone)
        wake(pool->alone);
    member->active = false;
    pthread_mutex_unlock(&pool->lock);
}

static enum ct_status wait_for_wake(struct ct_pool_member *member, struct ct_err *err)
{
    ct_worker_poll_with(NULL, 0, member->wake, UINT64_MAX);
    ct_pool_woken(member);
    return ct_worker_interrupted() ? ct_err_set(err, CT_E_INTERRUPTED, "interrupted")
                                   : CT_OK;
}

enum ct_status ct_pool_enter_wait(struct ct_pool_member *member, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    while (!status && !ct_pool_enter(member))
        status = wait_for_wake(member, err);
    return status;
}

enum ct_status ct_pool_alone(struct ct_pool_member *member, struct ct_err *err)
{
    struct ct_pool *pool = member->pool;
    enum ct_status status = CT_OK;
    bool mine = false;

    while (!status && !mine) {
        pthread_mutex_lock(&pool->lock);
        member->queues = true;
        if (!pool->alone)
            pool->alone = member;
        mine = pool->alone == member && others_rest(member);
        if (!mine && pool->alone != member)
            wake(pool->alone); /* it waits for this one to rest */
        pthread_mutex_unlock(&pool->lock);
        if (!mine)
            status = wait_for_wake(member, err);
    }
    if (status)
        ct_pool_share(member);
    return status;
}

void ct_pool_share(struct ct_pool_member *member)
{
    struct ct_pool *pool = member->pool;

    pthread_mutex_lock(&pool->lock);
    member->queues = false;
    if (pool->alone == member)
        pool->alone = NULL;
    wake_others(pool, member);
    pthread_mutex_unlock(&pool->lock);
}

/* --- waking --- */

bool ct_pool_waits(const struct ct_pool_member *member)
{
    bool waits;

    pthread_mutex_lock(&member->pool->lock);
    waits = member->starved || member->held_up;
    pthread_mutex_unlock(&member->pool->lock);
    return waits;
}

int ct_pool_descriptor(const struct ct_pool_member *member)
{
    return member->wake;
}

void ct_pool_woken(struct ct_pool_member *member)
{
    uint64_t count;

    while (read(member->wake, &count, sizeof(count)) < 0 && errno == EINTR) {
    }
}
