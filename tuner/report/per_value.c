// SPDX-License-Identifier: Apache-2.0
// What each value of a parameter got, and its best.
#include "report/search_impl.h"

#include "report/format.h"
#include "report/print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void put_best(const struct ct_search *search, struct ct_table *table,
                     const struct ct_evaluated *measured)
{
    struct ct_evaluated scaled;
    const struct ct_evaluated *entry = &scaled;
    double share;
    double gain;
    char text[CT_FORMAT_SIZE];
    struct ct_str config;

    ct_search_rescale(search, measured, &scaled);
    share = ct_report_share_of_copy(search, entry);
    gain = ct_search_gain(search, entry);

    ct_table_cell(table, ct_format_time(text, entry->time_ns));
    ct_table_cell(table, gain > 0 ? ct_format_ratio(text, gain) : "-");
    if (isnan(share))
        ct_table_cell(table, "-");
    else
        ct_table_cellf(table, "%.3g%%", 100 * share);
    ct_report_metric_cells(search, table, entry);
    ct_str_init(&config);
    ct_workload_values(&search->work, entry->index);
    ct_workload_put_config(&search->work, search->work.values, &config);
    ct_table_cell(table, config.data);
    ct_str_release(&config);
}

static void put_row(const struct ct_search *search, struct ct_table *table,
                    const struct ct_search_arm *arm)
{
    struct ct_str value;

    ct_str_init(&value);
    ct_table_row(table);
    ct_value_print(&value, arm->value);
    ct_table_cell(table, value.data);
    ct_table_cellf(table, "%zu", arm->evaluated);
    ct_table_cellf(table, "%zu", arm->failed);
    if (arm->best)
        put_best(search, table, arm->best);
    else
        ct_table_cell(table, "-");
    ct_str_release(&value);
}

void ct_report_per_value(const struct ct_search *search,
                         const struct ct_evaluated *const *order, size_t count,
                         size_t width)
{
    size_t found;
    struct ct_search_arm *arms = ct_search_arms(search, order, count, &found);
    struct ct_table *table;

    if (found < 2) {
        free(arms);
        return;
    }
    table = ct_table_new();
    ct_table_column(table,
                    search->work.spec->slots
                        .symbols[search->work.spec->params[search->per_value].slot]
                        .name,
                    false);
    ct_table_column(table, "EVALUATED", true);
    ct_table_column(table, "FAILED", true);
    ct_table_column(table, "BEST", true);
    ct_table_column(table, "SPEED-UP", true);
    ct_table_yields(table, (struct ct_table_yield){.leaves = 1});
    ct_table_column(table, "OF COPY", true);
    ct_table_yields(table, (struct ct_table_yield){.leaves = 2});
    ct_report_metric_columns(search, table);
    ct_table_column(table, "CONFIGURATION", false);
    ct_table_yields(table, (struct ct_table_yield){.cut_to = CT_TABLE_CONFIG_LEAST});
    for (size_t i = 0; i < found; i++)
        put_row(search, table, &arms[i]);
    ct_print_text("\n");
    ct_table_show(table, width);
    ct_print_text("\n");
    ct_table_free(table);
    free(arms);
}
