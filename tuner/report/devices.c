// SPDX-License-Identifier: Apache-2.0
// Devices, with the limits that matter to tuning.
#include "report/devices.h"

#include "plan/json.h"
#include "report/format.h"
#include "report/json.h"
#include "report/print.h"
#include "report/table.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

enum { NAME_LEAST = 24 }; /* least width of a device's name */

static void print_table(const struct ct_devinfo *const *devices, size_t width)
{
    static const struct {
        const char *name;
        bool right;
        struct ct_table_yield yield;
    } columns[] = {
        {"INDEX", false, {0}},
        {"DEVICE", false, {.cut_to = NAME_LEAST}},
        {"TYPE", false, {0}},
        {"VENDOR", false, {.leaves = CT_TABLE_FOR_ALL + 3}},
        {"UNITS", true, {0}},
        {"MHZ", true, {.leaves = CT_TABLE_FOR_ALL + 1}},
        {"GROUP", true, {.leaves = CT_TABLE_FOR_ALL - 1}},
        {"LOCAL", true, {.leaves = CT_TABLE_FOR_ALL - 2}},
        {"GLOBAL", true, {.leaves = CT_TABLE_FOR_ALL - 3}},
        {"FLOAT", true, {.leaves = CT_TABLE_FOR_ALL + 2}},
        {"DRIVER", false, {.leaves = CT_TABLE_FOR_ALL}},
    };
    struct ct_table *table = ct_table_new();

    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        ct_table_column(table, columns[i].name, columns[i].right);
        ct_table_yields(table, columns[i].yield);
    }
    for (; *devices; devices++) {
        const struct ct_devinfo *d = *devices;
        char text[CT_FORMAT_SIZE];

        ct_table_row(table);
        ct_table_cellf(table, "%u:%u", d->platform_index, d->device_index);
        ct_table_cell(table, ct_devinfo_text(d, CT_DEVICE_NAME));
        ct_table_cell(table, d->type);
        ct_table_cell(table, ct_devinfo_text(d, CT_DEVICE_VENDOR));
        ct_table_cellf(table, "%" PRId64,
                       ct_devinfo_int(d, CT_DEVICE_MAX_COMPUTE_UNITS, 0));
        ct_table_cellf(table, "%" PRId64,
                       ct_devinfo_int(d, CT_DEVICE_MAX_CLOCK_FREQUENCY, 0));
        ct_table_cellf(table, "%" PRId64,
                       ct_devinfo_int(d, CT_DEVICE_MAX_WORK_GROUP_SIZE, 0));
        ct_table_cell(table, ct_format_bytes(text, (uint64_t)ct_devinfo_int(
                                                       d, CT_DEVICE_LOCAL_MEM_SIZE, 0)));
        ct_table_cell(table, ct_format_bytes(text, (uint64_t)ct_devinfo_int(
                                                       d, CT_DEVICE_GLOBAL_MEM_SIZE, 0)));
        ct_table_cellf(table, "%" PRId64,
                       ct_devinfo_int(d, CT_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 0));
        ct_table_cell(table, d->driver_version);
    }
    ct_table_show(table, width);
    ct_table_free(table);
}

/* Every property under its name in space files; those of other vendors are left out. */
static void print_properties(const struct ct_devinfo *const *devices)
{
    for (; *devices; devices++) {
        const struct ct_devinfo *d = *devices;

        ct_print("\n%u:%u %s\n", d->platform_index, d->device_index,
                 ct_devinfo_text(d, CT_DEVICE_NAME));
        ct_print("  %-42s %s\n", "platform", d->platform_name);
        ct_print("  %-42s %s\n", "platform version", d->platform_version);
        ct_print("  %-42s %s\n", "driver version", d->driver_version);
        for (int i = 0; i < CT_DEVPROP_COUNT; i++) {
            struct ct_str text;

            if (i >= CT_DEVICE_SUB_GROUP_SIZES_INTEL && d->props[i].kind == CT_NONE)
                continue;
            ct_str_init(&text);
            ct_value_print(&text, d->props[i]);
            ct_print("  %-42s %s\n", ct_devprops[i].name,
                     d->props[i].kind == CT_NONE ? "(not reported)" : text.data);
            ct_str_release(&text);
        }
    }
}

static json_t *device_json(const struct ct_devinfo *d)
{
    json_t *object =
        json_pack("{s:o, s:o, s:o, s:s, s:o}", "index",
                  json_sprintf("%u:%u", d->platform_index, d->device_index), "platform",
                  ct_json_text(d->platform_name), "platform_version",
                  ct_json_text(d->platform_version), "type", d->type, "driver_version",
                  ct_json_text(d->driver_version));

    for (int i = 0; object && i < CT_DEVPROP_COUNT; i++) {
        const struct ct_value *value = &d->props[i];
        json_t *item = value->kind == CT_TEXT  ? ct_json_text(value->u.s)
                       : value->kind == CT_INT ? json_integer(value->u.i)
                                               : json_null();

        if (item)
            json_object_set_new(object, ct_devprops[i].name, item);
    }
    return object;
}

void ct_report_devices_json(const struct ct_devinfo *const *devices)
{
    json_t *array = json_array();

    for (; *devices; devices++)
        json_array_append_new(array, device_json(*devices));
    ct_report_json(array);
    json_decref(array);
}

void ct_report_devices(const struct ct_devinfo *const *devices, bool verbose,
                       size_t width)
{
    print_table(devices, width);
    if (verbose)
        print_properties(devices);
}
