// SPDX-License-Identifier: Apache-2.0
// The processes that a test has started, for tests that check that they end.
#ifndef CT_TESTS_CHILDREN_H
#define CT_TESTS_CHILDREN_H

#include <ctype.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <cmocka.h>

/* The children of a process, found in /proc, including zombies. */
static inline size_t children_of(pid_t of, pid_t *out, size_t most)
{
    DIR *dir = opendir("/proc");
    size_t count = 0;

    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[300];
        char line[512] = "";
        FILE *file;
        char *after;
        int parent = 0;

        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
        file = fopen(path, "r");
        if (!file)
            continue;
        if (!fgets(line, sizeof(line), file))
            line[0] = '\0';
        fclose(file);
        after = strrchr(line, ')');
        if (after && sscanf(after + 1, " %*c %d", &parent) == 1 && parent == of) {
            if (count < most)
                out[count] = (pid_t)atol(entry->d_name);
            count++;
        }
    }
    closedir(dir);
    return count;
}

#endif
