// SPDX-License-Identifier: Apache-2.0
// Who uses the processors, as Linux reports it in /proc: readings for outside.c.
#define _GNU_SOURCE // dl_iterate_phdr
#include "base/outside.h"

#include "base/file.h"

#include <dirent.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

        /* "..": the process's own file, which has its first thread's times once more. */
        if (task->d_name[0] == '.')
            continue;
        snprintf(file_name, sizeof(file_name), "%s/%s/%s", path, task->d_name, name);
        if (ct_file_glance(file_name, line, sizeof(line)))
            more = each(line, user);
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

struct ct_outside_waits ct_outside_waits_of(pid_t pid)
{
    struct ct_outside_waits waits = {0, 0};

    each_thread(pid, "schedstat", add_waits, &waits);
    return waits;
}

/* Whether a path is that of a shared object: NAME.so or NAME.so.VERSION, perhaps deleted by now. */
static bool is_object(const char *path)
{
    const char *name = strrchr(path, '/');

    for (name = name ? strstr(name, ".so") : NULL; name; name = strstr(name + 1, ".so"))
        if (strchr(". \n", name[3]))
            return true;
    return false;
}

/* Their code: the data of an object have mappings of their own. */
size_t ct_outside_objects_of(pid_t pid)
{
    char path[64];
    char line[4500];
    char pieces[16384];
    size_t count = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%ld/maps", (long)pid);
    file = fopen(path, "re");
    if (!file)
        return 0;
    setvbuf(file, pieces, _IOFBF, sizeof(pieces));
    while (fgets(line, sizeof(line), file)) {
        char access[8];

        count += is_object(line) && sscanf(line, "%*s %7s", access) == 1 &&
                 strchr(access, 'x');
    }
    fclose(file);
    return count;
}

static int add_code(struct dl_phdr_info *info, size_t size, void *data)
{
    size_t *count = data;

    (void)size;
    for (size_t i = 0; is_object(info->dlpi_name) && i < info->dlpi_phnum; i++)
        *count +=
            info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X);
    return 0;
}

size_t ct_outside_objects_here(void)
{
    size_t count = 0;

    dl_iterate_phdr(add_code, &count);
    return count;
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
