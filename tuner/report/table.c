// SPDX-License-Identifier: Apache-2.0
// libsmartcols behind a narrower interface.
#include "report/table.h"

#include "base/show.h"

#include <libsmartcols/libsmartcols.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct ct_table {
    struct libscols_table *table;
    struct libscols_line *line;
    size_t cell;
    bool failed;
};

struct ct_table *ct_table_new(void)
{
    struct ct_table *table = calloc(1, sizeof(*table));

    if (!table)
        return NULL;
    table->table = scols_new_table();
    if (!table->table) {
        free(table);
        return NULL;
    }
    /* Never truncated: output is the same in a terminal, a pipe and a file. */
    scols_table_set_termforce(table->table, SCOLS_TERMFORCE_ALWAYS);
    scols_table_set_termwidth(table->table, 4096);
    scols_table_enable_maxout(table->table, 0);
    return table;
}

void ct_table_column(struct ct_table *table, const char *name, bool right_aligned)
{
    if (table && !scols_table_new_column(table->table, name, 0,
                                         right_aligned ? SCOLS_FL_RIGHT : 0))
        table->failed = true;
}

void ct_table_row(struct ct_table *table)
{
    if (!table)
        return;
    table->line = scols_table_new_line(table->table, NULL);
    table->cell = 0;
    if (!table->line)
        table->failed = true;
}

void ct_table_cell(struct ct_table *table, const char *text)
{
    struct ct_str shown;

    if (!table || !table->line)
        return;
    /* The library's own escapes depend on the locale. */
    ct_str_init(&shown);
    ct_show_add(&shown, text, strlen(text), CT_SHOW_LINE);
    if (shown.failed || scols_line_set_data(table->line, table->cell++, shown.data))
        table->failed = true;
    ct_str_release(&shown);
}

void ct_table_cellf(struct ct_table *table, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    ct_table_cell(table, text);
}

bool ct_table_print(struct ct_table *table, FILE *out)
{
    if (!table || table->failed)
        return false;
    scols_table_set_stream(table->table, out);
    return scols_print_table(table->table) == 0;
}

void ct_table_free(struct ct_table *table)
{
    if (!table)
        return;
    scols_unref_table(table->table);
    free(table);
}
