// SPDX-License-Identifier: Apache-2.0
// The table of the best: what its columns hold, and which of them give way on a narrow terminal.
#include "report/search_impl.h"

#include "base/show.h"
#include "report/format.h"
#include "report/print.h"
#include "report/width.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The larger, the sooner a column gives way; those below CT_TABLE_FOR_ALL only if the
 * configurations would be shorter than CT_TABLE_CONFIG_LEAST. */
enum {
    YIELD_SPEED_UP = 2,
    YIELD_TO_BEST = 3,
    YIELD_RATIO_INTERVAL = 20,
    YIELD_BASELINE = 30,
    YIELD_INTERVAL = 40,
    YIELD_PER_CORE = 50,
    YIELD_METRICS = 60, /* the last one first */
};

/* What one table needs. */
struct view {
    const struct ct_search *search;
    struct ct_table *table;
    /* Of each parameter: whether all entries have the same, the value, and whether it is active.
     * NULL: nothing is shared. */
    struct shared {
        bool same;
        bool active;
        struct ct_value value;
    } * shared;
    bool scaled; /* some row has scaled times */
};

/* --- columns --- */

/* The baseline uses one core, a CPU device all its cores: how many, or 0 if a comparison per core
 * has no meaning. */
static int64_t baseline_cores(const struct ct_search *search)
{
    if (!search->host.has_one || strcmp(search->work.device->type, "CPU") != 0)
        return 0;
    return ct_devinfo_int(search->work.device, CT_DEVICE_MAX_COMPUTE_UNITS, 1);
}

/* The time to compare the baseline with: it needs no transfers, so if they count, the time with
 * them. */
static double baseline_rival_ns(const struct ct_search *search, double time_ns,
                                double value)
{
    return search->objective.kind == CT_OBJECTIVE_END_TO_END ? value : time_ns;
}

/* Whether the objective has no column of its own among times and metrics. */
static bool shows_quantity(const struct ct_search *search)
{
    return search->objective.kind == CT_OBJECTIVE_QUANTITY &&
           search->objective.quantity != CT_QUANTITY_TIME_NS &&
           search->objective.quantity != CT_QUANTITY_END_TO_END_NS;
}

void ct_report_metric_columns(const struct ct_search *search, struct ct_table *table)
{
    for (size_t m = 0; m < search->work.spec->metric_count; m++) {
        const char *name = search->work.spec->metrics[m].name;
        bool objective = strcmp(name, search->objective.name) == 0;

        ct_table_column(table, name, true);
        ct_table_yields(table,
                        (struct ct_table_yield){
                            .leaves = objective ? 0 : YIELD_METRICS + (unsigned)m});
    }
}

static void add_columns(const struct ct_search *search, struct ct_table *table)
{
    const struct column {
        const char *name;
        bool there;
        bool left;
        struct ct_table_yield yield;
    } columns[] = {
        {"#", true, false, {0}},
        {"TO BEST",
         search->playoff.played,
         true,
         {.leaves = YIELD_TO_BEST, .briefly = YIELD_RATIO_INTERVAL}},
        {"TIME", true, false, {0}},
        {"INTERVAL", true, false, {.leaves = YIELD_INTERVAL}},
        {"END TO END", search->objective.kind == CT_OBJECTIVE_END_TO_END, false, {0}},
        {search->objective.name, shows_quantity(search), false, {0}},
        {"SPEED-UP", true, false, {.leaves = YIELD_SPEED_UP}},
        {"BASELINE", search->host.has_one, false, {.leaves = YIELD_BASELINE}},
        {"PER CORE", baseline_cores(search) > 1, false, {.leaves = YIELD_PER_CORE}},
    };

    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
        if (columns[i].there) {
            ct_table_column(table, columns[i].name, !columns[i].left);
            ct_table_yields(table, columns[i].yield);
        }
    ct_report_metric_columns(search, table);
    ct_table_column(table, "CONFIGURATION", false);
    ct_table_yields(table, (struct ct_table_yield){.cut_to = CT_TABLE_CONFIG_LEAST});
}

/* --- cells --- */

void ct_report_metric_cells(const struct ct_search *search, struct ct_table *table,
                            const struct ct_evaluated *entry)
{
    char text[CT_FORMAT_SIZE];

    for (size_t m = 0; m < search->work.spec->metric_count; m++) {
        double value;

        ct_table_cell(table,
                      ct_binding_metric(search->work.binding, m, search->work.values,
                                        &entry->observed, &value)
                          ? ct_format_real(text, value)
                          : "-");
    }
}

/* "1.013 (1.004 - 1.022)", the cost relative to that of #1. */
static void put_to_best(struct ct_table *table, const struct ct_ratio *ratio)
{
    char middle[32];

    snprintf(middle, sizeof(middle), "%.3f", ratio->middle);
    if (!(ratio->middle > 0))
        ct_table_cell(table, "-");
    else if (ratio->middle == 1 || isnan(ratio->low))
        ct_table_cell(table, middle);
    else
        ct_table_cellf(table, "%s (%.3f - %.3f)", middle, ratio->low, ratio->high);
    if (ratio->middle > 0)
        ct_table_brief(table, middle);
}

/* The parameters that are not in the line above, or not the same as there. */
static void put_config(const struct view *view, struct ct_str *out)
{
    const struct ct_workload *work = &view->search->work;

    if (!view->shared) {
        ct_workload_put_config(work, work->values, out);
        return;
    }
    ct_binding_evaluate_values(work->binding, work->values, work->env);
    for (size_t i = 0; i < work->spec->param_count; i++) {
        const struct shared *shared = &view->shared[i];
        bool active = ct_binding_active(work->binding, i, work->env);

        if (shared->same && shared->active == active &&
            (!active || ct_value_equal(shared->value, work->values[i])))
            continue;
        if (!active && !shared->same)
            continue;
        ct_str_puts(out, out->length ? " " : "");
        if (active)
            ct_binding_print_param(work->binding, i, work->values[i], out);
        else
            ct_str_addf(out, "%s=-",
                        work->spec->slots.symbols[work->spec->params[i].slot].name);
    }
}

static void put_row(struct view *view, const char *rank,
                    const struct ct_evaluated *measured)
{
    const struct ct_search *search = view->search;
    struct ct_table *table = view->table;
    struct ct_evaluated scaled;
    const struct ct_evaluated *entry = &scaled;
    bool changed = ct_search_rescale(search, measured, &scaled);
    char time[CT_FORMAT_SIZE];
    char low[CT_FORMAT_SIZE];
    char high[CT_FORMAT_SIZE];
    double rival_ns = baseline_rival_ns(search, entry->time_ns, entry->value);
    double gain = ct_search_gain(search, entry);
    struct ct_str config;

    ct_workload_values(&search->work, entry->index);
    ct_table_row(table);
    ct_table_cell(table, rank);
    if (search->playoff.played)
        put_to_best(table, &entry->to_best);
    ct_table_cell(table, ct_format_time(time, entry->time_ns));
    ct_table_cellf(table, "%s - %s", ct_format_time(low, entry->low_ns),
                   ct_format_time(high, entry->high_ns));
    if (search->objective.kind == CT_OBJECTIVE_END_TO_END)
        ct_table_cell(table, ct_format_time(low, entry->value));
    if (shows_quantity(search))
        ct_table_cell(table, ct_format_real(low, entry->value));
    ct_table_cell(table, gain > 0 ? ct_format_ratio(low, gain) : "-");
    if (search->host.has_one)
        ct_table_cell(table, ct_format_ratio(low, search->host.one.time_ns / rival_ns));
    if (baseline_cores(search) > 1)
        ct_table_cell(table, ct_format_ratio(low, search->host.one.time_ns / rival_ns /
                                                      (double)baseline_cores(search)));
    ct_report_metric_cells(search, table, entry);
    ct_str_init(&config);
    put_config(view, &config);
    if (!entry->verified && ct_report_has_expected(search->work.spec))
        ct_str_puts(&config, "  (unverified)");
    ct_table_cell(table, config.data);
    ct_str_release(&config);
    view->scaled |= changed && *rank != 'd';
}

/* --- lines around it --- */

static void print_line(const char *head, const char *text, size_t width)
{
    struct ct_str line;

    ct_str_init(&line);
    ct_width_wrap(&line, head, text, width);
    ct_print_text(line.data);
    ct_str_release(&line);
}

/* Nothing is shared if that takes memory that there is not, or by one entry. */
static void find_shared(struct view *view, const struct ct_evaluated *const *order,
                        size_t count)
{
    const struct ct_workload *work = &view->search->work;
    size_t params = work->spec->param_count;

    if (count < 2)
        return;
    view->shared = calloc(params ? params : 1, sizeof(*view->shared));
    for (size_t i = 0; view->shared && i < count; i++) {
        ct_workload_values(work, order[i]->index);
        ct_binding_evaluate_values(work->binding, work->values, work->env);
        for (size_t p = 0; p < params; p++) {
            struct shared *shared = &view->shared[p];
            bool active = ct_binding_active(work->binding, p, work->env);

            if (!i)
                *shared = (struct shared){true, active, work->values[p]};
            else
                shared->same &=
                    shared->active == active &&
                    (!active || ct_value_equal(shared->value, work->values[p]));
        }
    }
}

static void print_shared(const struct view *view, size_t width)
{
    const struct ct_workload *work = &view->search->work;
    struct ct_arena arena = {0};
    struct ct_str text;

    ct_str_init(&text);
    for (size_t p = 0; view->shared && p < work->spec->param_count; p++)
        if (view->shared[p].same && view->shared[p].active) {
            ct_str_puts(&text, text.length ? " " : "");
            ct_binding_print_param(work->binding, p, view->shared[p].value, &text);
        }
    if (text.length)
        print_line("shared", ct_show_line(&arena, text.data), width);
    ct_str_release(&text);
    ct_arena_release(&arena);
}

void ct_report_search_table(const struct ct_search *search,
                            const struct ct_evaluated *const *order, size_t count,
                            size_t width)
{
    struct view view = {.search = search, .table = ct_table_new()};

    add_columns(search, view.table);
    if (width)
        find_shared(&view, order, count);
    for (size_t i = 0; i < count; i++) {
        char rank[24];

        snprintf(rank, sizeof(rank), "%zu", i + 1);
        put_row(&view, rank, order[i]);
    }
    if (ct_search_default_ns(search) > 0)
        put_row(&view, "default", &search->defaults.result);
    print_shared(&view, width);
    ct_table_show(view.table, width);
    ct_table_free(view.table);
    free(view.shared);
    if (view.scaled)
        print_line(
            "scaled",
            "times without a ratio are from single processes before the play-off, "
            "scaled to the device's speed in it by the times of the default and #1",
            width ? width : 90);
}
