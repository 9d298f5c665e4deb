// SPDX-License-Identifier: Apache-2.0
// "cltune best --format clblast": all results of a kernel on a device for a problem, as CLBlast's
// tuners write them.  Times are in milliseconds; its parameters are integers.
#include "report/export.h"

#include "plan/json.h"
#include "report/export_results.h"

#include <math.h>
#include <string.h>

/* A value as CLBlast writes it beside results: as text. */
static json_t *text_json(struct ct_value value)
{
    struct ct_str text;
    json_t *json;

    ct_str_init(&text);
    ct_value_print(&text, value);
    json = ct_json_text(text.data);
    ct_str_release(&text);
    return json;
}

/* CLBlast writes and reads nothing else. */
static enum ct_status check_integers(const struct ct_export_answer *answer,
                                     struct ct_err *err)
{
    for (size_t i = 0; i < answer->config_count; i++)
        if (answer->config[i].value.kind != CT_INT)
            return ct_err_set(
                err, CT_E_DB,
                "parameter %s of kernel %s is not an integer, and CLBlast's "
                "format has integers only; use --format t4",
                answer->config[i].name, answer->kernel);
    return CT_OK;
}

/* What identifies the precision of a kernel there: a parameter or size of that name. */
static void add_precision(json_t *root, const struct ct_export_answer *answer,
                          struct ct_str *notes)
{
    const struct ct_export_value *lists[] = {answer->config, answer->problem};
    size_t counts[] = {answer->config_count, answer->problem_count};

    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < counts[l]; i++)
            if (strcmp(lists[l][i].name, "PRECISION") == 0) {
                json_object_set_new(root, "precision", text_json(lists[l][i].value));
                return;
            }
    json_object_set_new(root, "precision", json_string("32"));
    ct_str_puts(notes,
                "the precision is not known: 32 is written; add a parameter or a size "
                "PRECISION to the space file to change that\n");
}

static void add_sizes(json_t *root, const struct ct_export_answer *answer)
{
    for (size_t i = 0; i < answer->problem_count; i++) {
        struct ct_str name;

        ct_str_init(&name);
        ct_str_addf(&name, "arg_%s", answer->problem[i].name);
        json_object_set_new(root, name.data, text_json(answer->problem[i].value));
        ct_str_release(&name);
    }
}

/* "WG=64 VEC=4". */
static json_t *joined_json(const struct ct_export_answer *answer)
{
    struct ct_str text;
    json_t *json;

    ct_str_init(&text);
    for (size_t i = 0; i < answer->config_count; i++) {
        ct_str_addf(&text, "%s%s=", i ? " " : "", answer->config[i].name);
        ct_value_print(&text, answer->config[i].value);
    }
    json = ct_json_text(text.data);
    ct_str_release(&text);
    return json;
}

static void add_device(json_t *root, const struct ct_export_answer *answer)
{
    struct ct_str units;

    ct_str_init(&units);
    ct_str_addf(&units, "%u", answer->stored->compute_units);
    json_object_set_new(root, "clblast_device_type", ct_json_text(answer->type));
    json_object_set_new(root, "clblast_device_vendor", ct_json_text(answer->vendor));
    json_object_set_new(root, "clblast_device_architecture", json_string(""));
    json_object_set_new(root, "clblast_device_name", ct_json_text(answer->device));
    json_object_set_new(root, "device", ct_json_text(answer->device));
    json_object_set_new(root, "device_vendor", ct_json_text(answer->vendor));
    json_object_set_new(root, "device_type", ct_json_text(answer->type));
    json_object_set_new(root, "device_core_clock", json_string("0"));
    json_object_set_new(root, "device_compute_units", json_string(units.data));
    ct_str_release(&units);
}

static enum ct_status put_clblast(struct ct_str *out, const struct ct_export_set *set,
                                  struct ct_str *notes, struct ct_err *err)
{
    const struct ct_export_answer *answer = set->answers;
    json_t *root;
    json_t *results;
    enum ct_status status = check_integers(answer, err);

    if (status != CT_OK)
        return status;
    root = json_object();
    results = json_array();
    json_object_set_new(root, "kernel_family", ct_json_text(answer->kernel));
    add_precision(root, answer, notes);
    add_sizes(root, answer);
    json_object_set_new(root, "best_kernel", ct_json_text(answer->kernel));
    json_object_set_new(root, "best_time", ct_export_milliseconds(answer->time_ns));
    json_object_set_new(root, "best_parameters", joined_json(answer));
    add_device(root, answer);
    for (size_t i = 0; i < set->results->count; i++) {
        const struct ct_db_result *r = &set->results->items[i].result;

        if (strcmp(r->status, "ok") == 0 && r->time_ns > 0)
            json_array_append_new(results, json_pack("{s:o, s:o, s:o}", "kernel",
                                                     ct_json_text(answer->kernel), "time",
                                                     ct_export_milliseconds(r->time_ns),
                                                     "parameters",
                                                     ct_json_stored(r->configuration)));
    }
    json_object_set_new(root, "results", results);
    ct_export_put_json(out, root, 15);
    return CT_OK;
}

const struct ct_export ct_export_clblast = {
    .name = "clblast",
    .help = "all results, as CLBlast's tuners write them",
    .put_all = put_clblast,
    .one = true,
    .all_results = true,
    .tells_staleness = true,
};
