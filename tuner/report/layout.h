// SPDX-License-Identifier: Apache-2.0
// Templates for `cltune best --format template`: text with ${...} for values, loops and conditions
// (doc/formats.md is the manual).
#ifndef CT_REPORT_LAYOUT_H
#define CT_REPORT_LAYOUT_H

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>

enum ct_layout_kind {
    CT_LAYOUT_TEXT,  /* at most one line, its end included */
    CT_LAYOUT_VALUE, /* ${NAME}, ${NAME|FILTER} */
    CT_LAYOUT_SEP,   /* ${sep TEXT}: between the turns of a loop */
    CT_LAYOUT_FOR,   /* ${for LIST} */
    CT_LAYOUT_IF, /* ${if NAME}, ${if not NAME}, ${if NAME == TEXT}, ${if NAME != TEXT} */
    CT_LAYOUT_ELSE,
    CT_LAYOUT_END,
};

/* What may follow a name. */
enum ct_layout_test {
    CT_LAYOUT_SET,     /* not empty, not 0 */
    CT_LAYOUT_NOT_SET, /* not */
    CT_LAYOUT_EQUAL,
    CT_LAYOUT_UNEQUAL,
};

struct ct_layout_token {
    enum ct_layout_kind kind;
    const char *text; /* the text; the name; the list of a loop */
    const char *more; /* the filter of a value; what a condition compares with */
    enum ct_layout_test test;
    size_t end;       /* FOR, IF, ELSE: index of the END */
    size_t otherwise; /* IF: index of the ELSE, or of the END */
    int line;
    int column;
};

struct ct_layout {
    const char *path;
    const struct ct_layout_token *tokens;
    size_t count;
};

/* Parses a template, whose tokens live in the arena.  A line with nothing but loops, conditions,
 * their ends and blanks is no text.  CT_E_USAGE with the place of a mistake; CT_E_NOMEM. */
enum ct_status ct_layout_parse(struct ct_arena *arena, const char *path, const char *text,
                               struct ct_layout *out, struct ct_err *err);

#endif
