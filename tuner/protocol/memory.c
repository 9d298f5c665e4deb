// SPDX-License-Identifier: Apache-2.0
// Reads /proc.
#include "protocol/memory.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    char line[4096];
    uint64_t sum_bytes;
    char *rest = line;

    /* All of its address space, then what is resident, in pages. */
    snprintf(path, sizeof(path), "/proc/%ld/statm", pid);
    if (!ct_file_glance(path, line, sizeof(line)))
        return 0;
    strtoull(line, &rest, 10);
    sum_bytes = strtoull(rest, NULL, 10) * page_bytes();
    snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children", pid, pid);
    if (!depth || !ct_file_glance(path, line, sizeof(line)))
        return sum_bytes;
    /* A number ends with a space; one that does not is cut off. */
    rest = line;
    for (char *end; (end = strchr(rest, ' ')); rest = end + 1)
        sum_bytes += sum_of(strtol(rest, NULL, 10), depth - 1);
    return sum_bytes;
}

uint64_t ct_memory_of(pid_t pid)
{
    return sum_of((long)pid, DEPTH);
}

uint64_t ct_memory_pause_ns(uint64_t used_bytes, uint64_t limit_bytes)
{
    const uint64_t least_ns = 100000000;
    const uint64_t second_ns = 1000000000;
    const uint64_t of_second_bytes = (uint64_t)8 << 30;
    uint64_t room_bytes = limit_bytes > used_bytes ? limit_bytes - used_bytes : 0;
    uint64_t pause_ns = room_bytes < of_second_bytes
                            ? room_bytes * second_ns / of_second_bytes
                            : second_ns;

    return pause_ns > least_ns ? pause_ns : least_ns;
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
