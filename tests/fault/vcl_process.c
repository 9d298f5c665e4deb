// SPDX-License-Identifier: Apache-2.0
// Which process this is: asked at each call and launch, and the kernel once.

#include "vcl.h"

#include <pthread.h>
#include <unistd.h>

static atomic_long known; // 0: not asked yet

static void forget(void)
{
    atomic_store(&known, 0);
}

static void forget_in_children(void)
{
    pthread_atfork(NULL, NULL, forget);
}

long vcl_process(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    long process = atomic_load(&known);
    if (!process) {
        pthread_once(&once, forget_in_children);
        process = (long)getpid();
        atomic_store(&known, process);
    }
    return process;
}
