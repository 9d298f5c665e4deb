// SPDX-License-Identifier: Apache-2.0
// The best of each value of a parameter.
#include "report/search_impl.h"

#include "report/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void put_row(const struct ct_search *search, struct ct_table *table,
                    const struct ct_evaluated *entry)
{
    double share = ct_report_share_of_copy(search, entry);
    double gain = ct_search_gain(search, entry);
    char text[CT_FORMAT_SIZE];
    struct ct_value value = ct_search_per_value(search, entry);
    struct ct_str config;

    ct_str_init(&config);
    ct_table_row(table);
    ct_value_print(&config, value);
    ct_table_cell(table, config.data);
    ct_table_cell(table, ct_format_time(text, entry->time_ns));
    ct_table_cell(table, gain > 0 ? ct_format_ratio(text, gain) : "-");
    if (isnan(share))
        ct_table_cell(table, "-");
    else
        ct_table_cellf(table, "%.3g%%", 100 * share);
    ct_report_metric_cells(search, table, entry);
    ct_str_reset(&config);
    ct_workload_put_config(&search->work, search->work.values, &config);
    ct_table_cell(table, config.data);
    ct_str_release(&config);
}

void ct_report_per_value(const struct ct_search *search,
                         const struct ct_evaluated *const *order, size_t count)
{
    size_t *firsts = ct_mem_array(count, sizeof(*firsts));
    size_t found = firsts ? ct_search_firsts(search, order, count, firsts) : 0;
    struct ct_table *table;

    if (found < 2) {
        free(firsts);
        return;
    }
    table = ct_table_new();
    ct_table_column(table,
                    search->work.spec->slots
                        .symbols[search->work.spec->params[search->per_value].slot]
                        .name,
                    false);
    ct_table_column(table, "TIME", true);
    ct_table_column(table, "SPEED-UP", true);
    ct_table_column(table, "OF COPY", true);
    ct_report_metric_columns(search, table);
    ct_table_column(table, "CONFIGURATION", false);
    for (size_t i = 0; i < found; i++)
        put_row(search, table, order[firsts[i]]);
    putchar('\n');
    ct_table_print(table, stdout);
    putchar('\n');
    ct_table_free(table);
    free(firsts);
}
