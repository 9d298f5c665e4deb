// SPDX-License-Identifier: Apache-2.0
// Reads /proc.
#include "protocol/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEPTH = 8 };

static uint64_t page_bytes(void)
{
    long bytes = sysconf(_SC_PAGESIZE);

    return bytes > 0 ? (uint64_t)bytes : 4096;
}

static uint64_t sum_of(long pid, int depth)
{
    char path[64];
    unsigned long long total;
    unsigned long long resident = 0;
    uint64_t sum_bytes;
    long child;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%ld/statm", pid);
    file = fopen(path, "re");
    if (!file)
        return 0;
    if (fscanf(file, "%llu %llu", &total, &resident) != 2)
        resident = 0;
    fclose(file);
    sum_bytes = (uint64_t)resident * page_bytes();
    snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children", pid, pid);
    file = depth ? fopen(path, "re") : NULL;
    while (file && fscanf(file, "%ld", &child) == 1)
        sum_bytes += sum_of(child, depth - 1);
    if (file)
        fclose(file);
    return sum_bytes;
}

uint64_t ct_memory_of(pid_t pid)
{
    return sum_of((long)pid, DEPTH);
}

uint64_t ct_memory_total(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    uint64_t all_bytes = pages > 0 ? (uint64_t)pages * page_bytes() : 0;
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "re");
    unsigned long long group_bytes;

    /* "max" if there is no limit. */
    if (file && fscanf(file, "%llu", &group_bytes) == 1 && group_bytes < all_bytes)
        all_bytes = group_bytes;
    if (file)
        fclose(file);
    return all_bytes;
}

uint64_t ct_memory_share(unsigned jobs)
{
    const uint64_t least_bytes = (uint64_t)512 << 20;
    uint64_t share_bytes = ct_memory_total() / 4 * 3 / ((uint64_t)jobs + 1);

    return share_bytes > least_bytes ? share_bytes : least_bytes;
}
