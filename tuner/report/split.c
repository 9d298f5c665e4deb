// SPDX-License-Identifier: Apache-2.0
// Shows how work is divided between devices: tables, JSON, a C header.
#include "report/split.h"

#include "plan/json.h"
#include "report/export.h"
#include "report/format.h"
#include "report/print.h"
#include "report/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char *name_of(const struct ct_split_device *one)
{
    return ct_devinfo_text(one->device, CT_DEVICE_NAME);
}

static double fraction_of(const struct ct_split *split, int64_t size)
{
    return (double)size / (double)split->task.total;
}

static double gain_of(const struct ct_curve_division *division)
{
    return division->fastest_ns / division->time_ns;
}

static const struct ct_curve *curve_of(const struct ct_split *split, size_t device,
                                       const struct ct_split_answer *answer)
{
    const struct ct_split_device *one = &split->devices[device];

    return answer == &split->transfers ? &one->transfers : &one->curve;
}

/* --- text --- */

static void show_rows(const struct ct_split *split, const struct ct_split_answer *answer,
                      size_t width)
{
    struct ct_table *table = ct_table_new();

    ct_table_column(table, "DEVICE", false);
    ct_table_column(table, "NAME", false);
    ct_table_yields(table, (struct ct_table_yield){.cut_to = 12});
    ct_table_column(table, "ALONE", true);
    ct_table_column(table, "SHARE", true);
    ct_table_column(table, split->task.by, true);
    ct_table_column(table, "TIME", true);
    ct_table_column(table, "CONFIGURATION", false);
    ct_table_yields(table, (struct ct_table_yield){.cut_to = CT_TABLE_CONFIG_LEAST});
    for (size_t i = 0; i < split->count; i++) {
        const struct ct_split_device *one = &split->devices[i];
        const struct ct_curve *curve = curve_of(split, i, answer);
        double alone_ns = ct_curve_time_ns(curve, (double)split->task.total);
        double time_ns = ct_curve_time_ns(curve, (double)answer->sizes[i]);
        char text[CT_FORMAT_SIZE];

        ct_table_row(table);
        ct_table_cellf(table, "%u:%u", one->device->platform_index,
                       one->device->device_index);
        ct_table_cell(table, name_of(one));
        ct_table_cell(table, isfinite(alone_ns) ? ct_format_time(text, alone_ns) : "-");
        ct_table_cellf(table, "%.1f%%", 100 * fraction_of(split, answer->sizes[i]));
        ct_table_cellf(table, "%" PRId64, answer->sizes[i]);
        ct_table_cell(table, answer->sizes[i] ? ct_format_time(text, time_ns) : "-");
        ct_table_cell(table, one->words);
    }
    ct_table_show(table, width);
    ct_table_free(table);
}

static void show_answer(const struct ct_split *split,
                        const struct ct_split_answer *answer, const char *what,
                        size_t width)
{
    const struct ct_curve_division *division = &answer->division;
    char text[CT_FORMAT_SIZE];
    char other[CT_FORMAT_SIZE];

    if (!answer->known)
        return;
    ct_print("\n%s: %s", what, ct_format_time(text, division->time_ns));
    if (division->fastest == SIZE_MAX)
        ct_print(" predicted; no device can do all of it alone\n");
    else
        ct_print(" predicted, %s as fast as device %u:%u alone (%s)\n",
                 ct_format_ratio(other, gain_of(division)),
                 split->devices[division->fastest].device->platform_index,
                 split->devices[division->fastest].device->device_index,
                 ct_format_time(text, division->fastest_ns));
    show_rows(split, answer, width);
}

void ct_report_split(const struct ct_split *split, size_t width)
{
    ct_print("%s: %s=%" PRId64 " divided in steps of %" PRId64 "\n",
             split->task.spec->kernel.name, split->task.by, split->task.total,
             split->task.grain);
    show_answer(split, &split->alone, "kernel alone", width);
    show_answer(split, &split->transfers, "with transfers", width);
}

/* --- JSON --- */

static json_t *points_json(const struct ct_curve *curve)
{
    json_t *list = json_array();

    for (size_t i = 0; i < curve->count; i++)
        json_array_append_new(list, json_pack("{s:I, s:f}", "size",
                                              (json_int_t)curve->points[i].size,
                                              "time_ns", curve->points[i].time_ns));
    return list;
}

/* What an answer says of a device. */
static json_t *part_json(const struct ct_split *split,
                         const struct ct_split_answer *answer, size_t device)
{
    const struct ct_curve *curve = curve_of(split, device, answer);
    int64_t size = answer->sizes[device];
    double alone_ns = ct_curve_time_ns(curve, (double)split->task.total);
    double time_ns = ct_curve_time_ns(curve, (double)size);
    json_t *part = json_pack("{s:I, s:f, s:f, s:o}", "size", (json_int_t)size, "fraction",
                             fraction_of(split, size), "time_ns", time_ns, "measured",
                             points_json(curve));

    if (size)
        json_object_set_new(part, "per_second", json_real((double)size / time_ns * 1e9));
    if (isfinite(alone_ns))
        json_object_set_new(part, "alone_ns", json_real(alone_ns));
    return part;
}

static json_t *answer_json(const struct ct_split *split,
                           const struct ct_split_answer *answer)
{
    const struct ct_curve_division *division = &answer->division;
    json_t *object = json_pack("{s:f}", "time_ns", division->time_ns);

    if (division->fastest == SIZE_MAX)
        return object;
    json_object_set_new(
        object, "fastest",
        json_sprintf("%u:%u", split->devices[division->fastest].device->platform_index,
                     split->devices[division->fastest].device->device_index));
    json_object_set_new(object, "fastest_ns", json_real(division->fastest_ns));
    json_object_set_new(object, "gain", json_real(gain_of(division)));
    return object;
}

json_t *ct_report_split_json(const struct ct_split *split)
{
    json_t *list = json_array();
    json_t *all = json_pack(
        "{s:i, s:o, s:o, s:I, s:I}", "schema_version", 1, "kernel_name",
        ct_json_text(split->task.spec->kernel.name), "by", ct_json_text(split->task.by),
        "total", (json_int_t)split->task.total, "grain", (json_int_t)split->task.grain);

    for (size_t i = 0; i < split->count; i++) {
        const struct ct_split_device *one = &split->devices[i];
        json_t *device = json_pack(
            "{s:o, s:o, s:o, s:o, s:b}", "index",
            json_sprintf("%u:%u", one->device->platform_index, one->device->device_index),
            "device", ct_json_text(name_of(one)), "driver_version",
            ct_json_text(one->device->driver_version), "configuration",
            ct_json_text(one->words), "searched", one->searched);

        if (split->alone.known)
            json_object_set_new(device, "kernel", part_json(split, &split->alone, i));
        if (split->transfers.known)
            json_object_set_new(device, "transfers",
                                part_json(split, &split->transfers, i));
        json_array_append_new(list, device);
    }
    json_object_set_new(all, "devices", list);
    if (split->alone.known)
        json_object_set_new(all, "kernel", answer_json(split, &split->alone));
    if (split->transfers.known)
        json_object_set_new(all, "transfers", answer_json(split, &split->transfers));
    return all;
}

/* --- C --- */

static void put_macro(struct ct_str *out, const struct ct_split *split, const char *name)
{
    ct_str_puts(out, "#define CLTUNE_");
    ct_export_put_identifier(out, split->task.spec->kernel.name);
    ct_str_addf(out, "_SPLIT_%s", name);
}

static void put_rows(struct ct_str *out, const struct ct_split *split,
                     const struct ct_split_answer *answer)
{
    int64_t first = 0;

    ct_str_puts(out, "\n/* ROW(number, index, device, first, size) of each device. */\n");
    put_macro(out, split, "EACH(ROW)");
    for (size_t i = 0; i < split->count; i++) {
        const struct ct_split_device *one = &split->devices[i];

        ct_str_addf(out, " \\\n    ROW(%zu, \"%u:%u\", ", i, one->device->platform_index,
                    one->device->device_index);
        ct_export_put_string(out, name_of(one));
        ct_str_addf(out, ", %" PRId64 ", %" PRId64 ")", first, answer->sizes[i]);
        first += answer->sizes[i];
    }
    ct_str_putc(out, '\n');
}

static void put_macros(struct ct_str *out, const struct ct_split *split,
                       const struct ct_split_answer *answer)
{
    char name[64];

    put_macro(out, split, "BY ");
    ct_export_put_string(out, split->task.by);
    ct_str_putc(out, '\n');
    put_macro(out, split, "TOTAL");
    ct_str_addf(out, " %" PRId64 "\n", split->task.total);
    put_macro(out, split, "GRAIN");
    ct_str_addf(out, " %" PRId64 "\n", split->task.grain);
    put_macro(out, split, "DEVICES");
    ct_str_addf(out, " %zu\n", split->count);
    for (size_t i = 0; i < split->count; i++) {
        snprintf(name, sizeof(name), "SIZE_%zu %" PRId64 "\n", i, answer->sizes[i]);
        put_macro(out, split, name);
        snprintf(name, sizeof(name), "FRACTION_%zu %.6f\n", i,
                 fraction_of(split, answer->sizes[i]));
        put_macro(out, split, name);
    }
}

void ct_report_split_header(const struct ct_split *split)
{
    const struct ct_split_answer *answer =
        split->alone.known ? &split->alone : &split->transfers;
    struct ct_str out;

    ct_str_init(&out);
    ct_str_puts(&out, "/* Generated by cltune " CT_VERSION "; do not edit.\n   kernel  ");
    ct_export_put_comment(&out, split->task.spec->kernel.name);
    ct_str_addf(&out, "\n   time    %s\n   gain    %.3f times as fast as one device */\n",
                answer == &split->alone ? "of the kernel alone" : "with transfers",
                answer->division.fastest == SIZE_MAX ? 0 : gain_of(&answer->division));
    ct_str_puts(&out, "#ifndef CLTUNE_");
    ct_export_put_identifier(&out, split->task.spec->kernel.name);
    ct_str_puts(&out, "_SPLIT_H\n");
    put_macro(&out, split, "H\n\n");
    put_macros(&out, split, answer);
    put_rows(&out, split, answer);
    ct_str_puts(&out, "\n#endif\n");
    ct_print_text(out.data);
    ct_str_release(&out);
}
