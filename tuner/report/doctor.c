// SPDX-License-Identifier: Apache-2.0
#include "report/doctor.h"

#include "plan/json.h"
#include "report/json.h"
#include "report/print.h"
#include "report/screen.h"
#include "report/width.h"

#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

static const char *const states[CT_FINDING_STATE_COUNT] = {
    [CT_FINDING_GOOD] = "ok", [CT_FINDING_NOTE] = "note", [CT_FINDING_BAD] = "FAILED"};

static void print(const struct ct_findings *findings)
{
    struct ct_str text;

    ct_str_init(&text);
    for (size_t i = 0; i < findings->count; i++) {
        const struct ct_finding *one = &findings->items[i];

        ct_str_addf(&text, "%-9s %-6s %s\n", one->subject, states[one->state], one->text);
        if (*one->remedy)
            ct_str_addf(&text, "%-16s -> %s\n", "", one->remedy);
    }
    ct_width_print_lines(ct_screen_out(), STDOUT_FILENO, text.data);
    ct_str_release(&text);
}

void ct_report_checkup(const struct ct_checkup *checkup)
{
    print(&checkup->machine);
    for (size_t i = 0; i < checkup->device_count; i++) {
        const struct ct_examined_device *device = &checkup->devices[i];

        ct_print("\n%u:%u %s (%s, %s)\n", device->info->platform_index,
                 device->info->device_index,
                 ct_devinfo_text(device->info, CT_DEVICE_NAME), device->info->type,
                 device->info->driver_version);
        print(&device->findings);
    }
    if (checkup->device_count)
        ct_print("\n%zu of %zu device%s can be tuned\n", checkup->usable,
                 checkup->device_count, checkup->device_count == 1 ? "" : "s");
    else
        ct_print("\nno device can be tuned\n");
}

static json_t *findings_json(const struct ct_findings *findings)
{
    static const char *const keys[CT_FINDING_STATE_COUNT] = {"good", "note", "bad"};
    json_t *array = json_array();

    for (size_t i = 0; i < findings->count; i++) {
        const struct ct_finding *one = &findings->items[i];

        json_array_append_new(array, json_pack("{s:s, s:s, s:o, s:o}", "subject",
                                               one->subject, "state", keys[one->state],
                                               "text", ct_json_text(one->text), "remedy",
                                               ct_json_text(one->remedy)));
    }
    return array;
}

void ct_report_checkup_json(const struct ct_checkup *checkup)
{
    json_t *devices = json_array();
    json_t *all;

    for (size_t i = 0; i < checkup->device_count; i++) {
        const struct ct_examined_device *device = &checkup->devices[i];
        const struct ct_devinfo *info = device->info;

        json_array_append_new(
            devices,
            json_pack("{s:o, s:o, s:b, s:o}", "index",
                      json_sprintf("%u:%u", info->platform_index, info->device_index),
                      "name", ct_json_text(ct_devinfo_text(info, CT_DEVICE_NAME)),
                      "usable", device->usable, "findings",
                      findings_json(&device->findings)));
    }
    all = json_pack("{s:o, s:o}", "findings", findings_json(&checkup->machine), "devices",
                    devices);
    ct_report_json(all);
    json_decref(all);
}
