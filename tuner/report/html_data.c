// SPDX-License-Identifier: Apache-2.0
// Writes the data of a report: columns of numbers, and texts that are harmless in HTML.
#include "report/html.h"

#include "plan/json.h"
#include "report/importance.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends JSON text with the characters that begin HTML, which stand in its strings alone, as
 * escapes. */
static void put_harmless(struct ct_str *out, const char *json)
{
    while (*json) {
        size_t plain = strcspn(json, "<>&");

        ct_str_add(out, json, plain);
        json += plain;
        if (*json)
            ct_str_addf(out, "\\u%04x", (unsigned)(unsigned char)*json++);
    }
}

/* Appends a value and releases it. */
static void put_json(struct ct_str *out, json_t *value)
{
    char *text = ct_json_dump(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII);

    json_decref(value);
    if (text)
        put_harmless(out, text);
    else
        out->failed = true;
    free(text);
}

static void put_name(struct ct_str *out, const char *name)
{
    ct_str_addf(out, ",\"%s\":", name);
}

static void put_text(struct ct_str *out, const char *name, const char *text)
{
    put_name(out, name);
    put_json(out, ct_json_text(text));
}

/* A stored object; {} if there is none. */
static void put_stored(struct ct_str *out, const char *name, const char *text)
{
    put_name(out, name);
    put_json(out, text && *text ? ct_json_stored(text) : json_object());
}

/* Six digits are more than a measured time has. */
static void put_real(struct ct_str *out, double value)
{
    if (isfinite(value))
        ct_str_addf(out, "%.6g", value);
    else
        ct_str_puts(out, "null");
}

static void put_named_real(struct ct_str *out, const char *name, double value)
{
    put_name(out, name);
    put_real(out, value);
}

/* snprintf takes most of the time of a large report. */
static void put_int(struct ct_str *out, int64_t value)
{
    char digits[24];
    size_t at = sizeof(digits);
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    do {
        digits[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left);
    if (value < 0)
        digits[--at] = '-';
    ct_str_add(out, digits + at, sizeof(digits) - at);
}

static void put_comma(struct ct_str *out, size_t i)
{
    if (i)
        ct_str_putc(out, ',');
}

/* A time: whole nanoseconds where these are precise enough. */
static void put_time(struct ct_str *out, double ns)
{
    if (ns >= 100000 && ns < 1e6)
        put_int(out, (int64_t)(ns + 0.5));
    else
        put_real(out, ns);
}

/* --- columns --- */

static void put_statuses(struct ct_str *out, const struct ct_stored_subject *s)
{
    ct_str_puts(out, ",\"status\":\"");
    for (size_t i = 0; i < s->count; i++)
        ct_str_putc(out, (char)('0' + s->rows[i].status));
    ct_str_puts(out, "\",\"time\":[");
    for (size_t i = 0; i < s->count; i++) {
        put_comma(out, i);
        put_time(out, s->rows[i].status ? NAN : s->rows[i].time_ns);
    }
    ct_str_putc(out, ']');
}

/* The part of the time, in units of 1/10000, that a bound is away from it. */
static void put_part(struct ct_str *out, double time_ns, double distance)
{
    double part = distance / time_ns * 1e4;

    if (part >= 0 && part < 1e9)
        put_int(out, (int64_t)(part + 0.5));
    else
        ct_str_puts(out, "null");
}

static void put_intervals(struct ct_str *out, const struct ct_stored_subject *s)
{
    ct_str_puts(out, ",\"interval\":[");
    for (size_t i = 0; i < s->count; i++) {
        const struct ct_stored_row *row = &s->rows[i];

        put_comma(out, i);
        put_part(out, row->time_ns, row->time_ns - row->low_ns);
        ct_str_putc(out, ',');
        put_part(out, row->time_ns, row->high_ns - row->time_ns);
    }
    ct_str_putc(out, ']');
}

/* When each was measured, as the difference from the one before; the times of the search of those
 * in a play-off; and the run of each, as pairs of number and count. */
static void put_history(struct ct_str *out, const struct ct_stored_subject *s)
{
    int64_t before = 0;
    size_t written = 0;

    ct_str_puts(out, ",\"seconds\":[");
    for (size_t i = 0; i < s->count; i++) {
        put_comma(out, i);
        put_int(out, s->rows[i].measured_unix_s - before);
        before = s->rows[i].measured_unix_s;
    }
    ct_str_puts(out, "],\"raw\":[");
    for (size_t i = 0; i < s->count; i++)
        if (s->rows[i].rounds) {
            put_comma(out, written++);
            ct_str_addf(out, "[%zu,", i);
            put_real(out, s->rows[i].raw_ns > 0 ? s->rows[i].raw_ns : s->rows[i].time_ns);
            ct_str_putc(out, ']');
        }
    ct_str_puts(out, "],\"run\":[");
    for (size_t i = 0, end; i < s->count; i = end) {
        for (end = i; end < s->count && s->rows[end].run == s->rows[i].run;)
            end++;
        ct_str_addf(out, "%s[%d,%zu]", i ? "," : "", (int)s->rows[i].run, end - i);
    }
    ct_str_putc(out, ']');
}

static void put_values(struct ct_str *out, const struct ct_stored_subject *s)
{
    if (strcmp(s->objective, "time") == 0)
        return;
    ct_str_puts(out, ",\"value\":[");
    for (size_t i = 0; i < s->count; i++) {
        put_comma(out, i);
        put_real(out, s->rows[i].value);
    }
    ct_str_putc(out, ']');
}

static void put_params(struct ct_str *out, const struct ct_stored_subject *s)
{
    ct_str_puts(out, ",\"params\":[");
    for (size_t p = 0; p < s->param_count; p++) {
        const struct ct_stored_param *param = &s->params[p];

        put_comma(out, p);
        ct_str_puts(out, "{\"name\":");
        put_json(out, ct_json_text(param->name));
        ct_str_puts(out, ",\"values\":[");
        for (size_t i = 0; i < param->value_count; i++) {
            put_comma(out, i);
            put_json(out, ct_json_value(&param->values[i]));
        }
        ct_str_puts(out, "],\"codes\":[");
        for (size_t i = 0; i < s->count; i++) {
            put_comma(out, i);
            put_int(out, param->codes[i]);
        }
        ct_str_puts(out, "]}");
    }
    ct_str_putc(out, ']');
}

/* A metric that all results share is one number; NAN if they differ. */
static double constant_of(const double *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (!(values[i] == values[0]))
            return NAN;
    return count ? values[0] : NAN;
}

static void put_metrics(struct ct_str *out, const struct ct_stored_subject *s)
{
    ct_str_puts(out, ",\"metrics\":[");
    for (size_t m = 0; m < s->metric_count; m++) {
        double constant = constant_of(s->metrics[m].values, s->count);

        ct_str_puts(out, m ? ",{\"name\":" : "{\"name\":");
        put_json(out, ct_json_text(s->metrics[m].name));
        if (isfinite(constant)) {
            put_named_real(out, "constant", constant);
        } else {
            ct_str_puts(out, ",\"values\":[");
            for (size_t i = 0; i < s->count; i++) {
                put_comma(out, i);
                put_real(out, s->metrics[m].values[i]);
            }
            ct_str_putc(out, ']');
        }
        ct_str_putc(out, '}');
    }
    ct_str_putc(out, ']');
}

/* --- lists --- */

static void put_failures(struct ct_str *out, const struct ct_stored_subject *s)
{
    ct_str_puts(out, ",\"failures\":[");
    for (size_t i = 0; i < s->failure_count; i++) {
        const struct ct_stored_failure *f = &s->failures[i];

        ct_str_addf(out, "%s{\"count\":%zu,\"first\":%zu", i ? "," : "", f->count,
                    f->first);
        put_text(out, "status", f->status);
        put_text(out, "phase", f->phase);
        put_text(out, "message", f->message);
        put_text(out, "log", f->log);
        ct_str_putc(out, '}');
    }
    ct_str_putc(out, ']');
}

static void put_runs(struct ct_str *out, const struct ct_stored_subject *s)
{
    ct_str_puts(out, ",\"runs\":[");
    for (size_t i = 0; i < s->run_count; i++) {
        const struct ct_db_run *run = &s->runs[i];

        ct_str_addf(out, "%s{\"started\":%" PRId64 ",\"ended\":%" PRId64, i ? "," : "",
                    run->started_unix_s, run->ended_unix_s);
        /* As text: it may have more digits than a number of JavaScript. */
        ct_str_addf(out, ",\"seed\":\"%" PRIu64 "\"", run->seed);
        ct_str_addf(out,
                    ",\"valid_count\":%" PRId64 ",\"evaluated_count\":%" PRId64
                    ",\"reused_count\":%" PRId64,
                    run->valid_count, run->evaluated_count, run->reused_count);
        put_text(out, "strategy", run->strategy);
        put_text(out, "version", run->version);
        put_text(out, "status", run->status);
        put_named_real(out, "default_value",
                       strcmp(run->objective, s->objective) == 0 ? run->default_value
                                                                 : NAN);
        put_named_real(out, "default_time_ns", run->default_time_ns);
        put_named_real(out, "baseline_time_ns", run->baseline_time_ns);
        put_named_real(out, "resolution", run->noise.resolution);
        put_named_real(out, "drift", run->noise.drift);
        ct_str_putc(out, '}');
    }
    ct_str_putc(out, ']');
}

static void put_ceilings(struct ct_str *out, const struct ct_stored_subject *s)
{
    ct_str_puts(out, ",\"ceilings\":[");
    for (size_t i = 0; i < s->ceiling_count; i++) {
        ct_str_addf(out, "%s{\"measured\":%" PRId64, i ? "," : "",
                    s->ceilings[i].measured_unix_s);
        put_text(out, "name", s->ceilings[i].name);
        put_text(out, "unit", s->ceilings[i].unit);
        put_named_real(out, "value", s->ceilings[i].value);
        put_named_real(out, "low", s->ceilings[i].low);
        put_named_real(out, "high", s->ceilings[i].high);
        ct_str_putc(out, '}');
    }
    ct_str_putc(out, ']');
}

static void put_best(struct ct_str *out, const struct ct_stored_subject *s)
{
    ct_str_puts(out, ",\"best\":[");
    for (size_t i = 0; i < s->top_count; i++) {
        const struct ct_db_result *r = &s->top[i];

        ct_str_addf(out, "%s{\"row\":%lld,\"rank\":%d,\"tied\":%s", i ? "," : "",
                    s->top_rows[i] == SIZE_MAX ? -1 : (long long)s->top_rows[i],
                    r->rank.number, r->rank.tied ? "true" : "false");
        put_named_real(out, "time", r->time_ns);
        put_named_real(out, "value", r->objective_value);
        put_stored(out, "metrics", r->metrics);
        ct_str_putc(out, '}');
    }
    ct_str_putc(out, ']');
}

/* An analysis takes up to half a second: in a report of many subjects, those with the most results
 * have one. */
static bool is_analysed(const struct ct_stored_columns *columns, size_t index)
{
    size_t count = columns->subjects[index].count;
    size_t before = 0;

    for (size_t i = 0; i < columns->count; i++)
        before += columns->subjects[i].count > count ||
                          (i < index && columns->subjects[i].count == count)
                      ? 1
                      : 0;
    return before < CT_REPORT_ANALYSES;
}

/* Which parameters matter, as in 'cltune show --importance --json'; null if not analysed. */
static void put_importance(struct ct_str *out, const struct ct_stored_subject *s,
                           bool analysed)
{
    struct ct_importance importance;
    struct ct_err err = CT_ERR_INIT;

    if (!analysed) {
        ct_str_puts(out, ",\"importance\":null");
        return;
    }
    if (ct_importance_of_stored(s, &importance, &err)) {
        out->failed = true;
        return;
    }
    put_name(out, "importance");
    put_json(out, ct_report_importance_json(&importance));
    ct_importance_release(&importance);
}

/* Where the user keeps the file is nobody else's business. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void put_subject(struct ct_str *out, const struct ct_stored_subject *s,
                        bool analysed)
{
    ct_str_addf(out, "{\"n\":%zu,\"outdated\":%s,\"maximize\":%s,\"units\":%u", s->count,
                s->of.outdated ? "true" : "false", s->maximize ? "true" : "false",
                (unsigned)s->of.compute_units);
    put_text(out, "kernel", s->of.kernel);
    put_text(out, "device", s->of.device_name);
    put_text(out, "vendor", s->of.device_vendor);
    put_text(out, "type", s->of.device_type);
    put_text(out, "driver", s->of.driver_version);
    put_text(out, "platform", s->device.platform_name);
    put_text(out, "platform_version", s->device.platform_version);
    put_text(out, "opencl", s->device.opencl_version);
    put_text(out, "space", base_name(s->of.space_path));
    put_text(out, "objective", s->objective);
    put_stored(out, "problem", s->of.problem_json);
    put_stored(out, "limits", s->device.limits);
    put_statuses(out, s);
    put_intervals(out, s);
    put_history(out, s);
    put_values(out, s);
    put_params(out, s);
    put_metrics(out, s);
    put_failures(out, s);
    put_runs(out, s);
    put_ceilings(out, s);
    put_best(out, s);
    put_importance(out, s, analysed);
    ct_str_putc(out, '}');
}

void ct_report_html_data(struct ct_str *out, const struct ct_stored_columns *columns,
                         int64_t made_unix_s)
{
    ct_str_addf(out, "{\"made\":%" PRId64 ",\"version\":\"%s\",\"subjects\":[",
                made_unix_s, CT_VERSION);
    for (size_t i = 0; i < columns->count; i++) {
        put_comma(out, i);
        put_subject(out, &columns->subjects[i], is_analysed(columns, i));
    }
    ct_str_puts(out, "]}");
}
