// SPDX-License-Identifier: Apache-2.0
// "cltune best --format kernel-tuner": all results of a kernel on a device for a problem, as a cache
// file of Kernel Tuner (schema 1.1.0), which its simulation mode and its dashboard open.
// Durations are in milliseconds.
#include "report/export.h"

#include "plan/json.h"
#include "report/export_results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What Kernel Tuner writes instead of the time of a failed configuration.  A wrong result is a
 * failure at run time there. */
static const char *error_of(const char *status)
{
    if (strcmp(status, "build_failed") == 0)
        return "CompilationFailedConfig";
    if (strcmp(status, "invalid") == 0 || strcmp(status, "skipped") == 0)
        return "InvalidConfig";
    return "RuntimeFailedConfig";
}

/* A configuration's values and its results have names in one object there. */
static enum ct_status check_names(const struct ct_export_answer *answer,
                                  struct ct_err *err)
{
    static const char *const results[] = {
        "time",           "times",         "compile_time",   "verification_time",
        "benchmark_time", "strategy_time", "framework_time", "timestamp"};

    for (size_t i = 0; i < answer->config_count; i++)
        for (size_t k = 0; k < sizeof(results) / sizeof(results[0]); k++)
            if (strcmp(answer->config[i].name, results[k]) == 0)
                return ct_err_set(err, CT_E_DB,
                                  "parameter %s of kernel %s has the name of a result in "
                                  "Kernel Tuner's cache files; use --format t4",
                                  results[k], answer->kernel);
    return CT_OK;
}

/* As Python's str() of a finite number: the fewest digits that give it back, with an exponent where
 * that is below -4 or above 15. */
static void put_python_real(struct ct_str *out, double value)
{
    enum { DIGITS_MOST = 17 };
    char text[64];
    int digits = 1;
    int exponent;

    do
        snprintf(text, sizeof(text), "%.*e", digits - 1, value);
    while (digits++ < DIGITS_MOST && strtod(text, NULL) != value);
    digits--;
    exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    if (exponent >= -4 && exponent < 16)
        ct_str_addf(out, "%.*f", digits - 1 - exponent > 1 ? digits - 1 - exponent : 1,
                    value);
    else
        ct_str_puts(out, text);
}

/* As Python's str() of the value: the key of an entry joins them with commas. */
static void put_key(struct ct_str *out, const json_t *value)
{
    if (out->length)
        ct_str_putc(out, ',');
    if (json_is_integer(value))
        ct_str_addf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        put_python_real(out, json_real_value(value));
    else
        ct_str_puts(out, json_is_string(value) ? json_string_value(value) : "None");
}

/* Adds one result under its key.  The first of several experiments with one configuration stays. */
static void add_entry(json_t *cache, const json_t *keys, const struct ct_db_result *r)
{
    char timestamp[CT_EXPORT_TIMESTAMP];
    json_t *entry = ct_json_stored(r->configuration);
    struct ct_str key;

    ct_str_init(&key);
    for (size_t i = 0; i < json_array_size(keys); i++)
        put_key(&key, json_object_get(entry, json_string_value(json_array_get(keys, i))));
    json_object_set_new(entry, "time",
                        strcmp(r->status, "ok") == 0 && r->time_ns > 0
                            ? ct_export_milliseconds(r->time_ns)
                            : json_string(error_of(r->status)));
    json_object_set_new(entry, "times", ct_export_samples(r));
    if (strcmp(r->status, "ok") == 0 && isfinite(r->objective_value) &&
        strcmp(r->stored.objective, "time") != 0 &&
        !json_object_get(entry, r->stored.objective))
        json_object_set_new(entry, r->stored.objective,
                            strcmp(r->stored.objective, "end_to_end") == 0
                                ? ct_export_milliseconds(r->objective_value)
                                : json_real(r->objective_value));
    json_object_set_new(entry, "compile_time",
                        ct_export_milliseconds((double)r->spent.build_ns));
    json_object_set_new(entry, "verification_time",
                        ct_export_milliseconds((double)r->spent.check_ns));
    json_object_set_new(
        entry, "benchmark_time",
        ct_export_milliseconds((double)r->spent.first_ns + (double)r->spent.measure_ns));
    json_object_set_new(entry, "strategy_time", json_real(0.0));
    json_object_set_new(entry, "framework_time", json_real(0.0));
    json_object_set_new(entry, "timestamp",
                        json_string(ct_export_timestamp(timestamp, r->measured_unix_s)));
    if (json_object_get(cache, key.data))
        json_decref(entry);
    else
        json_object_set_new(cache, key.data, entry);
    ct_str_release(&key);
}

/* The sizes as a list of integers, as far as they are such. */
static json_t *problem_json(const struct ct_export_answer *answer)
{
    json_t *list = json_array();

    for (size_t i = 0; i < answer->problem_count; i++)
        if (answer->problem[i].value.kind == CT_INT)
            json_array_append_new(list, json_integer(answer->problem[i].value.u.i));
    return list;
}

/* Whether a value is in a list. */
static bool holds(const json_t *list, const json_t *value)
{
    bool found = false;

    for (size_t i = 0; i < json_array_size(list); i++)
        found |= json_equal(json_array_get(list, i), value);
    return found;
}

/* The values of parameters that some result has, in the order of the space file. */
static json_t *params_json(const struct ct_export_set *set, json_t *keys)
{
    json_t *declared = ct_json_stored(set->space->parameters);
    json_t *params = json_object();
    const char *name;
    json_t *values;

    for (size_t i = 0; i < set->answers->config_count; i++) {
        json_array_append_new(keys, ct_json_text(set->answers->config[i].name));
        json_object_set_new(params, set->answers->config[i].name, json_array());
    }
    json_object_foreach(declared, name, values)
    {
        if (json_object_get(params, name) && json_is_array(values))
            json_object_set(params, name, values);
    }
    for (size_t r = 0; r < set->results->count; r++) {
        json_t *config = ct_json_stored(set->results->items[r].result.configuration);
        json_t *value;

        json_object_foreach(config, name, value)
        {
            json_t *list = json_object_get(params, name);

            if (list && !holds(list, value))
                json_array_append(list, value);
        }
        json_decref(config);
    }
    json_decref(declared);
    return params;
}

static enum ct_status put_cache(struct ct_str *out, const struct ct_export_set *set,
                                struct ct_str *notes, struct ct_err *err)
{
    const struct ct_export_answer *answer = set->answers;
    json_t *cache;
    json_t *keys;
    json_t *params;
    enum ct_status status = check_names(answer, err);

    (void)notes;
    if (status != CT_OK)
        return status;
    cache = json_object();
    keys = json_array();
    params = params_json(set, keys);
    for (size_t i = 0; i < set->results->count; i++)
        if (strcmp(set->results->items[i].result.status, "interrupted") != 0)
            add_entry(cache, keys, &set->results->items[i].result);
    ct_export_put_json(
        out,
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema_version", "1.1.0",
                  "device_name", ct_json_text(answer->device), "kernel_name",
                  ct_json_text(answer->kernel), "problem_size", problem_json(answer),
                  "tune_params_keys", keys, "tune_params", params, "objective",
                  ct_json_text(answer->stored->objective), "cache", cache),
        ct_export_digits(set));
    return CT_OK;
}

const struct ct_export ct_export_kernel_tuner = {
    .name = "kernel-tuner",
    .help = "all results, as a cache file of Kernel Tuner",
    .put_all = put_cache,
    .one = true,
    .all_results = true,
    .tells_staleness = true,
};
