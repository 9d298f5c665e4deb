// SPDX-License-Identifier: Apache-2.0
// A growable string of bytes that remembers running out of memory.
#ifndef CT_BASE_STR_H
#define CT_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* A byte string.  `data` always ends with a zero that `length` does not count, and may hold zeros
 * before it.  Appending never fails visibly: once out of memory `failed` is set and the contents
 * are cut; the user of the result checks it once. */
struct ct_str {
    char *data;
    size_t length;
    size_t capacity;
    bool failed;
};

/* An empty string that owns nothing yet; `data` is never NULL. */
void ct_str_init(struct ct_str *str);

/* Frees what it owns and leaves it initialised. */
void ct_str_release(struct ct_str *str);

/* Empties it, keeping the room. */
void ct_str_reset(struct ct_str *str);

void ct_str_add(struct ct_str *str, const void *bytes, size_t length);
void ct_str_puts(struct ct_str *str, const char *text);
void ct_str_putc(struct ct_str *str, char c);
void ct_str_addf(struct ct_str *str, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ct_str_vaddf(struct ct_str *str, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* Returns the bytes, which the caller frees, and empties the string; NULL if out of memory. */
char *ct_str_detach(struct ct_str *str);

/* --- small helpers on plain strings --- */

bool ct_str_equal(const char *a, const char *b);

/* The same where either may be NULL, which is like NULL only. */
bool ct_str_same(const char *a, const char *b);
bool ct_str_starts(const char *text, const char *prefix);

/* Whether `text` contains `part`, ignoring the case of ASCII letters. */
bool ct_str_contains_nocase(const char *text, const char *part);

/* The one of `count` names nearest to `word` by Damerau-Levenshtein distance (optimal string
 * alignment), ignoring case, or NULL if none is a likely misspelling (at most a third of the
 * word's length, at least 1). */
const char *ct_str_suggest(const char *word, const char *const *names, size_t count);

#endif
