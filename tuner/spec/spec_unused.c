// SPDX-License-Identifier: Apache-2.0
// What a space file declares and nothing uses: a slip, most likely.
#include "spec/source.h"
#include "spec/spec_impl.h"

#include <string.h>

/* All sources of all programs, or none when one of them cannot be told beforehand. */
struct sources {
    size_t count;
    const struct ct_source **items;
    bool complete;
};

static bool word_char(char c)
{
    return ct_expr_is_word(&c, 1) || (c >= '0' && c <= '9');
}

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = text ? strstr(text, word) : NULL; at; at = strstr(at + 1, word))
        if ((at == text || !word_char(at[-1])) && !word_char(at[length]))
            return true;
    return false;
}

/* Whether a macro's name stands in the options or in a text that becomes another macro.
 */
static bool in_texts(const struct ct_spec *spec, const char *name)
{
    if (has_word(spec->program.options.text, name))
        return true;
    for (size_t i = 0; i < spec->launch_count; i++)
        if (has_word(spec->launches[i].program.options.text, name))
            return true;
    for (size_t i = 0; i < spec->param_count; i++)
        for (size_t j = 0; j < spec->params[i].item_count; j++) {
            const struct ct_expr *value = spec->params[i].items[j].a;

            if (value && value->root->op == CT_OP_CONST && value->kind == CT_TEXT &&
                has_word(value->root->value.u.s, name))
                return true;
        }
    return false;
}

/* --- sources --- */

/* Adds a program's; a source that cannot be read is a mistake where it is needed, not
 * here. */
static void load_program(struct ct_spec_builder *b, struct ct_source_cache *cache,
                         const struct ct_spec_program *program, struct sources *all)
{
    const struct ct_spec *spec = b->spec;
    const struct ct_spec_program *both[2] = {program, &spec->program};
    size_t room = program->include_count + spec->program.include_count;
    const char **folders = ct_spec_alloc(b, room, sizeof(*folders));
    size_t count = 0;

    for (int p = 0; folders && p < (program == &spec->program ? 1 : 2); p++)
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
    size_t room = spec->program.source_count;
    struct sources all = {.complete = cache && spec->has_kernel};

    for (size_t i = 0; i < spec->launch_count; i++)
        room += spec->launches[i].program.source_count;
    all.items = ct_spec_alloc(b, room, sizeof(*all.items));
    if (!all.items)
        all.complete = false;
    if (all.complete)
        load_program(b, cache, &spec->program, &all);
    for (size_t i = 0; all.complete && i < spec->launch_count; i++)
        load_program(b, cache, &spec->launches[i].program, &all);
    return all;
}

/* --- macros --- */

static bool macro_used(const struct ct_spec_builder *b, const struct sources *all,
                       const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (ct_source_uses(all->items[i], name))
            return true;
    return in_texts(b->spec, name);
}

static bool param_used(struct ct_spec_builder *b, const struct sources *all,
                       const struct ct_param *param)
{
    const char *name = b->spec->symbols[param->slot].name;
    bool used = macro_used(b, all, name);

    for (size_t i = 0; !used && i < param->item_count; i++) {
        const char *word = ct_spec_text_word(&param->items[i]);
        char *macro = word ? ct_arena_format(&b->spec->arena, "%s_%s", name, word) : NULL;

        used = macro && macro_used(b, all, macro);
    }
    return used;
}

static void check_defines(struct ct_spec_builder *b, const struct sources *all,
                          const struct ct_spec_program *program)
{
    for (size_t i = 0; i < program->define_count; i++)
        if (program->defines[i].name && !macro_used(b, all, program->defines[i].name))
            CT_SPEC_WARN(b, program->defines[i].place,
                         "macro '%s' is used nowhere in the source",
                         program->defines[i].name);
}

static void check_macros(struct ct_spec_builder *b, const struct sources *all)
{
    const struct ct_spec *spec = b->spec;

    for (size_t i = 0; i < spec->param_count; i++) {
        const struct ct_symbol *symbol = &spec->symbols[spec->params[i].slot];

        if (!symbol->used && !param_used(b, all, &spec->params[i]))
            CT_SPEC_WARN(
                b, symbol->place,
                "parameter '%s' is used nowhere, neither in this file nor in the "
                "source",
                symbol->name);
    }
    for (size_t i = 0; i < spec->derived_count; i++) {
        const struct ct_symbol *symbol = &spec->symbols[spec->derived[i]];

        if (!symbol->used && !macro_used(b, all, symbol->name))
            CT_SPEC_WARN(b, symbol->place, "derived name '%s' is used nowhere",
                         symbol->name);
    }
    check_defines(b, all, &spec->program);
    for (size_t i = 0; i < spec->launch_count; i++)
        check_defines(b, all, &spec->launches[i].program);
}

void ct_spec_check_unused(struct ct_spec_builder *b)
{
    const struct ct_spec *spec = b->spec;
    struct ct_source_cache *cache = ct_source_cache_new();
    struct sources all = load_sources(b, cache);

    for (size_t i = 0; i < spec->symbol_count; i++) {
        const struct ct_symbol *symbol = &spec->symbols[i];

        if (!symbol->used &&
            (symbol->class == CT_SYM_PROBLEM || symbol->class == CT_SYM_LET))
            CT_SPEC_WARN(b, symbol->place, "'%s' is used nowhere", symbol->name);
    }
    for (size_t i = 0; i < spec->buffer_count; i++)
        if (!b->buffer_used[i])
            CT_SPEC_WARN(b, spec->buffers[i].place, "%s '%s' is no argument of anything",
                         spec->buffers[i].dims ? "image" : "buffer",
                         spec->buffers[i].name);
    if (all.complete)
        check_macros(b, &all);
    ct_source_cache_free(cache);
}
