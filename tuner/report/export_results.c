// SPDX-License-Identifier: Apache-2.0
// What the formats with all results of a search have in common.
#include "report/export_results.h"

#include "plan/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

json_t *ct_export_milliseconds(double ns)
{
    return json_real(isfinite(ns) ? ns / 1e6 : 0.0);
}

json_t *ct_export_samples(const struct ct_db_result *result)
{
    json_t *list = json_array();

    for (size_t i = 0; i < result->samples.count; i++)
        json_array_append_new(list, ct_export_milliseconds(result->samples.ns[i]));
    return list;
}

static bool needs_all_digits(const char *configuration)
{
    json_t *values = ct_json_stored(configuration);
    bool needs = false;
    const char *name;
    json_t *value;

    json_object_foreach(values, name, value)
    {
        char text[32];

        if (!json_is_real(value))
            continue;
        snprintf(text, sizeof(text), "%.15g", json_real_value(value));
        needs = needs || strtod(text, NULL) != json_real_value(value);
    }
    json_decref(values);
    return needs;
}

unsigned ct_export_digits(const struct ct_export_set *set)
{
    for (size_t i = 0; i < set->results->count; i++)
        if (needs_all_digits(set->results->items[i].result.configuration))
            return 17;
    return 15;
}

const char *ct_export_timestamp(char text[CT_EXPORT_TIMESTAMP], int64_t unix_s)
{
    time_t seconds = (time_t)unix_s;
    struct tm parts;

    if (!gmtime_r(&seconds, &parts) || parts.tm_year > 8000 ||
        !strftime(text, CT_EXPORT_TIMESTAMP, "%Y-%m-%dT%H:%M:%S+00:00", &parts))
        snprintf(text, CT_EXPORT_TIMESTAMP, "1970-01-01T00:00:00+00:00");
    return text;
}
