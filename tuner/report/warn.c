// SPDX-License-Identifier: Apache-2.0
// Warnings on standard error.
#include "report/warn.h"

#include <stdarg.h>
#include <stdio.h>

void ct_report_warn(const char *format, ...)
{
    va_list args;

    fflush(stdout);
    fputs("cltune: warning: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}
