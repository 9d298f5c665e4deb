// SPDX-License-Identifier: Apache-2.0
// Shows the pages of doc/, which are written in a part of Markdown, in a terminal and as sources of
// manual pages.
//
// Understood are headings, paragraphs, lists with "- " (not within each other), code with fences or
// four blanks, tables, `code`, **strong**, *emphasized* and [links](target); lines of comments and
// images are left out.  A row of a table becomes its first cell with the others below it.
#ifndef CT_REPORT_MARKUP_H
#define CT_REPORT_MARKUP_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

enum ct_markup_form {
    CT_MARKUP_TEXT,   /* plain text */
    CT_MARKUP_STRUCK, /* plain text whose strong characters are overstruck, for pagers */
    CT_MARKUP_SCDOC,  /* the input of scdoc(1), without its first line */
};

/* Appends a page, given as Markdown, in the form.  Text is broken at `width` columns (at least 40
 * are used); scdoc breaks for itself. */
void ct_markup_add(struct ct_str *out, const char *markdown, enum ct_markup_form form,
                   size_t width);

/* Appends the text of a line without its marks. */
void ct_markup_add_plain(struct ct_str *out, const char *line, size_t length);

#endif
