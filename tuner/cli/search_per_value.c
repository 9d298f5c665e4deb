// SPDX-License-Identifier: Apache-2.0
// A parameter that stands for the question itself (which algorithm?): the best of each of
// its values.
#include "cli/search.h"

#include "report/format.h"
#include "report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum ct_status ct_search_choose_by(struct ct_search *search, struct ct_err *err)
{
    const char *name = search->options->by ? search->options->by : search->spec->by;
    struct ct_str names;

    search->by = name ? ct_spec_find_param(search->spec, name) : -1;
    if (!name || search->by >= 0)
        return CT_OK;
    ct_str_init(&names);
    ct_spec_put_params(search->spec, name, &names);
    ct_err_set(err, CT_E_USAGE, "--by: '%s' is no parameter%s", name, names.data);
    ct_str_release(&names);
    return CT_E_USAGE;
}

/* The parameter's value in an entry; CT_NONE where it is inactive. */
static struct ct_value value_of(struct ct_search *search,
                                const struct ct_evaluated *entry)
{
    ct_search_values(search, entry->index);
    ct_binding_evaluate_values(search->binding, search->values, search->env);
    return ct_binding_active(search->binding, (size_t)search->by, search->env)
               ? search->values[search->by]
               : (struct ct_value){.kind = CT_NONE};
}

size_t ct_search_firsts(struct ct_search *search, const struct ct_evaluated *const *order,
                        size_t count, size_t *firsts)
{
    struct ct_value *seen = ct_mem_array(count, sizeof(*seen));
    size_t found = 0;

    for (size_t i = 0; seen && search->by >= 0 && i < count; i++) {
        struct ct_value value = value_of(search, order[i]);
        bool known = value.kind == CT_NONE;

        for (size_t k = 0; k < found && !known; k++)
            known = ct_value_equal(seen[k], value);
        if (known)
            continue;
        seen[found] = value;
        firsts[found++] = i;
    }
    free(seen);
    return found;
}

static void put_row(struct ct_search *search, struct ct_table *table,
                    const struct ct_evaluated *entry)
{
    double share = ct_search_share_of_copy(search, entry);
    double gain = ct_search_default_ns(search) > 0
                      ? ct_search_gain(search, entry, &search->default_result)
                      : 0;
    char text[CT_FORMAT_SIZE];
    struct ct_value value = value_of(search, entry);
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
    ct_search_metric_cells(search, table, entry);
    ct_str_reset(&config);
    ct_search_put_config(search, search->values, &config);
    ct_table_cell(table, config.data);
    ct_str_release(&config);
}

void ct_search_print_by(struct ct_search *search, const struct ct_evaluated *const *order,
                        size_t count)
{
    size_t *firsts = ct_mem_array(count, sizeof(*firsts));
    size_t found = firsts ? ct_search_firsts(search, order, count, firsts) : 0;
    struct ct_table *table;

    if (found < 2) {
        free(firsts);
        return;
    }
    table = ct_table_new();
    ct_table_column(
        table, search->spec->symbols[search->spec->params[search->by].slot].name, false);
    ct_table_column(table, "TIME", true);
    ct_table_column(table, "GAIN", true);
    ct_table_column(table, "OF COPY", true);
    ct_search_metric_columns(search, table);
    ct_table_column(table, "CONFIGURATION", false);
    for (size_t i = 0; i < found; i++)
        put_row(search, table, order[firsts[i]]);
    putchar('\n');
    ct_table_print(table, stdout);
    putchar('\n');
    ct_table_free(table);
    free(firsts);
}
