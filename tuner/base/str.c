// SPDX-License-Identifier: Apache-2.0
// Growable strings and the search for a likely misspelling.
#include "base/str.h"

#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char empty[1];

void ct_str_init(struct ct_str *str)
{
    str->data = empty;
    str->length = 0;
    str->capacity = 0;
    str->failed = false;
}

void ct_str_release(struct ct_str *str)
{
    if (str->capacity)
        free(str->data);
    ct_str_init(str);
}

void ct_str_reset(struct ct_str *str)
{
    str->length = 0;
    str->failed = false;
    if (str->capacity)
        str->data[0] = '\0';
}

static bool reserve_bytes(struct ct_str *str, size_t more)
{
    size_t room = str->capacity ? str->capacity : 64;
    char *grown;

    if (str->failed || more > SIZE_MAX / 2 - str->length) {
        str->failed = true;
        return false;
    }
    if (str->length + more < str->capacity)
        return true;
    while (room <= str->length + more)
        room *= 2;
    grown = realloc(str->capacity ? str->data : NULL, room);
    if (!grown) {
        str->failed = true;
        return false;
    }
    str->data = grown;
    str->capacity = room;
    return true;
}

void ct_str_add(struct ct_str *str, const void *bytes, size_t length)
{
    if (!reserve_bytes(str, length))
        return;
    if (length)
        memcpy(str->data + str->length, bytes, length);
    str->length += length;
    str->data[str->length] = '\0';
}

void ct_str_puts(struct ct_str *str, const char *text)
{
    ct_str_add(str, text, strlen(text));
}

void ct_str_putc(struct ct_str *str, char c)
{
    ct_str_add(str, &c, 1);
}

void ct_str_vaddf(struct ct_str *str, const char *format, va_list args)
{
    va_list again;
    size_t room;
    int length;

    /* Most texts fit into what is there, and need to be formatted only once. */
    if (!reserve_bytes(str, 1))
        return;
    va_copy(again, args);
    room = str->capacity - str->length;
    length = vsnprintf(str->data + str->length, room, format, args);
    if (length >= 0 && (size_t)length >= room) {
        str->data[str->length] = '\0';
        if (reserve_bytes(str, (size_t)length))
            vsnprintf(str->data + str->length, (size_t)length + 1, format, again);
    }
    va_end(again);
    if (length < 0)
        str->failed = true;
    if (str->failed)
        str->data[str->length] = '\0';
    else
        str->length += (size_t)length;
}

void ct_str_addf(struct ct_str *str, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    ct_str_vaddf(str, format, args);
    va_end(args);
}

char *ct_str_detach(struct ct_str *str)
{
    char *data = NULL;

    if (!str->failed)
        data = str->capacity ? str->data : ct_mem_copy("", 0);
    else if (str->capacity)
        free(str->data);
    ct_str_init(str);
    return data;
}

bool ct_str_equal(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

bool ct_str_same(const char *a, const char *b)
{
    return a && b ? ct_str_equal(a, b) : a == b;
}

bool ct_str_starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static int lower_case(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

bool ct_str_contains_nocase(const char *text, const char *part)
{
    for (;; text++) {
        size_t i = 0;

        while (part[i] && lower_case(text[i]) == lower_case(part[i]))
            i++;
        if (!part[i])
            return true;
        if (!*text)
            return false;
    }
}

enum { WORD_MAX = 64 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* Optimal string alignment: insert, delete, replace, swap neighbours, each costs one. */
static size_t edit_distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t row[3][WORD_MAX + 1];

    for (size_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3];
        const size_t *one = row[(i + 2) % 3];
        const size_t *two = row[(i + 1) % 3];

        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            bool same = lower_case(a[i - 1]) == lower_case(b[j - 1]);

            now[j] = least(one[j] + 1, now[j - 1] + 1, one[j - 1] + (same ? 0 : 1));
            if (i > 1 && j > 1 && lower_case(a[i - 1]) == lower_case(b[j - 2]) &&
                lower_case(a[i - 2]) == lower_case(b[j - 1]) && two[j - 2] + 1 < now[j])
                now[j] = two[j - 2] + 1;
        }
    }
    return row[n % 3][m];
}

const char *ct_str_suggest(const char *word, const char *const *names, size_t count)
{
    size_t length = strlen(word);
    size_t limit = length / 3 > 1 ? length / 3 : 1;
    size_t nearest = limit + 1;
    const char *found = NULL;

    if (length > WORD_MAX)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(names[i]);
        size_t d;

        if (other > WORD_MAX)
            continue;
        d = edit_distance(word, length, names[i], other);
        /* A one-letter word is one replacement away from every other: no suggestion. */
        if (d < nearest && (length > 1 || d == 0)) {
            nearest = d;
            found = names[i];
        }
    }
    return found;
}
