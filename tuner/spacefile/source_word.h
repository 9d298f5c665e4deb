// SPDX-License-Identifier: Apache-2.0
// Words of C in stripped source text.
#ifndef CT_SPACEFILE_SOURCE_WORD_H
#define CT_SPACEFILE_SOURCE_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* --- words of a file --- */

static inline bool ct_word_starts(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           c >= 0x80;
}

static inline bool ct_word_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static inline const char *ct_word_skip_blank(const char *at)
{
    return *at == ' ' ? at + 1 : at;
}

static inline const char *ct_word_skip(const char *at)
{
    while (ct_word_starts((unsigned char)*at) || ct_word_digit((unsigned char)*at))
        at++;
    return at;
}

static inline bool ct_word_equal(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

#endif
