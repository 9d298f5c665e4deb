// SPDX-License-Identifier: Apache-2.0
// How wide text is on a terminal, and how wide the terminal is.
#ifndef CT_REPORT_WIDTH_H
#define CT_REPORT_WIDTH_H

#include "base/str.h"

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Of a terminal that does not say how wide it is. */
enum { CT_WIDTH_USUAL = 80 };

/* Columns for what is printed to descriptor `fd`: $COLUMNS if that is a number of at least 1, else
 * the terminal's own; 80 if it has none.  0, no limit: with `wide`, and if `fd` is no terminal and
 * $COLUMNS is not set, so that scripts and files get everything. */
size_t ct_width_output(int fd, bool wide);

/* Columns of a terminal now; 80 if it has none. */
size_t ct_width_terminal(FILE *terminal);

/* Its rows; 24 if it has none. */
size_t ct_width_terminal_rows(FILE *terminal);

/* The user's character set for one thread; (locale_t)0: that of the C locale.  Pass what
 * ct_width_locale_begin returns to ct_width_locale_end. */
struct ct_width_locale {
    locale_t own;
    locale_t before;
};
struct ct_width_locale ct_width_locale_begin(void);
void ct_width_locale_end(struct ct_width_locale *locale);

/* Whether the user's character set is UTF-8. */
bool ct_width_is_utf8(void);

/* Columns of a line that ct_show_add has made: without UTF-8 its other characters are shown as
 * escapes of four columns a byte.  To be called between ct_width_locale_begin and _end. */
size_t ct_width_text(const char *text);

/* Appends what moves a terminal's cursor from the end of the last of `count` lines of these widths,
 * which `columns` wrap, to the beginning of the first. */
void ct_width_home(struct ct_str *out, const size_t *widths, size_t count,
                   size_t columns);

/* Appends as much of `text` as fits in `width` columns, with ".." or "…" at its end if something is
 * missing.  To be called between ct_width_locale_begin and _end. */
void ct_width_cut(struct ct_str *out, const char *text, size_t width);

/* Appends "HEAD      TEXT\n" with `text` broken at blanks so that no line is longer than `width`
 * (0: no limit); continuation lines begin below TEXT. */
void ct_width_wrap(struct ct_str *out, const char *head, const char *text, size_t width);

/* Appends lines, those that are longer than `width` columns broken at blanks: what continues one
 * begins below its text, which follows a head and several blanks ("spent     1.2 s"). */
void ct_width_wrap_lines(struct ct_str *out, const char *text, size_t width);

/* Prints lines like that to `out`, which is shown on descriptor `fd`. */
void ct_width_print_lines(FILE *out, int fd, const char *text);

#endif
