// SPDX-License-Identifier: Apache-2.0
// Between the reader of Markdown and the forms it is written in.
#ifndef CT_REPORT_MARKUP_WRITE_H
#define CT_REPORT_MARKUP_WRITE_H

#include "report/markup.h"

/* Text within a block: `styles` has a letter for each byte of `text`: 'p' plain, 's' strong, 'e'
 * emphasized. */
struct ct_markup_line {
    struct ct_str text;
    struct ct_str styles;
};

/* How a paragraph is placed. */
enum ct_markup_place {
    CT_MARKUP_BODY,
    CT_MARKUP_BULLET,
    CT_MARKUP_TERM, /* what a cell below explains; strong */
    CT_MARKUP_EXPLANATION,
};

struct ct_markup_writer {
    struct ct_str *out;
    enum ct_markup_form form;
    size_t width;
    enum ct_markup_place
        last; /* of the block before: bullets follow each other closely */
};

/* Blocks of a page. */
void ct_markup_heading(struct ct_markup_writer *writer, size_t level,
                       const struct ct_markup_line *line);
void ct_markup_paragraph(struct ct_markup_writer *writer, enum ct_markup_place place,
                         const struct ct_markup_line *line);
/* Lines of code, each ended by a line feed. */
void ct_markup_code(struct ct_markup_writer *writer, const struct ct_str *code);

/* The same for scdoc. */
void ct_scdoc_heading(struct ct_markup_writer *writer, size_t level,
                      const struct ct_markup_line *line);
void ct_scdoc_paragraph(struct ct_markup_writer *writer, enum ct_markup_place place,
                        const struct ct_markup_line *line);
void ct_scdoc_code(struct ct_markup_writer *writer, const struct ct_str *code);

#endif
