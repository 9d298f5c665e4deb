// SPDX-License-Identifier: Apache-2.0
// The log of what the driver was asked to do, for tests that prove order and absence.

#include "vcl.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void vcl_log(const char *format, ...)
{
    const char *path = getenv("VIRTUALCL_LOG");
    char line[1024];
    if (!path || !*path)
        return;
    int length = snprintf(line, sizeof line, "%llu %ld ",
                          (unsigned long long)vcl_wall_ns(), vcl_process());
    va_list values;
    va_start(values, format);
    int more = vsnprintf(line + length, sizeof line - (size_t)length - 1, format, values);
    va_end(values);
    if (more < 0)
        abort();
    length += more;
    if ((size_t)length > sizeof line - 2)
        length = sizeof line - 2;
    line[length++] = '\n';
    // One write to a file opened for appending: lines of several processes never mix.
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || write(file, line, (size_t)length) != length) {
        fprintf(stderr, "virtual OpenCL: VIRTUALCL_LOG: cannot write '%s'\n", path);
        abort();
    }
    close(file);
}

void vcl_log_start(void)
{
    static atomic_long started; // the process, as children may be forked
    long process = vcl_process();
    if (atomic_exchange(&started, process) != process) {
        const char *tunables = getenv("GLIBC_TUNABLES");
        vcl_log("start tunables=%s", tunables ? tunables : "");
    }
}
