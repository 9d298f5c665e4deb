// SPDX-License-Identifier: Apache-2.0
// Reads results of other tuners: those that replays read as well (replay/recorded.h), and the JSON of
// CLBlast, CLTune and KTT; CSV in import_csv.c.
#include "tune/import.h"

#include "plan/json.h"
#include "base/file.h"
#include "base/mem.h"
#include "replay/recorded_read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ct_imported_release(struct ct_imported *imported)
{
    ct_recorded_free(imported->recorded);
    free(imported->kernel);
    free(imported->device);
    free(imported->vendor);
    free(imported->type);
    json_decref(imported->sizes);
    *imported = (struct ct_imported){0};
}

double ct_import_odd(const struct ct_record *record)
{
    const double all[] = {record->time_ns, record->compile_ns, record->bench_ns};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i] > CT_IMPORT_LONGEST_NS)
            return all[i];
    return 0;
}

/* A copy of a member that is a text and not empty, or NULL. */
static char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text && *text ? ct_mem_copy(text, strlen(text)) : NULL;
}

/* --- results whose parameters are objects: CLBlast, CLTune, KTT --- */

struct reading {
    const char *path;
    const char **params; /* of the first result */
    struct ct_value *values;
    size_t count;
    struct ct_recorder *recorder;
};

static enum ct_status begin_params(struct reading *r, json_t *config, struct ct_err *err)
{
    const char *name;
    json_t *value;

    r->params = ct_mem_array(json_object_size(config), sizeof(*r->params));
    r->values = ct_mem_array(json_object_size(config), sizeof(*r->values));
    if (!r->params || !r->values)
        return ct_err_nomem(err);
    json_object_foreach(config, name, value)
    {
        r->params[r->count++] = name;
    }
    return ct_recorder_new(r->path, r->params, r->count, &r->recorder, err);
}

static enum ct_status add_result(struct reading *r, json_t *config, size_t number,
                                 const struct ct_record *record, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    if (!json_is_object(config))
        return ct_err_set(err, CT_E_USAGE, "%s: result %zu has no parameters", r->path,
                          number + 1);
    if (!r->recorder)
        status = begin_params(r, config, err);
    if (status == CT_OK && json_object_size(config) > r->count)
        return ct_err_set(err, CT_E_USAGE,
                          "%s: result %zu has other parameters than the first", r->path,
                          number + 1);
    if (ct_import_odd(record) > 0)
        return ct_err_set(
            err, CT_E_USAGE,
            "%s: result %zu: %g ns is longer than anything that is measured", r->path,
            number + 1, ct_import_odd(record));
    for (size_t i = 0; i < r->count && status == CT_OK; i++)
        if (!ct_json_read_value(json_object_get(config, r->params[i]), &r->values[i]))
            status = ct_err_set(err, CT_E_USAGE, "%s: result %zu has no '%s'", r->path,
                                number + 1, r->params[i]);
    return status == CT_OK ? ct_recorder_add(r->recorder, r->values, record, err)
                           : status;
}

/* A file is of one kernel: results that name another one than the first are none of it. */
static enum ct_status check_kernel(const char *path, json_t *results, size_t number,
                                   const char *key, struct ct_err *err)
{
    const char *first =
        json_string_value(json_object_get(json_array_get(results, 0), key));
    const char *own =
        json_string_value(json_object_get(json_array_get(results, number), key));

    if (strcmp(first ? first : "", own ? own : "") == 0)
        return CT_OK;
    return ct_err_set(err, CT_E_USAGE,
                      "%s: result %zu is of another kernel than the first: import them "
                      "separately",
                      path, number + 1);
}

/* Ends a space; frees the recorder. */
static enum ct_status finish(struct reading *r, enum ct_status status,
                             struct ct_imported *out, struct ct_err *err)
{
    if (status == CT_OK && !r->recorder)
        status = ct_err_set(err, CT_E_NOT_FOUND, "%s has no results", r->path);
    if (status == CT_OK)
        status = ct_recorder_finish(r->recorder, &out->recorded, err);
    else
        ct_recorder_free(r->recorder);
    free(r->params);
    free(r->values);
    return status;
}

/* CLBlast and CLTune: "results" with times in milliseconds; sizes are "arg_...". */
static enum ct_status read_clblast(const char *path, const json_t *root,
                                   struct ct_imported *out, struct ct_err *err)
{
    struct reading r = {.path = path};
    json_t *results = json_object_get(root, "results");
    enum ct_status status = CT_OK;
    const char *key;
    json_t *value;

    out->origin = json_object_get(root, "kernel_family") ? "CLBlast" : "CLTune";
    out->kernel = text_of(root, "kernel_family");
    out->device = text_of(root, "clblast_device_name");
    if (!out->device)
        out->device = text_of(root, "device");
    out->vendor = text_of(root, "device_vendor");
    if (!out->vendor)
        out->vendor = text_of(root, "vendor");
    out->type = text_of(root, "device_type");
    if (!out->type)
        out->type = text_of(root, "type");
    if (!out->kernel)
        out->kernel = text_of(json_array_get(results, 0), "kernel");
    out->sizes = json_object();
    json_object_foreach((json_t *)root, key, value)
    {
        if (strncmp(key, "arg_", 4) == 0 && json_is_string(value)) {
            char *end;
            long long number;

            errno = 0;
            number = strtoll(json_string_value(value), &end, 10);
            if (*json_string_value(value) && !*end && errno) {
                status = ct_err_set(err, CT_E_USAGE, "%s: %s: %s is out of range", path,
                                    key, json_string_value(value));
                break;
            }
            if (*json_string_value(value) && !*end)
                json_object_set_new(out->sizes, key + 4, json_integer(number));
        }
    }
    for (size_t i = 0; i < json_array_size(results) && status == CT_OK; i++) {
        json_t *result = json_array_get(results, i);
        double time_ms = json_number_value(json_object_get(result, "time"));
        struct ct_record record = {.time_ns = time_ms * 1e6};

        if (!(time_ms > 0))
            record =
                (struct ct_record){.time_ns = (double)NAN, .failure = CT_FAILURE_CRASHED};
        status = check_kernel(path, results, i, "kernel", err);
        if (status == CT_OK)
            status =
                add_result(&r, json_object_get(result, "parameters"), i, &record, err);
    }
    return finish(&r, status, out, err);
}

static double ktt_unit(const char *unit)
{
    return unit && strcmp(unit, "Nanoseconds") == 0    ? 1
           : unit && strcmp(unit, "Microseconds") == 0 ? 1e3
           : unit && strcmp(unit, "Seconds") == 0      ? 1e9
                                                       : 1e6;
}

static enum ct_failure ktt_failure(const char *status)
{
    return strcmp(status, "Ok") == 0                     ? CT_FAILURE_NONE
           : strcmp(status, "ValidationFailed") == 0     ? CT_FAILURE_WRONG
           : strcmp(status, "CompilationFailed") == 0    ? CT_FAILURE_BUILD
           : strcmp(status, "DeviceLimitsExceeded") == 0 ? CT_FAILURE_INVALID
                                                         : CT_FAILURE_CRASHED;
}

/* KTT: "Metadata" and "Results", whose configurations are lists of names and values. */
static enum ct_status read_ktt(const char *path, const json_t *root,
                               struct ct_imported *out, struct ct_err *err)
{
    struct reading r = {.path = path};
    json_t *metadata = json_object_get(root, "Metadata");
    json_t *results = json_object_get(root, "Results");
    double unit = ktt_unit(json_string_value(json_object_get(metadata, "TimeUnit")));
    /* Names of parameters are those of the first configuration as long as it is read. */
    json_t *configs = json_array();
    enum ct_status status = configs ? CT_OK : ct_err_nomem(err);

    out->origin = "KTT";
    out->device = text_of(metadata, "Device");
    out->kernel = text_of(json_array_get(results, 0), "KernelName");
    for (size_t i = 0; i < json_array_size(results) && status == CT_OK; i++) {
        json_t *result = json_array_get(results, i);
        json_t *list = json_object_get(result, "Configuration");
        const char *word = json_string_value(json_object_get(result, "Status"));
        double time = json_number_value(json_object_get(result, "TotalDuration")) * unit;
        json_t *config = json_object();
        struct ct_record record = {
            .time_ns = time,
            .failure = ktt_failure(word ? word : ""),
            .compile_ns =
                json_number_value(json_object_get(result, "CompilationOverhead")) * unit,
        };

        for (size_t k = 0; k < json_array_size(list); k++) {
            json_t *pair = json_array_get(list, k);
            const char *name = json_string_value(json_object_get(pair, "Name"));

            if (name)
                json_object_set(config, name, json_object_get(pair, "Value"));
        }
        json_array_append_new(configs, config);
        if (json_object_size(config) != json_array_size(list))
            status = ct_err_set(err, CT_E_USAGE,
                                "%s: result %zu has a parameter without a name, or twice",
                                path, i + 1);
        if (record.failure == CT_FAILURE_NONE && !(time > 0))
            record.failure = CT_FAILURE_CRASHED;
        if (record.failure != CT_FAILURE_NONE)
            record.time_ns = (double)NAN;
        if (status == CT_OK)
            status = check_kernel(path, results, i, "KernelName", err);
        if (status == CT_OK)
            status = add_result(&r, config, i, &record, err);
    }
    status = finish(&r, status, out, err);
    json_decref(configs);
    return status;
}

/* --- all --- */

/* What replay's reader does not keep of T4 results and caches of Kernel Tuner. */
static void read_names(const json_t *root, struct ct_imported *out)
{
    const json_t *metadata = json_object_get(root, "metadata");

    if (json_object_get(root, "cache")) {
        json_t *size = json_object_get(root, "problem_size");

        out->origin = "Kernel Tuner";
        out->kernel = text_of(root, "kernel_name");
        out->device = text_of(root, "device_name");
        out->sizes = json_object();
        for (size_t i = 0; i < json_array_size(size); i++) {
            char name[32];

            snprintf(name, sizeof(name), "size_%zu", i);
            if (json_is_integer(json_array_get(size, i)))
                json_object_set(out->sizes, name, json_array_get(size, i));
        }
        if (json_is_integer(size))
            json_object_set(out->sizes, "size_0", size);
        return;
    }
    out->origin = "T4";
    out->kernel = text_of(metadata, "kernel");
    out->device = text_of(metadata, "device");
    out->sizes = json_incref(json_object_get(metadata, "problem"));
}

static bool has_comma_head(const char *text)
{
    size_t line = strcspn(text, "\r\n");
    const char *comma = memchr(text, ',', line);

    return comma && !memchr(text, '\t', line) && *text != '#' && *text != '{' &&
           *text != '[';
}

enum ct_status ct_imported_read(const char *path, struct ct_imported *out,
                                struct ct_err *err)
{
    char why[CT_FILE_WHY_SIZE];
    struct ct_str text;
    json_t *root = NULL;
    int error;
    enum ct_status status;

    ct_str_init(&text);
    error = ct_file_read(path, CT_FILE_RECORDED_MAX, &text, NULL);
    if (!error)
        root = json_loadb(text.data, text.length, JSON_REJECT_DUPLICATES, NULL);
    if (error) {
        status = ct_err_set(err, ct_file_status(error), "cannot read %s: %s", path,
                            ct_file_why(why, error, CT_FILE_RECORDED_MAX));
    } else if (json_object_get(root, "Metadata") && json_object_get(root, "Results")) {
        status = read_ktt(path, root, out, err);
    } else if (json_object_get(json_array_get(json_object_get(root, "results"), 0),
                               "parameters")) {
        status = read_clblast(path, root, out, err);
    } else if (!root && has_comma_head(text.data)) {
        status = ct_imported_csv(path, &text, out, err);
    } else {
        if (root)
            read_names(root, out);
        else
            out->origin = "table";
        status = ct_recorded_read(path, &out->recorded, err);
    }
    json_decref(root);
    ct_str_release(&text);
    return status;
}
