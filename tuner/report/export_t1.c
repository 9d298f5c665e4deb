// SPDX-License-Identifier: Apache-2.0
// "cltune best --format t1": the search space of a kernel in the input format of the auto-tuning
// community (T1, version 1.0.0): parameters, and constraints as Python reads them.  Launch sizes
// and the kernel's file are in the space file alone and stay empty.
#include "report/export.h"

#include "base/show.h"
#include "plan/json.h"
#include "report/python_expr.h"

#include <string.h>

static const char *type_of(const json_t *values)
{
    const char *type = "int";

    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *value = json_array_get(values, i);

        if (json_is_string(value))
            return "string";
        if (json_is_real(value))
            type = "float";
    }
    return type;
}

static void add_parameter(json_t *list, const char *name, const json_t *values)
{
    /* Python and JSON read it alike: no pairs of surrogates. */
    char *text = ct_json_dump(values, 0);

    if (text)
        json_array_append_new(list,
                              json_pack("{s:o, s:s, s:s}", "Name", ct_json_text(name),
                                        "Type", type_of(values), "Values", text));
    free(text);
}

static json_t *parameters_json(const struct ct_export_set *set)
{
    json_t *declared = ct_json_stored(set->space->parameters);
    json_t *list = json_array();
    const char *name;
    json_t *values;

    json_object_foreach(declared, name, values)
    {
        if (json_is_array(values))
            add_parameter(list, name, values);
    }
    json_decref(declared);
    return list;
}

static void note_left_out(struct ct_str *notes, const char *name)
{
    ct_str_puts(notes, "constraint ");
    ct_show_add(notes, name, strlen(name), CT_SHOW_LINE);
    ct_str_puts(notes,
                " is left out: it has names or functions that T1 lacks; the exported "
                "space is larger\n");
}

static json_t *conditions_json(const struct ct_export_set *set, struct ct_str *notes)
{
    json_t *stored = ct_json_stored(set->space->constraints);
    json_t *list = json_array();
    size_t i;
    json_t *item;

    json_array_foreach(stored, i, item)
    {
        const char *name = json_string_value(json_object_get(item, "name"));
        const char *text = json_string_value(json_object_get(item, "expression"));
        json_t *params = json_array();
        struct ct_str python;

        ct_str_init(&python);
        if (text && ct_python_expr_put(&python, set->answers, text, params))
            json_array_append_new(list,
                                  json_pack("{s:O, s:o}", "Parameters", params,
                                            "Expression", ct_json_text(python.data)));
        else
            note_left_out(notes, name ? name : "");
        ct_str_release(&python);
        json_decref(params);
    }
    json_decref(stored);
    return list;
}

static enum ct_status put_t1(struct ct_str *out, const struct ct_export_set *set,
                             struct ct_str *notes, struct ct_err *err)
{
    const struct ct_export_answer *answer = set->answers;

    (void)err;
    ct_export_put_json(
        out,
        json_pack(
            "{s:{s:i, s:s}, s:{s:o, s:o}, s:{s:{s:o}, s:s, s:o, s:s, s:{s:s}, s:{s:s}}}",
            "General", "FormatVersion", 1, "TimeUnit", "Milliseconds",
            "ConfigurationSpace", "TuningParameters", parameters_json(set), "Conditions",
            conditions_json(set, notes), "KernelSpecification", "Device", "Name",
            ct_json_text(answer->device), "Language", "OpenCL", "KernelName",
            ct_json_text(answer->kernel), "KernelFile", "", "GlobalSize", "X", "",
            "LocalSize", "X", ""),
        15);
    return CT_OK;
}

const struct ct_export ct_export_t1 = {
    .name = "t1",
    .help = "the search space, in the T1 format",
    .put_all = put_t1,
    .one = true,
    .all_results = true,
    .tells_staleness = true,
};
