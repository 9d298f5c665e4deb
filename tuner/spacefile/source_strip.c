// SPDX-License-Identifier: Apache-2.0
// Strips comments from source text, by the first three translation phases of C.
#include "spacefile/source.h"

#include "base/str.h"

/* Characters after removal of line continuations. */
struct scan {
    const char *text;
    size_t length;
    size_t at;
    size_t joined; /* physical lines joined to the current one, to be made up for */
};

enum { END = -1 };

/* Length of a line end at `at`, 0 for none: \n or \r\n. */
static size_t line_end(const struct scan *s, size_t at)
{
    if (at < s->length && s->text[at] == '\n')
        return 1;
    if (at + 1 < s->length && s->text[at] == '\r' && s->text[at + 1] == '\n')
        return 2;
    return 0;
}

/* The next character, consumed. */
static int next_char(struct scan *s)
{
    size_t end;

    while (s->at < s->length && s->text[s->at] == '\\' &&
           (end = line_end(s, s->at + 1))) {
        s->at += 1 + end;
        s->joined++;
    }
    if (s->at >= s->length)
        return END;
    end = line_end(s, s->at);
    if (end) {
        s->at += end;
        return '\n';
    }
    return (unsigned char)s->text[s->at++];
}

static int peek(const struct scan *s)
{
    struct scan copy = *s;

    return next_char(&copy);
}

static void skip_line_comment(struct scan *s)
{
    int c;

    while ((c = peek(s)) != END && c != '\n')
        next_char(s);
}

static void skip_block_comment(struct scan *s)
{
    int c;

    next_char(s);
    while ((c = next_char(s)) != END) {
        if (c == '\n')
            s->joined++;
        if (c == '*' && peek(s) == '/') {
            next_char(s);
            return;
        }
    }
}

/* Copies a literal up to its closing quote.  A quote that is not closed on its line, such as the
 * apostrophe in "#error don't", is no literal: comments continue after it. */
static void copy_literal(struct scan *s, int quote, struct ct_str *out)
{
    struct scan look = *s;
    int c;

    ct_str_putc(out, (char)quote);
    do {
        c = next_char(&look);
        if (c == '\\' && next_char(&look) == '\n')
            c = '\n';
    } while (c != quote && c != '\n' && c != END);
    if (c != quote)
        return;
    do {
        c = next_char(s);
        ct_str_putc(out, (char)c);
        if (c == '\\')
            ct_str_putc(out, (char)next_char(s));
    } while (c != quote);
}

void ct_source_strip(const char *text, size_t length, struct ct_str *out)
{
    struct scan s = {text, length, 0, 0};
    size_t line = out->length; /* where the current line starts */
    bool blank = false;        /* between the output so far and the next character */
    int c;

    while ((c = next_char(&s)) != END) {
        int next = c == '/' ? peek(&s) : 0;

        if (c == '\n') {
            ct_str_putc(out, '\n');
            for (; s.joined; s.joined--)
                ct_str_putc(out, '\n');
            line = out->length;
            blank = false;
            continue;
        }
        if (next == '/') {
            skip_line_comment(&s);
        } else if (next == '*') {
            skip_block_comment(&s);
            blank = true;
        } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
            blank = true;
        } else {
            if (blank && out->length > line)
                ct_str_putc(out, ' ');
            blank = false;
            if (c == '"' || c == '\'')
                copy_literal(&s, c, out);
            else
                ct_str_putc(out, (char)c);
        }
    }
    for (; s.joined; s.joined--)
        ct_str_putc(out, '\n');
}
