// SPDX-License-Identifier: Apache-2.0
// External causes of failures, as reported by Linux.
#include "base/outside.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

uint64_t ct_outside_memory_kills(void)
{
    FILE *file = fopen("/proc/vmstat", "re");
    uint64_t kills = UINT64_MAX;
    char line[128];

    if (!file)
        return kills;
    while (fgets(line, sizeof(line), file))
        if (sscanf(line, "oom_kill %" SCNu64, &kills) == 1)
            break;
    fclose(file);
    return kills;
}

static const struct {
    int number;
    const char *remedy;
} outside[] = {
    {SIGKILL, "find out which program or user kills processes of cltune, or what "
              "limits their memory (a container, a batch system)"},
    {SIGTERM, "find out which program or user kills processes of cltune"},
    {SIGHUP, "use nohup if the terminal may be closed"},
    {SIGINT, "find out which program or user interrupts processes of cltune"},
    {SIGQUIT, "find out which program or user kills processes of cltune"},
    {SIGXFSZ, "raise the limit on the size of files (ulimit -f unlimited)"},
    {SIGXCPU, "raise the limit on processor time (ulimit -t unlimited)"},
    {SIGALRM, "find out which program or user sends this signal"},
    {SIGUSR1, "find out which program or user sends this signal"},
    {SIGUSR2, "find out which program or user sends this signal"},
};

bool ct_outside_signal(int number)
{
    return ct_outside_remedy(number) != NULL;
}

const char *ct_outside_remedy(int number)
{
    for (size_t i = 0; i < sizeof(outside) / sizeof(*outside); i++)
        if (outside[i].number == number)
            return outside[i].remedy;
    return NULL;
}

void ct_outside_limits(struct ct_str *out)
{
    static const struct {
        int resource;
        rlim_t enough; /* for any driver */
        rlim_t unit;
        const char *what;
        const char *rest;
    } limits[] = {
        {RLIMIT_AS, (rlim_t)8 << 30, 1 << 20, "address space is limited to",
         "MiB (ulimit -v)"},
        {RLIMIT_DATA, (rlim_t)8 << 30, 1 << 20, "memory is limited to",
         "MiB (ulimit -d)"},
        {RLIMIT_FSIZE, (rlim_t)64 << 20, 1 << 10, "files are limited to",
         "KiB (ulimit -f)"},
        {RLIMIT_NOFILE, 64, 1, "open files are limited to", "(ulimit -n)"},
    };
    struct rlimit limit;
    size_t count = 0;

    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
        if (getrlimit(limits[i].resource, &limit) || limit.rlim_cur == RLIM_INFINITY ||
            limit.rlim_cur >= limits[i].enough)
            continue;
        if (count++)
            ct_str_puts(out, ", ");
        ct_str_addf(out, "%s %llu %s", limits[i].what,
                    (unsigned long long)(limit.rlim_cur / limits[i].unit),
                    limits[i].rest);
    }
}

uint64_t ct_outside_busy_share_ns(uint64_t limit_ns, const char *loadavg,
                                  unsigned processors)
{
    const double most = 9;
    unsigned minute; /* an integer: the decimal point depends on the locale */
    double share;
    unsigned now;

    if (!processors || sscanf(loadavg, "%u.%*s %*s %*s %u/", &minute, &now) != 2)
        return 0;
    /* The larger one: the first rises slowly, the other is a single moment. */
    share = (double)(minute > now ? minute : now) / processors;
    /* Much of that is cltune's own: builders, a kernel that uses all processors. */
    if (!(share > 2))
        return 0;
    share -= 1;
    return (uint64_t)((share < most ? share : most) * (double)limit_ns);
}

uint64_t ct_outside_lost_ns(const struct ct_outside_waits *before,
                            const struct ct_outside_waits *after, uint64_t elapsed_ns)
{
    /* The times of threads that ended are lost. */
    uint64_t ran_ns = after->ran_ns > before->ran_ns ? after->ran_ns - before->ran_ns : 0;
    uint64_t waited_ns =
        after->waited_ns > before->waited_ns ? after->waited_ns - before->waited_ns : 0;
    double lost_ns;

    if (!waited_ns)
        return 0;
    lost_ns =
        (double)elapsed_ns * (double)waited_ns / ((double)waited_ns + (double)ran_ns);
    return lost_ns < (double)waited_ns ? (uint64_t)lost_ns : waited_ns;
}
