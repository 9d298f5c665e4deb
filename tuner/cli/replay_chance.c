// SPDX-License-Identifier: Apache-2.0
// Reliability of stated chances (DeGroot and Fienberg, "The comparison and evaluation of
// forecasters", 1983): of the times that about p was stated, a share of about p should
// have come true.
#include "cli/replay_chance.h"

#include "report/table.h"

#include <math.h>

/* Upper ends. */
static const double ends[CT_CHANCE_BINS] = {0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 1};

void ct_chance_add(struct ct_chance_bins *bins, const struct ct_replay *replay)
{
    for (size_t i = 0; replay->chances && i < replay->repeats * CT_REPLAY_CHANCES; i++) {
        const struct ct_replay_chance *chance = &replay->chances[i];
        size_t bin = 0;

        if (isnan(chance->stated))
            continue;
        while (bin + 1 < CT_CHANCE_BINS && chance->stated >= ends[bin])
            bin++;
        bins->count[bin]++;
        bins->remained[bin] += chance->remained;
        bins->stated[bin] += chance->stated;
    }
}

void ct_chance_print(const struct ct_chance_bins *bins, const char *strategy)
{
    struct ct_table *table = ct_table_new();

    printf("%s: chance that something more than 5%% better remains\n", strategy);
    ct_table_column(table, "STATED", true);
    ct_table_column(table, "TIMES", true);
    ct_table_column(table, "MEAN", true);
    ct_table_column(table, "REMAINED", true);
    for (size_t b = 0; b < CT_CHANCE_BINS; b++) {
        double n = (double)bins->count[b];

        if (!bins->count[b])
            continue;
        ct_table_row(table);
        ct_table_cellf(table, "%.0f-%.0f%%", b ? 100 * ends[b - 1] : 0, 100 * ends[b]);
        ct_table_cellf(table, "%zu", bins->count[b]);
        ct_table_cellf(table, "%.1f%%", 100 * bins->stated[b] / n);
        ct_table_cellf(table, "%.1f%%", 100 * (double)bins->remained[b] / n);
    }
    ct_table_print(table, stdout);
    ct_table_free(table);
    putchar('\n');
}

json_t *ct_chance_json(const struct ct_chance_bins *bins)
{
    json_t *array = json_array();

    for (size_t b = 0; b < CT_CHANCE_BINS; b++)
        if (bins->count[b])
            json_array_append_new(
                array,
                json_pack("{s:f, s:f, s:I, s:f, s:f}", "from", b ? ends[b - 1] : 0.0,
                          "to", ends[b], "times", (json_int_t)bins->count[b], "stated",
                          bins->stated[b] / (double)bins->count[b], "remained",
                          (double)bins->remained[b] / (double)bins->count[b]));
    return array;
}
