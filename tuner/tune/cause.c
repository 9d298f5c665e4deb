// SPDX-License-Identifier: Apache-2.0
// Finds and compares causes of failures.
#include "tune/cause.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* --- compiler logs --- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Whether one of these words is in the line. */
static bool has_word(const char *line, size_t length, const char *const *words)
{
    for (; *words; words++)
        for (size_t i = 0; i + strlen(*words) <= length; i++)
            if (strncasecmp(line + i, *words, strlen(*words)) == 0)
                return true;
    return false;
}

/* "Compilation error:", "error: ", "2 errors generated.": nothing about the error itself. */
static bool is_announcement(const char *line, size_t length)
{
    static const char *const counts[] = {"errors generated", "error generated", NULL};

    return line[length - 1] == ':' || has_word(line, length, counts);
}

void ct_cause_put_error(struct ct_str *out, const char *log)
{
    static const char *const words[] = {"error", "undefined", "unresolved", NULL};
    const char *first = NULL;
    size_t first_length = 0;

    for (const char *line = log; *line; line += strspn(line, "\n")) {
        size_t whole = strcspn(line, "\n");
        const char *begin = line;
        size_t length = whole;

        line += whole;
        for (; length && is_blank(*begin); length--)
            begin++;
        while (length && is_blank(begin[length - 1]))
            length--;
        if (!length || is_announcement(begin, length))
            continue;
        if (has_word(begin, length, words)) {
            ct_str_add(out, begin, length);
            return;
        }
        if (!first) {
            first = begin;
            first_length = length;
        }
    }
    if (first)
        ct_str_add(out, first, first_length);
}

/* --- comparison --- */

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_.+-", c));
}

/* Whether a word is a number, or has digits in it. */
static bool is_value(const char *word, size_t length)
{
    static const char *const numbers[] = {"nan", "-nan", "inf", "-inf"};

    for (size_t i = 0; i < length; i++)
        if (isdigit((unsigned char)word[i]))
            return true;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        if (strlen(numbers[i]) == length && !strncmp(word, numbers[i], length))
            return true;
    return false;
}

/* The next character or word that is not a value; `*length` 0 at the end. */
static const char *next_piece(const char *at, size_t *length)
{
    while (*at) {
        size_t word = 0;

        while (is_of_word(at[word]))
            word++;
        *length = word ? word : 1;
        if (!word || !is_value(at, word))
            return at;
        at += word;
    }
    *length = 0;
    return at;
}

bool ct_cause_is_same(const char *a, const char *b)
{
    size_t mine;
    size_t other;

    do {
        a = next_piece(a, &mine);
        b = next_piece(b, &other);
        if (mine != other || memcmp(a, b, mine) != 0)
            return false;
        a += mine;
        b += other;
    } while (mine);
    return true;
}
