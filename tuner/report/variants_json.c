// SPDX-License-Identifier: Apache-2.0
// Few configurations for many devices and problems as JSON, as doc/variants.schema.json describes.
#include "report/variants.h"

#include "plan/json.h"
#include "report/export.h"
#include "report/print.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

/* Of doc/variants.schema.json: grows when a member is removed or gets another meaning. */
enum { SCHEMA_VERSION = 1 };

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *variant_json(const struct ct_report_variant *variant)
{
    json_t *object = json_object();

    json_object_set_new(object, "configuration",
                        ct_json_stored(variant->result.configuration));
    json_object_set_new(object, "flags",
                        variant->same_flags ? ct_json_text(variant->flags) : json_null());
    json_object_set_new(object, "cases", json_integer((json_int_t)variant->points));
    json_object_set_new(object, "worst_loss", json_real(variant->worst_loss));
    return object;
}

static json_t *point_json(const struct ct_report_choice *choice, size_t p)
{
    const struct ct_db_point *point = &choice->points->points[p];
    json_t *object = json_object();

    json_object_set_new(object, "device", ct_json_text(point->device_name));
    json_object_set_new(object, "vendor", ct_json_text(point->device_vendor));
    json_object_set_new(object, "type", ct_json_text(point->device_type));
    json_object_set_new(object, "driver", ct_json_text(point->driver_version));
    json_object_set_new(object, "problem", ct_json_stored(point->problem_json));
    json_object_set_new(object, "weight", json_real(point->weight));
    json_object_set_new(object, "best_value", real_or_null(point->best));
    json_object_set_new(object, "variant",
                        json_integer((json_int_t)choice->variants->of_point[p]));
    json_object_set_new(object, "value", real_or_null(choice->results[p].value));
    json_object_set_new(object, "loss", json_real(choice->variants->losses[p]));
    json_object_set_new(object, "flags", ct_json_text(choice->results[p].flags));
    return object;
}

static json_t *threshold_json(struct ct_value value)
{
    return value.kind == CT_TEXT  ? ct_json_text(value.u.s)
           : value.kind == CT_INT ? json_integer(value.u.i)
                                  : json_real(value.u.r);
}

/* A list of nodes: trees may be deeper than readers of JSON like. */
static json_t *node_json(const struct ct_selector *selector,
                         const struct ct_selector_node *node)
{
    const struct ct_selector_feature *feature = &selector->features[node->feature];
    json_t *object = json_object();

    if (node->leaf) {
        json_object_set_new(object, "variant", json_integer((json_int_t)node->variant));
        json_object_set_new(object, "loss", json_real(node->loss));
        json_object_set_new(object, "cases", json_integer((json_int_t)node->points));
        return object;
    }
    json_object_set_new(object, feature->fact == CT_FACT_COUNT ? "size" : "fact",
                        ct_json_text(feature->name));
    json_object_set_new(object, feature->kind == CT_TEXT ? "equals" : "at_most",
                        threshold_json(node->threshold));
    json_object_set_new(object, "yes", json_integer((json_int_t)node->yes));
    json_object_set_new(object, "no", json_integer((json_int_t)node->no));
    return object;
}

enum ct_status ct_report_choice_json(const struct ct_report_choice *choice,
                                     struct ct_err *err)
{
    const struct ct_variants *variants = choice->variants;
    json_t *object = json_object();
    json_t *list = json_array();
    struct ct_str out;
    enum ct_status status;

    json_object_set_new(object, "schema_version", json_integer(SCHEMA_VERSION));
    json_object_set_new(object, "kernel", ct_json_text(choice->points->kernel));
    json_object_set_new(object, "objective", ct_json_text(choice->points->objective));
    json_object_set_new(object, "direction",
                        json_string(choice->points->maximize ? "maximize" : "minimize"));
    json_object_set_new(object, "portable", json_boolean(choice->portable));
    json_object_set_new(object, "exact", json_boolean(variants->exact));
    json_object_set_new(object, "worst_loss", json_real(variants->worst_loss));
    json_object_set_new(object, "mean_performance", json_real(variants->mean));
    json_object_set_new(object, "size_macros", ct_json_text(choice->size_macros));
    for (size_t i = 0; i < variants->count; i++)
        json_array_append_new(list, variant_json(&choice->each[i]));
    json_object_set_new(object, "variants", list);
    list = json_array();
    for (size_t p = 0; p < choice->points->point_count; p++)
        json_array_append_new(list, point_json(choice, p));
    json_object_set_new(object, "cases", list);
    list = choice->selector ? json_array() : json_null();
    for (size_t i = 0; choice->selector && i < choice->selector->node_count; i++)
        json_array_append_new(list,
                              node_json(choice->selector, &choice->selector->nodes[i]));
    json_object_set_new(object, "tree", list);
    ct_str_init(&out);
    ct_export_put_json(&out, object, 17);
    status = out.failed ? ct_err_nomem(err) : CT_OK;
    if (status == CT_OK)
        ct_print_bytes(out.data, out.length);
    ct_str_release(&out);
    return status;
}
