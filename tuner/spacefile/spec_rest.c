// SPDX-License-Identifier: Apache-2.0
// The sections [kernel], [define], [constraint], [default], [metric] and [env].
#include "spacefile/spec_impl.h"

#include <string.h>

/* --- kernel --- */

CT_SPEC_PARSER(ct_spec_kernel_name)
{
    struct ct_spec *spec = object;

    spec->kernel.name = entry->value.text;
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

    ct_spec_read_paths(builder, &entry->value, "source", &spec->kernel.program.sources,
                       &spec->kernel.program.source_count);
}

CT_SPEC_PARSER(ct_spec_kernel_options)
{
    struct ct_spec *spec = object;

    ct_spec_template(builder, &entry->value, 0, entry->value.length,
                     &spec->kernel.program.options);
}

CT_SPEC_PARSER(ct_spec_kernel_include)
{
    struct ct_spec *spec = object;

    ct_spec_read_paths(builder, &entry->value, "folder", &spec->kernel.program.includes,
                       &spec->kernel.program.include_count);
}

static void read_kernel(struct ct_spec_builder *b)
{
    static const char *const dependents[] = {"buffer", "image",     "launch",
                                             "loop",   "reference", "baseline"};
    struct ct_spec *spec = b->spec;
    size_t index = 0;
    const struct ct_reader_section *section = ct_spec_next(b, "kernel", &index);

    spec->kernel.program.options.text = "";
    if (section) {
        spec->kernel.present = true;
        ct_spec_read_section(b, section, spec);
        if (!spec->launch_count)
            CT_SPEC_COMPLAIN(b, section->place,
                             "there is a [kernel] but no [launch NAME] section");
        return;
    }
    index = 0;
    if (ct_spec_next(b, "program", &index))
        return;
    for (size_t i = 0; i < sizeof(dependents) / sizeof(dependents[0]); i++) {
        index = 0;
        section = ct_spec_next(b, dependents[i], &index);
        if (section)
            CT_SPEC_COMPLAIN(b, section->place, "[%s] needs a [kernel] section",
                             dependents[i]);
    }
}

/* --- named expressions --- */

/* Reads all entries of a kind; `what` names them if they must be numbers. */
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
            size_t begin = 0;
            size_t end = entry->value.length;

            named->name = entry->key;
            named->place = entry->place;
            if (entry->broken)
                continue;
            if (strcmp(kind, "define") == 0)
                named->condition =
                    ct_spec_compile_condition(b, &entry->value, 0, &end, CT_USE_CONFIG);
            ct_expr_trim(&entry->value, &begin, &end);
            if (strcmp(kind, "define") == 0 && begin == end)
                continue; /* a macro without a value */
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
        /* Without any value the variable is removed; '' is an empty one. */
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
    ct_spec_read_measure(b);
    ct_spec_read_command(b);
    read_env(b);
    spec->kernel.program.defines =
        read_named(b, "define", CT_USE_CONFIG, NULL, &spec->kernel.program.define_count);
    spec->constraints = read_named(b, "constraint", CT_USE_CONFIG, "a constraint",
                                   &spec->constraint_count);
    spec->metrics =
        read_named(b, "metric", CT_USE_METRIC, "a metric", &spec->metric_count);
    check_metrics(b);
    ct_spec_add_read_metrics(b);
    ct_spec_resolve_measure(b);
    read_defaults(b);
}
