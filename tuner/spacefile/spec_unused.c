// SPDX-License-Identifier: Apache-2.0
// Finds unused declarations of a space file: most likely mistakes.
#include "base/mem.h"
#include "spacefile/source.h"
#include "spacefile/spec_impl.h"

#include <stdlib.h>
#include <string.h>

static bool word_char(char c)
{
    return ct_expr_is_word(&c, 1) || (c >= '0' && c <= '9');
}

/* --- words --- */

/* Part of a text of the space file's. */
struct word {
    const char *start;
    size_t length;
};

/* Every word of the options and of texts that become macros, sorted: a name among them is used. */
struct words {
    struct word *items;
    size_t count;
    size_t capacity;
    bool failed; /* out of memory: uses are unknown */
};

static int compare_words(const void *a, const void *b)
{
    const struct word *x = a;
    const struct word *y = b;
    int order = memcmp(x->start, y->start, x->length < y->length ? x->length : y->length);

    return order ? order : (x->length > y->length) - (x->length < y->length);
}

static void add_words(struct words *words, const char *text)
{
    while (text && *text && !words->failed) {
        size_t length = 0;

        while (word_char(text[length]))
            length++;
        if (length && !ct_mem_grow(&words->items, &words->capacity, words->count + 1,
                                   sizeof(*words->items)))
            words->failed = true;
        else if (length)
            words->items[words->count++] = (struct word){text, length};
        text += length ? length : 1;
    }
}

static struct words collect_words(const struct ct_spec *spec)
{
    struct words words = {0};

    add_words(&words, spec->kernel.program.options.text);
    for (size_t i = 0; i < spec->launch_count; i++)
        add_words(&words, spec->launches[i].program.options.text);
    for (size_t i = 0; i < spec->param_count; i++)
        for (size_t j = 0; j < spec->params[i].item_count; j++) {
            const struct ct_expr *value = spec->params[i].items[j].a;

            if (value && value->root->op == CT_OP_CONST && value->kind == CT_TEXT)
                add_words(&words, value->root->value.u.s);
        }
    if (words.count)
        qsort(words.items, words.count, sizeof(*words.items), compare_words);
    return words;
}

static bool has_word(const struct words *words, const char *name)
{
    struct word wanted = {name, strlen(name)};

    return words->count && bsearch(&wanted, words->items, words->count,
                                   sizeof(*words->items), compare_words);
}

/* --- sources --- */

/* All sources of all programs, or none if one of them cannot be known beforehand. */
struct sources {
    size_t count;
    const struct ct_source **items;
    bool complete;
    struct words words;
};

/* Adds a program's; a source that cannot be read is an error where it is needed, not here. */
static void load_program(struct ct_spec_builder *b, struct ct_source_cache *cache,
                         const struct ct_spec_program *program, struct sources *all)
{
    const struct ct_spec *spec = b->spec;
    const struct ct_spec_program *both[2] = {program, &spec->kernel.program};
    size_t room = program->include_count + spec->kernel.program.include_count;
    const char **folders = ct_spec_alloc(b, room, sizeof(*folders));
    size_t count = 0;

    for (int p = 0; folders && p < (program == &spec->kernel.program ? 1 : 2); p++)
        for (size_t i = 0; i < both[p]->include_count; i++) {
            const struct ct_template *folder = &both[p]->includes[i];
            const char *path = ct_spec_is_plain(folder)
                                   ? ct_spec_path(spec, &b->spec->arena, folder->text)
                                   : NULL;

            if (path)
                folders[count++] = path;
            else
                all->complete = false;
        }
    for (size_t i = 0; folders && all->complete && i < program->source_count; i++) {
        const struct ct_template *source = &program->sources[i];
        const char *path = ct_spec_is_plain(source)
                               ? ct_spec_path(spec, &b->spec->arena, source->text)
                               : NULL;

        if (path &&
            !ct_source_load(cache, path, count, folders, &all->items[all->count], NULL))
            all->count++;
        else
            all->complete = false;
    }
}

static struct sources load_sources(struct ct_spec_builder *b,
                                   struct ct_source_cache *cache)
{
    const struct ct_spec *spec = b->spec;
    size_t room = spec->kernel.program.source_count;
    struct sources all = {.complete = cache && spec->kernel.present};

    for (size_t i = 0; i < spec->launch_count; i++)
        room += spec->launches[i].program.source_count;
    all.items = ct_spec_alloc(b, room, sizeof(*all.items));
    if (!all.items)
        all.complete = false;
    if (all.complete)
        load_program(b, cache, &spec->kernel.program, &all);
    for (size_t i = 0; all.complete && i < spec->launch_count; i++)
        load_program(b, cache, &spec->launches[i].program, &all);
    return all;
}

/* --- macros --- */

static bool macro_used(const struct sources *all, const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (ct_source_uses(all->items[i], name))
            return true;
    return has_word(&all->words, name);
}

static bool param_used(struct ct_spec_builder *b, const struct sources *all,
                       const struct ct_param *param)
{
    const char *name = b->spec->slots.symbols[param->slot].name;
    bool used = macro_used(all, name);

    for (size_t i = 0; !used && i < param->item_count; i++) {
        const char *word = ct_spec_text_word(&param->items[i]);
        char *macro = word ? ct_arena_format(&b->spec->arena, "%s_%s", name, word) : NULL;

        used = macro && macro_used(all, macro);
    }
    return used;
}

static void check_defines(struct ct_spec_builder *b, const struct sources *all,
                          const struct ct_spec_program *program)
{
    for (size_t i = 0; i < program->define_count; i++)
        if (program->defines[i].name && !macro_used(all, program->defines[i].name))
            CT_SPEC_WARN(b, program->defines[i].place,
                         "macro '%s' is not used in the source",
                         program->defines[i].name);
}

static void check_macros(struct ct_spec_builder *b, const struct sources *all)
{
    const struct ct_spec *spec = b->spec;

    for (size_t i = 0; i < spec->param_count; i++) {
        const struct ct_symbol *symbol = &spec->slots.symbols[spec->params[i].slot];

        if (!symbol->used && !param_used(b, all, &spec->params[i]))
            CT_SPEC_WARN(
                b, symbol->place,
                "parameter '%s' is not used, neither in this file nor in the source",
                symbol->name);
    }
    for (size_t i = 0; i < spec->slots.derived_count; i++) {
        const struct ct_symbol *symbol = &spec->slots.symbols[spec->slots.derived[i]];

        if (!symbol->used && !macro_used(all, symbol->name))
            CT_SPEC_WARN(b, symbol->place, "derived name '%s' is not used", symbol->name);
    }
    check_defines(b, all, &spec->kernel.program);
    for (size_t i = 0; i < spec->launch_count; i++)
        check_defines(b, all, &spec->launches[i].program);
}

void ct_spec_check_unused(struct ct_spec_builder *b)
{
    const struct ct_spec *spec = b->spec;
    struct ct_source_cache *cache = ct_source_cache_new();
    struct sources all = load_sources(b, cache);

    ct_spec_use_templates(b);
    for (size_t i = 0; i < spec->slots.count; i++) {
        const struct ct_symbol *symbol = &spec->slots.symbols[i];

        if (!symbol->used &&
            (symbol->class == CT_SYM_PROBLEM || symbol->class == CT_SYM_LET))
            CT_SPEC_WARN(b, symbol->place, "'%s' is not used", symbol->name);
    }
    for (size_t i = 0; i < spec->buffer_count; i++)
        if (!b->buffer_used[i])
            CT_SPEC_WARN(
                b, spec->buffers[i].place, "%s '%s' is not an argument of anything",
                spec->buffers[i].dims ? "image" : "buffer", spec->buffers[i].name);
    all.words = collect_words(spec);
    if (all.complete && !all.words.failed)
        check_macros(b, &all);
    free(all.words.items);
    ct_source_cache_free(cache);
}
