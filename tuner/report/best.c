// SPDX-License-Identifier: Apache-2.0
// Shows the results of a look-up.
#include "report/best.h"

#include "base/mem.h"
#include "base/show.h"
#include "plan/json.h"
#include "report/asked_flags.h"
#include "report/format.h"
#include "report/table.h"
#include "report/warn.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_shown(struct ct_str *out, const char *text)
{
    ct_show_add(out, text, strlen(text), CT_SHOW_LINE);
}

static void put_values(struct ct_str *out, const cltunedb_value *values, size_t count)
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

/* The optimized objective with its value, unless it is the time. */
static bool put_objective(struct ct_str *out, const cltunedb_answer *a)
{
    bool duration = strcmp(a->objective, "end_to_end") == 0;
    char text[CT_FORMAT_SIZE];

    if (strcmp(a->objective, "time") == 0)
        return false;
    ct_str_addf(out, "%s %s", a->objective,
                duration ? ct_format_time(text, a->objective_value)
                         : ct_format_real(text, a->objective_value));
    if (isfinite(a->default_value))
        ct_str_addf(out, ", the default %s",
                    duration ? ct_format_time(text, a->default_value)
                             : ct_format_real(text, a->default_value));
    return true;
}

static const char unverified[] = "unverified: its outputs were not checked";

static const char unknown_limits[] =
    "whether it runs on your device is not known: that needs %s of it; --assume gives limits";

/* Room for that sentence; longer lists are cut. */
enum { LIMITS_SENTENCE = 1024 };

/* How reliable the answer is. */
static void print_confidence(const cltunedb_answer *a)
{
    if (a->rounds)
        printf("play-off  timed in %u process%s", a->rounds, a->rounds == 1 ? "" : "es");
    if (a->rounds && a->tied_count)
        printf("; statistically tied with %u other%s", a->tied_count,
               a->tied_count == 1 ? "" : "s");
    if (a->rounds)
        putchar('\n');
    if (!a->verified)
        printf("note      %s\n", unverified);
    if (*a->unknown_limits) {
        printf("note      ");
        printf(unknown_limits, a->unknown_limits);
        putchar('\n');
    }
}

/* Line feeds in stored text must not look like cltune's own lines. */
static void show_texts(struct ct_arena *arena, cltunedb_answer *a)
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

/* The options; if they are for another problem than that of the answer, that is said. */
static void print_options(const cltunedb_answer *stored, const cltunedb_query *query)
{
    struct ct_arena arena = {0};
    struct ct_str flags;
    struct ct_str unknown;
    bool known;

    ct_str_init(&flags);
    ct_str_init(&unknown);
    known = ct_asked_flags_put(stored, query, &flags, &unknown);
    printf("options   %s\n",
           ct_show_line(&arena, known && !flags.failed ? flags.data : stored->flags));
    if (!known)
        printf(
            "note      these options are for the problem above: %s cannot be computed for "
            "yours\n",
            ct_show_line(&arena, unknown.data));
    else if (strcmp(flags.data, stored->flags) != 0)
        printf("note      their macros are those of your problem\n");
    ct_str_release(&unknown);
    ct_str_release(&flags);
    ct_arena_release(&arena);
}

static void print_one(const cltunedb_answer *stored, const cltunedb_query *query)
{
    struct ct_arena arena = {0};
    cltunedb_answer shown = *stored;
    const cltunedb_answer *a = &shown;
    struct ct_str text;
    char time[CT_FORMAT_SIZE];
    char low[CT_FORMAT_SIZE];
    char high[CT_FORMAT_SIZE];

    show_texts(&arena, &shown);
    ct_str_init(&text);
    printf("kernel    %s%s\n", a->kernel,
           a->outdated ? " (from an older version of its source)" : "");
    printf("device    %s (%s, %s)\n", a->device_name, a->device_vendor, a->device_type);
    printf("driver    %s\n", a->driver_version);
    put_values(&text, a->problem, a->problem_count);
    if (*text.data)
        printf("problem   %s%s\n", text.data,
               a->problem_distance > 0 ? " (the nearest)" : "");
    printf("evidence  %s", cltunedb_evidence_text(a->evidence));
    if (a->evidence >= CLTUNEDB_SAME_ARCHITECTURE)
        printf(": %.0f%% of the best on %u device%s", 100 * a->relative_performance,
               a->device_count, a->device_count == 1 ? "" : "s");
    ct_str_reset(&text);
    put_values(&text, a->configuration, a->configuration_count);
    printf("\nbest      %s\n", text.data);
    print_options(stored, query);
    ct_str_reset(&text);
    if (put_objective(&text, a))
        printf("objective %s (%s is better)\n", text.data,
               a->maximize ? "larger" : "smaller");
    if (a->time_ns > 0) {
        printf("time      %s", ct_format_time(time, a->time_ns));
        if (a->low_ns > 0)
            printf(" (%s to %s)", ct_format_time(low, a->low_ns),
                   ct_format_time(high, a->high_ns));
        if (a->default_time_ns > 0)
            printf(", %.2f times as fast as the default",
                   a->default_time_ns / a->time_ns);
        putchar('\n');
    }
    print_confidence(a);
    ct_str_release(&text);
    ct_arena_release(&arena);
}

/* A row; texts are escaped as a whole. */
static void put_row(struct ct_table *table, const cltunedb_answer *stored)
{
    struct ct_arena arena = {0};
    cltunedb_answer a = *stored;
    struct ct_str text;
    char time[CT_FORMAT_SIZE];

    show_texts(&arena, &a);
    ct_str_init(&text);
    ct_table_row(table);
    ct_table_cell(table, a.kernel);
    ct_table_cell(table, a.device_name);
    put_values(&text, a.problem, a.problem_count);
    ct_table_cell(table, text.data);
    ct_str_reset(&text);
    if (strcmp(a.objective, "time") == 0)
        ct_table_cell(table, ct_format_time(time, a.time_ns));
    else
        ct_table_cellf(table, "%s %s", a.objective,
                       ct_format_real(time, a.objective_value));
    if (a.default_time_ns > 0 && a.time_ns > 0)
        ct_table_cellf(table, "%.2fx", a.default_time_ns / a.time_ns);
    else
        ct_table_cell(table, "-");
    put_values(&text, a.configuration, a.configuration_count);
    ct_table_cell(table, text.data);
    ct_str_release(&text);
    ct_arena_release(&arena);
}

static void print_table(const cltunedb_answers *answers)
{
    struct ct_table *table = ct_table_new();

    ct_table_column(table, "KERNEL", false);
    ct_table_column(table, "DEVICE", false);
    ct_table_column(table, "PROBLEM", false);
    ct_table_column(table, "TIME", true);
    ct_table_column(table, "SPEED-UP", true);
    ct_table_column(table, "CONFIGURATION", false);
    for (size_t i = 0; i < cltunedb_answer_count(answers); i++)
        put_row(table, cltunedb_answer_at(answers, i));
    ct_table_print(table, stdout);
    ct_table_free(table);
    puts("name a kernel, --device or --problem for options, intervals and evidence");
}

/* More would not be seen at once. */
enum { ANSWERS_IN_FULL = 3 };

void ct_report_answers(const cltunedb_answers *answers, const cltunedb_query *query)
{
    if (cltunedb_answer_count(answers) > ANSWERS_IN_FULL) {
        print_table(answers);
        return;
    }
    for (size_t i = 0; i < cltunedb_answer_count(answers); i++) {
        if (i)
            putchar('\n');
        print_one(cltunedb_answer_at(answers, i), query);
    }
}

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* `flags`, and the names in it that are for the answer's problem instead of the asked one. */
static void put_flags_json(json_t *object, const cltunedb_answer *a,
                           const cltunedb_query *query)
{
    struct ct_str flags;
    struct ct_str unknown;
    bool known;

    ct_str_init(&flags);
    ct_str_init(&unknown);
    known = ct_asked_flags_put(a, query, &flags, &unknown) && !flags.failed;
    json_object_set_new(object, "flags", ct_json_text(known ? flags.data : a->flags));
    json_object_set_new(object, "stale_macros", ct_json_text(unknown.data));
    ct_str_release(&unknown);
    ct_str_release(&flags);
}

static json_t *answer_json(const cltunedb_answer *a, const cltunedb_query *query)
{
    json_t *object = json_object();

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
    put_flags_json(object, a, query);
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
    json_object_set_new(object, "experiment", ct_json_text(a->experiment));
    json_object_set_new(object, "measured_unix_s",
                        json_integer((json_int_t)a->measured_unix_s));
    return object;
}

void ct_report_answers_json(const cltunedb_answers *answers, const cltunedb_query *query)
{
    json_t *array = json_array();

    for (size_t i = 0; i < cltunedb_answer_count(answers); i++)
        json_array_append_new(array, answer_json(cltunedb_answer_at(answers, i), query));
    json_dumpf(array, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(array);
}

static struct ct_export_value *export_values(const cltunedb_value *values, size_t count)
{
    struct ct_export_value *out = ct_mem_array(count, sizeof(*out));

    for (size_t i = 0; out && i < count; i++) {
        out[i].name = values[i].name;
        out[i].value = values[i].kind == CLTUNEDB_INT    ? ct_value_int(values[i].i)
                       : values[i].kind == CLTUNEDB_REAL ? ct_value_real(values[i].r)
                                                         : ct_value_text(values[i].s);
    }
    return out;
}

/* " -p NAME=VALUE" of each. */
static void put_settings(struct ct_str *out, const cltunedb_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ct_str_puts(out, " -p ");
        put_values(out, &values[i], 1);
    }
}

/* The options for the asked problem, with a note if that is not the measured one. */
static enum ct_status ask_flags(const cltunedb_answer *a, const cltunedb_query *query,
                                struct ct_str *flags, struct ct_str *asked,
                                struct ct_str *notes, struct ct_err *err)
{
    struct ct_str unknown;
    struct ct_str stored;
    enum ct_status status = CT_OK;

    if (!(a->problem_distance > 0)) {
        ct_str_puts(flags, a->flags);
        return CT_OK;
    }
    ct_str_init(&unknown);
    ct_str_init(&stored);
    put_values(asked, query->problem, query->problem_count);
    put_values(&stored, a->problem, a->problem_count);
    ct_str_addf(notes, "there is no result for %s: this is the best for %s\n",
                asked->data, stored.data);
    if (!ct_asked_flags_put(a, query, flags, &unknown)) {
        struct ct_str search;
        struct ct_str other;

        ct_str_init(&search);
        ct_str_init(&other);
        put_settings(&search, query->problem, query->problem_count);
        put_settings(&other, a->problem, a->problem_count);
        status = ct_err_set(err, CT_E_NOT_FOUND,
                            "the best of %s is for %s, and %s cannot be computed for %s: "
                            "search with%s, or ask for the stored problem with%s",
                            a->kernel, stored.data, unknown.data, asked->data,
                            search.data, other.data);
        ct_str_reset(notes);
        ct_str_release(&other);
        ct_str_release(&search);
    }
    ct_str_release(&stored);
    ct_str_release(&unknown);
    return status;
}

/* What is not known of the device, or NULL; with a note about it. */
static const char *note_limits(const cltunedb_answer *a, struct ct_str *notes)
{
    char sentence[LIMITS_SENTENCE];

    if (!*a->unknown_limits)
        return NULL;
    snprintf(sentence, sizeof(sentence), unknown_limits, a->unknown_limits);
    put_shown(notes, sentence);
    ct_str_putc(notes, '\n');
    return a->unknown_limits;
}

enum ct_status ct_report_export(const cltunedb_answer *a, const cltunedb_query *query,
                                const struct ct_export *format, struct ct_err *err)
{
    struct ct_str flags;
    struct ct_str asked;
    struct ct_export_value *problem = export_values(a->problem, a->problem_count);
    struct ct_export_value *config =
        export_values(a->configuration, a->configuration_count);
    struct ct_str objective;
    struct ct_str notes;
    struct ct_str out;
    struct ct_export_answer answer = {
        .version = CT_VERSION,
        .kernel = a->kernel,
        .device = a->device_name,
        .driver = a->driver_version,
        .evidence = cltunedb_evidence_text(a->evidence),
        .experiment = a->experiment,
        .problem_count = a->problem_count,
        .problem = problem,
        .config_count = a->configuration_count,
        .config = config,
        .time_ns = a->time_ns,
        .default_time_ns = a->default_time_ns > 0 ? a->default_time_ns : 0,
        .unverified = !a->verified,
    };
    enum ct_status status = CT_OK;

    ct_str_init(&objective);
    ct_str_init(&out);
    ct_str_init(&notes);
    ct_str_init(&flags);
    ct_str_init(&asked);
    if (put_objective(&objective, a))
        answer.objective = objective.data;
    status = ask_flags(a, query, &flags, &asked, &notes, err);
    if (!status)
        answer.unknown_limits = note_limits(a, &notes);
    answer.flags = flags.data;
    answer.asked = asked.length ? asked.data : NULL;
    if (!status && problem && config)
        status = format->put(&out, &answer, &notes, err);
    if (!status &&
        (!problem || !config || out.failed || objective.failed || flags.failed))
        status = ct_err_nomem(err);
    for (char *line = notes.data, *end; (end = strchr(line, '\n')); line = end + 1)
        ct_report_warn("%.*s", (int)(end - line), line);
    if (!status)
        fwrite(out.data, 1, out.length, stdout);
    ct_str_release(&asked);
    ct_str_release(&flags);
    ct_str_release(&notes);
    ct_str_release(&out);
    ct_str_release(&objective);
    free(problem);
    free(config);
    return status;
}

void ct_report_too_many(const cltunedb_answers *answers, const char *format)
{
    size_t count = cltunedb_answer_count(answers);

    fprintf(stderr,
            "cltune best: %zu answers match, but format %s holds only one; add the "
            "kernel's name, --device, --problem or --objective:\n",
            count, format);
    for (size_t i = 0; i < count && i < 20; i++) {
        cltunedb_answer a = *cltunedb_answer_at(answers, i);
        struct ct_arena arena = {0};
        struct ct_str problem;

        show_texts(&arena, &a);
        ct_str_init(&problem);
        put_values(&problem, a.problem, a.problem_count);
        fprintf(stderr, "  %s, %s (driver %s), %s%s%s\n", a.kernel, a.device_name,
                a.driver_version, problem.data, *problem.data ? ", " : "", a.objective);
        ct_str_release(&problem);
        ct_arena_release(&arena);
    }
    if (count > 20)
        fprintf(stderr, "  ... and %zu more\n", count - 20);
}
