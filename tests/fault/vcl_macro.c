// SPDX-License-Identifier: Apache-2.0
// The macros of a build and their expansion, as much of C's as kernels use.

#include "vcl.h"

#include <stdlib.h>
#include <string.h>

// The macros being expanded, innermost first: none of them expands again.
struct hidden {
    const struct vcl_macro *macro;
    const struct hidden *outer;
    size_t *budget; // replacements left: macros can grow without bounds
};

enum { ARGUMENTS = 32, REPLACEMENTS = 20000 };

// The arguments of one use of a function-like macro, as written.
struct use {
    const char *data[ARGUMENTS];
    size_t length[ARGUMENTS];
    size_t count;
};

static void expand(const struct vcl_macros *macros, const struct hidden *hidden,
                   const char *data, size_t length, struct vcl_text *out);

const struct vcl_macro *vcl_macro_find(const struct vcl_macros *macros, const char *name,
                                       size_t length)
{
    for (size_t i = 0; i < macros->count; i++)
        if (vcl_is(name, length, macros->items[i].name))
            return &macros->items[i];
    return NULL;
}

static void macro_free(struct vcl_macro *macro)
{
    free(macro->name);
    free(macro->text);
    free(macro->parameters);
}

void vcl_macro_undefine(struct vcl_macros *macros, const char *name, size_t length)
{
    for (size_t i = 0; i < macros->count; i++) {
        if (!vcl_is(name, length, macros->items[i].name))
            continue;
        macro_free(&macros->items[i]);
        macros->items[i] = macros->items[--macros->count];
        return;
    }
}

void vcl_macro_define(struct vcl_macros *macros, const char *name, size_t name_length,
                      const char *parameters, const char *text, bool option)
{
    vcl_macro_undefine(macros, name, name_length);
    macros->items = vcl_grow(macros->items, macros->count, sizeof *macros->items);
    struct vcl_macro *macro = &macros->items[macros->count++];
    text = vcl_skip(text);
    size_t length = strlen(text);
    while (length > 0 && vcl_skip(text + length - 1) == text + length)
        length--;
    macro->name = vcl_copy(name, name_length);
    macro->text = vcl_copy(text, length);
    macro->parameters = parameters ? vcl_copy(parameters, strlen(parameters)) : NULL;
    macro->option = option;
}

void vcl_macros_free(struct vcl_macros *macros)
{
    for (size_t i = 0; i < macros->count; i++)
        macro_free(&macros->items[i]);
    free(macros->items);
    *macros = (struct vcl_macros){0};
}

static bool is_hidden(const struct hidden *hidden, const struct vcl_macro *macro)
{
    for (; hidden; hidden = hidden->outer)
        if (hidden->macro == macro)
            return true;
    return false;
}

// The length of the literal, name, number or single character at `data`.
static size_t token_length(const char *data, const char *end)
{
    const char *at = data;
    if (*at == '"' || *at == '\'') {
        char quote = *at++;
        while (at < end && *at != quote && *at != '\n')
            at += *at == '\\' && at + 1 < end ? 2 : 1;
        return (size_t)((at < end && *at == quote ? at + 1 : at) - data);
    }
    if (!vcl_name_part(*at))
        return 1;
    while (at < end && vcl_name_part(*at))
        at++;
    return (size_t)(at - data);
}

// Splits `(a, b)` at `data` into arguments; the character behind it, NULL if unclosed.
static const char *read_arguments(const char *data, const char *end, struct use *use)
{
    size_t depth = 0;
    const char *start = data + 1;
    use->count = 0;
    for (const char *at = data; at < end; at += token_length(at, end)) {
        if (*at == '(' || *at == '[' || *at == '{')
            depth++;
        bool closing = *at == ')' || *at == ']' || *at == '}';
        if (closing)
            depth--;
        bool last = closing && depth == 0;
        if (!last && !(*at == ',' && depth == 1))
            continue;
        if (use->count == ARGUMENTS)
            return NULL;
        while (start < at && (*start == ' ' || *start == '\t' || *start == '\n'))
            start++;
        const char *stop = at;
        while (stop > start && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\n'))
            stop--;
        use->data[use->count] = start;
        use->length[use->count++] = (size_t)(stop - start);
        start = at + 1;
        if (last)
            return at + 1;
    }
    return NULL;
}

// The argument a parameter stands for, or -1; `...` takes all that is left.
static int parameter_of(const struct vcl_macro *macro, const char *name, size_t length,
                        struct use *use, struct use *rest)
{
    const char *at = macro->parameters;
    for (int place = 0; *at; place++) {
        size_t word = strcspn(at, ",");
        bool variadic = vcl_is(at, word, "...");
        if (variadic ? vcl_is(name, length, "__VA_ARGS__")
                     : word == length && memcmp(at, name, length) == 0) {
            if ((size_t)place >= use->count)
                return -1;
            *rest = *use;
            if (variadic)
                rest->length[place] =
                    (size_t)(use->data[use->count - 1] + use->length[use->count - 1] -
                             use->data[place]);
            return place;
        }
        at += word + (at[word] == ',');
    }
    return -1;
}

// The macro's text with its parameters replaced and ## done.
static void substitute(const struct vcl_macros *macros, const struct hidden *hidden,
                       const struct vcl_macro *macro, struct use *use,
                       struct vcl_text *out)
{
    const char *end = macro->text + strlen(macro->text);
    bool pasted = false;
    size_t length;
    struct use rest;
    for (const char *at = macro->text; at < end; at += length) {
        length = token_length(at, end);
        const char *next = vcl_skip(at + length);
        bool pastes = next[0] == '#' && next[1] == '#';
        if (at[0] == '#' && at[1] == '#') {
            vcl_text_trim(out);
            length = (size_t)(vcl_skip(at + 2) - at);
            pasted = true;
            continue;
        }
        int place = -1;
        if (use && at[0] == '#') {
            const char *name = vcl_skip(at + 1);
            size_t name_length = token_length(name, end);
            place = parameter_of(macro, name, name_length, use, &rest);
            if (place >= 0) {
                vcl_text_print(out, "\"%.*s\"", (int)rest.length[place],
                               rest.data[place]);
                length = (size_t)(name + name_length - at);
            } else {
                vcl_text_add(out, at, length);
            }
        } else {
            if (use && vcl_name_start(*at))
                place = parameter_of(macro, at, length, use, &rest);
            if (place < 0)
                vcl_text_add(out, at, length);
            else if (pasted || pastes)
                vcl_text_add(out, rest.data[place], rest.length[place]);
            else
                expand(macros, hidden, rest.data[place], rest.length[place], out);
        }
        pasted = false;
    }
}

static void expand(const struct vcl_macros *macros, const struct hidden *hidden,
                   const char *data, size_t length, struct vcl_text *out)
{
    const char *end = data + length;
    while (data < end) {
        size_t word = token_length(data, end);
        const struct vcl_macro *macro = NULL;
        if (vcl_name_start(*data))
            macro = vcl_macro_find(macros, data, word);
        if (macro && is_hidden(hidden, macro))
            macro = NULL;
        struct use use;
        const char *after = data + word;
        if (macro && macro->parameters) {
            const char *open = after;
            while (open < end && (*open == ' ' || *open == '\t'))
                open++;
            after = open < end && *open == '(' ? read_arguments(open, end, &use) : NULL;
        }
        if (!macro || !after || *hidden->budget == 0) {
            vcl_text_add(out, data, word);
            data += word;
            continue;
        }
        struct hidden inner = {macro, hidden, hidden->budget};
        --*hidden->budget;
        struct vcl_text text = {0};
        substitute(macros, hidden, macro, macro->parameters ? &use : NULL, &text);
        expand(macros, &inner, vcl_text_get(&text), text.length, out);
        vcl_text_free(&text);
        data = after;
    }
}

bool vcl_macro_expand(const struct vcl_macros *macros, const char *data, size_t length,
                      struct vcl_text *out)
{
    size_t budget = REPLACEMENTS;
    struct hidden none = {NULL, NULL, &budget};
    expand(macros, &none, data, length, out);
    return budget > 0;
}
