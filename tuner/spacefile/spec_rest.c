// SPDX-License-Identifier: Apache-2.0
// The sections [kernel], [define], [constraint], [default], [metric] and [measure].
#include "spacefile/spec_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- kernel --- */

CT_SPEC_PARSER(ct_spec_kernel_name)
{
    struct ct_spec *spec = object;

    spec->name = entry->value.text;
    for (size_t i = 0; i < entry->value.length; i++)
        if (strchr(" \t'$/", entry->value.text[i])) {
            CT_SPEC_COMPLAIN(builder, ct_text_place(&entry->value, i),
                             "the name of the kernel must be one word without quotes");
            return;
        }
}

CT_SPEC_PARSER(ct_spec_kernel_source)
{
    struct ct_spec *spec = object;

    ct_spec_read_paths(builder, &entry->value, "source", &spec->program.sources,
                       &spec->program.source_count);
}

CT_SPEC_PARSER(ct_spec_kernel_options)
{
    struct ct_spec *spec = object;

    ct_spec_template(builder, &entry->value, 0, entry->value.length,
                     &spec->program.options);
}

CT_SPEC_PARSER(ct_spec_kernel_include)
{
    struct ct_spec *spec = object;

    ct_spec_read_paths(builder, &entry->value, "folder", &spec->program.includes,
                       &spec->program.include_count);
}

static void read_kernel(struct ct_spec_builder *b)
{
    static const char *const dependents[] = {"buffer", "image",     "launch",
                                             "loop",   "reference", "baseline"};
    struct ct_spec *spec = b->spec;
    size_t index = 0;
    const struct ct_reader_section *section = ct_spec_next(b, "kernel", &index);

    spec->program.options.text = "";
    if (section) {
        spec->has_kernel = true;
        ct_spec_read_section(b, section, spec);
        if (!spec->launch_count)
            CT_SPEC_COMPLAIN(b, section->place,
                             "there is a [kernel] but no [launch NAME] section");
        return;
    }
    for (size_t i = 0; i < sizeof(dependents) / sizeof(dependents[0]); i++) {
        index = 0;
        section = ct_spec_next(b, dependents[i], &index);
        if (section)
            CT_SPEC_COMPLAIN(b, section->place, "[%s] needs a [kernel] section",
                             dependents[i]);
    }
}

/* --- measure --- */

CT_SPEC_PARSER(ct_spec_measure_objective)
{
    struct ct_spec *spec = object;

    (void)builder;
    spec->objective_text = entry->value.text;
    spec->objective_place = ct_text_place(&entry->value, 0);
}

CT_SPEC_PARSER(ct_spec_measure_direction)
{
    struct ct_spec *spec = object;
    static const char *const names[] = {"minimize", "maximize"};
    int word = ct_spec_find_word(names, 2, entry->value.text);
    const char *hint;

    spec->direction_text = entry->value.text;
    spec->direction_place = ct_text_place(&entry->value, 0);
    if (word >= 0) {
        spec->maximize = word == 1;
        return;
    }
    hint = ct_spec_hint(builder, entry->value.text, names, 2);
    CT_SPEC_COMPLAIN(builder, ct_text_place(&entry->value, 0),
                     "'%s' is not a direction%s", entry->value.text,
                     *hint ? hint : "; use minimize or maximize");
}

/* Once the metrics are known. */
static void settle_objective(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;
    const char *text = spec->objective_text ? spec->objective_text : "time";
    const char *likely;
    size_t which;

    if (!ct_spec_find_objective(spec, text, &spec->objective, &which, &likely)) {
        CT_SPEC_COMPLAIN(
            b, spec->objective_place,
            "objective '%s' is not time, end_to_end, a name in [metric] or an "
            "observed quantity%s%s%s",
            text, likely ? "; did you mean '" : "", likely ? likely : "",
            likely ? "'?" : "");
        return;
    }
    switch (spec->objective) {
    case CT_OBJECTIVE_METRIC:
        spec->objective_metric = which;
        if (!spec->direction_text)
            CT_SPEC_COMPLAIN(
                b, spec->objective_place,
                "the objective '%s' requires a 'direction', minimize or maximize", text);
        break;
    case CT_OBJECTIVE_QUANTITY:
        spec->objective_quantity = (enum ct_quantity)which;
        break;
    case CT_OBJECTIVE_TIME:
    case CT_OBJECTIVE_END_TO_END:
        if (spec->maximize)
            CT_SPEC_COMPLAIN(
                b, spec->direction_place,
                "the objective '%s' is always minimized; only a metric can be maximized",
                text);
        break;
    }
}

CT_SPEC_PARSER(ct_spec_measure_strategy)
{
    struct ct_spec *spec = object;

    spec->strategy = entry->value.text;
    spec->strategy_place = ct_text_place(&entry->value, 0);
    for (size_t i = 0; i < entry->value.length; i++)
        if (strchr(" \t',", entry->value.text[i])) {
            CT_SPEC_COMPLAIN(builder, ct_text_place(&entry->value, i),
                             "a strategy must be one word without quotes");
            return;
        }
}

/* A whole number from 1 upwards. */
static void read_count(struct ct_spec_builder *b, const struct ct_reader_entry *entry,
                       const char *key, uint64_t *out)
{
    char quoted[32];
    double number;

    snprintf(quoted, sizeof(quoted), "'%s'", key);
    if (!ct_spec_constant(b, &entry->value, 0, entry->value.length, quoted, &number))
        return;
    if (number < 1 || number > 1e15 || number != (double)(uint64_t)number)
        CT_SPEC_COMPLAIN(b, ct_text_place(&entry->value, 0),
                         "%s must be a whole number of at least 1", quoted);
    else
        *out = (uint64_t)number;
}

CT_SPEC_PARSER(ct_spec_measure_evaluations)
{
    struct ct_spec *spec = object;

    read_count(builder, entry, "evaluations", &spec->evaluations);
}

CT_SPEC_PARSER(ct_spec_measure_no_progress)
{
    struct ct_spec *spec = object;

    read_count(builder, entry, "no_progress", &spec->no_progress);
}

CT_SPEC_PARSER(ct_spec_measure_fraction)
{
    struct ct_spec *spec = object;

    if (!ct_spec_share(entry->value.text, &spec->fraction))
        CT_SPEC_COMPLAIN(
            builder, ct_text_place(&entry->value, 0),
            "'fraction' must be a share of the valid configurations, such as 0.05 "
            "or 5%%");
}

CT_SPEC_PARSER(ct_spec_measure_target)
{
    struct ct_spec *spec = object;
    bool is_time;
    double value;

    spec->target = entry->value.text;
    spec->target_place = ct_text_place(&entry->value, 0);
    if (!ct_spec_goal(spec->target, &value, &is_time))
        CT_SPEC_COMPLAIN(
            builder, spec->target_place,
            "'target' must be a time such as 1.2 ms, or a number for a metric");
}

/* A decimal number from 0 upwards (no sign, no "inf", no hexadecimal digits), and what
 * follows it and blanks; NULL: it is none. */
static const char *read_plain(const char *text, double *out)
{
    char *rest;

    if ((*text < '0' || *text > '9') && *text != '.')
        return NULL;
    *out = strtod(text, &rest);
    if (rest == text || memchr(text, 'x', (size_t)(rest - text)) ||
        memchr(text, 'X', (size_t)(rest - text)) || !isfinite(*out))
        return NULL;
    return rest + strspn(rest, " \t");
}

bool ct_spec_share(const char *text, double *out)
{
    double number;
    const char *rest = read_plain(text, &number);

    if (rest && strcmp(rest, "%") == 0)
        number /= 100;
    else if (!rest || *rest)
        return false;
    *out = number;
    return number > 0 && number <= 1;
}

bool ct_spec_goal(const char *text, double *out, bool *is_time)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    bool negative = *text == '-';
    const char *rest = read_plain(text + negative, out);

    if (!rest)
        return false;
    if (negative)
        *out = -*out;
    *is_time = *rest != '\0';
    if (!*rest)
        return true;
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (strcmp(rest, units[i].name) == 0) {
            *out *= units[i].ns;
            return *out > 0;
        }
    return false;
}

CT_SPEC_PARSER(ct_spec_measure_duration)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"min", 60}, {"m", 60}, {"h", 3600}};
    struct ct_spec *spec = object;
    const char *text = entry->value.text;
    char *rest = NULL;
    double number = strtod(text, &rest);

    rest += strspn(rest, " \t");
    /* strtod takes more than the language's numbers: signs, "inf", "nan". */
    for (size_t i = 0;
         text[0] >= '0' && text[0] <= '9' && i < sizeof(units) / sizeof(*units); i++)
        if (strcmp(rest, units[i].name) == 0 && number > 0 &&
            number * units[i].seconds < 1e10) {
            spec->duration_s = number * units[i].seconds;
            return;
        }
    CT_SPEC_COMPLAIN(
        builder, ct_text_place(&entry->value, 0),
        "'duration' must be a number with a unit s, min or h, such as '90 s'");
}

CT_SPEC_PARSER(ct_spec_measure_samples)
{
    struct ct_spec *spec = object;
    double number;

    if (!ct_spec_constant(builder, &entry->value, 0, entry->value.length, "'samples'",
                          &number))
        return;
    if (number < 1 || number > 10000 || number != (double)(uint32_t)number)
        CT_SPEC_COMPLAIN(builder, ct_text_place(&entry->value, 0),
                         "'samples' must be a whole number from 1 to 10000");
    else
        spec->samples = (uint32_t)number;
}

CT_SPEC_PARSER(ct_spec_measure_by)
{
    struct ct_spec *spec = object;

    (void)builder;
    spec->by = entry->value.text;
    spec->by_place = ct_text_place(&entry->value, 0);
}

/* Once the parameters are known. */
static void settle_by(struct ct_spec_builder *b)
{
    struct ct_str names;

    if (!b->spec->by || ct_spec_find_param(b->spec, b->spec->by) >= 0)
        return;
    ct_str_init(&names);
    ct_spec_put_params(b->spec, b->spec->by, &names);
    CT_SPEC_COMPLAIN(b, b->spec->by_place, "'%s' is not a parameter%s", b->spec->by,
                     names.data);
    ct_str_release(&names);
}

CT_SPEC_PARSER(ct_spec_measure_cache)
{
    struct ct_spec *spec = object;
    static const char *const names[] = {"warm", "cold"};
    int word = ct_spec_find_word(names, 2, entry->value.text);
    const char *hint;

    spec->cold = word == 1;
    if (word >= 0)
        return;
    hint = ct_spec_hint(builder, entry->value.text, names, 2);
    CT_SPEC_COMPLAIN(builder, ct_text_place(&entry->value, 0),
                     "'%s' is not a cache state%s", entry->value.text,
                     *hint ? hint : "; use warm or cold");
}

static void read_measure(struct ct_spec_builder *b)
{
    size_t index = 0;
    const struct ct_reader_section *section = ct_spec_next(b, "measure", &index);

    if (section)
        ct_spec_read_section(b, section, b->spec);
}

/* --- named expressions --- */

/* Reads all entries of a kind; `what` names them where they must be numbers. */
static struct ct_named_expr *read_named(struct ct_spec_builder *b, const char *kind,
                                        enum ct_spec_use use, const char *what,
                                        size_t *count)
{
    struct ct_named_expr *all =
        ct_spec_alloc(b, ct_spec_count_entries(b, kind), sizeof(*all));
    const struct ct_reader_section *section;
    size_t index = 0;

    while (all && (section = ct_spec_next(b, kind, &index)))
        for (size_t i = 0; i < section->entry_count; i++) {
            const struct ct_reader_entry *entry = &section->entries[i];
            struct ct_named_expr *named = &all[(*count)++];
            size_t end = entry->value.length;

            named->name = entry->key;
            named->place = entry->place;
            if (entry->broken)
                continue;
            if (strcmp(kind, "define") == 0)
                named->condition =
                    ct_spec_compile_condition(b, &entry->value, 0, &end, CT_USE_CONFIG);
            named->expr =
                what ? ct_spec_compile_number(b, &entry->value, 0, end, use, false, what)
                     : ct_spec_compile(b, &entry->value, 0, end, use);
        }
    return all;
}

static void check_metrics(struct ct_spec_builder *b)
{
    static const char *const reserved[] = {"time", "end_to_end", "time_ns"};

    for (size_t i = 0; i < b->spec->metric_count; i++)
        for (size_t j = 0; j < sizeof(reserved) / sizeof(reserved[0]); j++)
            if (strcmp(b->spec->metrics[i].name, reserved[j]) == 0)
                CT_SPEC_COMPLAIN(b, b->spec->metrics[i].place,
                                 "'%s' is an objective of its own; choose another name",
                                 reserved[j]);
}

/* --- env --- */

static void read_env(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;
    size_t index = 0;
    const struct ct_reader_section *section = ct_spec_next(b, "env", &index);

    spec->env = ct_spec_alloc(b, section ? section->entry_count : 0, sizeof(*spec->env));
    for (size_t i = 0; spec->env && section && i < section->entry_count; i++) {
        const struct ct_reader_entry *entry = &section->entries[i];
        const struct ct_text *text = &entry->value;
        struct ct_spec_env *env = &spec->env[spec->env_count++];
        bool quoted = text->length > 1 && text->text[0] == '\'' &&
                      text->text[text->length - 1] == '\'';

        env->name = entry->key;
        env->place = entry->place;
        /* Without any value the variable is taken out; '' is an empty one. */
        if (text->length && !entry->broken)
            ct_spec_template(b, text, quoted, text->length - quoted, &env->value);
    }
}

/* --- default --- */

static void unknown_param(struct ct_spec_builder *b, const struct ct_reader_entry *entry)
{
    struct ct_str hint;

    ct_str_init(&hint);
    ct_spec_put_params(b->spec, entry->key, &hint);
    CT_SPEC_COMPLAIN(b, entry->place, "'%s' is not a parameter%s", entry->key, hint.data);
    b->nomem = b->nomem || hint.failed;
    ct_str_release(&hint);
}

static void read_default(struct ct_spec_builder *b,
                         const struct ct_reader_section *section,
                         struct ct_spec_default *out)
{
    struct ct_default_value *values =
        ct_spec_alloc(b, section->entry_count, sizeof(*values));

    out->pattern = section->name;
    out->place = section->place;
    out->values = values;
    for (size_t i = 0; values && i < section->entry_count; i++) {
        const struct ct_reader_entry *entry = &section->entries[i];
        struct ct_default_value *value = &values[out->count];
        int param = ct_spec_find_param(b->spec, entry->key);

        if (entry->broken)
            continue;
        if (param < 0) {
            unknown_param(b, entry);
            continue;
        }
        value->param = (size_t)param;
        value->place = ct_text_place(&entry->value, 0);
        value->value =
            ct_spec_compile(b, &entry->value, 0, entry->value.length, CT_USE_FIXED);
        out->count++;
    }
}

static void read_defaults(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;
    const struct ct_reader_section *section;
    size_t count = 0;
    size_t index = 0;

    while (ct_spec_next(b, "default", &index))
        count++;
    spec->defaults = ct_spec_alloc(b, count, sizeof(*spec->defaults));
    index = 0;
    while (spec->defaults && (section = ct_spec_next(b, "default", &index)))
        read_default(b, section, &spec->defaults[spec->default_count++]);
}

void ct_spec_read_rest(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;

    read_kernel(b);
    read_measure(b);
    read_env(b);
    spec->program.defines =
        read_named(b, "define", CT_USE_CONFIG, NULL, &spec->program.define_count);
    spec->constraints = read_named(b, "constraint", CT_USE_CONFIG, "a constraint",
                                   &spec->constraint_count);
    spec->metrics =
        read_named(b, "metric", CT_USE_METRIC, "a metric", &spec->metric_count);
    check_metrics(b);
    settle_objective(b);
    settle_by(b);
    read_defaults(b);
}
