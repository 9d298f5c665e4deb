// SPDX-License-Identifier: Apache-2.0
// Files whose contents are given, by a program that carries them in itself: they are not read from
// disk, and need not be there.
#ifndef CT_SPACEFILE_GIVEN_H
#define CT_SPACEFILE_GIVEN_H

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>

struct ct_given_file {
    const char *path; /* without `.` and `..` */
    const char *text; /* followed by a zero byte */
    size_t length;
    size_t number; /* from 1 */
};

/* Starts as {0}. */
struct ct_given_files {
    struct ct_arena arena;
    struct ct_given_file *items;
    size_t count;
    size_t capacity;
};

/* Adds a file; copies all of it.  The first of several with one path counts.  False if out of
 * memory. */
bool ct_given_put(struct ct_given_files *files, const char *path, const char *text,
                  size_t length);

/* The file at `path`, or NULL.  Paths are compared as texts, after `.` and `NAME/..` have been taken
 * out of them. */
const struct ct_given_file *ct_given_find(const struct ct_given_files *files,
                                          const char *path);

void ct_given_release(struct ct_given_files *files);

#endif
