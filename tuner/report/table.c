// SPDX-License-Identifier: Apache-2.0
// Tables: their cells, what gives way to a narrow terminal, and libsmartcols behind a narrower
// interface.
#include "report/table.h"

#include "base/mem.h"
#include "base/show.h"
#include "report/print.h"
#include "report/screen.h"
#include "report/width.h"

#include <libsmartcols/libsmartcols.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct column {
    char *name;
    bool right_aligned;
    struct ct_table_yield yield;
    bool left_out;
    bool brief;
    size_t cut; /* 0: not */
};

/* Shown as they are: escaped already.  NULL: empty; no brief form. */
struct cell {
    char *text;
    char *brief;
};

struct ct_table {
    struct column *columns;
    size_t column_count;
    size_t column_capacity;
    struct cell *cells; /* row by row, each with all columns once it is over */
    size_t cell_count;
    size_t cell_capacity;
    size_t row_count;
    bool failed;
};

struct ct_table *ct_table_new(void)
{
    return calloc(1, sizeof(struct ct_table));
}

void ct_table_column(struct ct_table *table, const char *name, bool right_aligned)
{
    struct column *column;

    if (!table)
        return;
    if (!ct_mem_grow(&table->columns, &table->column_capacity, table->column_count + 1,
                     sizeof(*table->columns))) {
        table->failed = true;
        return;
    }
    column = &table->columns[table->column_count++];
    *column = (struct column){.name = strdup(name), .right_aligned = right_aligned};
    table->failed |= !column->name;
}

void ct_table_yields(struct ct_table *table, struct ct_table_yield yield)
{
    if (table && table->column_count)
        table->columns[table->column_count - 1].yield = yield;
}

static bool add_cell(struct ct_table *table)
{
    if (!ct_mem_grow(&table->cells, &table->cell_capacity, table->cell_count + 1,
                     sizeof(*table->cells))) {
        table->failed = true;
        return false;
    }
    table->cells[table->cell_count++] = (struct cell){NULL, NULL};
    return true;
}

/* Fills what the current row has no cells for. */
static void end_row(struct ct_table *table)
{
    while (!table->failed && table->cell_count < table->row_count * table->column_count)
        add_cell(table);
}

void ct_table_row(struct ct_table *table)
{
    if (!table)
        return;
    end_row(table);
    table->row_count++;
}

/* The library's own escapes depend on the locale.  NULL if out of memory. */
static char *shown(struct ct_table *table, const char *text)
{
    struct ct_str out;
    char *made;

    ct_str_init(&out);
    ct_show_add(&out, text, strlen(text), CT_SHOW_LINE);
    made = ct_str_detach(&out);
    table->failed |= !made;
    return made;
}

void ct_table_cell(struct ct_table *table, const char *text)
{
    if (table && table->cell_count < table->row_count * table->column_count &&
        add_cell(table))
        table->cells[table->cell_count - 1].text = shown(table, text);
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

void ct_table_brief(struct ct_table *table, const char *text)
{
    struct cell *cell;

    if (!table || !table->cell_count || table->failed)
        return;
    cell = &table->cells[table->cell_count - 1];
    free(cell->brief);
    cell->brief = shown(table, text);
}

/* --- fitting --- */

static const char *cell_text(const struct ct_table *table, size_t row, size_t c)
{
    const struct cell *cell = &table->cells[row * table->column_count + c];
    const char *text = table->columns[c].brief && cell->brief ? cell->brief : cell->text;

    return text ? text : "";
}

/* Without cutting. */
static size_t column_width(const struct ct_table *table, size_t c)
{
    size_t width = ct_width_text(table->columns[c].name);

    for (size_t row = 0; row < table->row_count; row++) {
        size_t own = ct_width_text(cell_text(table, row, c));

        if (own > width)
            width = own;
    }
    return width;
}

static size_t table_width(const struct ct_table *table)
{
    size_t sum = 0;

    for (size_t c = 0; c < table->column_count; c++)
        if (!table->columns[c].left_out)
            sum += (sum ? 1 : 0) + column_width(table, c);
    return sum;
}

/* The largest order of what has not given way yet, and whose it is; 0: none. */
static unsigned next_order(struct ct_table *table, struct column **next)
{
    unsigned order = 0;

    for (size_t c = 0; c < table->column_count; c++) {
        struct column *column = &table->columns[c];
        unsigned own = column->yield.leaves;

        if (!column->brief && column->yield.briefly > own)
            own = column->yield.briefly;
        if (!column->left_out && own > order) {
            order = own;
            *next = column;
        }
    }
    return order;
}

/* Cuts columns until `excess` is gone, though not below their least widths; returns what is left of
 * it. */
static size_t cut_columns(struct ct_table *table, size_t excess, bool really)
{
    for (size_t c = table->column_count; c-- && excess;) {
        struct column *column = &table->columns[c];
        size_t width = column_width(table, c);
        size_t room =
            column->yield.cut_to && !column->left_out && width > column->yield.cut_to
                ? width - column->yield.cut_to
                : 0;
        size_t share = room < excess ? room : excess;

        if (really && share)
            column->cut = width - share;
        excess -= share;
    }
    return excess;
}

static void fit(struct ct_table *table, size_t width)
{
    struct ct_width_locale locale = ct_width_locale_begin();
    size_t now;

    if (table)
        end_row(table);
    while (table && !table->failed && width && (now = table_width(table)) > width) {
        struct column *next = NULL;
        unsigned order = next_order(table, &next);

        if (order < CT_TABLE_FOR_ALL &&
            (!next || !cut_columns(table, now - width, false))) {
            cut_columns(table, now - width, true);
            break;
        }
        if (next->yield.briefly > next->yield.leaves && !next->brief)
            next->brief = true;
        else
            next->left_out = true;
    }
    ct_width_locale_end(&locale);
}

/* "INTERVAL, PER CORE; CONFIGURATION is shortened"; nothing if all is there. */
static void put_left_out(const struct ct_table *table, struct ct_str *out)
{
    const char *between = "";
    size_t cut = 0;

    for (size_t c = 0; table && c < table->column_count; c++)
        if (table->columns[c].left_out) {
            ct_str_addf(out, "%s%s", between, table->columns[c].name);
            between = ", ";
        }
    between = *between ? "; " : "";
    for (size_t c = 0; table && c < table->column_count; c++)
        if (!table->columns[c].left_out &&
            (table->columns[c].cut || table->columns[c].brief)) {
            ct_str_addf(out, "%s%s", between, table->columns[c].name);
            between = " and ";
            cut++;
        }
    if (cut)
        ct_str_puts(out, cut == 1 ? " is shortened" : " are shortened");
}

/* --- printing --- */

static bool fill_cell(struct libscols_line *line, size_t number, const char *text,
                      size_t cut)
{
    struct ct_str out;
    bool filled;

    ct_str_init(&out);
    if (cut)
        ct_width_cut(&out, text, cut);
    else
        ct_str_puts(&out, text);
    filled = !out.failed && scols_line_set_data(line, number, out.data) == 0;
    ct_str_release(&out);
    return filled;
}

/* The columns that are shown, and all rows. */
static bool fill(const struct ct_table *table, struct libscols_table *out)
{
    bool good = true;

    for (size_t c = 0; good && c < table->column_count; c++) {
        const struct column *column = &table->columns[c];

        good = column->left_out ||
               scols_table_new_column(out, column->name, 0,
                                      column->right_aligned ? SCOLS_FL_RIGHT : 0);
    }
    for (size_t row = 0; good && row < table->row_count; row++) {
        struct libscols_line *line = scols_table_new_line(out, NULL);
        size_t number = 0;

        good = line;
        for (size_t c = 0; good && c < table->column_count; c++)
            if (!table->columns[c].left_out)
                good = fill_cell(line, number++, cell_text(table, row, c),
                                 table->columns[c].cut);
    }
    return good;
}

bool ct_table_print(struct ct_table *table, FILE *out)
{
    struct ct_width_locale locale;
    struct libscols_table *made;
    bool printed;

    if (table)
        end_row(table);
    if (!table || table->failed)
        return false;
    made = scols_new_table();
    if (!made)
        return false;
    /* Never truncated by the library: ct_table_show knows what is least important. */
    scols_table_set_termforce(made, SCOLS_TERMFORCE_ALWAYS);
    scols_table_set_termwidth(made, 4096);
    scols_table_enable_maxout(made, 0);
    scols_table_set_stream(made, out);
    /* Texts in the user's character set are shown as they are. */
    locale = ct_width_locale_begin();
    printed = fill(table, made) && scols_print_table(made) == 0;
    ct_width_locale_end(&locale);
    scols_unref_table(made);
    return printed;
}

bool ct_table_show(struct ct_table *table, size_t width)
{
    struct ct_str text;
    struct ct_str line;
    bool printed;

    fit(table, width);
    printed = ct_table_print(table, ct_screen_out());
    ct_str_init(&text);
    ct_str_init(&line);
    put_left_out(table, &text);
    if (text.length) {
        ct_str_puts(&text, " (use --wide to see all)");
        ct_width_wrap(&line, "left out", text.data, width);
        ct_print_text(line.data);
    }
    ct_str_release(&line);
    ct_str_release(&text);
    return printed;
}

void ct_table_free(struct ct_table *table)
{
    if (!table)
        return;
    for (size_t c = 0; c < table->column_count; c++)
        free(table->columns[c].name);
    for (size_t i = 0; i < table->cell_count; i++) {
        free(table->cells[i].text);
        free(table->cells[i].brief);
    }
    free(table->columns);
    free(table->cells);
    free(table);
}
