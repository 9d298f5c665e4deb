// SPDX-License-Identifier: Apache-2.0
// External causes of failures, as reported by Linux.
#include "base/outside.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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

/* Calls `each` with a line of the file `name` of every thread of a process, until it returns
 * false. */
static void each_thread(pid_t pid, const char *name,
                        bool (*each)(const char *line, void *user), void *user)
{
    char path[64];
    bool more = true;
    DIR *tasks;

    snprintf(path, sizeof(path), "/proc/%ld/task", (long)pid);
    tasks = opendir(path);
    if (!tasks)
        return;
    for (struct dirent *task; more && (task = readdir(tasks));) {
        char file_name[400];
        char line[256];
        FILE *file;

        snprintf(file_name, sizeof(file_name), "%s/%s/%s", path, task->d_name, name);
        file = fopen(file_name, "re");
        if (!file)
            continue;
        if (fgets(line, sizeof(line), file))
            more = each(line, user);
        fclose(file);
    }
    closedir(tasks);
}

static bool add_waits(const char *line, void *user)
{
    struct ct_outside_waits *waits = user;
    unsigned long long ran;
    unsigned long long waited;

    if (sscanf(line, "%llu %llu", &ran, &waited) == 2) {
        waits->ran_ns += ran;
        waits->waited_ns += waited;
    }
    return true;
}

struct ct_outside_waits ct_outside_waits(pid_t pid)
{
    struct ct_outside_waits waits = {0, 0};

    each_thread(pid, "schedstat", add_waits, &waits);
    return waits;
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

static bool is_idle(const char *line, void *user)
{
    bool *wants = user;
    /* Its name, in brackets, may contain any character. */
    const char *end = strrchr(line, ')');

    *wants = end && !strncmp(end, ") R", 3);
    return !*wants;
}

/* Whether some thread of a process is running or runnable: one that sleeps until a device is done
 * is not delayed by other programs. */
static bool wants_processor(pid_t pid)
{
    bool wants = false;

    each_thread(pid, "stat", is_idle, &wants);
    return wants;
}

uint64_t ct_outside_busy_ns(uint64_t limit_ns, pid_t pid)
{
    FILE *file = fopen("/proc/loadavg", "re");
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    char line[128];
    uint64_t more_ns = 0;

    if (!file)
        return 0;
    if (fgets(line, sizeof(line), file) && processors > 0)
        more_ns = ct_outside_busy_share_ns(limit_ns, line, (unsigned)processors);
    fclose(file);
    return more_ns && wants_processor(pid) ? more_ns : 0;
}
