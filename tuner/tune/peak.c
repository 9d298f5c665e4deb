// SPDX-License-Identifier: Apache-2.0
// The ceilings of a device: the searches that find them, and storing the results.
#include "tune/peak.h"

#include "plan/binding.h"
#include "protocol/cache.h"
#include "schedule/measure.h"
#include "space/space.h"
#include "tune/peak_files.h"
#include "tune/search.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MADS = 384, /* multiply-adds per element: memory bandwidth does not matter */
};

static const struct ct_peak_info kinds[CT_PEAK_COUNT] = {
    {"copy", "GB/s", ""},
    {"mad", "GFLOP/s", ""},
    {"launch", "ns", "one launch, until clFinish returns"},
    {"queued", "ns", "each of many launches behind one clFinish"},
    {"allocation", "ns", "a new buffer of 4 KiB instead of one that was used before"},
    {"allocation_mib", "ns", "each MiB that a new buffer is larger"},
};

const struct ct_peak_info *ct_peak_info_of(enum ct_peak_kind kind)
{
    return &kinds[kind];
}

/* --- the files --- */

/* Whether the file already holds this text. */
static bool holds_text(const char *path, const char *text)
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
    return holds_text(path, text) ? CT_OK : ct_cache_write(path, text, strlen(text), err);
}

/* Writes the space files and kernels so that their relative paths hold, for the searches to read
 * and for users who want to see what was measured. */
static enum ct_status write_files(struct ct_peak *peak, struct ct_err *err)
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

/* Floats to copy: many times the last-level cache, so that it does not help, enough that the
 * launch overhead is negligible, and few enough for the device's memory and for verifying them on
 * the host.  Not all graphics cards report their last-level cache, and some copy 100 MiB in the
 * time of ten launches. */
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

/* Floats to compute with: enough to keep all units busy for a while. */
static uint64_t mad_count(const struct ct_devinfo *device)
{
    const int64_t units = ct_devinfo_int(device, CT_DEVICE_MAX_COMPUTE_UNITS, 1);
    uint64_t count = (uint64_t)1 << 18;

    while (count < (uint64_t)1 << 23 && count < (uint64_t)units << 18)
        count *= 2;
    return count;
}

/* --- one device --- */

/* The space of an embedded file for given sizes on a device; `*binding` then belongs to it. */
static enum ct_status bind_sizes(struct ct_spec *spec, const struct ct_devinfo *device,
                                 const struct ct_setting *sizes, size_t count,
                                 struct ct_binding **binding, struct ct_space **space,
                                 struct ct_err *err)
{
    const struct ct_binding_options wanted = {
        .device = device, .problem_count = count, .problem = sizes};
    const struct ct_space_options unlimited = {0};
    struct ct_diags diags = {0};
    enum ct_status status = ct_binding_new(spec, &wanted, binding, &diags, err);

    if (status && diags.count && !err->code)
        ct_err_set(err, status, "%s", diags.items[0].message);
    ct_diags_release(&diags);
    if (status)
        return status;
    status = ct_space_new(*binding, &unlimited, space, err);
    if (!status && !ct_space_count(*space)) {
        status = ct_err_set(err, CT_E_NOT_FOUND, "%s: no valid configuration remains",
                            spec->path);
        ct_space_free(*space);
    }
    if (status)
        ct_binding_free(*binding);
    return status;
}

/* The rate of a search's best: what a launch moves or computes, in 10^9 per second. */
static void take_best(const struct ct_search *search, const char *metric,
                      struct ct_peak_found *found)
{
    const struct ct_evaluated *best =
        ct_results_best(&search->results, &search->objective);
    double amount;

    if (!best || !(best->low_ns > 0))
        return;
    ct_workload_values(&search->work, best->index);
    amount = ct_workload_metric(&search->work, metric, &best->observed);
    found->known = true;
    found->value = amount / best->time_ns;
    found->low = amount / best->high_ns;
    found->high = amount / best->low_ns;
    ct_workload_put_config(&search->work, search->work.values, &found->how);
}

static enum ct_status tune(struct ct_peak *peak, struct ct_spec *spec,
                           const struct ct_devinfo *device,
                           const struct ct_setting *sizes, size_t count,
                           const char *metric, struct ct_peak_found *found,
                           struct ct_err *err)
{
    struct ct_binding *binding = NULL;
    struct ct_space *space = NULL;
    struct ct_search *search = NULL;
    enum ct_status status = bind_sizes(spec, device, sizes, count, &binding, &space, err);

    if (!status)
        status = ct_search_new(peak->options, peak->observer, device, spec, binding,
                               space, &search, err);
    if (status)
        return status;
    status = ct_search_run(search, err);
    take_best(search, metric, found);
    if (!status)
        status = ct_search_found(search, err);
    ct_search_free(search);
    return status;
}

enum ct_status ct_peak_tune(struct ct_peak *peak, const struct ct_devinfo *device,
                            enum ct_peak_kind kind, struct ct_peak_found *found,
                            struct ct_err *err)
{
    bool copy = kind == CT_PEAK_COPY;
    char count[24];
    char mads[24];
    const struct ct_setting sizes[] = {{"n", count}, {"mads", mads}};
    struct ct_diags diags = {0};
    struct ct_spec *spec = NULL;
    struct ct_str path;
    enum ct_status status;

    snprintf(count, sizeof(count), "%" PRIu64,
             copy ? copy_count(device) : mad_count(device));
    snprintf(mads, sizeof(mads), "%d", MADS);
    ct_str_init(&path);
    ct_str_addf(&path, "%s/spaces/%s.ini", peak->folder.data, kinds[kind].name);
    status =
        path.failed ? ct_err_nomem(err) : ct_spec_load(path.data, &spec, &diags, err);
    if (status && diags.count && !err->code)
        ct_err_set(err, status, "%s", diags.items[0].message);
    ct_diags_release(&diags);
    ct_str_release(&path);
    if (status || !spec)
        return status;
    status = tune(peak, spec, device, sizes, copy ? 1 : 2, copy ? "bytes" : "operations",
                  found, err);
    ct_spec_free(spec);
    return status;
}

enum ct_status ct_peak_overheads(const struct ct_devinfo *device,
                                 struct ct_peak_found *found, struct ct_err *err)
{
    struct ct_overhead overheads[CT_OVERHEAD_COUNT];
    enum ct_status status = ct_measure_overheads(device, overheads, err);

    for (int i = 0; !status && i < CT_OVERHEAD_COUNT; i++) {
        struct ct_peak_found *one = &found[CT_PEAK_OVERHEADS + i];

        one->known = true;
        one->value = overheads[i].ns;
        one->low = overheads[i].low_ns;
        one->high = overheads[i].high_ns;
    }
    return status;
}

enum ct_status ct_peak_store(struct ct_peak *peak, const struct ct_devinfo *device,
                             const struct ct_peak_found *found, struct ct_err *err)
{
    struct ct_db_ceiling ceiling = {0};
    enum ct_status status = ct_db_begin(peak->db, err);

    if (!status)
        status = ct_db_device_put(peak->db, device, &ceiling.device_id, err);
    for (int i = 0; !status && i < CT_PEAK_COUNT; i++) {
        if (!found[i].known)
            continue;
        ceiling.name = kinds[i].name;
        ceiling.unit = kinds[i].unit;
        ceiling.value = found[i].value;
        ceiling.low = found[i].low;
        ceiling.high = found[i].high;
        status = ct_db_ceiling_put(peak->db, &ceiling, err);
    }
    return status ? status : ct_db_commit(peak->db, err);
}

/* --- a session --- */

enum ct_status ct_peak_open(struct ct_peak *peak, const struct ct_tune_options *options,
                            const struct ct_observer *observer, struct ct_err *err)
{
    enum ct_status status;

    memset(peak, 0, sizeof(*peak));
    peak->options = options;
    peak->observer = observer;
    ct_str_init(&peak->folder);
    status = write_files(peak, err);
    return status ? status : ct_db_open(options->db, NULL, &peak->db, err);
}

void ct_peak_close(struct ct_peak *peak)
{
    ct_db_close(peak->db);
    ct_str_release(&peak->folder);
}
