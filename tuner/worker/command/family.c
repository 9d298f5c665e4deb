// SPDX-License-Identifier: Apache-2.0
// Finds descendants in /proc.
#include "worker/command/family.h"

#include "base/clock.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct relative {
    pid_t pid;
    pid_t parent;
    bool below; /* it is a descendant */
};

/* The parent of a process that is not dead; 0: none. */
static pid_t parent_of(pid_t pid)
{
    char path[64];
    char line[512];
    const char *at;
    FILE *file;
    size_t length;
    char state;
    int parent = 0;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    if (!file)
        return 0;
    length = fread(line, 1, sizeof(line) - 1, file);
    fclose(file);
    line[length] = '\0';
    /* A program's name may contain anything. */
    at = strrchr(line, ')');
    if (!at || sscanf(at + 1, " %c %d", &state, &parent) != 2 || state == 'Z')
        return 0;
    return parent;
}

/* Whether a process runs this program. */
static bool is_own(pid_t pid)
{
    char path[64];
    struct stat own;
    struct stat its;

    snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
    return !stat("/proc/self/exe", &own) && !stat(path, &its) &&
           own.st_ino == its.st_ino && own.st_dev == its.st_dev;
}

/* `spare`: processes of this program are no relatives. */
static struct relative *list_all(bool spare, size_t *count)
{
    DIR *dir = opendir("/proc");
    struct relative *all = NULL;
    size_t room = 0;

    *count = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        pid_t parent = pid > 0 ? parent_of(pid) : 0;

        if (!parent || !ct_mem_grow(&all, &room, *count + 1, sizeof(*all)))
            continue;
        all[(*count)++] =
            (struct relative){pid, parent, parent == getpid() && !(spare && is_own(pid))};
    }
    if (dir)
        closedir(dir);
    return all;
}

/* Whether the process with this number is a descendant. */
static bool is_below(const struct relative *all, size_t count, pid_t pid)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].pid == pid)
            return all[i].below;
    return false;
}

/* Signals all descendants; returns how many there are. */
static uint32_t signal_all(int number, bool spare)
{
    size_t count;
    struct relative *all = list_all(spare, &count);
    uint32_t found = 0;

    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < count; i++)
            if (!all[i].below && is_below(all, count, all[i].parent))
                more = all[i].below = true;
    }
    for (size_t i = 0; i < count; i++)
        if (all[i].below) {
            kill(all[i].pid, number);
            found++;
        }
    free(all);
    return found;
}

/* Reaps what is dead; false if there are no children. */
static bool reap(void)
{
    pid_t got;

    do
        got = waitpid(-1, NULL, WNOHANG);
    while (got > 0 || (got < 0 && errno == EINTR));
    return got == 0;
}

void ct_family_wait(uint64_t patience_ns)
{
    uint64_t until_ns = ct_clock_now_ns() + patience_ns;
    const struct timespec pause = {0, 1000000};

    while (reap() && ct_clock_now_ns() < until_ns)
        nanosleep(&pause, NULL);
}

uint32_t ct_family_kill(void)
{
    const uint64_t patience_ns = 10000000000;
    uint64_t until_ns = ct_clock_now_ns() + patience_ns;
    struct timespec pause = {0, 200000};
    uint32_t most = 0;

    while (reap() && ct_clock_now_ns() < until_ns) {
        uint32_t found;

        /* Stopped first: one that keeps starting others would always be ahead. */
        signal_all(SIGSTOP, false);
        found = signal_all(SIGKILL, false);
        most = found > most ? found : most;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 5000000)
            pause.tv_nsec *= 2;
    }
    return most;
}

void ct_family_kill_orphans(void)
{
    const uint64_t patience_ns = 2000000000;
    uint64_t until_ns = ct_clock_now_ns() + patience_ns;
    const struct timespec pause = {0, 1000000};

    do {
        reap();
        signal_all(SIGSTOP, true);
        if (!signal_all(SIGKILL, true))
            return;
        nanosleep(&pause, NULL);
    } while (ct_clock_now_ns() < until_ns);
}
