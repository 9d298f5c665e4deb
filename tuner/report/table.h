// SPDX-License-Identifier: Apache-2.0
// Tables for terminals and pipes (libsmartcols).
#ifndef CT_REPORT_TABLE_H
#define CT_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct ct_str;

/* A table with named columns.  Cells are copied.  Lines are as wide as needed and never truncated,
 * so that output can be searched and piped, unless ct_table_show limits them. */
struct ct_table;

/* NULL if out of memory; every other function then accepts NULL and does nothing. */
struct ct_table *ct_table_new(void);

/* Adds a column. */
void ct_table_column(struct ct_table *table, const char *name, bool right_aligned);

/* How the column that was added last gives way in ct_table_show.  What has the largest order does
 * so first; 0: never.  Orders below CT_TABLE_FOR_ALL are only used if the columns that can be cut
 * would have less than their least width. */
enum {
    CT_TABLE_FOR_ALL = 10,
    CT_TABLE_CONFIG_LEAST = 20, /* least width of a column of configurations */
};
struct ct_table_yield {
    unsigned leaves;  /* the column is left out */
    unsigned briefly; /* its cells take their brief forms (ct_table_brief) */
    size_t cut_to;    /* its cells are cut, at least to so many columns; 0: not cut */
};
void ct_table_yields(struct ct_table *table, struct ct_table_yield yield);

/* Starts a row. */
void ct_table_row(struct ct_table *table);

/* Fills the next cell of the current row. */
void ct_table_cell(struct ct_table *table, const char *text);
void ct_table_cellf(struct ct_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A shorter form of the cell filled last. */
void ct_table_brief(struct ct_table *table, const char *text);

/* Prints it; false if out of memory or `out` cannot be written. */
bool ct_table_print(struct ct_table *table, FILE *out);

/* Prints it to standard output with rows no wider than `width` columns (0: no limit), as far as the
 * columns give way, and below it what was left out: "INTERVAL, PER CORE; CONFIGURATION is
 * shortened".  Once.  False as for ct_table_print. */
bool ct_table_show(struct ct_table *table, size_t width);

void ct_table_free(struct ct_table *table);

#endif
