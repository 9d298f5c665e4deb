// SPDX-License-Identifier: Apache-2.0
// The [launch], [reference] and [baseline] sections and their arguments.
#include "spec/spec_impl.h"

#include <string.h>

CT_SPEC_PARSER(ct_spec_launch_kernel)
{
    struct ct_spec_launch *launch = object;

    ct_spec_template(builder, &entry->value, 0, entry->value.length, &launch->kernel);
    if (ct_spec_is_plain(&launch->kernel) && launch->kernel.text &&
        !ct_expr_is_word(launch->kernel.text, strlen(launch->kernel.text)))
        CT_SPEC_COMPLAIN(builder, launch->kernel.place, "'%s' is no name of a kernel",
                         launch->kernel.text);
}

/* --- arguments --- */

static int find_buffer(struct ct_spec_builder *b, const char *word)
{
    for (size_t i = 0; i < b->spec->buffer_count; i++)
        if (strcmp(b->spec->buffers[i].name, word) == 0)
            return (int)i;
    return -1;
}

static void unknown_buffer(struct ct_spec_builder *b, const char *word,
                           struct ct_place place)
{
    const struct ct_spec *spec = b->spec;
    const char **names = ct_spec_alloc(b, spec->buffer_count, sizeof(*names));

    if (!names)
        return;
    for (size_t i = 0; i < spec->buffer_count; i++)
        names[i] = spec->buffers[i].name;
    if (ct_spec_find(spec, word) >= 0)
        CT_SPEC_COMPLAIN(b, place,
                         "'%s' is no buffer; a scalar argument is written with its type, "
                         "such as uint(%s)",
                         word, word);
    else
        CT_SPEC_COMPLAIN(b, place, "unknown buffer '%s'%s", word,
                         ct_spec_hint(b, word, names, spec->buffer_count));
}

static void parse_buffer_arg(struct ct_spec_builder *b, const char *word,
                             struct ct_spec_arg *arg)
{
    int index = find_buffer(b, word);

    arg->kind = CT_ARG_BUFFER;
    if (index < 0) {
        unknown_buffer(b, word, arg->place);
        return;
    }
    arg->buffer = index;
    b->buffer_used[index] = true;
}

static void unknown_type(struct ct_spec_builder *b, const char *word,
                         struct ct_place place)
{
    static const char *const names[] = {"char", "uchar", "short",  "ushort",
                                        "int",  "uint",  "long",   "ulong",
                                        "half", "float", "double", "local"};

    if (strcmp(word, "sampler") == 0)
        CT_SPEC_COMPLAIN(b, place,
                         "argument 'sampler' is not supported yet by this version");
    else
        CT_SPEC_COMPLAIN(b, place,
                         "'%s' is no type of OpenCL's%s; an argument is a buffer, "
                         "type(expression) or local(bytes)",
                         word,
                         ct_spec_hint(b, word, names, sizeof(names) / sizeof(*names)));
}

/* One entry of args without its condition. */
static void parse_arg(struct ct_spec_builder *b, const struct ct_text *text, size_t begin,
                      size_t end, bool host, struct ct_spec_arg *arg)
{
    const char *open = memchr(text->text + begin, '(', end - begin);
    size_t at = open ? (size_t)(open - text->text) : end;
    size_t word_end = at;
    size_t word_begin = begin;
    const char *word;
    bool is_word;

    ct_expr_trim(text, &word_begin, &word_end);
    is_word = ct_expr_is_word(text->text + word_begin, word_end - word_begin);
    word = ct_spec_copy(b, text->text + word_begin, word_end - word_begin);
    if (!word)
        return;
    if (ct_expr_find_char(text, begin, end, '?') < end) {
        CT_SPEC_COMPLAIN(b, arg->place,
                         "'?:' between arguments is not supported yet by this version");
    } else if (!is_word || (open && (ct_expr_find_outside(text, at, end) < end ||
                                     text->text[end - 1] != ')'))) {
        CT_SPEC_COMPLAIN(
            b, arg->place,
            "an argument is a buffer's name, type(expression) or local(bytes), "
            "and may end in 'if condition'");
    } else if (!open) {
        parse_buffer_arg(b, word, arg);
    } else if (strcmp(word, "local") == 0) {
        arg->kind = CT_ARG_LOCAL;
        if (host)
            CT_SPEC_COMPLAIN(b, arg->place, "host functions have no local memory");
        else
            arg->value = ct_spec_compile_number(b, text, at + 1, end - 1, CT_USE_CONFIG,
                                                true, "a size of local memory");
    } else if (ct_type_parse(word, &arg->type)) {
        arg->kind = CT_ARG_SCALAR;
        arg->value =
            ct_spec_compile_number(b, text, at + 1, end - 1, CT_USE_CONFIG,
                                   arg->type.scalar < CT_T_HALF, "this argument");
    } else {
        unknown_type(b, word, arg->place);
    }
}

static struct ct_spec_arg *parse_args(struct ct_spec_builder *b,
                                      const struct ct_text *text, bool host,
                                      size_t *count)
{
    struct ct_spec_arg *args;
    size_t room = 1;

    *count = 0;
    if (!text->length)
        return NULL;
    for (size_t at = ct_expr_find_char(text, 0, text->length, ','); at < text->length;
         at = ct_expr_find_char(text, at + 1, text->length, ','))
        room++;
    args = ct_spec_alloc(b, room, sizeof(*args));
    for (size_t begin = 0; args && *count < room;) {
        size_t comma = ct_expr_find_char(text, begin, text->length, ',');
        struct ct_spec_arg *arg = &args[(*count)++];
        size_t end = comma;

        ct_expr_trim(text, &begin, &end);
        arg->place = text->places[begin];
        if (begin == end) {
            CT_SPEC_COMPLAIN(b, arg->place, "an argument is missing here");
        } else {
            arg->condition = ct_spec_compile_condition(b, text, begin, &end);
            ct_expr_trim(text, &begin, &end);
            parse_arg(b, text, begin, end, host, arg);
        }
        begin = comma + 1;
    }
    return args;
}

CT_SPEC_PARSER(ct_spec_launch_args)
{
    struct ct_spec_launch *launch = object;

    launch->args_place = entry->place;
    launch->args = parse_args(builder, &entry->value, false, &launch->arg_count);
}

CT_SPEC_PARSER(ct_spec_host_args)
{
    struct ct_spec_host *host = object;

    host->args = parse_args(builder, &entry->value, true, &host->arg_count);
}

/* --- sizes --- */

static size_t parse_sizes(struct ct_spec_builder *b, const struct ct_reader_entry *entry,
                          const struct ct_expr **sizes)
{
    const struct ct_text *text = &entry->value;
    size_t count = 0;

    for (size_t begin = 0; begin <= text->length;) {
        size_t comma = ct_expr_find_char(text, begin, text->length, ',');

        if (count == 3) {
            CT_SPEC_COMPLAIN(b, text->places[begin],
                             "'%s' has more than three dimensions", entry->key);
            break;
        }
        sizes[count++] = ct_spec_compile_number(b, text, begin, comma, CT_USE_CONFIG,
                                                true, "a number of work-items");
        begin = comma + 1;
    }
    return count;
}

CT_SPEC_PARSER(ct_spec_launch_global)
{
    struct ct_spec_launch *launch = object;

    launch->global_count = parse_sizes(builder, entry, launch->global);
}

CT_SPEC_PARSER(ct_spec_launch_local)
{
    struct ct_spec_launch *launch = object;

    launch->local_count = parse_sizes(builder, entry, launch->local);
}

void ct_spec_read_launches(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;
    const struct ct_reader_section *section;
    size_t count = 0;
    size_t index = 0;

    while (ct_spec_next(b, "launch", &index))
        count++;
    spec->launches = ct_spec_alloc(b, count, sizeof(*spec->launches));
    if (!spec->launches)
        return;
    index = 0;
    while ((section = ct_spec_next(b, "launch", &index))) {
        struct ct_spec_launch *launch = &spec->launches[spec->launch_count++];

        launch->name = section->name;
        launch->place = section->place;
        ct_spec_read_section(b, section, launch);
        if (launch->local_count && launch->global_count &&
            launch->local_count != launch->global_count)
            CT_SPEC_COMPLAIN(
                b, section->place,
                "[launch %s] has %zu dimension%s in 'global' and %zu in 'local'",
                section->name, launch->global_count, launch->global_count == 1 ? "" : "s",
                launch->local_count);
    }
}

/* --- host functions --- */

CT_SPEC_PARSER(ct_spec_host_c)
{
    struct ct_spec_host *host = object;
    struct ct_template path = {0};

    ct_spec_template(builder, &entry->value, 0, entry->value.length, &path);
    host->c_place = path.place;
    host->c_text = path.text;
    if (!path.text)
        return;
    if (!ct_spec_is_plain(&path))
        CT_SPEC_COMPLAIN(builder, path.place,
                         "${NAME} in the path of a C file is not supported yet by this "
                         "version");
    host->c_path = ct_spec_path(builder->spec, &builder->spec->arena, path.text);
    if (!host->c_path)
        builder->nomem = true;
}

CT_SPEC_PARSER(ct_spec_host_function)
{
    struct ct_spec_host *host = object;

    host->function = entry->value.text;
    if (!ct_expr_is_word(entry->value.text, entry->value.length))
        CT_SPEC_COMPLAIN(builder, entry->value.places[0],
                         "'%s' is no name of a C function", entry->value.text);
}

CT_SPEC_PARSER(ct_spec_host_libs)
{
    struct ct_spec_host *host = object;

    (void)builder;
    host->libs = entry->value.text;
}

static void read_host(struct ct_spec_builder *b, const char *kind,
                      struct ct_spec_host *host)
{
    size_t index = 0;
    const struct ct_reader_section *section = ct_spec_next(b, kind, &index);

    host->libs = "";
    if (!section)
        return;
    host->present = true;
    host->place = section->place;
    ct_spec_read_section(b, section, host);
}

void ct_spec_read_hosts(struct ct_spec_builder *b)
{
    read_host(b, "reference", &b->spec->reference);
    read_host(b, "baseline", &b->spec->baseline);
}
