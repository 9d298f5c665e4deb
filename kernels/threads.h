// SPDX-License-Identifier: Apache-2.0
// Work that baselines share out among threads.
#ifndef KERNELS_THREADS_H
#define KERNELS_THREADS_H

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* Does the part [begin, end) of the work that `context` tells of. */
typedef void in_threads_work(void *context, uint64_t begin, uint64_t end);

struct in_threads_band {
    in_threads_work *work;
    void *context;
    uint64_t begin, end;
    pthread_t thread;
    int started;
};

static inline void *in_threads_start(void *argument)
{
    const struct in_threads_band *band = argument;

    band->work(band->context, band->begin, band->end);
    return NULL;
}

/* Does [0, count) in equal bands, one a thread: as many as OMP_NUM_THREADS says, or else
 * one for each processor, and returns when all are done. */
static inline void in_threads(uint64_t count, in_threads_work *work, void *context)
{
    enum { MOST = 256 };
    struct in_threads_band bands[MOST];
    const char *wanted = getenv("OMP_NUM_THREADS");
    long threads = wanted ? strtol(wanted, NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN);

    threads = threads < 1 ? 1 : threads > MOST ? MOST : threads;
    for (long i = 0; i < threads; i++) {
        struct in_threads_band *band = &bands[i];

        band->work = work;
        band->context = context;
        band->begin = count * (uint64_t)i / (uint64_t)threads;
        band->end = count * (uint64_t)(i + 1) / (uint64_t)threads;
        band->started = i + 1 < threads &&
                        !pthread_create(&band->thread, NULL, in_threads_start, band);
        if (!band->started)
            in_threads_start(band);
    }
    for (long i = 0; i < threads; i++)
        if (bands[i].started)
            pthread_join(bands[i].thread, NULL);
}

#endif
