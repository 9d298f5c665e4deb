// SPDX-License-Identifier: Apache-2.0
// Common JSON values.
#include "plan/json.h"

#include "base/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MOST = 40 };

/* Puts a real of JSON into the fewest digits; returns its length, which was `length`. */
static size_t shorten(char number[NUMBER_MOST], size_t length)
{
    double value = strtod(number, NULL);

    for (int digits = 15; digits < 17; digits++) {
        char shorter[NUMBER_MOST];

        snprintf(shorter, sizeof(shorter), "%.*g", digits, value);
        if (!strpbrk(shorter, ".e"))
            memcpy(shorter + strlen(shorter), ".0", sizeof(".0"));
        if (strlen(shorter) < length && strtod(shorter, NULL) == value) {
            memcpy(number, shorter, strlen(shorter) + 1);
            return strlen(shorter);
        }
    }
    return length;
}

/* Moves the number at `from` to `to`, which is not behind it, and shortens it; returns its length
 * there. */
static size_t move_number(char *to, const char *from, size_t length)
{
    char number[NUMBER_MOST];

    if (length >= sizeof(number) ||
        !(memchr(from, '.', length) || memchr(from, 'e', length))) {
        memmove(to, from, length);
        return length;
    }
    memcpy(number, from, length);
    number[length] = '\0';
    length = shorten(number, length);
    memcpy(to, number, length);
    return length;
}

char *ct_json_dump(const json_t *json, size_t flags)
{
    char *text = json_dumps(json, flags | JSON_REAL_PRECISION(17));
    const char *from = text;
    char *to = text;
    bool quoted = false;

    while (from && *from) {
        size_t length =
            quoted || !strchr("-0123456789", *from) ? 0 : strspn(from, "+-.0123456789eE");

        if (length) {
            to += move_number(to, from, length);
            from += length;
            continue;
        }
        if (*from == '"')
            quoted = !quoted;
        else if (*from == '\\')
            *to++ = *from++;
        *to++ = *from++;
    }
    if (to)
        *to = '\0';
    return text;
}

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
