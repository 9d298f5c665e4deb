// SPDX-License-Identifier: Apache-2.0
// The [buffer] sections.
#include "spacefile/spec_impl.h"

#include <string.h>

CT_SPEC_PARSER(ct_spec_buffer_type)
{
    struct ct_spec_buffer *buffer = object;
    struct ct_type type;

    ct_spec_template(builder, &entry->value, 0, entry->value.length, &buffer->type);
    if (ct_spec_is_plain(&buffer->type) && buffer->type.text &&
        !ct_type_read(buffer->type.text, &type))
        CT_SPEC_COMPLAIN(
            builder, buffer->type.place,
            "'%s' is not an OpenCL type: use a scalar such as float or uint, or a "
            "vector such as float4",
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

CT_SPEC_PARSER(ct_spec_buffer_planes)
{
    struct ct_spec_buffer *buffer = object;

    buffer->planes = ct_spec_compile_number(
        builder, &entry->value, 0, entry->value.length, CT_USE_CONFIG, true, "'planes'");
}

/* --- words --- */

const char *const ct_spec_restores[2] = {"once", "each"};
const char *const ct_spec_transfers[3] = {"write", "map", "host"};
const char *const ct_spec_folds[4] = {"none", "sum", "min", "max"};
const char *const ct_spec_orders[4] = {"CL_R", "CL_RG", "CL_RGBA", "CL_BGRA"};
const char *const ct_spec_channels[10] = {
    "CL_FLOAT",          "CL_HALF_FLOAT",     "CL_UNORM_INT8",   "CL_UNORM_INT16",
    "CL_SIGNED_INT8",    "CL_SIGNED_INT16",   "CL_SIGNED_INT32", "CL_UNSIGNED_INT8",
    "CL_UNSIGNED_INT16", "CL_UNSIGNED_INT32",
};

CT_SPEC_PARSER(ct_spec_buffer_restore)
{
    struct ct_spec_buffer *buffer = object;
    int word = ct_spec_read_word(builder, &entry->value, 0, entry->value.length,
                                 "time to restore", ct_spec_restores, 2);

    if (word >= 0)
        buffer->restore = (enum ct_restore)word;
}

CT_SPEC_PARSER(ct_spec_buffer_reduce)
{
    struct ct_spec_buffer *buffer = object;
    int word = ct_spec_read_word(builder, &entry->value, 0, entry->value.length, "fold",
                                 ct_spec_folds + 1, 3);

    if (word >= 0)
        buffer->reduce = (enum ct_reduce)(word + 1);
}

/* One of the words, or an expression whose text is one of them. */
CT_SPEC_PARSER(ct_spec_buffer_transfer)
{
    struct ct_spec_buffer *buffer = object;
    const struct ct_text *text = &entry->value;
    int word = ct_spec_find_word(ct_spec_transfers, 3, text->text);
    const char *hint;

    if (word >= 0) {
        buffer->transfer = (enum ct_transfer)word;
        return;
    }
    hint = ct_spec_hint(builder, text->text, ct_spec_transfers, 3);
    if (ct_expr_is_word(text->text, text->length) &&
        ct_spec_find(builder->spec, text->text) < 0) {
        CT_SPEC_COMPLAIN(
            builder, ct_text_place(text, 0), "'%s' is not a valid transfer%s", text->text,
            *hint ? hint : "; use write, map, host or a parameter with these texts");
        return;
    }
    buffer->transfer_by = ct_spec_compile(builder, text, 0, text->length, CT_USE_CONFIG);
    if (buffer->transfer_by &&
        (buffer->transfer_by->kind == CT_INT || buffer->transfer_by->kind == CT_REAL))
        CT_SPEC_COMPLAIN(builder, ct_text_place(text, 0),
                         "'transfer' must be a text, 'write', 'map' or 'host', not a "
                         "number");
}

/* --- images --- */

CT_SPEC_PARSER(ct_spec_image_size)
{
    struct ct_spec_buffer *image = object;
    const struct ct_text *text = &entry->value;

    image->dims = 0;
    for (size_t begin = 0; begin <= text->length;) {
        size_t comma = ct_expr_find_char(text, begin, text->length, ',');

        if (image->dims == 3) {
            CT_SPEC_COMPLAIN(builder, ct_text_place(text, begin),
                             "an image has at most three dimensions");
            break;
        }
        image->size[image->dims++] = ct_spec_compile_number(
            builder, text, begin, comma, CT_USE_CONFIG, true, "the size of an image");
        begin = comma + 1;
    }
}

CT_SPEC_PARSER(ct_spec_image_format)
{
    struct ct_spec_buffer *image = object;
    const struct ct_text *text = &entry->value;
    size_t at = strcspn(text->text, " \t");
    int order;
    int channel;

    if (at == text->length) {
        CT_SPEC_COMPLAIN(builder, ct_text_place(text, 0),
                         "the format of an image is an order and a type of channels, "
                         "such as 'CL_R CL_FLOAT'");
        return;
    }
    order =
        ct_spec_read_word(builder, text, 0, at, "order of channels", ct_spec_orders, 4);
    channel = ct_spec_read_word(builder, text, at, text->length, "type of channels",
                                ct_spec_channels, 10);
    if (order < 0 || channel < 0)
        return;
    image->order = (enum ct_channel_order)order;
    image->channel = (enum ct_channel_type)channel;
    if (image->order == CT_ORDER_BGRA && image->channel != CT_CHANNEL_UNORM_INT8 &&
        image->channel != CT_CHANNEL_SIGNED_INT8 &&
        image->channel != CT_CHANNEL_UNSIGNED_INT8)
        CT_SPEC_COMPLAIN(builder, ct_text_place(text, 0),
                         "CL_BGRA requires channels of 8 bits");
}

/* --- contents --- */

CT_SPEC_PARSER(ct_spec_buffer_fill)
{
    struct ct_spec_buffer *buffer = object;

    ct_spec_read_fill(builder, &entry->value, &buffer->fill);
}

CT_SPEC_PARSER(ct_spec_buffer_expect)
{
    struct ct_spec_buffer *buffer = object;

    buffer->has_expect = true;
    ct_spec_read_fill(builder, &entry->value, &buffer->expect);
    if (buffer->expect.kind == CT_FILL_NONE)
        CT_SPEC_COMPLAIN(builder, ct_text_place(&entry->value, 0),
                         "'expect' requires a fill that determines the contents");
}

/* A literal tolerance is checked immediately. */
static void check_tolerance(struct ct_spec_builder *b, const struct ct_expr *expr)
{
    char why[CT_EVAL_WHY_SIZE];
    struct ct_value value;
    enum ct_eval failed;

    if (!expr || expr->slot_count || expr->kind == CT_TEXT)
        return;
    failed = ct_expr_eval(expr, NULL, &value);
    if (failed)
        CT_SPEC_COMPLAIN(b, expr->place, "the tolerance cannot be computed: %s",
                         ct_expr_why(expr, failed, NULL, why));
    else if (ct_value_number(value) < 0)
        CT_SPEC_COMPLAIN(b, expr->place, "the tolerance is negative");
}

CT_SPEC_PARSER(ct_spec_buffer_check)
{
    struct ct_spec_buffer *buffer = object;
    const struct ct_text *text = &entry->value;
    size_t begin = 0;
    size_t end = text->length;
    const char *open;
    size_t word;

    if (end == 5 && memcmp(text->text, "exact", 5) == 0) {
        buffer->check = CT_CHECK_EXACT;
        return;
    }
    if (end > 2 && memcmp(text->text, "c(", 2) == 0) {
        buffer->check = CT_CHECK_C;
        ct_spec_read_fill(builder, text, &buffer->check_by);
        return;
    }
    buffer->check = CT_CHECK_RELATIVE;
    if (end > 4 && memcmp(text->text, "abs(", 4) == 0 && text->text[end - 1] == ')' &&
        ct_expr_find_outside(text, 3, end) == end) {
        buffer->check = CT_CHECK_ABSOLUTE;
        begin = 4;
        end--;
    }
    open = memchr(text->text, '(', end);
    word = open ? (size_t)(open - text->text) : 0;
    if (word && begin == 0 && ct_expr_is_word(text->text, word) &&
        !ct_expr_is_function(text->text, word)) {
        CT_SPEC_COMPLAIN(
            builder, ct_text_place(text, 0),
            "'%.*s' is not a check: use t (relative), abs(t), exact or c(file.c, "
            "function)",
            (int)word, text->text);
        return;
    }
    buffer->tolerance = ct_spec_compile_number(builder, text, begin, end, CT_USE_CONFIG,
                                               false, "the tolerance");
    check_tolerance(builder, buffer->tolerance);
}

/* In args a type's name begins a scalar, so no buffer may have it. */
static void check_name(struct ct_spec_builder *b, const struct ct_reader_section *section)
{
    struct ct_type type;

    if (ct_type_read(section->name, &type) || strcmp(section->name, "local") == 0 ||
        strcmp(section->name, "sampler") == 0)
        CT_SPEC_COMPLAIN(b, section->name_place,
                         "'%s' has another meaning in 'args'; choose another name",
                         section->name);
}

/* Checks the keys of one section against each other. */
static void check_buffer(struct ct_spec_builder *b,
                         const struct ct_reader_section *section,
                         const struct ct_spec_buffer *buffer)
{
    bool checked = buffer->check != CT_CHECK_NONE;

    if (buffer->compare && !checked)
        CT_SPEC_COMPLAIN(b, section->place,
                         "[%s %s] has 'compare' but no 'check', so nothing is compared",
                         section->kind, section->name);
    if (buffer->reduce && !checked)
        CT_SPEC_COMPLAIN(b, section->place,
                         "[%s %s] has 'fold' but no 'check', so nothing is compared",
                         section->kind, section->name);
    if (buffer->reduce && buffer->check == CT_CHECK_C)
        CT_SPEC_COMPLAIN(b, section->place,
                         "[%s %s] has 'fold', but a function in C compares all elements",
                         section->kind, section->name);
    if (buffer->has_expect && !checked)
        CT_SPEC_COMPLAIN(b, section->place,
                         "[%s %s] has 'expect' but no 'check', so nothing is compared",
                         section->kind, section->name);
}

static bool is_data(const struct ct_spec_builder *b, size_t index)
{
    return b->rules[index] && (strcmp(b->rules[index]->kind, "buffer") == 0 ||
                               strcmp(b->rules[index]->kind, "image") == 0);
}

/* Names first, since fills may name buffers that follow. */
static void collect_names(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;

    for (size_t i = 0; i < b->file->section_count; i++) {
        const struct ct_reader_section *section = &b->file->sections[i];
        int first;

        if (!is_data(b, i))
            continue;
        first = ct_spec_find_buffer(spec, section->name);
        /* Two of one kind have been reported as a repeated section. */
        if (first >= 0 &&
            (spec->buffers[first].dims > 0) != (strcmp(section->kind, "image") == 0))
            CT_SPEC_COMPLAIN(
                b, section->name_place,
                "a buffer and an image are both named '%s'; the first is in line %d",
                section->name, spec->buffers[first].place.line);
        spec->buffers[spec->buffer_count].name = section->name;
        spec->buffers[spec->buffer_count].place = section->place;
        spec->buffers[spec->buffer_count].dims = strcmp(section->kind, "image") == 0;
        spec->buffer_count++;
        check_name(b, section);
    }
}

void ct_spec_read_buffers(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;
    size_t room = b->file->section_count;
    size_t next = 0;

    spec->buffers = ct_spec_alloc(b, room, sizeof(*spec->buffers));
    b->buffer_used = ct_spec_alloc(b, room, sizeof(*b->buffer_used));
    if (!spec->buffers || !b->buffer_used)
        return;
    collect_names(b);
    for (size_t i = 0; i < room; i++) {
        const struct ct_reader_section *section = &b->file->sections[i];
        struct ct_spec_buffer *buffer = &spec->buffers[next];

        if (!is_data(b, i))
            continue;
        next++;
        buffer->dims = 0; /* counted by the key `size` */
        ct_spec_read_section(b, section, buffer);
        check_buffer(b, section, buffer);
    }
    ct_spec_order_buffers(b);
}
