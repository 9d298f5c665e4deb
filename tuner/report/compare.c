// SPDX-License-Identifier: Apache-2.0
// Shows a comparison.
#include "report/compare.h"

#include "plan/json.h"
#include "report/format.h"
#include "report/json.h"
#include "report/print.h"
#include "report/table.h"

#include <stdio.h>

/* One that failed in some round is not compared: the others have at least six. */
static const char *rival_verdict(const struct ct_rival *rival)
{
    return rival->ratio.low > 1 ? "slower" : rival->ratio.high < 1 ? "faster" : "tied";
}

static void print_rival(const struct ct_compare *compare, size_t index,
                        struct ct_table *table)
{
    const struct ct_rival *rival = &compare->rivals[index];
    bool good = rival->status == CT_RESULT_OK;
    bool related = good && index && rival->ratio.middle > 0;
    char time[CT_FORMAT_SIZE];
    char low[CT_FORMAT_SIZE];
    char high[CT_FORMAT_SIZE];
    struct ct_str config;

    ct_str_init(&config);
    ct_binding_print(compare->work.binding, rival->values, NULL, &config);
    ct_table_row(table);
    ct_table_cellf(table, "%zu", index + 1);
    ct_table_cell(table, good ? ct_format_time(time, rival->time.middle)
                              : ct_result_status_name(rival->status));
    if (good)
        ct_table_cellf(table, "%s - %s", ct_format_time(low, rival->time.low),
                       ct_format_time(high, rival->time.high));
    else
        ct_table_cell(table, "");
    if (related) {
        ct_table_cellf(table, "%.3f", rival->ratio.middle);
        ct_table_cellf(table, "%.3f - %.3f", rival->ratio.low, rival->ratio.high);
        ct_table_cell(table, rival_verdict(rival));
    } else {
        for (int i = 0; i < 3; i++)
            ct_table_cell(table, "");
    }
    ct_table_cell(table, config.failed ? "" : config.data);
    ct_str_release(&config);
}

enum ct_status ct_report_compare(const struct ct_compare *compare, size_t width,
                                 struct ct_err *err)
{
    struct ct_table *table = ct_table_new();
    bool printed;

    ct_table_column(table, "#", true);
    ct_table_column(table, "TIME", true);
    ct_table_column(table, "INTERVAL", false);
    ct_table_yields(table, (struct ct_table_yield){.leaves = CT_TABLE_FOR_ALL + 1});
    ct_table_column(table, "TO #1", true);
    ct_table_column(table, "INTERVAL", false);
    ct_table_yields(table, (struct ct_table_yield){.leaves = CT_TABLE_FOR_ALL});
    ct_table_column(table, "", false);
    ct_table_column(table, "CONFIGURATION", false);
    ct_table_yields(table, (struct ct_table_yield){.cut_to = CT_TABLE_CONFIG_LEAST});
    for (size_t i = 0; i < compare->count; i++)
        print_rival(compare, i, table);
    ct_print("%s on %s, %zu processes\n", compare->work.spec->kernel.name,
             ct_devinfo_text(compare->work.device, CT_DEVICE_NAME), compare->rounds);
    printed = ct_table_show(table, width);
    ct_table_free(table);
    return printed ? CT_OK : ct_err_nomem(err);
}

static json_t *rival_json(const struct ct_compare *compare, const struct ct_rival *rival)
{
    json_t *times = json_array();

    for (size_t i = 0; i < rival->count; i++)
        json_array_append_new(times, json_real(rival->times_ns[i]));
    return json_pack(
        "{so ss so so so so so so so so}", "configuration",
        ct_json_values(compare->work.spec, rival->values), "status",
        ct_result_status_name(rival->status), "message", ct_json_text(rival->message),
        "time_ns", ct_json_time(rival->time.middle), "low_ns",
        ct_json_time(rival->time.low), "high_ns", ct_json_time(rival->time.high), "ratio",
        ct_json_time(rival->ratio.middle), "ratio_low", ct_json_time(rival->ratio.low),
        "ratio_high", ct_json_time(rival->ratio.high), "times_ns", times);
}

enum ct_status ct_report_compare_json(const struct ct_compare *compare,
                                      struct ct_err *err)
{
    json_t *list = json_array();
    json_t *whole;
    int failed;

    for (size_t i = 0; i < compare->count; i++)
        json_array_append_new(list, rival_json(compare, &compare->rivals[i]));
    whole = json_pack("{so so so si so}", "kernel",
                      ct_json_text(compare->work.spec->kernel.name), "device",
                      ct_json_text(ct_devinfo_text(compare->work.device, CT_DEVICE_NAME)),
                      "problem", ct_json_problem(compare->work.binding), "rounds",
                      (int)compare->rounds, "configurations", list);
    failed = !ct_report_json(whole);
    json_decref(whole);
    return failed ? ct_err_nomem(err) : CT_OK;
}
