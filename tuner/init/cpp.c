// SPDX-License-Identifier: Apache-2.0
// Finds the strings of C++ sources: raw strings, and ordinary ones in a row.
#include "init/cpp.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 64, DELIMITER_MOST = 16, BEFORE_MOST = 8 };

struct scan {
    struct ct_arena *arena;
    struct ct_cpp_strings *out;
    const char *at;
    char name[NAME_MOST]; /* the last word before an `=`, or behind #define */
    bool is_macro;        /* it is of a #define, which ends with its strings */
    char word[NAME_MOST];
    const char
        *before[BEFORE_MOST]; /* words of the expression that the next string is in */
    size_t before_count;
    struct ct_str text; /* of the strings in a row */
};

/* --- strings --- */

static const char *skip_space(const char *at)
{
    for (;;) {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (at[0] == '\\' && (at[1] == '\n' || at[1] == '\r')) {
            at += 2;
        } else if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");

            at = end ? end + 2 : at + strlen(at);
        } else {
            return at;
        }
    }
}

/* R"delimiter( ... )delimiter" at `at`, behind the R; NULL if it begins none.  Without an end, it is
 * the rest of the file. */
static const char *read_raw(const char *at, struct ct_str *out)
{
    char end[DELIMITER_MOST + 3];
    size_t length = 0;
    const char *close;

    while (length <= DELIMITER_MOST && at[1 + length] && at[1 + length] != '(')
        length++;
    if (length > DELIMITER_MOST || at[1 + length] != '(')
        return NULL;
    snprintf(end, sizeof(end), ")%.*s\"", (int)length, at + 1);
    close = strstr(at + 2 + length, end);
    if (!close)
        return at + strlen(at);
    ct_str_add(out, at + 2 + length, (size_t)(close - at - 2 - (ptrdiff_t)length));
    return close + strlen(end);
}

static const char *read_escape(const char *at, struct ct_str *out)
{
    static const char letters[] = "abfnrtv";
    static const char values[] = "\a\b\f\n\r\t\v";
    const char *known = *at ? strchr(letters, *at) : NULL;
    char *end;

    if (*at == '\n')
        return at + 1;
    if (*at == 'x') {
        ct_str_putc(out, (char)strtoul(at + 1, &end, 16));
        return end;
    }
    if (*at >= '0' && *at <= '7') {
        char digits[4] = {0};

        memcpy(digits, at, strspn(at, "01234567") < 3 ? strspn(at, "01234567") : 3);
        ct_str_putc(out, (char)strtoul(digits, NULL, 8));
        return at + strlen(digits);
    }
    ct_str_putc(out, known ? values[known - letters] : *at);
    return at + (*at != '\0');
}

/* "..." at `at`; NULL if it has no end. */
static const char *read_plain(const char *at, struct ct_str *out)
{
    for (at++; *at && *at != '"' && *at != '\n';) {
        if (*at == '\\')
            at = read_escape(at + 1, out);
        else
            ct_str_putc(out, *at++);
    }
    return *at == '"' ? at + 1 : NULL;
}

/* A string with its prefix at `at`; `at` itself if there is none. */
static const char *read_string(const char *at, struct ct_str *out)
{
    size_t prefix = strncmp(at, "u8", 2) == 0 ? 2 : *at && strchr("LuU", *at) ? 1 : 0;
    const char *quote = at + prefix;
    bool raw = *quote == 'R' && quote[1] == '"';
    const char *end;

    if (!raw && *quote != '"')
        return at;
    end = raw ? read_raw(quote + 1, out) : read_plain(quote, out);
    return end ? end : at;
}

/* --- the whole --- */

static bool note_word(struct scan *s)
{
    size_t length = 0;
    bool is_define = strcmp(s->word, "define") == 0;
    const char *copy;

    while (isalnum((unsigned char)s->at[length]) || s->at[length] == '_')
        length++;
    snprintf(s->word, sizeof(s->word), "%.*s", (int)length, s->at);
    s->at += length;
    if (is_define) {
        memcpy(s->name, s->word, sizeof(s->name));
        s->is_macro = true;
        s->before_count = 0;
        return true;
    }
    copy = ct_arena_copy(s->arena, s->word, strlen(s->word));
    if (copy && s->before_count < BEFORE_MOST)
        s->before[s->before_count++] = copy;
    return copy != NULL;
}

static void note_sign(struct scan *s)
{
    if (*s->at == '=' && s->at[1] != '=') {
        memcpy(s->name, s->word, sizeof(s->name));
        s->is_macro = false;
    } else if (*s->at == ';') {
        *s->name = '\0';
    }
    if (strchr("=;{},", *s->at))
        s->before_count = 0;
    if (*s->at == '#')
        *s->word = '\0';
    /* A character is no string. */
    if (*s->at == '\'' && s->at[1]) {
        const char *end = strpbrk(s->at + 1 + (s->at[1] == '\\'), "'\n");

        s->at = end ? end : s->at;
    }
    s->at++;
}

static bool keep_string(struct scan *s)
{
    struct ct_cpp_strings *out = s->out;
    struct ct_cpp_string string = {
        .name = ct_arena_copy(s->arena, s->name, strlen(s->name)),
        .text = ct_arena_copy(s->arena, s->text.data, s->text.length),
        .length = s->text.length,
        .before = ct_arena_keep(s->arena, s->before, s->before_count, sizeof(*s->before)),
        .before_count = s->before_count,
    };

    s->before_count = 0;
    if (s->is_macro)
        *s->name = '\0';
    if (s->text.failed || !string.name || !string.text || !string.before ||
        !ct_mem_grow(&out->items, &out->room, out->count + 1, sizeof(*out->items)))
        return false;
    out->items[out->count++] = string;
    return true;
}

static bool scan_all(struct scan *s)
{
    while (*(s->at = skip_space(s->at))) {
        const char *end;

        ct_str_reset(&s->text);
        end = read_string(s->at, &s->text);
        if (end == s->at && (isalnum((unsigned char)*s->at) || *s->at == '_')) {
            if (!note_word(s))
                return false;
            continue;
        }
        if (end == s->at) {
            note_sign(s);
            continue;
        }
        while (end != s->at) {
            s->out->has_raw = s->out->has_raw || s->at[strcspn(s->at, "R\"")] == 'R';
            s->at = skip_space(end);
            end = read_string(s->at, &s->text);
        }
        if (!keep_string(s))
            return false;
    }
    return true;
}

enum ct_status ct_cpp_scan(const char *source, struct ct_arena *arena,
                           struct ct_cpp_strings *out, struct ct_err *err)
{
    struct scan s = {.arena = arena, .out = out, .at = source};
    bool good;

    *out = (struct ct_cpp_strings){0};
    ct_str_init(&s.text);
    good = scan_all(&s);
    ct_str_release(&s.text);
    return good ? CT_OK : ct_err_nomem(err);
}
