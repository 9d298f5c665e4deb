// SPDX-License-Identifier: Apache-2.0
// Recorded spaces in JSON: cache files of Kernel Tuner, and the T4 results format.
#include "replay/recorded_read.h"

#include "plan/json.h"
#include "base/mem.h"

#include <jansson.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct source {
    const char *path;
    const char *name;
    const char **params;
    size_t param_count;
    struct ct_value *values;
    struct ct_recorder *recorder;
};

/* Names the parameters and starts the space. */
static enum ct_status begin_space(struct source *source, size_t param_count,
                                  struct ct_err *err)
{
    source->param_count = param_count;
    source->params = ct_mem_array(param_count, sizeof(*source->params));
    source->values = ct_mem_array(param_count, sizeof(*source->values));
    return source->params && source->values ? CT_OK : ct_err_nomem(err);
}

/* Adds a configuration with its values in the object `config`. */
static enum ct_status add_configuration(struct source *source, const json_t *config,
                                        const struct ct_record *record, const char *which,
                                        struct ct_err *err)
{
    for (size_t p = 0; p < source->param_count; p++)
        if (!ct_json_read_value(json_object_get(config, source->params[p]),
                                &source->values[p]))
            return ct_err_set(err, CT_E_USAGE, "%s: configuration %s has no '%s'",
                              source->path, which, source->params[p]);
    return ct_recorder_add(source->recorder, source->values, record, err);
}

/* A number, 0 if missing. */
static double json_number(const json_t *object, const char *key)
{
    double value = json_number_value(json_object_get(object, key));

    return isfinite(value) && value > 0 ? value : 0;
}

/* --- Kernel Tuner: all durations in milliseconds; a failure is a word, or 1e20 --- */

static enum ct_status read_cache_entry(struct source *source, const char *key,
                                       const json_t *entry, struct ct_err *err)
{
    const json_t *time = json_object_get(entry, "time");
    struct ct_record record = {.time_ns = NAN};

    record.compile_ns = json_number(entry, "compile_time") * 1e6;
    record.bench_ns =
        (json_number(entry, "benchmark_time") + json_number(entry, "verification_time")) *
        1e6;
    if (json_is_number(time) && json_number_value(time) > 0 &&
        json_number_value(time) < 1e20)
        record.time_ns = json_number_value(time) * 1e6;
    else
        record.failure = ct_recorded_failure(
            json_is_string(time) ? json_string_value(time) : "runtime");
    return add_configuration(source, entry, &record, key, err);
}

static enum ct_status read_cache(struct source *source, const json_t *root,
                                 struct ct_err *err)
{
    const json_t *keys = json_object_get(root, "tune_params_keys");
    json_t *cache = json_object_get(root, "cache");
    const char *key;
    json_t *entry;
    enum ct_status status;

    if (!json_is_array(keys) || !json_is_object(cache))
        return ct_err_set(
            err, CT_E_USAGE,
            "%s: not a Kernel Tuner cache: \"tune_params_keys\" or \"cache\" is "
            "missing",
            source->path);
    status = begin_space(source, json_array_size(keys), err);
    for (size_t p = 0; p < source->param_count && !status; p++) {
        source->params[p] = json_string_value(json_array_get(keys, p));
        if (!source->params[p])
            status =
                ct_err_set(err, CT_E_USAGE, "%s: the name of a parameter is not a string",
                           source->path);
    }
    if (!status)
        status = ct_recorder_new(source->name, source->params, source->param_count,
                                 &source->recorder, err);
    if (status)
        return status;
    json_object_foreach(cache, key, entry)
    {
        status = read_cache_entry(source, key, entry, err);
        if (status)
            return status;
    }
    return CT_OK;
}

/* --- T4 --- */

/* Nanoseconds in a unit; 0: not a unit of time. */
static double unit_ns(const char *unit)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {
        {"miliseconds", 1e6},
        {"milliseconds", 1e6},
        {"ms", 1e6},
        {"seconds", 1e9},
        {"s", 1e9},
        {"microseconds", 1e3},
        {"us", 1e3},
        {"nanoseconds", 1},
        {"ns", 1},
    };

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (unit && strcmp(unit, units[i].name) == 0)
            return units[i].ns;
    return 0;
}

/* The measurement named by the first objective, else the first one. */
static const json_t *objective(const json_t *result)
{
    const json_t *measurements = json_object_get(result, "measurements");
    const char *name =
        json_string_value(json_array_get(json_object_get(result, "objectives"), 0));

    for (size_t i = 0; name && i < json_array_size(measurements); i++) {
        const json_t *one = json_array_get(measurements, i);
        const char *own = json_string_value(json_object_get(one, "name"));

        if (own && strcmp(own, name) == 0)
            return one;
    }
    return json_array_get(measurements, 0);
}

/* Sum of those durations of "times" that are (not) about compiling. */
static double spent_ns(const json_t *result, bool compiling, double unit)
{
    json_t *times = json_object_get(result, "times");
    const char *key;
    json_t *one;
    double sum = 0;

    json_object_foreach(times, key, one)
    {
        if ((strncmp(key, "compilation", 11) == 0) != compiling)
            continue;
        if (json_is_number(one) && json_number_value(one) > 0)
            sum += json_number_value(one);
        for (size_t i = 0; i < json_array_size(one); i++)
            sum += json_number_value(json_array_get(one, i));
    }
    return sum * unit;
}

static enum ct_status read_result(struct source *source, size_t number_,
                                  const json_t *result, double unit, struct ct_err *err)
{
    const char *invalidity = json_string_value(json_object_get(result, "invalidity"));
    const json_t *measured = objective(result);
    const json_t *value = json_object_get(measured, "value");
    double own = unit_ns(json_string_value(json_object_get(measured, "unit")));
    struct ct_record record = {.time_ns = NAN};
    char which[32];

    record.compile_ns = spent_ns(result, true, unit);
    record.bench_ns = spent_ns(result, false, unit);
    if (invalidity && strcmp(invalidity, "correct") != 0)
        record.failure = ct_recorded_failure(invalidity);
    else if (json_is_number(value) && json_number_value(value) > 0 &&
             json_number_value(value) < 1e20)
        record.time_ns = json_number_value(value) * (own > 0 ? own : 1e6);
    else
        record.failure = CT_FAILURE_CRASHED;
    snprintf(which, sizeof(which), "number %zu", number_ + 1);
    if (json_object_size(json_object_get(result, "configuration")) > source->param_count)
        return ct_err_set(err, CT_E_USAGE,
                          "%s: configuration %s has other parameters than the first",
                          source->path, which);
    return add_configuration(source, json_object_get(result, "configuration"), &record,
                             which, err);
}

static enum ct_status read_t4(struct source *source, const json_t *root,
                              struct ct_err *err)
{
    const json_t *results = json_object_get(root, "results");
    json_t *first = json_object_get(json_array_get(results, 0), "configuration");
    double unit = unit_ns(json_string_value(
        json_object_get(json_object_get(root, "metadata"), "timeunit")));
    const char *key;
    json_t *ignored;
    size_t p = 0;
    enum ct_status status;

    if (json_is_array(results) && !json_array_size(results))
        return ct_err_set(err, CT_E_NOT_FOUND, "%s: contains no configuration",
                          source->path);
    if (!json_is_object(first))
        return ct_err_set(err, CT_E_USAGE,
                          "%s: not T4 results: the list \"results\" of objects with a "
                          "\"configuration\" is missing",
                          source->path);
    status = begin_space(source, json_object_size(first), err);
    if (status)
        return status;
    json_object_foreach(first, key, ignored)
    {
        source->params[p++] = key;
    }
    status = ct_recorder_new(source->name, source->params, source->param_count,
                             &source->recorder, err);
    for (size_t i = 0; i < json_array_size(results) && !status; i++)
        status = read_result(source, i, json_array_get(results, i), unit > 0 ? unit : 1e6,
                             err);
    return status;
}

/* --- both --- */

/* Kernel Tuner completes its cache file only when it is done: the missing end is added. */
static json_t *load_json(struct ct_str *text, json_error_t *why)
{
    json_t *root = json_loadb(text->data, text->length, JSON_REJECT_DUPLICATES, why);
    json_error_t ignored;

    if (root)
        return root;
    while (text->length && strchr(", \t\r\n", text->data[text->length - 1]))
        text->length--;
    ct_str_puts(text, "}}");
    return text->failed ? NULL : json_loadb(text->data, text->length, 0, &ignored);
}

enum ct_status ct_recorded_json(const char *path, const char *name, struct ct_str *text,
                                struct ct_recorded **out, struct ct_err *err)
{
    struct source source = {.path = path, .name = name};
    json_error_t why;
    json_t *root = load_json(text, &why);
    enum ct_status status;

    if (!root && text->failed)
        return ct_err_nomem(err);
    if (!root)
        return ct_err_at(err, CT_E_USAGE, path, why.line, why.column, "%s", why.text);
    if (json_object_get(root, "cache"))
        status = read_cache(&source, root, err);
    else if (json_object_get(root, "results"))
        status = read_t4(&source, root, err);
    else
        status = ct_err_set(
            err, CT_E_USAGE,
            "%s: contains neither \"cache\" (Kernel Tuner) nor \"results\" (T4)", path);
    if (!status)
        status = ct_recorder_finish(source.recorder, out, err);
    else
        ct_recorder_free(source.recorder);
    free(source.params);
    free(source.values);
    json_decref(root);
    return status;
}
