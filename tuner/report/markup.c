// SPDX-License-Identifier: Apache-2.0
// The reader of Markdown: blocks, and the marks within them.
#include "report/markup.h"

#include "report/markup_write.h"

#include <string.h>

/* --- marks within a block --- */

static void put_styled(struct ct_markup_line *line, const char *text, size_t length,
                       char style)
{
    for (size_t i = 0; i < length; i++) {
        ct_str_putc(&line->text, text[i]);
        ct_str_putc(&line->styles, style);
    }
}

/* The end of code that begins at `at` with a backquote: its last backquote, NULL if there is
 * none. */
static const char *code_end(const char *at, const char *end)
{
    return end > at + 1 ? memchr(at + 1, '`', (size_t)(end - at - 1)) : NULL;
}

/* Whether a link begins at `at`: "[TEXT](TARGET)"; where its target begins and ends. */
static bool is_link(const char *at, const char *end, const char **target,
                    const char **close)
{
    const char *middle;

    for (middle = at + 1; middle + 1 < end && *middle != '['; middle++)
        if (middle[0] == ']' && middle[1] == '(') {
            *target = middle + 2;
            *close = memchr(middle, ')', (size_t)(end - middle));
            return *close != NULL;
        }
    return false;
}

/* Whether a star begins what is emphasized: a word follows, and another star after it. */
static bool opens_emphasis(const char *at, const char *end)
{
    return at + 2 < end && at[1] != ' ' && memchr(at + 1, '*', (size_t)(end - at - 1));
}

/* Reads marked text.  Code and what is strong are shown alike: manual pages know no more. */
static void read_line(const char *at, size_t length, struct ct_markup_line *line)
{
    const char *end = at + length;
    const char *skip_from = NULL, *skip_to = NULL;
    bool strong = false, emphasized = false;

    while (at < end) {
        const char *target, *close;

        if (at == skip_from) {
            at = skip_to;
        } else if (*at == '`' && (close = code_end(at, end))) {
            put_styled(line, at + 1, (size_t)(close - at - 1), 's');
            at = close + 1;
        } else if (*at == '\\' && at + 1 < end && strchr("\\`*_|[]#-", at[1])) {
            put_styled(line, at + 1, 1, strong ? 's' : 'p');
            at += 2;
        } else if (at + 1 < end && at[0] == '*' && at[1] == '*') {
            strong = !strong;
            at += 2;
        } else if (*at == '*' && !strong && (emphasized || opens_emphasis(at, end))) {
            emphasized = !emphasized;
            at++;
        } else if (*at == '[' && is_link(at, end, &target, &close)) {
            /* The address of a page elsewhere would be lost in print. */
            skip_from = target - 2;
            skip_to = close + 1;
            at++;
        } else {
            put_styled(line, at++, 1, strong ? 's' : emphasized ? 'e' : 'p');
        }
    }
}

static void line_init(struct ct_markup_line *line)
{
    ct_str_init(&line->text);
    ct_str_init(&line->styles);
}

static void line_release(struct ct_markup_line *line)
{
    ct_str_release(&line->text);
    ct_str_release(&line->styles);
}

void ct_markup_add_plain(struct ct_str *out, const char *line, size_t length)
{
    struct ct_markup_line read;

    line_init(&read);
    read_line(line, length, &read);
    ct_str_add(out, read.text.data, read.text.length);
    line_release(&read);
}

/* --- blocks --- */

struct reader {
    struct ct_markup_writer writer;
    struct ct_str text; /* of the paragraph, or of the code */
    enum { NOTHING, PARAGRAPH, BULLET, CODE, FENCED, TABLE } inside;
    struct ct_str head; /* the head of the table: its row */
    size_t rows;
};

static void write_paragraph(struct reader *r, enum ct_markup_place place,
                            const char *text, size_t length)
{
    struct ct_markup_line line;

    line_init(&line);
    read_line(text, length, &line);
    if (r->writer.form == CT_MARKUP_SCDOC)
        ct_scdoc_paragraph(&r->writer, place, &line);
    else
        ct_markup_paragraph(&r->writer, place, &line);
    line_release(&line);
}

/* Ends what is open. */
static void finish(struct reader *r)
{
    if (r->inside == PARAGRAPH || r->inside == BULLET) {
        write_paragraph(r, r->inside == BULLET ? CT_MARKUP_BULLET : CT_MARKUP_BODY,
                        r->text.data, r->text.length);
    } else if (r->inside == CODE || r->inside == FENCED) {
        while (r->text.length > 1 && r->text.data[r->text.length - 2] == '\n')
            r->text.data[--r->text.length] = '\0';
        if (r->writer.form == CT_MARKUP_SCDOC)
            ct_scdoc_code(&r->writer, &r->text);
        else
            ct_markup_code(&r->writer, &r->text);
    }
    ct_str_reset(&r->text);
    r->inside = NOTHING;
}

/* The next cell of a row, without its blanks; false after the last. */
static bool next_cell(const char **at, const char *end, const char **cell, size_t *length)
{
    const char *close = *at;
    bool code = false;

    while (close < end && (code || *close != '|')) {
        code ^= *close == '`';
        close += *close == '\\' && close + 1 < end ? 2 : 1;
    }
    if (close >= end)
        return false;
    *cell = *at;
    *at = close + 1;
    while (*cell < close && **cell == ' ')
        (*cell)++;
    while (close > *cell && close[-1] == ' ')
        close--;
    *length = (size_t)(close - *cell);
    return true;
}

/* Cells after the second have the head of their column before them. */
static void write_row(struct reader *r, const char *row, size_t row_length)
{
    const char *at = row + 1, *end = row + row_length;
    const char *head_at = r->head.data + 1;
    const char *head_end = r->head.data + r->head.length;
    const char *cell, *head;
    size_t length, head_length;
    struct ct_str rest;

    ct_str_init(&rest);
    for (size_t n = 0; next_cell(&at, end, &cell, &length); n++) {
        bool named = next_cell(&head_at, head_end, &head, &head_length);

        if (!n)
            write_paragraph(r, CT_MARKUP_TERM, cell, length);
        else if (length) {
            ct_str_puts(&rest, rest.length ? "; " : "");
            if (n > 1 && named && head_length)
                ct_str_addf(&rest, "%.*s: ", (int)head_length, head);
            ct_str_add(&rest, cell, length);
        }
    }
    if (rest.length)
        write_paragraph(r, CT_MARKUP_EXPLANATION, rest.data, rest.length);
    ct_str_release(&rest);
}

static void read_row(struct reader *r, const char *line, size_t length)
{
    if (r->inside != TABLE) {
        finish(r);
        r->inside = TABLE;
        r->rows = 0;
        ct_str_reset(&r->head);
        ct_str_add(&r->head, line, length);
    }
    if (r->rows++ > 1)
        write_row(r, line, length);
}

static void read_heading(struct reader *r, const char *line, size_t length)
{
    size_t level = strspn(line, "#");
    struct ct_markup_line heading;

    finish(r);
    line_init(&heading);
    read_line(line + level + 1, length - level - 1, &heading);
    if (r->writer.form == CT_MARKUP_SCDOC)
        ct_scdoc_heading(&r->writer, level, &heading);
    else
        ct_markup_heading(&r->writer, level, &heading);
    line_release(&heading);
}

/* A line of a paragraph or of an item. */
static void read_text(struct reader *r, const char *line, size_t length)
{
    bool bullet = ct_str_starts(line, "- ");
    size_t blanks;

    if (bullet || (r->inside != PARAGRAPH && r->inside != BULLET))
        finish(r);
    if (r->inside == NOTHING)
        r->inside = bullet ? BULLET : PARAGRAPH;
    blanks = bullet ? 2 : strspn(line, " ");
    if (r->text.length)
        ct_str_putc(&r->text, ' ');
    ct_str_add(&r->text, line + blanks, length - blanks);
}

static void read_block(struct reader *r, const char *line, size_t length)
{
    bool blank = strspn(line, " \t") >= length;
    bool indented = ct_str_starts(line, "    ");

    if (ct_str_starts(line, "```")) {
        bool closes = r->inside == FENCED;

        finish(r);
        r->inside = closes ? NOTHING : FENCED;
    } else if (r->inside == FENCED || (r->inside == CODE && (indented || blank))) {
        size_t cut = r->inside == CODE && !blank ? 4 : 0;

        ct_str_add(&r->text, line + cut, length - cut);
        ct_str_putc(&r->text, '\n');
    } else if (blank || ct_str_starts(line, "<!--") || ct_str_starts(line, "![")) {
        finish(r);
    } else if (*line == '#') {
        read_heading(r, line, length);
    } else if (*line == '|') {
        read_row(r, line, length);
    } else if (indented && r->inside != PARAGRAPH && r->inside != BULLET) {
        finish(r);
        r->inside = CODE;
        read_block(r, line, length);
    } else {
        read_text(r, line, length);
    }
}

void ct_markup_add(struct ct_str *out, const char *markdown, enum ct_markup_form form,
                   size_t width)
{
    enum { NARROWEST = 40 };
    struct reader r = {.writer = {.out = out,
                                  .form = form,
                                  .width = width < NARROWEST ? NARROWEST : width}};

    ct_str_init(&r.text);
    ct_str_init(&r.head);
    while (*markdown) {
        size_t length = strcspn(markdown, "\n");

        read_block(&r, markdown, length);
        markdown += length;
        markdown += *markdown == '\n';
    }
    finish(&r);
    out->failed |= r.text.failed || r.head.failed;
    ct_str_release(&r.text);
    ct_str_release(&r.head);
}
