// SPDX-License-Identifier: Apache-2.0
// The table of kernels.
#include "report/capture.h"

#include "plan/json.h"
#include "report/format.h"
#include "report/json.h"
#include "report/print.h"
#include "report/screen.h"
#include "report/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void put_size(struct ct_table *table, const uint64_t *sizes, size_t count)
{
    char text[96] = "";

    for (size_t i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%" PRIu64,
                 i ? "x" : "", sizes[i]);
    ct_table_cell(table, sizes[0] ? text : "-");
}

static void put_row(struct ct_table *table, const struct ct_found *found,
                    const struct ct_found_group *group, bool devices)
{
    char text[CT_FORMAT_SIZE];

    ct_table_row(table);
    ct_table_cell(table, group->kernel);
    put_size(table, group->global, group->dimensions);
    put_size(table, group->local, group->dimensions);
    ct_table_cell(table, ct_format_count(text, group->launches));
    ct_table_cell(table, group->timed ? ct_format_time(text, (double)group->time_ns /
                                                                 (double)group->timed)
                                      : "-");
    if (group->timed && found->time_ns)
        ct_table_cellf(table, "%.1f%%",
                       100.0 * (double)group->time_ns / (double)found->time_ns);
    else
        ct_table_cell(table, "-");
    if (devices)
        ct_table_cell(table, group->device);
}

/* Whether launches ran on devices that differ. */
static bool has_devices(const struct ct_found *found)
{
    for (size_t i = 1; i < found->count; i++)
        if (strcmp(found->groups[i].device, found->groups[0].device) != 0)
            return true;
    return false;
}

void ct_report_capture(const struct ct_capture_result *result, const char *output)
{
    static const char *const left[] = {"KERNEL", "GLOBAL", "LOCAL"};
    static const char *const right[] = {"LAUNCHES", "TIME EACH", "SHARE"};
    const struct ct_found *found = &result->found;
    struct ct_table *table = ct_table_new();
    bool devices = has_devices(found);
    char text[CT_FORMAT_SIZE];

    for (size_t i = 0; i < 3; i++)
        ct_table_column(table, left[i], false);
    for (size_t i = 0; i < 3; i++)
        ct_table_column(table, right[i], true);
    if (devices)
        ct_table_column(table, "DEVICE", false);
    if (output)
        ct_table_column(table, "CAPTURED", false);
    for (size_t i = 0; i < found->count; i++) {
        const struct ct_found_group *group = &found->groups[i];

        put_row(table, found, group, devices);
        if (output && *group->folder)
            ct_table_cellf(table, "%s%s%s", output, *group->folder == '.' ? "" : "/",
                           *group->folder == '.' ? "" : group->folder);
        else if (output)
            ct_table_cellf(table, "no%s%s", group->refused ? ": " : "",
                           group->refused ? group->refused : "");
    }
    ct_table_print(table, ct_screen_out());
    ct_table_free(table);
    ct_print("\ndevice time %s", ct_format_time(text, (double)found->time_ns));
    ct_print(" in %s of the program", ct_format_duration(text, result->end.seconds));
    if (found->processes > 1)
        ct_print(", in %zu processes", found->processes);
    ct_print("\n");
    if (output && result->written)
        ct_print("Try: cltune search %s%s\n", output,
                 result->written == 1 ? "/SPACE.ini" : "/KERNEL/SPACE.ini");
}

static json_t *sizes_json(const uint64_t *sizes, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer((json_int_t)sizes[i]));
    return list;
}

void ct_report_capture_json(const struct ct_capture_result *result)
{
    json_t *list = json_array();

    for (size_t i = 0; i < result->found.count; i++) {
        const struct ct_found_group *group = &result->found.groups[i];
        json_t *item = json_object();

        json_object_set_new(item, "kernel", ct_json_text(group->kernel));
        json_object_set_new(item, "program", ct_json_text(group->program));
        json_object_set_new(item, "options", ct_json_text(group->options));
        json_object_set_new(item, "device", ct_json_text(group->device));
        json_object_set_new(item, "global", sizes_json(group->global, group->dimensions));
        json_object_set_new(item, "local",
                            group->local[0] ? sizes_json(group->local, group->dimensions)
                                            : json_null());
        json_object_set_new(item, "launches", json_integer((json_int_t)group->launches));
        json_object_set_new(item, "timed", json_integer((json_int_t)group->timed));
        json_object_set_new(item, "time_ns", json_integer((json_int_t)group->time_ns));
        json_object_set_new(item, "folder",
                            *group->folder ? ct_json_text(group->folder) : json_null());
        json_object_set_new(item, "refused",
                            group->refused ? ct_json_text(group->refused) : json_null());
        json_array_append_new(list, item);
    }
    ct_report_json(list);
    json_decref(list);
}
