// SPDX-License-Identifier: Apache-2.0
// Pages as input of scdoc(1), which makes manual pages of them: see scdoc(5).
#include "report/markup_write.h"

#include <ctype.h>
#include <string.h>

/* Marks of scdoc, which are characters like others after a backslash.  Two plus signs would break
 * a line, and a hyphen begins an item. */
static void put_escaped(struct ct_str *out, char c)
{
    if (strchr("\\*_#-[]|;:`.+~<", c))
        ct_str_putc(out, '\\');
    ct_str_putc(out, c);
}

/* Text with its styles: scdoc has *strong* and _underlined_ parts. */
static void put_line(struct ct_str *out, const struct ct_markup_line *line, bool strong)
{
    char style = 'p';

    for (size_t i = 0; i <= line->text.length; i++) {
        char next = i == line->text.length ? 'p' : strong ? 's' : line->styles.data[i];

        if (next != style) {
            if (style != 'p')
                ct_str_putc(out, style == 's' ? '*' : '_');
            if (next != 'p')
                ct_str_putc(out, next == 's' ? '*' : '_');
            style = next;
        }
        if (i < line->text.length)
            put_escaped(out, line->text.data[i]);
    }
}

/* An empty line, between blocks only. */
static void separate(struct ct_markup_writer *writer)
{
    if (writer->out->length &&
        !ct_str_starts(writer->out->data + writer->out->length - 1, "\n"))
        ct_str_putc(writer->out, '\n');
    if (writer->out->length)
        ct_str_putc(writer->out, '\n');
}

/* Of two levels, sections and subsections; deeper ones are strong paragraphs.  Marks have no
 * meaning in headings. */
void ct_scdoc_heading(struct ct_markup_writer *writer, size_t level,
                      const struct ct_markup_line *line)
{
    separate(writer);
    if (level <= 3) {
        ct_str_puts(writer->out, level <= 2 ? "# " : "## ");
        for (size_t i = 0; i < line->text.length; i++)
            ct_str_putc(writer->out,
                        level <= 2 ? (char)toupper((unsigned char)line->text.data[i])
                                   : line->text.data[i]);
    } else {
        put_line(writer->out, line, true);
    }
    ct_str_putc(writer->out, '\n');
    writer->last = CT_MARKUP_BODY;
}

void ct_scdoc_paragraph(struct ct_markup_writer *writer, enum ct_markup_place place,
                        const struct ct_markup_line *line)
{
    bool close = (place == CT_MARKUP_BULLET && writer->last == CT_MARKUP_BULLET) ||
                 place == CT_MARKUP_EXPLANATION;

    if (!close)
        separate(writer);
    if (place == CT_MARKUP_BULLET)
        ct_str_puts(writer->out, "- ");
    if (place == CT_MARKUP_EXPLANATION)
        ct_str_putc(writer->out, '\t');
    put_line(writer->out, line, place == CT_MARKUP_TERM);
    ct_str_putc(writer->out, '\n');
    writer->last = place;
}

void ct_scdoc_code(struct ct_markup_writer *writer, const struct ct_str *code)
{
    separate(writer);
    ct_str_addf(writer->out, "```\n%s```\n", code->data);
    writer->last = CT_MARKUP_BODY;
}
