// SPDX-License-Identifier: Apache-2.0
// "cltune best --format json": everything about each answer, as doc/best.schema.json describes.
#include "report/export.h"

#include "plan/json.h"
#include "report/stale.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

/* Of doc/best.schema.json: grows when a member is removed or gets another meaning. */
enum { SCHEMA_VERSION = 1 };

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *answer_json(const struct ct_export_answer *answer)
{
    const cltunedb_answer *a = answer->stored;
    json_t *object = json_object();

    json_object_set_new(object, "schema_version", json_integer(SCHEMA_VERSION));
    json_object_set_new(object, "kernel", ct_json_text(a->kernel));
    json_object_set_new(object, "device", ct_json_text(a->device_name));
    json_object_set_new(object, "vendor", ct_json_text(a->device_vendor));
    json_object_set_new(object, "type", ct_json_text(a->device_type));
    json_object_set_new(object, "driver", ct_json_text(a->driver_version));
    json_object_set_new(object, "problem", ct_json_stored(a->problem_json));
    json_object_set_new(object, "objective", ct_json_text(a->objective));
    json_object_set_new(object, "objective_value", real_or_null(a->objective_value));
    json_object_set_new(object, "direction",
                        ct_json_text(a->maximize ? "maximize" : "minimize"));
    json_object_set_new(object, "configuration", ct_json_stored(a->configuration_json));
    json_object_set_new(object, "flags", ct_json_text(answer->flags));
    json_object_set_new(object, "stale_macros", ct_json_text(answer->stale));
    json_object_set_new(object, "time_ns", real_or_null(a->time_ns));
    json_object_set_new(object, "low_ns", real_or_null(a->low_ns));
    json_object_set_new(object, "high_ns", real_or_null(a->high_ns));
    json_object_set_new(object, "default_time_ns", real_or_null(a->default_time_ns));
    json_object_set_new(object, "default_value", real_or_null(a->default_value));
    json_object_set_new(object, "end_to_end_ns", real_or_null(a->end_to_end_ns));
    json_object_set_new(object, "end_to_end_low_ns", real_or_null(a->end_to_end_low_ns));
    json_object_set_new(object, "end_to_end_high_ns",
                        real_or_null(a->end_to_end_high_ns));
    json_object_set_new(object, "rounds", json_integer(a->rounds));
    json_object_set_new(object, "tied", json_integer(a->tied_count));
    json_object_set_new(object, "unverified", json_boolean(!a->verified));
    json_object_set_new(object, "metrics", ct_json_stored(a->metrics_json));
    json_object_set_new(object, "observed", ct_json_stored(a->observed_json));
    json_object_set_new(object, "evidence",
                        ct_json_text(cltunedb_evidence_text(a->evidence)));
    json_object_set_new(object, "unknown_limits", ct_json_text(a->unknown_limits));
    json_object_set_new(object, "outdated", json_boolean(a->outdated));
    json_object_set_new(object, "relative_performance",
                        real_or_null(a->relative_performance));
    json_object_set_new(object, "candidate", json_integer(a->candidate));
    json_object_set_new(object, "coverage", real_or_null(a->coverage));
    json_object_set_new(object, "layer",
                        ct_json_text(a->layer_number ? a->layer_path : ""));
    json_object_set_new(object, "stale", ct_stale_json(a));
    json_object_set_new(object, "experiment", ct_json_text(a->experiment));
    json_object_set_new(object, "measured_unix_s",
                        json_integer((json_int_t)a->measured_unix_s));
    return object;
}

static enum ct_status put_json(struct ct_str *out, const struct ct_export_set *set,
                               struct ct_str *notes, struct ct_err *err)
{
    json_t *array = json_array();

    (void)notes;
    (void)err;
    for (size_t i = 0; i < set->count; i++)
        json_array_append_new(array, answer_json(&set->answers[i]));
    ct_export_put_json(out, array, 17);
    return CT_OK;
}

const struct ct_export ct_export_json = {
    .name = "json",
    .help = "JSON",
    .put_all = put_json,
    .tells_staleness = true,
};
