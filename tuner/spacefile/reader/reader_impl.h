// SPDX-License-Identifier: Apache-2.0
// Shared by the two halves of the reader: logical lines.
#ifndef CT_SPACEFILE_READER_READER_IMPL_H
#define CT_SPACEFILE_READER_READER_IMPL_H

#include "spacefile/reader/reader.h"

/* A header or an entry, with all its parts. */
struct ct_reader_line {
    bool header;
    struct ct_reader_section section; /* of a header: kind, name, places */
    struct ct_reader_entry entry;
};

struct ct_reader_lines {
    struct ct_reader_line *items;
    size_t count;
    size_t capacity;
};

/* Splits the text into logical lines; texts live in the arena, `lines->items` on the heap (the
 * caller frees them).  CT_E_SPEC if it is not text, CT_E_NOMEM. */
enum ct_status ct_reader_cut(const char *path, const char *text, size_t length,
                             struct ct_arena *arena, struct ct_reader_lines *lines,
                             struct ct_diags *diags, struct ct_err *err);

#endif
