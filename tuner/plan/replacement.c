// SPDX-License-Identifier: Apache-2.0
// Finds directives in unstripped source text, so that all the rest of it stays as it is.
#include "plan/replacement.h"

#include "spacefile/source_word.h"

#include <string.h>

struct scan {
    const char *at;
    const char *end;
    struct ct_str *out;
};

/* The length of a line's continuation at `at`: a backslash, and the end of the line. */
static size_t continuation(const struct scan *s, const char *at)
{
    size_t left = (size_t)(s->end - at);

    if (left >= 2 && at[0] == '\\' && at[1] == '\n')
        return 2;
    return left >= 3 && at[0] == '\\' && at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

/* The length of the comment at `at`; 0: there is none.  One to the end of the line is without it. */
static size_t comment(const struct scan *s, const char *at)
{
    const char *from = at;
    bool line = s->end - at >= 2 && at[0] == '/' && at[1] == '/';

    if (s->end - at < 2 || at[0] != '/' || (at[1] != '/' && at[1] != '*'))
        return 0;
    for (at += 2; at < s->end; at++) {
        if (line && *at == '\n')
            break;
        if (line && continuation(s, at))
            at += continuation(s, at) - 1;
        else if (!line && *at == '*' && at + 1 < s->end && at[1] == '/')
            return (size_t)(at + 2 - from);
    }
    return (size_t)(at - from);
}

/* The length of blanks, comments and continuations at `at`. */
static size_t blanks(const struct scan *s, const char *at)
{
    const char *from = at;

    while (at < s->end) {
        size_t more = *at == ' ' || *at == '\t' || *at == '\f' || *at == '\v';

        if (!more)
            more = continuation(s, at) ? continuation(s, at) : comment(s, at);
        if (!more)
            break;
        at += more;
    }
    return (size_t)(at - from);
}

static size_t word_length(const struct scan *s, const char *at)
{
    const char *from = at;

    while (at < s->end && (ct_word_starts((unsigned char)*at) ||
                           (at > from && ct_word_digit((unsigned char)*at))))
        at++;
    return (size_t)(at - from);
}

/* The length of a text or character in quotes, which may lack its end. */
static size_t quoted(const struct scan *s, const char *at)
{
    const char *from = at;
    char quote = *at;

    for (at++; at < s->end && *at != quote && *at != '\n'; at++)
        if (*at == '\\' && at + 1 < s->end)
            at++;
    return (size_t)(at - from) + (at < s->end && *at == quote);
}

/* Copies up to the end of the line; with `drop`, only comments and the ends of lines. */
static void rest_of_line(struct scan *s, bool drop)
{
    while (s->at < s->end && *s->at != '\n') {
        size_t kept = continuation(s, s->at) ? continuation(s, s->at) : comment(s, s->at);
        size_t length = kept;

        if (!length && (*s->at == '"' || *s->at == '\''))
            length = quoted(s, s->at);
        if (!length)
            length = 1;
        /* A blank separates the comment, and a line's end may be of two characters. */
        if (drop && kept)
            ct_str_putc(s->out, ' ');
        if (!drop || kept || *s->at == '\r')
            ct_str_add(s->out, s->at, length);
        s->at += length;
    }
    if (s->at < s->end)
        ct_str_putc(s->out, *s->at++);
}

static const struct ct_plan_macro *find_macro(const struct ct_plan_macro *macros,
                                              size_t count, const char *name,
                                              size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (ct_word_equal(name, length, macros[i].name))
            return &macros[i];
    return NULL;
}

/* The macro without arguments that the line defines, with the length up to its value; else NULL. */
static const struct ct_plan_macro *defined_here(const struct scan *s,
                                                const struct ct_plan_macro *macros,
                                                size_t count, size_t *length)
{
    const char *at = s->at + blanks(s, s->at);
    size_t name;

    if (at == s->end || *at != '#')
        return NULL;
    at++;
    at += blanks(s, at);
    if (!ct_word_equal(at, word_length(s, at), "define"))
        return NULL;
    at += strlen("define");
    at += blanks(s, at);
    name = word_length(s, at);
    *length = (size_t)(at + name - s->at);
    if (at + name < s->end && at[name] == '(')
        return NULL;
    return find_macro(macros, count, at, name);
}

void ct_replacement_apply(const char *text, size_t length,
                          const struct ct_plan_macro *macros, size_t macro_count,
                          bool blank, bool *found, struct ct_str *out)
{
    struct scan s = {text, text + length, out};

    while (s.at < s.end) {
        size_t before;
        const struct ct_plan_macro *macro =
            defined_here(&s, macros, macro_count, &before);

        if (!macro) {
            rest_of_line(&s, false);
            continue;
        }
        found[macro - macros] = true;
        if (!blank) {
            ct_str_add(out, s.at, before);
            ct_str_addf(out, " %s", macro->value);
            s.at += before;
        }
        rest_of_line(&s, true);
    }
}
