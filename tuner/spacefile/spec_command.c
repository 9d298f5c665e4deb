// SPDX-License-Identifier: Apache-2.0
// The sections [program] and [read]: a program that is measured instead of a kernel.
#include "spacefile/spec_impl.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* --- words --- */

CT_SPEC_PARSER(ct_spec_command_name)
{
    ct_spec_kernel_name(builder, entry, object);
}

CT_SPEC_PARSER(ct_spec_command_template)
{
    ct_spec_template(builder, &entry->value, 0, entry->value.length, object);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Whether text[begin, end) is `${NAME}` and no more. */
static bool is_name_alone(const struct ct_text *text, size_t begin, size_t end)
{
    const char *close =
        end - begin > 3 ? memchr(text->text + begin, '}', end - begin) : NULL;

    return close && text->text[begin] == '$' && text->text[begin + 1] == '{' &&
           (size_t)(close - text->text) == end - 1;
}

/* Reads the word at *at, which is no blank, and moves behind it. */
static void read_word(struct ct_spec_builder *b, const struct ct_text *text, size_t *at,
                      struct ct_spec_word_template *word)
{
    size_t begin = *at;
    char quote = text->text[begin];
    size_t end = begin;

    if (quote != '\'' && quote != '"') {
        while (end < text->length && !is_blank(text->text[end]))
            end++;
        word->splits = is_name_alone(text, begin, end);
        ct_spec_template(b, text, begin, end, &word->text);
        *at = end;
        return;
    }
    for (end = begin + 1; end < text->length && text->text[end] != quote;)
        end++;
    *at = end + (end < text->length);
    if (end == text->length || (*at < text->length && !is_blank(text->text[*at])))
        CT_SPEC_COMPLAIN(b, ct_text_place(text, begin),
                         "a quoted word ends with a quote and a blank");
    /* Blanks within quotes belong to the word, which a template would lose at its ends. */
    ct_spec_template(b, text, begin + 1, end, &word->text);
}

CT_SPEC_PARSER(ct_spec_command_words)
{
    struct ct_spec_words *words = object;
    const struct ct_text *text = &entry->value;
    struct ct_spec *spec = builder->spec;
    size_t room = 1;

    words->text = text->text;
    words->place = ct_text_place(text, 0);
    words->count = 0;
    for (size_t i = 0; i < text->length; i++)
        room += is_blank(text->text[i]);
    words->items = ct_spec_alloc(builder, room, sizeof(*words->items));
    if (!words->items)
        return;
    if (spec->command.shell) {
        ct_spec_template(builder, text, 0, text->length, &words->items[0].text);
        words->count = 1;
        return;
    }
    for (size_t at = 0; at < text->length && words->count < room;) {
        if (is_blank(text->text[at]))
            at++;
        else
            read_word(builder, text, &at, &words->items[words->count++]);
    }
}

/* --- files --- */

/* `PATH [as NAME]`; without a name it keeps its own. */
static void read_file(struct ct_spec_builder *b, const struct ct_text *text, size_t begin,
                      size_t end, bool named, struct ct_spec_file *file)
{
    size_t stop;
    size_t at;

    ct_expr_trim(text, &begin, &end);
    stop = at = end;
    for (size_t i = begin; i + 4 <= end && at == end; i++)
        if (!memcmp(text->text + i, " as ", 4)) {
            stop = i;
            at = i + 4;
        }
    ct_spec_template(b, text, begin, stop, &file->path);
    ct_expr_trim(text, &at, &end);
    if (at < end) {
        file->name = ct_spec_copy(b, text->text + at, end - at);
    } else {
        const char *slash = file->path.text ? strrchr(file->path.text, '/') : NULL;

        file->name = slash ? slash + 1 : file->path.text;
        if (named || !ct_spec_is_plain(&file->path))
            CT_SPEC_COMPLAIN(b, ct_text_place(text, begin),
                             "a name is missing here: write 'FILE as NAME'");
    }
    if (file->name && (!*file->name || *file->name == '/' || strstr(file->name, "..")))
        CT_SPEC_COMPLAIN(b, ct_text_place(text, begin),
                         "'%s' is not a name within the folder of the program",
                         file->name);
}

static struct ct_spec_file *read_files(struct ct_spec_builder *b,
                                       const struct ct_text *text, bool named,
                                       size_t *count)
{
    struct ct_spec_file *files;
    size_t room = 1;

    for (size_t i = 0; i < text->length; i++)
        room += text->text[i] == ',';
    *count = 0;
    files = ct_spec_alloc(b, room, sizeof(*files));
    for (size_t begin = 0; files && *count < room;) {
        const char *comma = memchr(text->text + begin, ',', text->length - begin);
        size_t end = comma ? (size_t)(comma - text->text) : text->length;

        read_file(b, text, begin, end, named, &files[(*count)++]);
        begin = end + 1;
    }
    return files;
}

CT_SPEC_PARSER(ct_spec_command_files)
{
    struct ct_spec_command *command = &((struct ct_spec *)object)->command;

    command->files = read_files(builder, &entry->value, false, &command->file_count);
}

CT_SPEC_PARSER(ct_spec_command_templates)
{
    struct ct_spec_command *command = &((struct ct_spec *)object)->command;

    command->templates =
        read_files(builder, &entry->value, true, &command->template_count);
}

/* --- patterns --- */

/* The pattern between the slashes of text[0, end); NULL after a diagnosis. */
static const char *read_pattern(struct ct_spec_builder *b, const struct ct_text *text,
                                size_t end, bool group)
{
    char *pattern;
    char why[128];
    regex_t compiled;
    bool has_group;
    int code;

    if (end < 3 || text->text[0] != '/' || text->text[end - 1] != '/') {
        CT_SPEC_COMPLAIN(b, ct_text_place(text, 0),
                         "a pattern is written between slashes: /([0-9.]+) ms/");
        return NULL;
    }
    pattern = ct_spec_copy(b, text->text + 1, end - 2);
    if (!pattern)
        return NULL;
    code = regcomp(&compiled, pattern, REG_EXTENDED | REG_NEWLINE);
    if (code) {
        regerror(code, &compiled, why, sizeof(why));
        CT_SPEC_COMPLAIN(b, ct_text_place(text, 0), "/%s/ is not a pattern: %s", pattern,
                         why);
        return NULL;
    }
    has_group = compiled.re_nsub > 0;
    regfree(&compiled);
    if (group && !has_group) {
        CT_SPEC_COMPLAIN(b, ct_text_place(text, 0),
                         "/%s/ requires parentheses around the number: /([0-9.]+) ms/",
                         pattern);
        return NULL;
    }
    return pattern;
}

CT_SPEC_PARSER(ct_spec_check_pattern)
{
    (void)object;
    read_pattern(builder, &entry->value, entry->value.length, false);
}

double ct_spec_time_unit(const char *name)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"time_ns", 1}, {"time_us", 1e3}, {"time_ms", 1e6}, {"time_s", 1e9}};

    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (strcmp(name, units[i].name) == 0)
            return units[i].ns;
    return 0;
}

/* `/pattern/ [in FILE]`. */
static void read_read(struct ct_spec_builder *b, const struct ct_reader_entry *entry,
                      struct ct_spec_read *out)
{
    const struct ct_text *text = &entry->value;
    size_t end = text->length;

    out->name = entry->key;
    out->place = entry->place;
    out->unit_ns = ct_spec_time_unit(entry->key);
    out->slot = ct_spec_find(b->spec, entry->key);
    if (entry->broken)
        return;
    for (size_t i = 1; i + 5 <= text->length; i++)
        if (!memcmp(text->text + i, "/ in ", 5)) {
            size_t at = i + 5;
            size_t stop = text->length;

            ct_expr_trim(text, &at, &stop);
            out->file = ct_spec_copy(b, text->text + at, stop - at);
            end = i + 1;
        }
    out->pattern = read_pattern(b, text, end, true);
}

static void read_reads(struct ct_spec_builder *b)
{
    struct ct_spec_command *command = &b->spec->command;
    const struct ct_reader_section *section;
    const char *time = NULL;
    size_t index = 0;

    command->reads =
        ct_spec_alloc(b, ct_spec_count_entries(b, "read"), sizeof(*command->reads));
    while (command->reads && (section = ct_spec_next(b, "read", &index))) {
        if (!command->present)
            CT_SPEC_COMPLAIN(b, section->place, "[read] needs a [program] section");
        for (size_t i = 0; i < section->entry_count; i++) {
            struct ct_spec_read *out = &command->reads[command->read_count++];

            read_read(b, &section->entries[i], out);
            if (out->unit_ns > 0 && time)
                CT_SPEC_COMPLAIN(b, out->place,
                                 "'%s' and '%s' both read the time of a run", time,
                                 out->name);
            time = out->unit_ns > 0 ? out->name : time;
        }
    }
}

/* --- the section --- */

static void refuse(struct ct_spec_builder *b)
{
    static const char *const others[] = {"kernel", "buffer",    "image",    "launch",
                                         "loop",   "reference", "baseline", "define"};
    const struct ct_spec *spec = b->spec;

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        size_t index = 0;
        const struct ct_reader_section *section = ct_spec_next(b, others[i], &index);

        if (section)
            CT_SPEC_COMPLAIN(b, section->place,
                             "[%s] is about a kernel: a file measures a kernel or a "
                             "[program]",
                             others[i]);
    }
    for (size_t i = 0; i < spec->param_count; i++)
        if (spec->params[i].replaces)
            CT_SPEC_COMPLAIN(b, spec->params[i].place,
                             "'replaces' is about a kernel's source; a file that a "
                             "[program] reads can be written from a 'template'");
    if (spec->measure.cold)
        CT_SPEC_COMPLAIN(b, spec->command.place,
                         "'cache = cold' is about the buffers of a kernel; a [program] "
                         "has none");
}

void ct_spec_read_command(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;
    size_t index = 0;
    const struct ct_reader_section *section = ct_spec_next(b, "program", &index);

    if (section) {
        spec->command.present = spec->kernel.present = true;
        spec->command.place = section->place;
        /* Words are read as the shell's or not, wherever the key stands. */
        for (size_t i = 0; i < section->entry_count; i++)
            if (strcmp(section->entries[i].key, "shell") == 0)
                spec->command.shell = strcmp(section->entries[i].value.text, "on") == 0;
        ct_spec_read_section(b, section, spec);
        refuse(b);
    }
    read_reads(b);
}

void ct_spec_add_read_metrics(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;
    const struct ct_spec_command *command = &spec->command;
    struct ct_named_expr *all =
        ct_spec_alloc(b, spec->metric_count + command->read_count, sizeof(*all));
    size_t own = spec->metric_count;

    if (!all || !command->read_count)
        return;
    if (own)
        memcpy(all, spec->metrics, own * sizeof(*all));
    spec->metrics = all;
    for (size_t i = 0; i < command->read_count; i++) {
        const struct ct_spec_read *read = &command->reads[i];
        size_t length = strlen(read->name);
        struct ct_place *places = ct_spec_alloc(b, length + 1, sizeof(*places));
        struct ct_text text = {b->file->path, read->name, length, places};
        bool defined = read->unit_ns > 0;

        for (size_t j = 0; j < own; j++)
            defined = defined || strcmp(all[j].name, read->name) == 0;
        for (size_t j = 0; places && j <= length; j++)
            places[j] = read->place;
        if (!defined && places)
            all[spec->metric_count++] = (struct ct_named_expr){
                .name = read->name,
                .place = read->place,
                .expr = ct_spec_compile(b, &text, 0, length, CT_USE_METRIC)};
    }
}

/* --- uses --- */

void ct_spec_use_templates(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;

    for (size_t i = 0; i < spec->command.template_count; i++) {
        const struct ct_template *path = &spec->command.templates[i].path;
        struct ct_arena arena = {0};
        const char *full = path->text && ct_spec_is_plain(path)
                               ? ct_spec_path(spec, &arena, path->text)
                               : NULL;
        const char *text = NULL;
        size_t length;

        /* What cannot be read is reported where it is needed. */
        if (full && ct_reader_slurp(full, &arena, &text, &length, NULL))
            text = NULL;
        for (size_t s = 0; s < spec->slots.count; s++) {
            char *use =
                text && !spec->slots.symbols[s].used
                    ? ct_arena_format(&arena, "${%s}", spec->slots.symbols[s].name)
                    : NULL;

            if (use && strstr(text, use))
                spec->slots.symbols[s].used = true;
        }
        ct_arena_release(&arena);
    }
}

/* --- printing --- */

static void put_text(struct ct_str *out, const char *key, const char *text)
{
    if (text)
        ct_str_addf(out, "%s = %s\n", key, text);
}

static void put_files(struct ct_str *out, const char *key,
                      const struct ct_spec_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ct_str_addf(out, "%s%s%s as %s", i ? "" : key, i ? ", " : " = ",
                    files[i].path.text, files[i].name);
    if (count)
        ct_str_putc(out, '\n');
}

void ct_spec_print_command(const struct ct_spec *spec, struct ct_str *out)
{
    const struct ct_spec_command *command = &spec->command;

    if (command->read_count)
        ct_str_puts(out, "[read]\n");
    for (size_t i = 0; i < command->read_count; i++) {
        const struct ct_spec_read *read = &command->reads[i];

        ct_str_addf(out, "%s = /%s/%s%s\n", read->name, read->pattern,
                    read->file ? " in " : "", read->file ? read->file : "");
    }
    ct_str_addf(out, "%s[program]\nname = %s\n", command->read_count ? "\n" : "",
                spec->kernel.name);
    put_text(out, "command", command->command.text);
    put_text(out, "setup", command->setup.text);
    put_text(out, "cleanup", command->cleanup.text);
    put_text(out, "folder", command->folder.text);
    put_files(out, "files", command->files, command->file_count);
    put_files(out, "template", command->templates, command->template_count);
    put_text(out, "input", command->input.text);
}
