// SPDX-License-Identifier: Apache-2.0
// cltune peak: the ceilings of a device, from two small searches and some launches that
// do nothing.
#include "cli/json.h"
#include "cli/peak_files.h"
#include "cli/search.h"

#include "protocol/cache.h"
#include "report/format.h"
#include "report/table.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    EVALUATIONS = 48, /* of each kernel */
    MADS = 384,       /* multiply-adds an element: memory does not matter */
};

enum ceiling {
    CEILING_COPY,
    CEILING_MAD,
    CEILING_OVERHEADS, /* from here on as enum ct_overhead_kind */
    CEILING_COUNT = CEILING_OVERHEADS + CT_OVERHEAD_COUNT
};

static const struct {
    const char *name;
    const char *unit;
    const char *what;
} ceilings[CEILING_COUNT] = {
    {"copy", "GB/s", ""},
    {"mad", "GFLOP/s", ""},
    {"launch", "ns", "one launch, until clFinish returns"},
    {"queued", "ns", "each of many launches behind one clFinish"},
    {"allocation", "ns", "a new buffer of 4 KiB instead of one that was used before"},
    {"allocation_mib", "ns", "each MiB that a new buffer is larger"},
};

/* What was found of one device. */
struct found {
    bool known;
    double value;
    double low;
    double high;
    struct ct_str how; /* the configuration */
};

struct peak {
    const struct ct_options *options;
    struct ct_options search;
    struct ct_str folder; /* where the embedded files stand */
    struct ct_db *db;
    json_t *all; /* with --json */
    size_t shown;
};

/* --- the files --- */

/* Whether the file holds this text already. */
static bool holds(const char *path, const char *text)
{
    FILE *file = fopen(path, "r");
    const char *at = text;
    int c = EOF;

    if (!file)
        return false;
    while (*at && (c = getc(file)) != EOF && c == (unsigned char)*at)
        at++;
    c = *at ? c : getc(file);
    fclose(file);
    return !*at && c == EOF;
}

static enum ct_status write_file(const char *path, const char *text, struct ct_err *err)
{
    return holds(path, text) ? CT_OK : ct_cache_write(path, text, strlen(text), err);
}

/* Puts the space files and kernels where their relative paths hold, for the searches to
 * read and for whoever wants to look at what was measured. */
static enum ct_status write_files(struct peak *peak, struct ct_err *err)
{
    enum ct_status status = ct_cache_folder("peak", &peak->folder, err);

    if (status) {
        ct_str_reset(&peak->folder);
        status = ct_cache_fallback("peak", &peak->folder, err);
    }
    for (int i = 0; !status && i < ct_peak_files_count; i++) {
        const char *name = ct_peak_files_paths[i];
        struct ct_str path;

        ct_str_init(&path);
        ct_str_addf(&path, "%s/%.*s", peak->folder.data, (int)strcspn(name, "/"), name);
        if (!path.failed && mkdir(path.data, 0700) && errno != EEXIST)
            status = ct_err_set(err, CT_E_IO, "%s: %s", path.data, strerror(errno));
        ct_str_reset(&path);
        ct_str_addf(&path, "%s/%s", peak->folder.data, name);
        if (path.failed)
            status = ct_err_nomem(err);
        if (!status)
            status = write_file(path.data, ct_peak_files[i], err);
        ct_str_release(&path);
    }
    return status;
}

/* --- sizes --- */

/* Floats to copy: many times what the last cache holds, so that it does not help, so many
 * that starting a launch is nothing beside them, and few enough for the device's memory
 * and for verifying them on the host.  Graphics cards do not all tell of their last
 * cache, and some copy 100 MiB in the time of ten launches. */
static uint64_t copy_count(const struct ct_devinfo *device)
{
    const bool cpu = strcmp(device->type, "CPU") == 0;
    const int64_t cache = ct_devinfo_int(device, CT_DEVICE_GLOBAL_MEM_CACHE_SIZE, 0);
    const int64_t global = ct_devinfo_int(device, CT_DEVICE_GLOBAL_MEM_SIZE, 0);
    const int64_t most = ct_devinfo_int(device, CT_DEVICE_MAX_MEM_ALLOC_SIZE, 0);
    const uint64_t largest = (uint64_t)1 << (cpu ? 25 : 27);
    uint64_t count = cpu ? (uint64_t)1 << 24 : largest;

    while (count < largest && count * sizeof(float) < 8 * (uint64_t)cache)
        count *= 2;
    while (count > 65536 &&
           ((most > 0 && count * sizeof(float) > (uint64_t)most / 2) ||
            (global > 0 && count * sizeof(float) > (uint64_t)global / 16)))
        count /= 2;
    return count;
}

/* Floats to compute with: enough to keep every unit busy for a while. */
static uint64_t mad_count(const struct ct_devinfo *device)
{
    const int64_t units = ct_devinfo_int(device, CT_DEVICE_MAX_COMPUTE_UNITS, 1);
    uint64_t count = (uint64_t)1 << 18;

    while (count < (uint64_t)1 << 23 && count < (uint64_t)units << 18)
        count *= 2;
    return count;
}

/* --- one device --- */

static void release_found(struct found *found)
{
    for (int i = 0; i < CEILING_COUNT; i++)
        ct_str_release(&found[i].how);
}

/* Searches one of the embedded spaces for the rate of `sizes`, in 10^9 a second. */
static int tune(struct peak *peak, const struct ct_devinfo *device, const char *name,
                struct ct_setting *sizes, size_t size_count, bool bytes,
                struct found *found)
{
    struct ct_settings problem = {sizes, size_count, size_count};
    struct ct_search_answer answer;
    struct ct_spec *spec;
    struct ct_str path;
    int exit_status = CT_EXIT_OK;
    double amount;

    ct_str_init(&path);
    ct_str_addf(&path, "%s/spaces/%s.ini", peak->folder.data, name);
    spec = ct_cli_load(path.data, &peak->search, &exit_status);
    ct_str_release(&path);
    if (!spec)
        return exit_status;
    exit_status = ct_search_ask(&peak->search, spec, device, &problem, &answer);
    amount = bytes ? answer.bytes : answer.operations;
    if (answer.found && answer.low_ns > 0) {
        found->known = true;
        found->value = amount / answer.time_ns;
        found->low = amount / answer.high_ns;
        found->high = amount / answer.low_ns;
        ct_str_add(&found->how, answer.configuration.data, answer.configuration.length);
    }
    ct_str_release(&answer.configuration);
    ct_spec_free(spec);
    return exit_status;
}

static int tune_both(struct peak *peak, const struct ct_devinfo *device,
                     struct found *found)
{
    char count[24];
    char mads[24];
    struct ct_setting copy[] = {{"n", count}};
    struct ct_setting mad[] = {{"n", count}, {"mads", mads}};
    int exit_status;
    int other;

    snprintf(count, sizeof(count), "%" PRIu64, copy_count(device));
    exit_status = tune(peak, device, "copy", copy, 1, true, &found[CEILING_COPY]);
    if (exit_status == CT_EXIT_INTERRUPTED)
        return exit_status;
    snprintf(count, sizeof(count), "%" PRIu64, mad_count(device));
    snprintf(mads, sizeof(mads), "%d", MADS);
    other = tune(peak, device, "mad", mad, 2, false, &found[CEILING_MAD]);
    return other > exit_status ? other : exit_status;
}

static enum ct_status measure_overheads(const struct ct_devinfo *device,
                                        struct found *found, struct ct_err *err)
{
    struct ct_overhead overheads[CT_OVERHEAD_COUNT];
    enum ct_status status = ct_measure_overheads(device, overheads, err);

    for (int i = 0; !status && i < CT_OVERHEAD_COUNT; i++) {
        struct found *one = &found[CEILING_OVERHEADS + i];

        one->known = true;
        one->value = overheads[i].ns;
        one->low = overheads[i].low_ns;
        one->high = overheads[i].high_ns;
    }
    return status;
}

static enum ct_status store(struct peak *peak, const struct ct_devinfo *device,
                            const struct found *found, struct ct_err *err)
{
    struct ct_db_ceiling ceiling = {0};
    enum ct_status status = ct_db_begin(peak->db, err);

    if (!status)
        status = ct_db_device_put(peak->db, device, &ceiling.device_id, err);
    for (int i = 0; !status && i < CEILING_COUNT; i++) {
        if (!found[i].known)
            continue;
        ceiling.name = ceilings[i].name;
        ceiling.unit = ceilings[i].unit;
        ceiling.value = found[i].value;
        ceiling.low = found[i].low;
        ceiling.high = found[i].high;
        status = ct_db_ceiling_put(peak->db, &ceiling, err);
    }
    return status ? status : ct_db_commit(peak->db, err);
}

/* --- what it says --- */

static const char *format(char *out, int ceiling, double value)
{
    char text[CT_FORMAT_SIZE];

    if (strcmp(ceilings[ceiling].unit, "ns") == 0)
        return ct_format_time(out, value);
    snprintf(out, 2 * CT_FORMAT_SIZE, "%s %s", ct_format_real(text, value),
             ceilings[ceiling].unit);
    return out;
}

static void print_table(const struct ct_devinfo *device, const struct found *found)
{
    struct ct_table *table = ct_table_new();

    printf("%u:%u %s (%s)\n", device->platform_index, device->device_index,
           ct_devinfo_text(device, CT_DEVICE_NAME), device->driver_version);
    ct_table_column(table, "CEILING", false);
    ct_table_column(table, "VALUE", true);
    ct_table_column(table, "INTERVAL", true);
    ct_table_column(table, "OF", false);
    for (int i = 0; i < CEILING_COUNT; i++) {
        char value[2 * CT_FORMAT_SIZE];
        char low[2 * CT_FORMAT_SIZE];
        char high[2 * CT_FORMAT_SIZE];

        ct_table_row(table);
        ct_table_cell(table, ceilings[i].name);
        if (!found[i].known) {
            ct_table_cell(table, "-");
            ct_table_cell(table, "-");
            ct_table_cell(table, "(not measured)");
            continue;
        }
        ct_table_cell(table, format(value, i, found[i].value));
        ct_table_cellf(table, "%s - %s", format(low, i, found[i].low),
                       format(high, i, found[i].high));
        ct_table_cell(table, found[i].how.length ? found[i].how.data : ceilings[i].what);
    }
    ct_table_print(table, stdout);
    ct_table_free(table);
}

static json_t *to_json(const struct ct_devinfo *device, const struct found *found)
{
    json_t *list = json_array();

    for (int i = 0; i < CEILING_COUNT; i++) {
        json_t *one;

        if (!found[i].known)
            continue;
        one = json_pack("{s:s, s:s, s:f, s:f, s:f}", "name", ceilings[i].name, "unit",
                        ceilings[i].unit, "value", found[i].value, "low", found[i].low,
                        "high", found[i].high);
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

static int peak_device(struct peak *peak, const struct ct_devinfo *device)
{
    struct found found[CEILING_COUNT];
    struct ct_err err = CT_ERR_INIT;
    struct ct_err own = CT_ERR_INIT;
    int exit_status;

    memset(found, 0, sizeof(found));
    for (int i = 0; i < CEILING_COUNT; i++)
        ct_str_init(&found[i].how);
    exit_status = tune_both(peak, device, found);
    if (exit_status != CT_EXIT_INTERRUPTED && measure_overheads(device, found, &own))
        exit_status = ct_cli_error(&own);
    /* What was found before an interrupt is worth keeping as well. */
    if (store(peak, device, found, &err))
        exit_status = ct_cli_error(&err);
    if (peak->options->json) {
        json_array_append_new(peak->all, to_json(device, found));
    } else {
        if (peak->shown++)
            putchar('\n');
        print_table(device, found);
    }
    release_found(found);
    return exit_status;
}

static void print_json(const struct peak *peak)
{
    const json_t *all = peak->all;

    /* As everywhere: an array only where there are several. */
    json_dumpf(json_array_size(all) == 1 ? json_array_get(all, 0) : all, stdout,
               JSON_INDENT(2));
    putchar('\n');
}

int ct_cli_peak(const struct ct_options *options)
{
    struct ct_arena arena = {0};
    struct ct_err err = CT_ERR_INIT;
    const struct ct_devinfo **devices;
    struct peak peak = {.options = options, .search = *options};
    int exit_status = CT_EXIT_OK;

    if (options->operand_count)
        return ct_cli_usage("peak", "no operand wanted: '%s'", options->operands[0]);
    ct_str_init(&peak.folder);
    peak.search.no_baseline = true;
    if (!options->evaluations)
        peak.search.evaluations = EVALUATIONS;
    peak.all = json_array();
    if (!peak.all) {
        ct_err_nomem(&err);
        exit_status = ct_cli_error(&err);
    } else if (ct_cli_devices_match(&arena, options->device, &devices, &err) ||
               write_files(&peak, &err) ||
               /* Before minutes are spent on what it might not take. */
               ct_db_open(options->db, NULL, &peak.db, &err)) {
        exit_status = ct_cli_error(&err);
    } else {
        ct_cli_catch_signals();
        for (; *devices && exit_status != CT_EXIT_INTERRUPTED; devices++) {
            int one = peak_device(&peak, *devices);

            exit_status = one > exit_status ? one : exit_status;
        }
        if (options->json)
            print_json(&peak);
    }
    json_decref(peak.all);
    ct_db_close(peak.db);
    ct_str_release(&peak.folder);
    ct_arena_release(&arena);
    return exit_status;
}
