// SPDX-License-Identifier: Apache-2.0
// Reading /proc/cpuinfo, and asking which processors may be used.
#define _GNU_SOURCE // sched_getaffinity
#include "base/cpuinfo.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 8192 }; /* features make long lines */

/* Calls `each` for every line of the first processor until it returns false. */
static void each_line(bool (*each)(const char *line, void *user), void *user)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[LINE_BYTES];

    while (file && fgets(line, sizeof(line), file) && each(line, user))
        continue;
    if (file)
        fclose(file);
}

struct name {
    char *text;
    size_t size;
};

/* "model name : X" on a PC, "Model : X" on a Raspberry Pi, which comes after all processors. */
static bool find_name(const char *line, void *user)
{
    const struct name *name = user;
    const char *colon = strchr(line, ':');

    if (!colon || !colon[1] ||
        (strncmp(line, "model name", 10) != 0 && strncmp(line, "Model", 5) != 0))
        return true;
    snprintf(name->text, name->size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    return false;
}

void ct_cpuinfo_name(char *name, size_t size)
{
    snprintf(name, size, "unknown");
    each_line(find_name, &(struct name){name, size});
}

static bool add_line(const char *line, void *user)
{
    if (!strncmp(line, "model name", 10) || !strncmp(line, "flags", 5) ||
        !strncmp(line, "Features", 8) || !strncmp(line, "CPU part", 8))
        ct_str_puts(user, line);
    return line[0] != '\n';
}

void ct_cpuinfo_add_identity(struct ct_str *out)
{
    each_line(add_line, out);
}

unsigned ct_cpuinfo_usable(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) || CPU_COUNT(&set) < 1)
        return 1;
    return (unsigned)CPU_COUNT(&set);
}
