// SPDX-License-Identifier: Apache-2.0
// Common JSON values.
#include "plan/json.h"

#include "base/show.h"

#include <math.h>

json_t *ct_json_text(const char *text)
{
    json_t *json = json_string(text);
    struct ct_str valid;

    if (json)
        return json;
    ct_str_init(&valid);
    ct_show_utf8(&valid, text, "\\x");
    json = valid.failed ? json_null() : json_string(valid.data);
    ct_str_release(&valid);
    return json;
}

json_t *ct_json_stored(const char *text)
{
    struct ct_str valid;
    json_t *json;

    ct_str_init(&valid);
    ct_show_utf8(&valid, text, "\\\\x");
    json = *text && !valid.failed ? json_loads(valid.data, 0, NULL) : NULL;
    ct_str_release(&valid);
    return json ? json : json_null();
}

json_t *ct_json_time(double ns)
{
    return ns > 0 && isfinite(ns) ? json_real(ns) : json_null();
}

json_t *ct_json_value(const struct ct_value *value)
{
    switch (value->kind) {
    case CT_INT:
        return json_integer(value->u.i);
    case CT_REAL:
        return json_real(value->u.r);
    case CT_TEXT:
        return ct_json_text(value->u.s);
    case CT_NONE:
        break;
    }
    return json_null();
}

json_t *ct_json_values(const struct ct_spec *spec, const struct ct_value *values)
{
    json_t *object = json_object();

    for (size_t p = 0; p < spec->param_count; p++)
        json_object_set_new(object, spec->slots.symbols[spec->params[p].slot].name,
                            ct_json_value(&values[p]));
    return object;
}

json_t *ct_json_problem(const struct ct_binding *binding)
{
    json_t *object = json_object();

    for (size_t i = 0; i < binding->spec->slots.count; i++)
        if (binding->spec->slots.symbols[i].class == CT_SYM_PROBLEM)
            json_object_set_new(object, binding->spec->slots.symbols[i].name,
                                ct_json_value(&binding->fixed[i]));
    return object;
}

bool ct_json_read_value(const json_t *json, struct ct_value *out)
{
    if (json_is_integer(json))
        *out = ct_value_int(json_integer_value(json));
    else if (json_is_real(json))
        *out = ct_value_real(json_real_value(json));
    else if (json_is_boolean(json))
        *out = ct_value_int(json_is_true(json));
    else if (json_is_string(json))
        *out = ct_value_text(json_string_value(json));
    else
        return false;
    return true;
}
