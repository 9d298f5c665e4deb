// SPDX-License-Identifier: Apache-2.0
// Parts of an answer as text, for export formats and what is said about them.
#include "report/export.h"

#include "base/show.h"
#include "plan/json.h"
#include "report/format.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_shown(struct ct_str *out, const char *text)
{
    ct_show_add(out, text, strlen(text), CT_SHOW_LINE);
}

void ct_export_put_values(struct ct_str *out, const cltunedb_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            ct_str_putc(out, ' ');
        put_shown(out, values[i].name);
        ct_str_putc(out, '=');
        if (values[i].kind == CLTUNEDB_INT) {
            ct_value_print(out, ct_value_int(values[i].i));
        } else if (values[i].kind == CLTUNEDB_REAL) {
            ct_value_print(out, ct_value_real(values[i].r));
        } else if (*values[i].s && !strpbrk(values[i].s, " -'")) {
            put_shown(out, values[i].s);
        } else {
            ct_str_putc(out, '\'');
            put_shown(out, values[i].s);
            ct_str_putc(out, '\'');
        }
    }
}

static bool is_time(const cltunedb_answer *a)
{
    return strcmp(a->objective, "time") == 0;
}

const char *ct_export_format_value(char *text, const cltunedb_answer *a, double value)
{
    return is_time(a) || strcmp(a->objective, "end_to_end") == 0
               ? ct_format_time(text, value)
               : ct_format_real(text, value);
}

bool ct_export_put_objective(struct ct_str *out, const cltunedb_answer *a)
{
    char text[CT_FORMAT_SIZE];

    if (is_time(a))
        return false;
    ct_str_addf(out, "%s %s", a->objective,
                ct_export_format_value(text, a, a->objective_value));
    if (isfinite(a->default_value))
        ct_str_addf(out, ", the default %s",
                    ct_export_format_value(text, a, a->default_value));
    return true;
}

double ct_export_gain(const cltunedb_answer *a)
{
    double value = is_time(a) ? a->time_ns : a->objective_value;
    double before = is_time(a) ? a->default_time_ns : a->default_value;

    if (!(value > 0) || !(before > 0))
        return NAN;
    return a->maximize ? value / before : before / value;
}

static const char unknown_limits[] =
    "whether it runs on your device is not known: that needs %s of it; --assume gives limits";

void ct_export_put_limits(struct ct_str *out, const char *limits)
{
    ct_str_addf(out, unknown_limits, limits);
}

void ct_export_show_texts(struct ct_arena *arena, cltunedb_answer *a)
{
    a->kernel = ct_show_line(arena, a->kernel);
    a->device_name = ct_show_line(arena, a->device_name);
    a->device_vendor = ct_show_line(arena, a->device_vendor);
    a->device_type = ct_show_line(arena, a->device_type);
    a->driver_version = ct_show_line(arena, a->driver_version);
    a->flags = ct_show_line(arena, a->flags);
    a->objective = ct_show_line(arena, a->objective);
    a->unknown_limits = ct_show_line(arena, a->unknown_limits);
}

void ct_export_put_json(struct ct_str *out, json_t *json, unsigned digits)
{
    char *text = digits < 17
                     ? json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(digits))
                     : ct_json_dump(json, JSON_INDENT(2));

    if (text)
        ct_str_puts(out, text);
    ct_str_putc(out, '\n');
    out->failed |= !text;
    free(text);
    json_decref(json);
}
