// SPDX-License-Identifier: Apache-2.0
// Fills in struct ct_err.
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void __attribute__((format(printf, 6, 0)))
fill(struct ct_err *err, enum ct_status code, const char *file, int line, int column,
     const char *format, va_list args)
{
    if (!err)
        return;
    err->code = code;
    err->line = line;
    err->column = column;
    snprintf(err->file, sizeof(err->file), "%s", file ? file : "");
    vsnprintf(err->message, sizeof(err->message), format, args);
}

enum ct_status ct_err_set(struct ct_err *err, enum ct_status code, const char *format,
                          ...)
{
    va_list args;

    va_start(args, format);
    fill(err, code, NULL, 0, 0, format, args);
    va_end(args);
    return code;
}

enum ct_status ct_err_at(struct ct_err *err, enum ct_status code, const char *file,
                         int line, int column, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fill(err, code, file, line, column, format, args);
    va_end(args);
    return code;
}

enum ct_status ct_err_nomem(struct ct_err *err)
{
    return ct_err_set(err, CT_E_NOMEM, "out of memory");
}

void ct_err_prefix(struct ct_err *err, const char *format, ...)
{
    char prefix[512];
    char old[CT_ERR_MESSAGE_SIZE];
    va_list args;
    int used;

    if (!err)
        return;
    va_start(args, format);
    vsnprintf(prefix, sizeof(prefix), format, args);
    va_end(args);
    memcpy(old, err->message, sizeof(old));
    used = snprintf(err->message, sizeof(err->message), "%s: ", prefix);
    if (used > 0 && (size_t)used < sizeof(err->message)) {
        size_t room = sizeof(err->message) - (size_t)used;
        size_t length = strlen(old);

        if (length >= room)
            length = room - 1;
        memcpy(err->message + used, old, length);
        err->message[(size_t)used + length] = '\0';
    }
}

void ct_err_place(struct ct_err *err, const char *file, int line, int column)
{
    if (!err)
        return;
    snprintf(err->file, sizeof(err->file), "%s", file);
    err->line = line;
    err->column = column;
}
