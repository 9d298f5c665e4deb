// SPDX-License-Identifier: Apache-2.0
// Pages as text for a terminal, and for pagers, which show an overstruck character strong.
#include "report/markup_write.h"

#include "report/width.h"

#include <ctype.h>
#include <string.h>

enum { INDENT = 4 };

static void put_blanks(struct ct_str *out, size_t count)
{
    while (count--)
        ct_str_putc(out, ' ');
}

static bool is_start(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

/* One word, of `length` bytes. */
static void put_word(const struct ct_markup_writer *writer, const char *text,
                     const char *styles, size_t length, bool strong)
{
    for (size_t i = 0; i < length;) {
        size_t bytes = 1;
        bool marked = strong || styles[i] != 'p';

        while (i + bytes < length && !is_start(text[i + bytes]))
            bytes++;
        if (writer->form == CT_MARKUP_STRUCK && marked) {
            if (strong || styles[i] == 's')
                ct_str_add(writer->out, text + i, bytes);
            else
                ct_str_putc(writer->out, '_');
            ct_str_putc(writer->out, '\b');
        }
        ct_str_add(writer->out, text + i, bytes);
        i += bytes;
    }
}

static size_t columns_of(const char *text, size_t length)
{
    struct ct_str word;
    size_t columns;

    ct_str_init(&word);
    ct_str_add(&word, text, length);
    columns = ct_width_text(word.data);
    ct_str_release(&word);
    return columns;
}

/* Text from column `column` on, broken at blanks, with the lines after the first indented. */
static void put_text(const struct ct_markup_writer *writer,
                     const struct ct_markup_line *line, size_t indent, bool strong)
{
    struct ct_width_locale locale = ct_width_locale_begin();
    const char *text = line->text.data;
    size_t column = indent;

    for (size_t at = 0; at < line->text.length;) {
        size_t length = strcspn(text + at, " ");
        size_t columns = columns_of(text + at, length);

        if (column > indent && column + 1 + columns > writer->width) {
            ct_str_putc(writer->out, '\n');
            put_blanks(writer->out, indent);
            column = indent;
        } else if (column > indent) {
            ct_str_putc(writer->out, ' ');
            column++;
        }
        put_word(writer, text + at, line->styles.data + at, length, strong);
        column += columns;
        at += length;
        at += strspn(text + at, " ");
    }
    ct_str_putc(writer->out, '\n');
    ct_width_locale_end(&locale);
}

static void separate(const struct ct_markup_writer *writer)
{
    if (writer->out->length)
        ct_str_putc(writer->out, '\n');
}

void ct_markup_heading(struct ct_markup_writer *writer, size_t level,
                       const struct ct_markup_line *line)
{
    separate(writer);
    put_blanks(writer->out, level <= 2 ? 0 : INDENT / 2);
    if (level <= 2)
        for (size_t i = 0; i < line->text.length; i++)
            line->text.data[i] = (char)toupper((unsigned char)line->text.data[i]);
    put_text(writer, line, level <= 2 ? 0 : INDENT / 2, true);
    writer->last = CT_MARKUP_TERM;
}

void ct_markup_paragraph(struct ct_markup_writer *writer, enum ct_markup_place place,
                         const struct ct_markup_line *line)
{
    bool close = (place == CT_MARKUP_BULLET && writer->last == CT_MARKUP_BULLET) ||
                 place == CT_MARKUP_EXPLANATION;
    size_t indent = place == CT_MARKUP_EXPLANATION ? 2 * INDENT : INDENT;

    /* A heading and its first paragraph belong together, as in manual pages. */
    if (!close && (writer->last != CT_MARKUP_TERM || place == CT_MARKUP_TERM))
        separate(writer);
    put_blanks(writer->out, indent);
    if (place == CT_MARKUP_BULLET) {
        ct_str_puts(writer->out, "- ");
        indent += 2;
    }
    put_text(writer, line, indent, place == CT_MARKUP_TERM);
    writer->last = place;
}

void ct_markup_code(struct ct_markup_writer *writer, const struct ct_str *code)
{
    separate(writer);
    for (const char *at = code->data; *at;) {
        size_t length = strcspn(at, "\n");

        put_blanks(writer->out, length ? 2 * (size_t)INDENT : 0);
        ct_str_add(writer->out, at, length);
        ct_str_putc(writer->out, '\n');
        at += length;
        at += *at == '\n';
    }
    writer->last = CT_MARKUP_BODY;
}
