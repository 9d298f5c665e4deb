// SPDX-License-Identifier: Apache-2.0
// Warnings on standard error.
#include "report/warn.h"

#include "report/screen.h"

#include <stdarg.h>
#include <stdio.h>

void ct_report_warn(const char *format, ...)
{
    va_list args;

    fflush(ct_screen_out());
    fputs("cltune: warning: ", ct_screen_err());
    va_start(args, format);
    vfprintf(ct_screen_err(), format, args);
    va_end(args);
    fputc('\n', ct_screen_err());
}
