// SPDX-License-Identifier: Apache-2.0
// Where the time of a search went.
#include "report/search_impl.h"

#include "report/format.h"

#include <jansson.h>
#include <stdio.h>

/* Ending takes a moment. */
static const double OVER_S = 0.1;

/* In the order in which a search does these things; what is left over comes last. */
static const enum ct_spent kinds[] = {
    CT_SPENT_NOISE, CT_SPENT_BUILD,    CT_SPENT_RUN,      CT_SPENT_PLAYOFF,
    CT_SPENT_STORE, CT_SPENT_STRATEGY, CT_SPENT_BASELINE, CT_SPENT_OTHER,
};

static void put_share(struct ct_table *table, const char *name, uint64_t ns, uint64_t all)
{
    ct_table_row(table);
    ct_table_cell(table, name);
    ct_table_cellf(table, "%.3f s", (double)ns / 1e9);
    ct_table_cellf(table, "%.1f%%", all ? 100 * (double)ns / (double)all : 0);
}

static void print_details(const struct ct_search *search, FILE *out)
{
    const uint64_t total_ns = ct_meter_total_ns(&search->meter);
    const struct ct_scheduler_stats *stats = &search->jobs.stats;
    struct ct_table *wall = ct_table_new();
    struct ct_table *workers = ct_table_new();
    uint64_t sum_ns = 0;

    putc('\n', out);
    ct_table_column(wall, "WALL TIME", false);
    ct_table_column(wall, "SPENT", true);
    ct_table_column(wall, "SHARE", true);
    for (int i = 0; i < CT_SPENT_COUNT; i++)
        put_share(wall, ct_spent_name(kinds[i]), search->meter.ns[kinds[i]], total_ns);
    put_share(wall, "total", total_ns, total_ns);
    ct_table_print(wall, out);
    ct_table_free(wall);
    putc('\n', out);
    ct_table_column(workers, "IN WORKERS", false);
    ct_table_column(workers, "SPENT", true);
    ct_table_column(workers, "SHARE", true);
    for (int i = 0; i < CT_PHASE_COUNT; i++)
        sum_ns += stats->spent_ns[i];
    for (int i = 0; i < CT_PHASE_COUNT; i++)
        put_share(workers, ct_phase_name((enum ct_phase)i), stats->spent_ns[i], sum_ns);
    put_share(workers, "total", sum_ns, sum_ns);
    ct_table_print(workers, out);
    putc('\n', out);
    ct_table_free(workers);
}

void ct_report_spent(const struct ct_search *search, bool details, FILE *out)
{
    const struct ct_scheduler_stats *stats = &search->jobs.stats;
    uint64_t total_ns = ct_meter_total_ns(&search->meter);
    /* They overlap except on CPU devices. */
    uint64_t scheduler_ns = stats->build_wall_ns + stats->run_wall_ns;
    unsigned workers = stats->builders_started + stats->runners_started;
    char total[CT_FORMAT_SIZE];
    char build[CT_FORMAT_SIZE];
    char run[CT_FORMAT_SIZE];
    char measure[CT_FORMAT_SIZE];
    char other[CT_FORMAT_SIZE];

    fprintf(out, "spent     %s: building %s, running %s (timed %s)",
            ct_format_duration(total, (double)total_ns / 1e9),
            ct_format_duration(build, (double)stats->build_wall_ns / 1e9),
            ct_format_duration(run, (double)stats->run_wall_ns / 1e9),
            ct_format_duration(measure, (double)stats->spent_ns[CT_PHASE_MEASURE] / 1e9));
    if (total_ns > scheduler_ns)
        fprintf(out, ", other %s",
                ct_format_duration(other, (double)(total_ns - scheduler_ns) / 1e9));
    fprintf(out, "; %u worker%s\n", workers, workers == 1 ? "" : "s");
    if (details)
        print_details(search, out);
    if (ct_search_over_s(search) > OVER_S)
        fprintf(out,
                "over      %s more than the time budget: what was running was finished "
                "first\n",
                ct_format_duration(other, ct_search_over_s(search)));
}

static json_t *ns_json(uint64_t ns)
{
    return json_integer((json_int_t)ns);
}

struct json_t *ct_report_spent_json(const struct ct_search *search)
{
    json_t *spent = json_object();
    json_t *wall = json_object();

    for (int i = 0; i < CT_PHASE_COUNT; i++)
        json_object_set_new(spent, ct_phase_name((enum ct_phase)i),
                            ns_json(search->jobs.stats.spent_ns[i]));
    for (int i = 0; i < CT_SPENT_COUNT; i++)
        json_object_set_new(wall, ct_spent_key(kinds[i]),
                            ns_json(search->meter.ns[kinds[i]]));
    json_object_set_new(spent, "store", ns_json(search->meter.ns[CT_SPENT_STORE]));
    json_object_set_new(spent, "total", ns_json(ct_meter_total_ns(&search->meter)));
    json_object_set_new(spent, "wall", wall);
    return spent;
}
