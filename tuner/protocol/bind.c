// SPDX-License-Identifier: Apache-2.0
// Thread affinities on Linux.
#define _GNU_SOURCE // sched_setaffinity
#include "protocol/bind.h"

#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/types.h>

struct ct_bind {
    cpu_set_t all;
};

struct ct_bind *ct_bind_new(void)
{
    struct ct_bind *bind = calloc(1, sizeof(*bind));

    if (bind && sched_getaffinity(0, sizeof(bind->all), &bind->all))
        CPU_ZERO(&bind->all);
    return bind;
}

void ct_bind_free(struct ct_bind *bind)
{
    free(bind);
}

unsigned ct_bind_count(const struct ct_bind *bind)
{
    int count = CPU_COUNT(&bind->all);

    return count > 1 ? (unsigned)count : 1;
}

unsigned ct_bind_here(const struct ct_bind *bind)
{
    int now = sched_getcpu();
    size_t here = now < 0 || now >= CPU_SETSIZE ? 0 : (size_t)now;
    unsigned index = 0;

    if (!CPU_ISSET(here, &bind->all))
        return 0;
    for (size_t cpu = 0; cpu < here; cpu++)
        index += CPU_ISSET(cpu, &bind->all) ? 1 : 0;
    return index;
}

/* The set of one processor alone; false if there is none of that number. */
static bool one_of(const struct ct_bind *bind, unsigned index, cpu_set_t *out)
{
    CPU_ZERO(out);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &bind->all) && index-- == 0) {
            CPU_SET(cpu, out);
            return true;
        }
    return false;
}

void ct_bind_thread(const struct ct_bind *bind, unsigned index)
{
    cpu_set_t one;

    if (one_of(bind, index, &one))
        sched_setaffinity(0, sizeof(one), &one);
}

static void bind_process(const cpu_set_t *set)
{
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        long thread = strtol(entry->d_name, NULL, 10);

        if (thread > 0)
            sched_setaffinity((pid_t)thread, sizeof(*set), set);
    }
    if (folder)
        closedir(folder);
}

void ct_bind_process(const struct ct_bind *bind, unsigned index)
{
    cpu_set_t one;

    if (one_of(bind, index, &one))
        bind_process(&one);
}

void ct_bind_undo(const struct ct_bind *bind)
{
    if (CPU_COUNT(&bind->all))
        bind_process(&bind->all);
}
