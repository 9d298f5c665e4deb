// SPDX-License-Identifier: Apache-2.0
// "cltune best --format t4": all results of a kernel on a device for a problem, in the results
// format of the auto-tuning community (T4, version 1.0.0).  Durations are in milliseconds.
#include "report/export.h"

#include "plan/json.h"
#include "report/export_results.h"

#include <math.h>
#include <string.h>

/* T4's words for outcomes; an interrupted evaluation has none. */
static const char *invalidity_of(const char *status)
{
    static const struct {
        const char *status;
        const char *word;
    } words[] = {
        {"ok", "correct"},          {"build_failed", "compile"},
        {"invalid", "constraints"}, {"wrong", "correctness"},
        {"crashed", "runtime"},     {"timeout", "timeout"},
        {"skipped", "constraints"},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(words[i].status, status) == 0)
            return words[i].word;
    return NULL;
}

static json_t *times_json(const struct ct_db_result *r)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "compilation_time",
                     ct_export_milliseconds((double)r->spent.build_ns), "runtimes",
                     ct_export_samples(r), "framework", json_real(0.0),
                     "search_algorithm", json_real(0.0), "validation",
                     ct_export_milliseconds((double)r->spent.check_ns));
}

static void add_measurement(json_t *list, const char *name, double value,
                            const char *unit)
{
    if (isfinite(value))
        json_array_append_new(list,
                              json_pack("{s:o, s:f, s:s}", "name", ct_json_text(name),
                                        "value", value, "unit", unit));
}

static json_t *measurements_json(const struct ct_db_result *r)
{
    json_t *list = json_array();
    const char *objective = r->stored.objective;

    if (strcmp(r->status, "ok") != 0)
        return list;
    add_measurement(list, "time", r->time_ns / 1e6, "milliseconds");
    if (strcmp(objective, "end_to_end") == 0)
        add_measurement(list, objective, r->objective_value / 1e6, "milliseconds");
    else if (strcmp(objective, "time") != 0)
        add_measurement(list, objective, r->objective_value, "");
    return list;
}

static json_t *result_json(const struct ct_db_result *r, const char *invalidity)
{
    char timestamp[CT_EXPORT_TIMESTAMP];

    return json_pack("{s:s, s:o, s:o, s:o, s:s, s:i, s:o}", "timestamp",
                     ct_export_timestamp(timestamp, r->measured_unix_s), "configuration",
                     ct_json_stored(r->configuration), "objectives",
                     json_pack("[o]", ct_json_text(r->stored.objective)), "times",
                     times_json(r), "invalidity", invalidity, "correctness",
                     strcmp(r->status, "wrong") == 0 ? 0 : 1, "measurements",
                     measurements_json(r));
}

static enum ct_status put_t4(struct ct_str *out, const struct ct_export_set *set,
                             struct ct_str *notes, struct ct_err *err)
{
    json_t *results = json_array();
    const struct ct_export_answer *answer = set->answers;

    (void)notes;
    (void)err;
    for (size_t i = 0; i < set->results->count; i++) {
        const struct ct_db_result *r = &set->results->items[i].result;
        const char *invalidity = invalidity_of(r->status);

        if (invalidity)
            json_array_append_new(results, result_json(r, invalidity));
    }
    ct_export_put_json(
        out,
        json_pack("{s:s, s:{s:s, s:s, s:o, s:o, s:o, s:o}, s:o}", "schema_version",
                  "1.0.0", "metadata", "autotuner", "cltune", "timeunit", "milliseconds",
                  "kernel", ct_json_text(answer->kernel), "device",
                  ct_json_text(answer->device), "driver", ct_json_text(answer->driver),
                  "problem", ct_json_stored(answer->stored->problem_json), "results",
                  results),
        ct_export_digits(set));
    return CT_OK;
}

const struct ct_export ct_export_t4 = {
    .name = "t4",
    .help = "all results, in the T4 format",
    .put_all = put_t4,
    .one = true,
    .all_results = true,
    .tells_staleness = true,
};
