// SPDX-License-Identifier: Apache-2.0
// Contents of buffers: `fill` and `expect`, and the order in which fills are made.
#include "spacefile/spec_impl.h"

#include <string.h>

/* The kind of arguments. */
enum fill_args { ARGS_NUMBERS, ARGS_BUFFERS, ARGS_PATH };

static const struct fill_form {
    const char *name;
    enum ct_fill_kind kind;
    enum fill_args args;
    size_t least;
    size_t most;
    const char *usage;
} fill_forms[] = {
    {"none", CT_FILL_NONE, ARGS_NUMBERS, 0, 0, "none"},
    {"zero", CT_FILL_ZERO, ARGS_NUMBERS, 0, 0, "zero"},
    {"constant", CT_FILL_CONSTANT, ARGS_NUMBERS, 1, 1, "constant(value)"},
    {"ramp", CT_FILL_RAMP, ARGS_NUMBERS, 2, 2, "ramp(first, step)"},
    {"uniform", CT_FILL_UNIFORM, ARGS_NUMBERS, 2, 3, "uniform(least, largest[, seed])"},
    {"normal", CT_FILL_NORMAL, ARGS_NUMBERS, 2, 3, "normal(mean, deviation[, seed])"},
    {"copy", CT_FILL_COPY, ARGS_BUFFERS, 1, 1, "copy(buffer)"},
    {"interleave", CT_FILL_INTERLEAVE, ARGS_BUFFERS, 2, 64, "interleave(buffer, ...)"},
    {"file", CT_FILL_FILE, ARGS_PATH, 1, 1, "file(x.npy)"},
    {"c", CT_FILL_C, ARGS_PATH, 2, 64, "c(file.c, function, ...)"},
};
enum { FILL_FORM_COUNT = sizeof(fill_forms) / sizeof(fill_forms[0]) };

static const struct fill_form *find_fill(struct ct_spec_builder *b,
                                         const struct ct_text *text, size_t end)
{
    const char *names[FILL_FORM_COUNT];
    const char *word = ct_spec_copy(b, text->text, end);
    const char *hint;

    if (!word)
        return NULL;
    for (size_t i = 0; i < FILL_FORM_COUNT; i++) {
        if (strcmp(fill_forms[i].name, word) == 0)
            return &fill_forms[i];
        names[i] = fill_forms[i].name;
    }
    hint = ct_spec_hint(b, word, names, FILL_FORM_COUNT);
    CT_SPEC_COMPLAIN(
        b, ct_text_place(text, 0), "unknown fill '%s'%s", word,
        *hint ? hint
              : "; use none, zero, constant(v), ramp(a, step), uniform(a, b), "
                "normal(m, s), copy(b), interleave(b, ...), file(x.npy) or c(file.c, "
                "function)");
    return NULL;
}

/* Entries between the parentheses of text[open, close]. */
static size_t count_args(const struct ct_text *text, size_t open, size_t close)
{
    size_t begin = open + 1;
    size_t end = close;
    size_t count = 1;

    ct_expr_trim(text, &begin, &end);
    if (begin == end)
        return 0;
    for (size_t at = ct_expr_find_char(text, open + 1, close, ','); at < close;
         at = ct_expr_find_char(text, at + 1, close, ','))
        count++;
    return count;
}

static void read_function(struct ct_spec_builder *b, const struct ct_text *text,
                          size_t begin, size_t end, struct ct_spec_fill *fill)
{
    ct_expr_trim(text, &begin, &end);
    fill->function = ct_spec_copy(b, text->text + begin, end - begin);
    if (fill->function && !ct_expr_is_word(fill->function, end - begin))
        CT_SPEC_COMPLAIN(b, ct_text_place(text, begin),
                         "'%s' is not the name of a C function", fill->function);
}

/* An argument of the user's function: a value, or the buffer's name. */
static void read_further(struct ct_spec_builder *b, const struct ct_text *text,
                         size_t begin, size_t end, struct ct_spec_arg *arg)
{
    ct_expr_trim(text, &begin, &end);
    arg->place = ct_text_place(text, begin);
    if (end - begin == 4 && memcmp(text->text + begin, "name", 4) == 0) {
        arg->kind = CT_ARG_BYTES;
        arg->name = true;
        return;
    }
    if (begin == end || text->text[end - 1] != ')') {
        CT_SPEC_COMPLAIN(b, arg->place,
                         "further arguments of a fill in C are type(expression), "
                         "struct(...), bytes('...') or name");
        return;
    }
    ct_spec_read_member(b, text, begin, end, true, arg);
    if (arg->kind == CT_ARG_SCALAR && arg->value_count > 1 && arg->type.width == 1)
        CT_SPEC_COMPLAIN(b, arg->place, "several values need struct(...) around them");
}

/* Argument number `index`, which lies in text[begin, end). */
static void read_arg(struct ct_spec_builder *b, const struct ct_text *text, size_t begin,
                     size_t end, const struct fill_form *form, size_t index,
                     struct ct_spec_fill *fill)
{
    switch (form->args) {
    case ARGS_NUMBERS:
        if (index == 2) {
            fill->seed = ct_spec_compile_number(b, text, begin, end, CT_USE_CONFIG, true,
                                                "a seed");
            break;
        }
        *(index ? &fill->b : &fill->a) = ct_spec_compile_number(
            b, text, begin, end, CT_USE_CONFIG, false, "an argument of a fill");
        break;
    case ARGS_BUFFERS:
        fill->sources[fill->source_count++] = ct_spec_buffer_at(b, text, begin, end);
        break;
    case ARGS_PATH:
        if (index > 1) {
            read_further(b, text, begin, end, &fill->args[fill->arg_count++]);
            break;
        }
        if (index) {
            read_function(b, text, begin, end, fill);
            break;
        }
        ct_spec_template(b, text, begin, end, &fill->path);
        if (fill->path.text && (!*fill->path.text || strchr(fill->path.text, '\'')))
            CT_SPEC_COMPLAIN(b, fill->path.place,
                             "a path is written without quotes, and not empty");
        break;
    }
}

void ct_spec_read_fill(struct ct_spec_builder *b, const struct ct_text *text,
                       struct ct_spec_fill *fill)
{
    const char *open = memchr(text->text, '(', text->length);
    size_t at = open ? (size_t)(open - text->text) : text->length;
    size_t close = text->length - 1;
    const struct fill_form *form;
    size_t begin = 0;
    size_t end = at;
    size_t count;

    ct_expr_trim(text, &begin, &end);
    memset(fill, 0, sizeof(*fill)); /* a repeated key is read again */
    fill->place = ct_text_place(text, 0);
    form = find_fill(b, text, end);
    if (!form)
        return;
    if (open && (text->text[close] != ')' ||
                 ct_expr_find_outside(text, at, text->length) < text->length)) {
        CT_SPEC_COMPLAIN(b, ct_text_place(text, at), "write the fill as '%s'",
                         form->usage);
        return;
    }
    count = open ? count_args(text, at, close) : 0;
    if (count < form->least || count > form->most) {
        CT_SPEC_COMPLAIN(b, ct_text_place(text, 0),
                         "fill '%s' takes %s%zu argument%s, not %zu: write '%s'",
                         form->name, form->least < form->most ? "at least " : "",
                         form->least, form->least == 1 ? "" : "s", count, form->usage);
        return;
    }
    fill->kind = form->kind;
    fill->sources = ct_spec_alloc(b, count, sizeof(*fill->sources));
    fill->args = ct_spec_alloc(b, count, sizeof(*fill->args));
    begin = at + 1;
    for (size_t i = 0; fill->sources && fill->args && i < count; i++) {
        size_t comma = ct_expr_find_char(text, begin, close, ',');

        read_arg(b, text, begin, comma, form, i, fill);
        begin = comma + 1;
    }
}

/* --- order --- */

/* The next buffer that is not placed yet but whose sources are, or the count. */
static size_t next_ready(const struct ct_spec *spec, const int *moved)
{
    for (size_t i = 0; i < spec->buffer_count; i++) {
        const struct ct_spec_fill *fill = &spec->buffers[i].fill;
        bool ready = moved[i] < 0;

        for (size_t j = 0; ready && j < fill->source_count; j++)
            ready = fill->sources[j] < 0 || moved[fill->sources[j]] >= 0;
        if (ready)
            return i;
    }
    return spec->buffer_count;
}

/* Reports buffers that depend on each other; afterwards they have no sources. */
static void report_cycle(struct ct_spec_builder *b, const int *moved)
{
    struct ct_spec *spec = b->spec;
    size_t at = 0;

    while (moved[at] >= 0)
        at++;
    /* Every remaining buffer has a remaining source: enough steps end in the cycle. */
    for (size_t step = 0; step < spec->buffer_count; step++)
        for (size_t j = 0; j < spec->buffers[at].fill.source_count; j++) {
            int source = spec->buffers[at].fill.sources[j];

            if (source >= 0 && moved[source] < 0) {
                at = (size_t)source;
                break;
            }
        }
    CT_SPEC_COMPLAIN(b, spec->buffers[at].fill.place,
                     "the fill of '%s' depends on itself", spec->buffers[at].name);
}

static void renumber(struct ct_spec_fill *fill, const int *moved)
{
    for (size_t i = 0; i < fill->source_count; i++)
        if (fill->sources[i] >= 0)
            fill->sources[i] = moved[fill->sources[i]];
}

void ct_spec_order_buffers(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;
    size_t count = spec->buffer_count;
    struct ct_spec_buffer *sorted = ct_spec_alloc(b, count, sizeof(*sorted));
    bool *used = ct_spec_alloc(b, count, sizeof(*used));
    int *moved = ct_spec_alloc(b, count, sizeof(*moved));

    if (!sorted || !used || !moved)
        return;
    for (size_t i = 0; i < count; i++)
        moved[i] = -1;
    for (size_t i = 0; i < count; i++) {
        size_t next = next_ready(spec, moved);

        if (next == count) {
            report_cycle(b, moved);
            return;
        }
        moved[next] = (int)i;
        sorted[i] = spec->buffers[next];
        used[i] = b->buffer_used[next];
    }
    for (size_t i = 0; i < count; i++) {
        renumber(&sorted[i].fill, moved);
        renumber(&sorted[i].expect, moved);
    }
    spec->buffers = sorted;
    b->buffer_used = used;
}
