// SPDX-License-Identifier: Apache-2.0
// Tables for terminals and pipes (libsmartcols).
#ifndef CT_REPORT_TABLE_H
#define CT_REPORT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

/* A table with named columns.  Cells are copied.  Lines are as wide as needed and never
 * truncated, so that output can be searched and piped. */
struct ct_table;

/* NULL if out of memory; every other function then accepts NULL and does nothing. */
struct ct_table *ct_table_new(void);

/* Adds a column. */
void ct_table_column(struct ct_table *table, const char *name, bool right_aligned);

/* Starts a row. */
void ct_table_row(struct ct_table *table);

/* Fills the next cell of the current row. */
void ct_table_cell(struct ct_table *table, const char *text);
void ct_table_cellf(struct ct_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints it; false if out of memory or `out` cannot be written. */
bool ct_table_print(struct ct_table *table, FILE *out);

void ct_table_free(struct ct_table *table);

#endif
