// SPDX-License-Identifier: Apache-2.0
// Text from databases, drivers, compilers and files made fit for a terminal.
#ifndef CT_BASE_SHOW_H
#define CT_BASE_SHOW_H

#include "base/mem.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

/* A terminal obeys more than it shows: ESC and the controls U+0080 to U+009F begin
 * commands, CR and BS overwrite, the marks and overrides of direction reorder what stands
 * on the line.  Shown text has these as escapes: \x1b for an ASCII control and for a byte
 * that is not UTF-8, \u009b for a code point above 0x7e (which JSON reads as the same
 * character).  All other UTF-8 stays as it is. */
enum ct_show {
    CT_SHOW_LINE,  /* one line: line feeds and tabs are escaped, too */
    CT_SHOW_LINES, /* line feeds and tabs stay */
};

/* Appends `length` bytes of `text` as they may be shown. */
void ct_show_add(struct ct_str *out, const char *text, size_t length, enum ct_show how);

/* `text` on one line, owned by the arena; "?" when memory is short. */
const char *ct_show_line(struct ct_arena *arena, const char *text);

/* How many bytes at the end of `text` begin a UTF-8 sequence that ends there unfinished:
 * 0 to 3.  What comes next decides what they are. */
size_t ct_show_unfinished(const char *text, size_t length);

/* Whether all of `text` may be shown on one line as it is. */
bool ct_show_plain(const char *text);

/* Appends `text` with every byte that is not UTF-8 as `escape` and two hexadecimal
 * digits; everything else, controls too, stays.  For JSON, which has no other bytes:
 * escape "\\x" makes the text of a string, "\\\\x" what stands between its quotes. */
void ct_show_utf8(struct ct_str *out, const char *text, const char *escape);

#endif
