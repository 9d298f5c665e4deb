// SPDX-License-Identifier: Apache-2.0
// All findings about an input, collected so that they can be reported together.
#ifndef CT_BASE_DIAG_H
#define CT_BASE_DIAG_H

#include "base/err.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

enum ct_severity {
    CT_WARNING,
    CT_ERROR,
};

/* One finding; texts are owned by the list. */
struct ct_diag {
    enum ct_severity severity;
    const char *file;
    int line;   /* 1-based; 0: the file as a whole */
    int column; /* 1-based; 0: the line as a whole */
    const char *message;
};

/* Findings in the order they were made.  Initialise with {0}. */
struct ct_diags {
    struct ct_arena arena;
    struct ct_diag *items;
    size_t count;
    size_t capacity;
    size_t errors;
    bool failed; /* out of memory: the list is incomplete */
};

/* Adds a finding; `file` is copied. */
void ct_diags_add(struct ct_diags *diags, enum ct_severity severity, const char *file,
                  int line, int column, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Puts findings in order of file, line and column (stable). */
void ct_diags_sort(struct ct_diags *diags);

void ct_diags_release(struct ct_diags *diags);

#endif
