// SPDX-License-Identifier: Apache-2.0
// Fields of comma-separated values (RFC 4180).
#ifndef CT_REPORT_CSV_H
#define CT_REPORT_CSV_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends a field, in quotes if it must be. */
void ct_csv_field(struct ct_str *out, const char *text);

/* Appends a comma and a field; NULL is an empty one. */
void ct_csv_text(struct ct_str *out, const char *text);

/* Appends a comma and a number, of 15 digits; nothing if it is not finite: unknown. */
void ct_csv_real(struct ct_str *out, double value);

/* Names of columns, in the order of their first use: {0} at first, freed by free(names). */
struct ct_csv_columns {
    const char **names; /* borrowed */
    size_t count;
    size_t capacity;
};

/* Adds a column unless there is one of that name; false if out of memory. */
bool ct_csv_columns_add(struct ct_csv_columns *columns, const char *name);

/* What all lines have before and after sizes and parameters. */
struct ct_csv_fixed {
    const char *const *before;
    size_t before_count;
    const char *const *after;
    size_t after_count;
};

/* Appends the first line.  Readers find columns by name: a size or parameter whose name is taken gets
 * the prefix that templates have for it, "size." or "param.". */
void ct_csv_head(struct ct_str *out, const struct ct_csv_fixed *fixed,
                 const struct ct_csv_columns *sizes, const struct ct_csv_columns *params);

#endif
