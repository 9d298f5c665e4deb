// SPDX-License-Identifier: Apache-2.0
// Processor time from the process's clock and from /proc/stat (proc_stat(5)).
#define _GNU_SOURCE // sched_getaffinity
#include "worker/timing/hostload.h"

#include "base/clock.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void ct_hostload_allowed(struct ct_hostload_set *set)
{
    cpu_set_t system[CT_HOSTLOAD_PROCESSORS / CPU_SETSIZE];

    memset(set, 0, sizeof(*set));
    CPU_ZERO_S(sizeof(system), system);
    if (sched_getaffinity(0, sizeof(system), system))
        return;
    for (size_t i = 0; i < CT_HOSTLOAD_PROCESSORS; i++)
        if (CPU_ISSET_S(i, sizeof(system), system))
            set->bits[i / 64] |= (uint64_t)1 << i % 64;
}

uint64_t ct_hostload_step_ns(void)
{
    long steps = sysconf(_SC_CLK_TCK);

    return 1000000000u / (uint64_t)(steps > 0 ? steps : 100);
}

/* The steps in which a line's processor was busy; false for other or truncated lines. */
static bool busy_steps(const char *line, uint64_t *busy)
{
    /* user, nice, system, idle, iowait, irq, softirq, steal; guests' time is part of the first
     * two. Time taken by a hypervisor is lost like any other. */
    static const bool counts[] = {1, 1, 1, 0, 0, 1, 1, 1};
    const char *at = line + strcspn(line, " ");
    size_t i = 0;

    *busy = 0;
    for (; i < sizeof(counts) / sizeof(*counts); i++) {
        char *end;
        unsigned long long steps = strtoull(at, &end, 10);

        if (end == at)
            break;
        *busy += counts[i] ? steps : 0;
        at = end;
    }
    return i >= 4;
}

/* Sums the lines "cpuN ..." of the set's processors, which come first in the file. */
static bool sum_steps(FILE *file, const struct ct_hostload_set *set, uint64_t *sum)
{
    char line[512];
    uint64_t all = 0;
    bool have_all = false;
    bool others = false; /* there are processors outside the set */
    bool some = false;

    *sum = 0;
    while (fgets(line, sizeof(line), file) && !strncmp(line, "cpu", 3)) {
        uint64_t busy;
        unsigned long number;

        if (!busy_steps(line, &busy))
            return false;
        if (line[3] == ' ') {
            all = busy;
            have_all = true;
            continue;
        }
        number = strtoul(line + 3, NULL, 10);
        if (number < CT_HOSTLOAD_PROCESSORS && set->bits[number / 64] >> number % 64 & 1)
            *sum += busy;
        else
            others = true;
        some |= number < CT_HOSTLOAD_PROCESSORS;
    }
    /* Every number is rounded down to a step: the fewer are added, the better. */
    if (have_all && !others)
        *sum = all;
    return some;
}

static void read_busy(const char *stat_path, const struct ct_hostload_set *set,
                      struct ct_hostload *out)
{
    FILE *file = fopen(stat_path, "re");
    uint64_t steps = 0;

    out->busy_known = file && sum_steps(file, set, &steps);
    out->busy_ns = steps * ct_hostload_step_ns();
    if (file)
        fclose(file);
}

static uint64_t own_ns(void)
{
    struct timespec time;

    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time))
        return 0;
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void ct_hostload_read(const char *stat_path, const struct ct_hostload_set *set,
                      bool before, struct ct_hostload *out)
{
    if (before)
        read_busy(stat_path, set, out);
    if (before)
        out->own_ns = own_ns();
    out->wall_ns = ct_clock_now_ns();
    if (!before)
        out->own_ns = own_ns();
    if (!before)
        read_busy(stat_path, set, out);
}
