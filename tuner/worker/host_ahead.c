// SPDX-License-Identifier: Apache-2.0
// Threads that run the C compiler.
#include "worker/host_ahead.h"

#include "base/cpuinfo.h"
#include "worker/data/fill.h"
#include "worker/host/host.h"
#include "worker/reference/checker.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS_MAX = 8, STACK_BYTES = 512 << 10 };

/* One function. */
struct task {
    struct ct_plan plan;
    enum ct_host_kind kind;
};

struct ct_host_ahead {
    struct ct_arena arena; /* owns plans and tasks */
    struct ct_host_codes *codes;
    struct task *tasks;
    size_t count;
    size_t capacity;
    atomic_size_t next;
    pthread_t threads[THREADS_MAX];
    size_t started;
};

static void add(struct ct_host_ahead *ahead, const struct ct_plan *plan,
                enum ct_host_kind kind)
{
    if (ct_mem_grow(&ahead->tasks, &ahead->capacity, ahead->count + 1,
                    sizeof(*ahead->tasks)))
        ahead->tasks[ahead->count++] = (struct task){*plan, kind};
}

static void add_fill(struct ct_host_ahead *ahead, const struct ct_plan_buffer *buffer,
                     const struct ct_fill *fill)
{
    struct ct_plan plan;

    if (fill->kind == CT_FILL_C &&
        !ct_fill_host(&ahead->arena, buffer, fill, &plan, NULL))
        add(ahead, &plan, CT_HOST_FILL);
}

static void add_buffers(struct ct_host_ahead *ahead, const struct ct_plan *plan)
{
    for (size_t i = 0; i < plan->buffer_count; i++) {
        const struct ct_plan_buffer *buffer = &plan->buffers[i];
        struct ct_plan check;

        add_fill(ahead, buffer, &buffer->fill);
        if (buffer->has_expect)
            add_fill(ahead, buffer, &buffer->expect);
        if (buffer->check == CT_CHECK_C &&
            !ct_checker_host(&ahead->arena, buffer, &check, NULL))
            add(ahead, &check, CT_HOST_CHECK);
    }
}

static void *compile(void *user)
{
    struct ct_host_ahead *ahead = user;

    for (;;) {
        size_t index = atomic_fetch_add(&ahead->next, 1);

        if (index >= ahead->count)
            return NULL;
        ct_host_compile(ahead->codes, &ahead->tasks[index].plan,
                        ahead->tasks[index].kind);
    }
}

static void start_threads(struct ct_host_ahead *ahead)
{
    size_t wanted = ct_cpuinfo_usable();
    pthread_attr_t attributes;

    if (wanted > THREADS_MAX)
        wanted = THREADS_MAX;
    if (pthread_attr_init(&attributes))
        return;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (ahead->started < wanted && ahead->started < ahead->count &&
           !pthread_create(&ahead->threads[ahead->started], &attributes, compile, ahead))
        ahead->started++;
    pthread_attr_destroy(&attributes);
}

void ct_host_ahead_begin(struct ct_session *session, const struct ct_str *payload)
{
    struct ct_host_ahead *ahead;
    struct ct_wire_reader in;
    struct ct_plan plan;

    ct_host_ahead_finish(session);
    ahead = session->host_codes ? calloc(1, sizeof(*ahead)) : NULL;
    if (!ahead)
        return;
    session->host_ahead = ahead;
    ahead->codes = session->host_codes;
    ct_wire_reader_init(&in, payload->data, payload->length);
    if (ct_plan_get(&in, &ahead->arena, &plan, NULL))
        return;
    if (plan.reference.function)
        add(ahead, &plan, CT_HOST_REFERENCE);
    add_buffers(ahead, &plan);
    if (plan.reference_plan)
        add_buffers(ahead, plan.reference_plan);
    start_threads(ahead);
}

void ct_host_ahead_finish(struct ct_session *session)
{
    struct ct_host_ahead *ahead = session->host_ahead;

    if (!ahead)
        return;
    while (ahead->started)
        pthread_join(ahead->threads[--ahead->started], NULL);
    ct_arena_release(&ahead->arena);
    free(ahead->tasks);
    free(ahead);
    session->host_ahead = NULL;
}
