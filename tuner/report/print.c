// SPDX-License-Identifier: Apache-2.0
// The standard functions on the filtered stream.
#include "report/print.h"

#include "report/screen.h"

#include <stdarg.h>

void ct_print(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(ct_screen_out(), format, args);
    va_end(args);
}

void ct_print_line(const char *text)
{
    fputs(text, ct_screen_out());
    fputc('\n', ct_screen_out());
}

void ct_print_text(const char *text)
{
    fputs(text, ct_screen_out());
}

void ct_print_bytes(const char *bytes, size_t size_bytes)
{
    fwrite(bytes, 1, size_bytes, ct_screen_out());
}
