// SPDX-License-Identifier: Apache-2.0
// Makes text from databases, drivers, compilers and files safe for a terminal.
#ifndef CT_BASE_SHOW_H
#define CT_BASE_SHOW_H

#include "base/mem.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

/* Terminals interpret some characters: ESC and the controls U+0080 to U+009F begin commands, CR
 * and BS overwrite, direction marks and overrides reorder a line.  Shown text has these as
 * escapes: \x1b for an ASCII control and for a byte that is not UTF-8, \u009b for a code point
 * above 0x7e (which JSON reads as the same character).  All other UTF-8 stays as it is. */
enum ct_show {
    CT_SHOW_LINE,  /* one line: line feeds and tabs are escaped, too */
    CT_SHOW_LINES, /* line feeds and tabs stay */
};

/* Appends `length` bytes of `text`, escaped for display. */
void ct_show_add(struct ct_str *out, const char *text, size_t length, enum ct_show how);

/* `text` on one line, owned by the arena; "?" if out of memory. */
const char *ct_show_line(struct ct_arena *arena, const char *text);

/* The bytes of the UTF-8 character at the beginning of `text`; 0 if there is none. */
size_t ct_show_character(const char *text, size_t length);

/* How many bytes at the end of `text` begin an incomplete UTF-8 sequence: 0 to 3.  The next bytes
 * decide. */
size_t ct_show_unfinished(const char *text, size_t length);

/* Whether all of `text` may be shown on one line unchanged. */
bool ct_show_plain(const char *text);

/* Appends `text` with every byte that is not UTF-8 as `escape` and two hexadecimal digits;
 * everything else, controls too, stays.  For JSON, which has no other bytes: escape "\\x" for a
 * decoded string, "\\\\x" for its form between quotes. */
void ct_show_utf8(struct ct_str *out, const char *text, const char *escape);

#endif
