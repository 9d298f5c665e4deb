// SPDX-License-Identifier: Apache-2.0
// The [reference] and [baseline] sections.
#include "spacefile/spec_impl.h"

#include <string.h>

/* --- host code --- */

CT_SPEC_PARSER(ct_spec_host_c)
{
    struct ct_spec_host *host = object;

    ct_spec_template(builder, &entry->value, 0, entry->value.length, &host->c);
    host->present = true;
    if (host->c.text && strchr(host->c.text, '\''))
        CT_SPEC_COMPLAIN(builder, host->c.place, "a path is written without quotes");
}

CT_SPEC_PARSER(ct_spec_host_function)
{
    struct ct_spec_host *host = object;

    host->function = entry->value.text;
    if (!ct_expr_is_word(entry->value.text, entry->value.length))
        CT_SPEC_COMPLAIN(builder, ct_text_place(&entry->value, 0),
                         "'%s' is not the name of a C function", entry->value.text);
}

/* A folder behind -Wl,-rpath and its comma or =.  More commas would be more options, and the
 * linker reads options from files named with @. */
static bool is_rpath(const char *word, size_t length)
{
    static const char start[] = "-Wl,-rpath";
    enum { START = sizeof(start) - 1 };

    return length > START + 1 && !strncmp(word, start, START) &&
           (word[START] == ',' || word[START] == '=') && word[START + 1] != '@' &&
           !memchr(word + START + 1, ',', length - START - 1);
}

/* Libraries and where they are: other options write files and run programs. */
static bool is_library(const char *word, size_t length)
{
    return (length > 2 && (!strncmp(word, "-l", 2) || !strncmp(word, "-L", 2))) ||
           (length == 8 && !strncmp(word, "-pthread", 8)) || is_rpath(word, length);
}

CT_SPEC_PARSER(ct_spec_host_libs)
{
    struct ct_spec_host *host = object;
    const char *text = entry->value.text;

    host->libs = text;
    for (size_t at = strspn(text, " \t"); text[at]; at += strspn(text + at, " \t")) {
        size_t length = strcspn(text + at, " \t");

        if (!is_library(text + at, length)) {
            CT_SPEC_COMPLAIN(
                builder, ct_text_place(&entry->value, at),
                "'%.*s' is not supported: 'libs' accepts -lNAME, -LFOLDER, "
                "-Wl,-rpath,FOLDER and -pthread; use -l:FILE for a library file in a "
                "folder of -L",
                (int)length, text + at);
            return;
        }
        at += length;
    }
}

CT_SPEC_PARSER(ct_spec_host_args)
{
    struct ct_spec_host *host = object;

    host->args_place = entry->place;
    host->args = ct_spec_read_args(builder, &entry->value, true, &host->arg_count);
}

/* --- the reference --- */

CT_SPEC_PARSER(ct_spec_reference_args)
{
    struct ct_spec_reference *reference = object;

    if (builder->in_reference)
        ct_spec_launch_args(builder, entry, &reference->launch);
    else
        ct_spec_host_args(builder, entry, &reference->host);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Position of the end of the word that begins at `at`: a blank outside quotes. */
static size_t word_end(const struct ct_text *text, size_t at)
{
    bool quoted = false;

    for (; at < text->length && (quoted || !is_blank(text->text[at])); at++)
        if (text->text[at] == '\'')
            quoted = !quoted;
    return at;
}

static void unknown_param(struct ct_spec_builder *b, const char *name,
                          struct ct_place place)
{
    struct ct_str hint;

    ct_str_init(&hint);
    ct_spec_put_params(b->spec, name, &hint);
    CT_SPEC_COMPLAIN(b, place, "'%s' is not a parameter%s", name, hint.data);
    b->nomem = b->nomem || hint.failed;
    ct_str_release(&hint);
}

/* `NAME=VALUE NAME=VALUE ...`; values are read when binding. */
CT_SPEC_PARSER(ct_spec_reference_config)
{
    struct ct_spec_reference *reference = object;
    const struct ct_text *text = &entry->value;

    reference->config_place = ct_text_place(text, 0);
    reference->setting_count = 0; /* a repeated key is read again */
    reference->settings =
        ct_spec_alloc(builder, text->length / 2 + 1, sizeof(*reference->settings));
    for (size_t at = 0; reference->settings && at < text->length;) {
        struct ct_spec_setting *setting = &reference->settings[reference->setting_count];
        size_t end = word_end(text, at);
        const char *sign = memchr(text->text + at, '=', end - at);
        size_t value = sign ? (size_t)(sign - text->text) + 1 : end;

        if (!sign || value - 1 == at) {
            CT_SPEC_COMPLAIN(builder, ct_text_place(text, at),
                             "a configuration is written NAME=VALUE NAME=VALUE ..., "
                             "without blanks around '='");
            return;
        }
        setting->name = ct_spec_copy(builder, text->text + at, value - 1 - at);
        setting->text = ct_spec_copy(builder, text->text + value, end - value);
        setting->place = ct_text_place(text, at);
        if (!setting->name || !setting->text)
            return;
        if (ct_spec_find_param(builder->spec, setting->name) < 0)
            unknown_param(builder, setting->name, setting->place);
        for (size_t i = 0; i < reference->setting_count; i++)
            if (strcmp(reference->settings[i].name, setting->name) == 0) {
                CT_SPEC_COMPLAIN(builder, setting->place, "'%s' is given twice",
                                 setting->name);
                break;
            }
        reference->setting_count++;
        for (at = end; at < text->length && is_blank(text->text[at]);)
            at++;
    }
}

/* --- checks --- */

static const struct ct_reader_entry *find_key(const struct ct_reader_section *section,
                                              const char *key)
{
    for (size_t i = 0; i < section->entry_count; i++)
        if (strcmp(section->entries[i].key, key) == 0)
            return &section->entries[i];
    return NULL;
}

/* Keys that go with each form. */
static const char *const c_keys[] = {"c", "function", "libs", "args", NULL};
static const char *const kernel_keys[] = {"kernel", "source", "options", "define",
                                          "args",   "global", "local",   NULL};
static const char *const config_keys[] = {"config", NULL};

static bool is_among(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

static void check_form(struct ct_spec_builder *b, const struct ct_reader_section *section)
{
    bool c = find_key(section, "c") || find_key(section, "function");
    bool kernel = find_key(section, "kernel") != NULL;
    bool config = find_key(section, "config") != NULL;
    const char *const *keys = c ? c_keys : kernel ? kernel_keys : config_keys;
    const char *wanted = c ? (find_key(section, "c") ? "function" : "c") : "global";

    if (c + kernel + config != 1) {
        CT_SPEC_COMPLAIN(
            b, section->place,
            "a [reference] requires 'c' and 'function', 'kernel' and 'global', or "
            "'config'");
        return;
    }
    for (size_t i = 0; i < section->entry_count; i++)
        if (!is_among(section->entries[i].key, keys) &&
            (is_among(section->entries[i].key, c_keys) ||
             is_among(section->entries[i].key, kernel_keys)))
            CT_SPEC_COMPLAIN(b, section->entries[i].place,
                             "key '%s' has no meaning next to '%s'",
                             section->entries[i].key, keys[0]);
    if (!config && !find_key(section, wanted))
        CT_SPEC_COMPLAIN(b, section->place, "[reference] requires the key '%s'", wanted);
}

static void check_dimensions(struct ct_spec_builder *b,
                             const struct ct_spec_launch *launch)
{
    if (launch->local_count && launch->global_count &&
        launch->local_count != launch->global_count)
        CT_SPEC_COMPLAIN(b, launch->place,
                         "[reference] has %zu dimension%s in 'global' and %zu in 'local'",
                         launch->global_count, launch->global_count == 1 ? "" : "s",
                         launch->local_count);
}

/* Reads one section; a kernel becomes the last launch. */
static void read_reference_section(struct ct_spec_builder *b,
                                   const struct ct_reader_section *section)
{
    struct ct_spec_reference *reference = &b->spec->reference;
    bool kernel = find_key(section, "kernel") != NULL;

    reference->launch = (struct ct_spec_launch){
        .name = section->name ? section->name : "reference",
        .place = section->place,
        .loop = -1,
        .has_program = true,
    };
    check_form(b, section);
    b->in_reference = kernel;
    ct_spec_read_section(b, section, reference);
    b->in_reference = false;
    check_dimensions(b, &reference->launch);
    if (kernel)
        reference->launches[reference->launch_count++] = reference->launch;
}

static void read_reference(struct ct_spec_builder *b)
{
    struct ct_spec_reference *reference = &b->spec->reference;
    size_t index = 0;
    size_t count = 0;
    const struct ct_reader_section *section = ct_spec_next(b, "reference", &index);

    reference->host.libs = "";
    if (!section)
        return;
    reference->present = true;
    reference->place = section->place;
    reference->host.place = section->place;
    for (; section; section = ct_spec_next(b, "reference", &index))
        count++;
    reference->launches = ct_spec_alloc(b, count, sizeof(*reference->launches));
    reference->uses = ct_spec_alloc(b, b->spec->slots.count, sizeof(*reference->uses));
    if (!reference->launches || !reference->uses)
        return;
    index = 0;
    while ((section = ct_spec_next(b, "reference", &index))) {
        if (count > 1 && !find_key(section, "kernel"))
            CT_SPEC_COMPLAIN(b, section->place,
                             "several references are launched one after the other, so "
                             "each requires a 'kernel'");
        else
            read_reference_section(b, section);
    }
}

static void read_baseline(struct ct_spec_builder *b)
{
    struct ct_spec_host *host = &b->spec->baseline;
    size_t index = 0;
    const struct ct_reader_section *section = ct_spec_next(b, "baseline", &index);

    host->libs = "";
    if (!section)
        return;
    host->place = section->place;
    ct_spec_read_section(b, section, host);
}

void ct_spec_read_hosts(struct ct_spec_builder *b)
{
    read_reference(b);
    read_baseline(b);
}
