// SPDX-License-Identifier: Apache-2.0
// The virtual driver instead of the system's, for a test program in BUILD/tests/cl.
#ifndef CT_TESTS_VIRTUAL_DRIVER_H
#define CT_TESTS_VIRTUAL_DRIVER_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The virtual driver in place of others, found from BUILD/tests/cl/PROGRAM. */
static inline bool use_virtual_driver(void)
{
    char exe[400] = "";
    char vendors[500];

    if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0)
        return false;
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(exe, '/');

        if (!slash)
            return false;
        *slash = '\0';
    }
    snprintf(vendors, sizeof(vendors), "%s/fault/vendors", exe);
    return setenv("OCL_ICD_VENDORS", vendors, 1) == 0;
}

#endif
