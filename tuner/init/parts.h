// SPDX-License-Identifier: Apache-2.0
// The files of a source that programs put together from several, one behind the other.
#ifndef CT_INIT_PARTS_H
#define CT_INIT_PARTS_H

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

struct ct_part {
    const char *path;
    const char *label; /* the same from the space file's folder */
    int first;         /* the number of its first line in the whole source */
};

struct ct_parts {
    struct ct_part *items; /* in `arena`'s memory */
    size_t count;
};

/* Reads the files, whose paths are set, and appends them to `source`; several with a #line before
 * each, so that compilers name the file.  CT_E_USAGE: one is missing or is no text; CT_E_IO; CT_E_NOMEM. */
enum ct_status ct_parts_read(struct ct_parts *parts, struct ct_str *source,
                             struct ct_err *err);

/* The file of a line of the whole source (from 1), which becomes the line in the file. */
const struct ct_part *ct_parts_find(const struct ct_parts *parts, int *line);

/* The paths, or the labels, with `between` between them; NULL if out of memory. */
const char *ct_parts_join(const struct ct_parts *parts, bool labels, const char *between,
                          struct ct_arena *arena);

#endif
