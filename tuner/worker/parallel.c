// SPDX-License-Identifier: Apache-2.0
// Divides work on arrays among threads.
#include "worker/parallel.h"

#include "base/cpuinfo.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum {
    THREADS_MAX = 32,       /* memory has not the bandwidth for more */
    PARTS = 4,              /* per thread: a slow one does fewer */
    STACK_BYTES = 256 << 10 /* parts call nothing deep */
};

struct work {
    ct_parallel_part part;
    void *data;
    size_t count;
    size_t step;
    atomic_size_t next; /* where the next part begins */
};

static void *take_parts(void *user)
{
    struct work *work = user;

    for (;;) {
        size_t begin = atomic_fetch_add(&work->next, work->step);
        size_t left = begin < work->count ? work->count - begin : 0;

        if (!left)
            return NULL;
        work->part(work->data, begin, begin + (left < work->step ? left : work->step));
    }
}

/* How many threads such work deserves. */
static size_t threads_for(size_t count, size_t least)
{
    size_t most = count / least;
    size_t threads = most > 1 ? ct_cpuinfo_usable() : 1;

    threads = threads < THREADS_MAX ? threads : THREADS_MAX;
    return threads < most ? threads : most > 1 ? most : 1;
}

void ct_parallel(size_t count, size_t least, ct_parallel_part part, void *data)
{
    struct work work = {.part = part, .data = data, .count = count};
    size_t wanted = threads_for(count, least);
    size_t units = count / least / (wanted * PARTS);
    pthread_t threads[THREADS_MAX];
    pthread_attr_t attributes;
    size_t started = 0;

    if (wanted == 1 || pthread_attr_init(&attributes)) {
        part(data, 0, count);
        return;
    }
    work.step = (units ? units : 1) * least;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (started + 1 < wanted &&
           !pthread_create(&threads[started], &attributes, take_parts, &work))
        started++;
    pthread_attr_destroy(&attributes);
    take_parts(&work);
    while (started)
        pthread_join(threads[--started], NULL);
}

/* --- memory --- */

enum { LEAST_BYTES = 4 << 20 };

struct memory {
    unsigned char *to;
    const unsigned char *from; /* NULL: set */
    int byte;
};

static void move_part(void *data, size_t begin, size_t end)
{
    const struct memory *memory = data;

    if (memory->from)
        memcpy(memory->to + begin, memory->from + begin, end - begin);
    else
        memset(memory->to + begin, memory->byte, end - begin);
}

void ct_parallel_copy(void *to, const void *from, size_t size_bytes)
{
    struct memory memory = {to, from, 0};

    ct_parallel(size_bytes, LEAST_BYTES, move_part, &memory);
}

void ct_parallel_set(void *to, int byte, size_t size_bytes)
{
    struct memory memory = {to, NULL, byte};

    ct_parallel(size_bytes, LEAST_BYTES, move_part, &memory);
}
