// SPDX-License-Identifier: Apache-2.0
// Shows the ceilings of a device (`cltune peak`).
#include "report/peak.h"

#include "plan/json.h"
#include "report/format.h"
#include "report/print.h"
#include "report/table.h"

#include <stdio.h>
#include <string.h>

static const char *format(char *out, enum ct_peak_kind kind, double value)
{
    char text[CT_FORMAT_SIZE];

    if (strcmp(ct_peak_info_of(kind)->unit, "ns") == 0)
        return ct_format_time(out, value);
    snprintf(out, 2 * CT_FORMAT_SIZE, "%s %s", ct_format_real(text, value),
             ct_peak_info_of(kind)->unit);
    return out;
}

void ct_report_peak(const struct ct_devinfo *device, const struct ct_peak_found *found,
                    size_t width)
{
    struct ct_table *table = ct_table_new();

    ct_print("%u:%u %s (%s)\n", device->platform_index, device->device_index,
             ct_devinfo_text(device, CT_DEVICE_NAME), device->driver_version);
    ct_table_column(table, "CEILING", false);
    ct_table_column(table, "VALUE", true);
    ct_table_column(table, "INTERVAL", true);
    ct_table_yields(table, (struct ct_table_yield){.leaves = CT_TABLE_FOR_ALL});
    ct_table_column(table, "OF", false);
    ct_table_yields(table, (struct ct_table_yield){.cut_to = CT_TABLE_CONFIG_LEAST});
    for (enum ct_peak_kind i = 0; i < CT_PEAK_COUNT; i++) {
        char value[2 * CT_FORMAT_SIZE];
        char low[2 * CT_FORMAT_SIZE];
        char high[2 * CT_FORMAT_SIZE];

        ct_table_row(table);
        ct_table_cell(table, ct_peak_info_of(i)->name);
        if (!found[i].known) {
            ct_table_cell(table, "-");
            ct_table_cell(table, "-");
            ct_table_cell(table, "(not measured)");
            continue;
        }
        ct_table_cell(table, format(value, i, found[i].value));
        ct_table_cellf(table, "%s - %s", format(low, i, found[i].low),
                       format(high, i, found[i].high));
        ct_table_cell(table,
                      found[i].how.length ? found[i].how.data : ct_peak_info_of(i)->what);
    }
    ct_table_show(table, width);
    ct_table_free(table);
}

json_t *ct_report_peak_json(const struct ct_devinfo *device,
                            const struct ct_peak_found *found)
{
    json_t *list = json_array();

    for (enum ct_peak_kind i = 0; i < CT_PEAK_COUNT; i++) {
        json_t *one;

        if (!found[i].known)
            continue;
        one = json_pack("{s:s, s:s, s:f, s:f, s:f}", "name", ct_peak_info_of(i)->name,
                        "unit", ct_peak_info_of(i)->unit, "value", found[i].value, "low",
                        found[i].low, "high", found[i].high);
        if (found[i].how.length)
            json_object_set_new(one, "configuration", ct_json_text(found[i].how.data));
        json_array_append_new(list, one);
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "index",
                     json_sprintf("%u:%u", device->platform_index, device->device_index),
                     "device", ct_json_text(ct_devinfo_text(device, CT_DEVICE_NAME)),
                     "driver_version", ct_json_text(device->driver_version), "ceilings",
                     list);
}
