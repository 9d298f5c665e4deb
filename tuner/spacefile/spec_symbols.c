// SPDX-License-Identifier: Apache-2.0
// Looks up declarations: names, parameters, buffers.
#include "spacefile/spec_impl.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

int ct_spec_param_at(const struct ct_spec *spec, int slot)
{
    size_t low = 0;
    size_t high = spec->param_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (spec->params[middle].slot < slot)
            low = middle + 1;
        else
            high = middle;
    }
    return low < spec->param_count && spec->params[low].slot == slot ? (int)low : -1;
}

int ct_spec_find(const struct ct_spec *spec, const char *name)
{
    size_t low = 0;
    size_t high = spec->slots.by_name ? spec->slots.count : 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(spec->slots.symbols[spec->slots.by_name[middle]].name, name);

        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (spec->slots.by_name && low < spec->slots.count &&
        strcmp(spec->slots.symbols[spec->slots.by_name[low]].name, name) == 0)
        return spec->slots.by_name[low];
    return -1;
}

int ct_spec_find_param(const struct ct_spec *spec, const char *name)
{
    int slot = ct_spec_find(spec, name);

    return slot >= 0 ? ct_spec_param_at(spec, slot) : -1;
}

void ct_spec_put_params(const struct ct_spec *spec, const char *name, struct ct_str *out)
{
    enum { FEW = 8 };
    const char **names = ct_mem_array(spec->param_count, sizeof(*names));
    const char *likely;

    for (size_t i = 0; names && i < spec->param_count; i++)
        names[i] = spec->slots.symbols[spec->params[i].slot].name;
    likely = names ? ct_str_suggest(name, names, spec->param_count) : NULL;
    if (likely)
        ct_str_addf(out, "; did you mean '%s'?", likely);
    for (size_t i = 0;
         names && !likely && spec->param_count <= FEW && i < spec->param_count; i++)
        ct_str_addf(out, "%s%s",
                    i                        ? ", "
                    : spec->param_count == 1 ? "; the only one is "
                                             : "; the parameters are ",
                    names[i]);
    free(names);
}

int ct_spec_find_word(const char *const *names, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], word) == 0)
            return (int)i;
    return -1;
}

int ct_spec_find_buffer(const struct ct_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->buffer_count; i++)
        if (strcmp(spec->buffers[i].name, name) == 0)
            return (int)i;
    return -1;
}

int ct_spec_buffer_at(struct ct_spec_builder *b, const struct ct_text *text, size_t begin,
                      size_t end)
{
    const struct ct_spec *spec = b->spec;
    const char **names = ct_spec_alloc(b, spec->buffer_count, sizeof(*names));
    const char *word;
    int index;

    ct_expr_trim(text, &begin, &end);
    word = ct_spec_copy(b, text->text + begin, end - begin);
    if (!word || !names)
        return -1;
    index = ct_spec_find_buffer(spec, word);
    if (index >= 0) {
        b->buffer_used[index] = true;
        return index;
    }
    for (size_t i = 0; i < spec->buffer_count; i++)
        names[i] = spec->buffers[i].name;
    if (begin == end)
        CT_SPEC_COMPLAIN(b, ct_text_place(text, begin),
                         "the name of a buffer is missing here");
    else
        CT_SPEC_COMPLAIN(b, ct_text_place(text, begin), "unknown buffer '%s'%s", word,
                         ct_spec_hint(b, word, names, spec->buffer_count));
    return -1;
}
