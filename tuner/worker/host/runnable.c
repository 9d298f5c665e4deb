// SPDX-License-Identifier: Apache-2.0
// A thread that samples the states of the others, in /proc/self/task.
#define _GNU_SOURCE // SYS_gettid
#include "worker/host/runnable.h"

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct ct_runnable {
    pthread_t thread;
    pthread_mutex_t mutex;
    bool quit;
    size_t looks;
    size_t runnable_sum;
};

/* "123 (name) R ...": the name may contain parentheses. */
static bool runs(const char *thread)
{
    char path[64];
    char text[256] = "";
    const char *state;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/self/task/%.20s/stat", thread);
    file = fopen(path, "re");
    if (!file)
        return false;
    if (!fgets(text, sizeof(text), file))
        *text = '\0';
    fclose(file);
    state = strrchr(text, ')');
    return state && strncmp(state, ") R", 3) == 0;
}

static size_t count_runnable(long own)
{
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;
    size_t running = 0;

    while (folder && (entry = readdir(folder)))
        if (entry->d_name[0] != '.' && strtol(entry->d_name, NULL, 10) != own)
            running += runs(entry->d_name);
    if (folder)
        closedir(folder);
    return running;
}

static void *look_repeatedly(void *data)
{
    struct ct_runnable *runnable = data;
    const struct timespec pause = {0, 1000000};
    long own = syscall(SYS_gettid);
    bool quit = false;

    while (!quit) {
        size_t running;

        nanosleep(&pause, NULL);
        running = count_runnable(own);
        pthread_mutex_lock(&runnable->mutex);
        quit = runnable->quit;
        runnable->looks++;
        runnable->runnable_sum += running;
        pthread_mutex_unlock(&runnable->mutex);
    }
    return NULL;
}

struct ct_runnable *ct_runnable_begin(void)
{
    struct ct_runnable *runnable = calloc(1, sizeof(*runnable));

    if (!runnable)
        return NULL;
    pthread_mutex_init(&runnable->mutex, NULL);
    if (!pthread_create(&runnable->thread, NULL, look_repeatedly, runnable))
        return runnable;
    pthread_mutex_destroy(&runnable->mutex);
    free(runnable);
    return NULL;
}

size_t ct_runnable_looks(struct ct_runnable *runnable)
{
    size_t looks;

    pthread_mutex_lock(&runnable->mutex);
    looks = runnable->looks;
    pthread_mutex_unlock(&runnable->mutex);
    return looks;
}

double ct_runnable_end(struct ct_runnable *runnable)
{
    double mean;

    if (!runnable)
        return 0;
    pthread_mutex_lock(&runnable->mutex);
    runnable->quit = true;
    mean = runnable->looks ? (double)runnable->runnable_sum / (double)runnable->looks : 0;
    pthread_mutex_unlock(&runnable->mutex);
    pthread_join(runnable->thread, NULL);
    pthread_mutex_destroy(&runnable->mutex);
    free(runnable);
    return mean;
}
