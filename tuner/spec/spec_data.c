// SPDX-License-Identifier: Apache-2.0
// The [buffer] sections.
#include "spec/spec_impl.h"

#include <string.h>

CT_SPEC_PARSER(ct_spec_buffer_type)
{
    struct ct_spec_buffer *buffer = object;
    struct ct_type type;

    ct_spec_template(builder, &entry->value, 0, entry->value.length, &buffer->type);
    if (ct_spec_is_plain(&buffer->type) && buffer->type.text &&
        !ct_type_parse(buffer->type.text, &type))
        CT_SPEC_COMPLAIN(
            builder, buffer->type.place,
            "'%s' is no type of OpenCL's: a scalar such as float or uint, or a "
            "vector of it such as float4",
            buffer->type.text);
}

CT_SPEC_PARSER(ct_spec_buffer_size)
{
    struct ct_spec_buffer *buffer = object;

    buffer->count = ct_spec_compile_number(builder, &entry->value, 0, entry->value.length,
                                           CT_USE_CONFIG, true, "'count'");
}

CT_SPEC_PARSER(ct_spec_buffer_compare)
{
    struct ct_spec_buffer *buffer = object;

    buffer->compare = ct_spec_compile_number(
        builder, &entry->value, 0, entry->value.length, CT_USE_CONFIG, true, "'compare'");
}

static const struct fill_form {
    const char *name;
    size_t arg_count;
    bool later;
    enum ct_fill_kind kind;
    const char *usage;
} fill_forms[] = {
    {"none", 0, false, CT_FILL_NONE, "none"},
    {"zero", 0, false, CT_FILL_ZERO, "zero"},
    {"constant", 1, false, CT_FILL_CONSTANT, "constant(value)"},
    {"ramp", 2, false, CT_FILL_RAMP, "ramp(first, step)"},
    {"uniform", 2, false, CT_FILL_UNIFORM, "uniform(least, largest)"},
    {"normal", 2, false, CT_FILL_NORMAL, "normal(mean, deviation)"},
    {"copy", 1, true, CT_FILL_NONE, "copy(buffer)"},
    {"interleave", 2, true, CT_FILL_NONE, "interleave(buffer, ...)"},
    {"file", 1, true, CT_FILL_NONE, "file(x.npy)"},
    {"c", 2, true, CT_FILL_NONE, "c(file.c, function)"},
};
enum { FILL_FORM_COUNT = sizeof(fill_forms) / sizeof(fill_forms[0]) };

static const struct fill_form *find_fill(struct ct_spec_builder *b,
                                         const struct ct_text *text, size_t end)
{
    const char *names[FILL_FORM_COUNT];
    size_t known = 0;
    const char *word = ct_spec_copy(b, text->text, end);
    const char *hint;

    if (!word)
        return NULL;
    for (size_t i = 0; i < FILL_FORM_COUNT; i++) {
        if (strcmp(fill_forms[i].name, word) == 0) {
            if (!fill_forms[i].later)
                return &fill_forms[i];
            CT_SPEC_COMPLAIN(b, text->places[0],
                             "fill '%s' is not supported yet by this version", word);
            return NULL;
        }
        if (!fill_forms[i].later)
            names[known++] = fill_forms[i].name;
    }
    hint = ct_spec_hint(b, word, names, known);
    CT_SPEC_COMPLAIN(
        b, text->places[0], "unknown fill '%s'%s", word,
        *hint ? hint
              : "; it is none, zero, constant(v), ramp(a, step), uniform(a, b) "
                "or normal(m, s)");
    return NULL;
}

/* Compiles up to two arguments between the parentheses; returns how many there are. */
static size_t fill_args(struct ct_spec_builder *b, const struct ct_text *text,
                        size_t open, size_t end, const struct ct_expr **args)
{
    size_t count = 0;
    size_t begin = open + 1;
    size_t inside = begin;
    size_t stop = end;

    ct_expr_trim(text, &inside, &stop);
    if (inside == stop)
        return 0;
    while (begin <= end) {
        size_t comma = ct_expr_find_char(text, begin, end, ',');

        if (count < 2)
            args[count] = ct_spec_compile_number(b, text, begin, comma, CT_USE_CONFIG,
                                                 false, "an argument of a fill");
        count++;
        begin = comma + 1;
    }
    return count;
}

CT_SPEC_PARSER(ct_spec_buffer_fill)
{
    struct ct_spec_buffer *buffer = object;
    const struct ct_text *text = &entry->value;
    const char *open = memchr(text->text, '(', text->length);
    size_t at = open ? (size_t)(open - text->text) : text->length;
    const struct ct_expr *args[2] = {NULL, NULL};
    const struct fill_form *form;
    size_t begin = 0;
    size_t end = at;
    size_t count = 0;

    ct_expr_trim(text, &begin, &end);
    form = find_fill(builder, text, end);
    if (!form)
        return;
    if (open && (text->text[text->length - 1] != ')' ||
                 ct_expr_find_outside(text, at, text->length) < text->length)) {
        CT_SPEC_COMPLAIN(builder, text->places[at], "write the fill as '%s'",
                         form->usage);
        return;
    }
    if (open)
        count = fill_args(builder, text, at, text->length - 1, args);
    if (count != form->arg_count) {
        CT_SPEC_COMPLAIN(builder, text->places[0],
                         "fill '%s' takes %zu argument%s, not %zu: write '%s'",
                         form->name, form->arg_count, form->arg_count == 1 ? "" : "s",
                         count, form->usage);
        return;
    }
    buffer->fill = form->kind;
    buffer->fill_a = args[0];
    buffer->fill_b = args[1];
}

CT_SPEC_PARSER(ct_spec_buffer_check)
{
    struct ct_spec_buffer *buffer = object;
    const struct ct_text *text = &entry->value;
    size_t begin = 0;
    size_t end = text->length;

    if (end == 5 && memcmp(text->text, "exact", 5) == 0) {
        buffer->check = CT_CHECK_EXACT;
        return;
    }
    buffer->check = CT_CHECK_RELATIVE;
    if (end > 4 && memcmp(text->text, "abs(", 4) == 0 && text->text[end - 1] == ')' &&
        ct_expr_find_outside(text, 3, end) == end) {
        buffer->check = CT_CHECK_ABSOLUTE;
        begin = 4;
        end--;
    }
    if (ct_spec_constant(builder, text, begin, end, "the tolerance",
                         &buffer->tolerance) &&
        buffer->tolerance < 0)
        CT_SPEC_COMPLAIN(builder, text->places[begin], "the tolerance is negative");
}

/* In args a type's name begins a scalar, so no buffer can have it. */
static void check_name(struct ct_spec_builder *b, const struct ct_reader_section *section)
{
    struct ct_type type;

    if (ct_type_parse(section->name, &type) || strcmp(section->name, "local") == 0 ||
        strcmp(section->name, "sampler") == 0)
        CT_SPEC_COMPLAIN(b, section->name_place,
                         "'%s' means something else in 'args'; choose another name",
                         section->name);
}

void ct_spec_read_buffers(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;
    const struct ct_reader_section *section;
    size_t count = 0;
    size_t index = 0;

    while (ct_spec_next(b, "buffer", &index))
        count++;
    spec->buffers = ct_spec_alloc(b, count, sizeof(*spec->buffers));
    b->buffer_used = ct_spec_alloc(b, count, sizeof(*b->buffer_used));
    if (!spec->buffers || !b->buffer_used)
        return;
    index = 0;
    while ((section = ct_spec_next(b, "buffer", &index))) {
        struct ct_spec_buffer *buffer = &spec->buffers[spec->buffer_count++];

        buffer->name = section->name;
        buffer->place = section->place;
        check_name(b, section);
        ct_spec_read_section(b, section, buffer);
        if (buffer->compare && buffer->check == CT_CHECK_NONE)
            CT_SPEC_COMPLAIN(b, section->place,
                             "[buffer %s] has 'compare' but no 'check', so nothing is "
                             "compared",
                             section->name);
    }
}
