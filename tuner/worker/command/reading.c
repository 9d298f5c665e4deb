// SPDX-License-Identifier: Apache-2.0
// POSIX extended patterns on texts.
#include "worker/command/reading.h"

#include "base/str.h"

#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ct_reading_matches(const char *pattern, const char *text)
{
    regex_t compiled;
    bool found;

    if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NEWLINE | REG_NOSUB))
        return false;
    found = regexec(&compiled, text, 0, NULL, 0) == 0;
    regfree(&compiled);
    return found;
}

/* The number that text[0, length) begins with. */
static bool read_number(const char *text, size_t length, double *out)
{
    char copy[64];
    char *end;

    if (!length || length >= sizeof(copy))
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *out = strtod(copy, &end);
    return end > copy && isfinite(*out);
}

bool ct_reading_number(const char *pattern, const char *text, double *out)
{
    regmatch_t match[2];
    regex_t compiled;
    bool found = false;
    int flags = 0;

    if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NEWLINE))
        return false;
    while (!found && !regexec(&compiled, text, 2, match, flags)) {
        found = match[1].rm_so >= 0 &&
                read_number(text + match[1].rm_so,
                            (size_t)(match[1].rm_eo - match[1].rm_so), out);
        if (!found && match[0].rm_eo == 0 && !*text)
            break;
        flags = match[0].rm_eo > 0 && text[match[0].rm_eo - 1] == '\n' ? 0 : REG_NOTBOL;
        text += match[0].rm_eo > 0 ? match[0].rm_eo : 1;
    }
    regfree(&compiled);
    return found;
}

void ct_reading_tail(const char *text, size_t length, struct ct_str *out)
{
    enum { KEEP = 300 };
    size_t from = length > KEEP ? length - KEEP : 0;
    bool begun = false;

    while (length > from && (text[length - 1] == '\n' || text[length - 1] == ' '))
        length--;
    for (size_t i = from; i < length; i++) {
        if (text[i] == '\n' && begun)
            ct_str_puts(out, " | ");
        else if ((unsigned char)text[i] >= ' ')
            ct_str_putc(out, text[i]);
        begun = true;
    }
}

size_t ct_reading_difference(const char *a, size_t a_length, const char *b,
                             size_t b_length)
{
    size_t line = 1;

    for (size_t i = 0; i < a_length && i < b_length; i++) {
        if (a[i] != b[i])
            return line;
        line += a[i] == '\n';
    }
    return a_length == b_length ? 0 : line;
}
