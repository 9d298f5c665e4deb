// SPDX-License-Identifier: Apache-2.0
// Checks that want the whole specification: macros, lists, defaults, what is never used.
#include "spec/source.h"
#include "spec/spec_impl.h"

#include <stdlib.h>
#include <string.h>

/* --- macros --- */

struct macro {
    const char *name;
    struct ct_place place;
    bool symbol; /* of the one namespace, where clashes are reported already */
    int text_of; /* slot of the parameter whose text makes it, or -1 */
};

static int by_name(const void *a, const void *b)
{
    const struct macro *left = a;
    const struct macro *right = b;
    int order = strcmp(left->name, right->name);

    if (!order)
        order = left->place.line - right->place.line;
    return order ? order : left->place.column - right->place.column;
}

/* The word that a list's entry defines as NAME_word=1, or NULL. */
static const char *text_word(const struct ct_list_item *item)
{
    const struct ct_node *root =
        item->form == CT_ITEM_VALUE && item->a ? item->a->root : NULL;

    if (root && root->op == CT_OP_CONST && root->kind == CT_TEXT &&
        ct_expr_is_word(root->value.u.s, strlen(root->value.u.s)))
        return root->value.u.s;
    return NULL;
}

static size_t add_param_macros(struct ct_spec_builder *b, const struct ct_param *param,
                               struct macro *macros)
{
    const struct ct_symbol *symbol = &b->spec->symbols[param->slot];
    size_t count = 0;

    macros[count++] = (struct macro){symbol->name, symbol->place, true, -1};
    for (size_t i = 0; i < param->item_count; i++) {
        const char *word = text_word(&param->items[i]);
        const char *name =
            word ? ct_arena_format(&b->spec->arena, "%s_%s", symbol->name, word) : NULL;

        if (name)
            macros[count++] =
                (struct macro){name, param->items[i].place, false, param->slot};
        else if (word)
            b->nomem = true;
    }
    return count;
}

/* A macro that is defined twice: parameters, derived names, [define] and the NAME_value
 * of texts. */
static void check_macros(struct ct_spec_builder *b)
{
    const struct ct_spec *spec = b->spec;
    size_t room = spec->param_count + spec->derived_count + spec->define_count;
    size_t count = 0;
    struct macro *all;

    for (size_t i = 0; i < spec->param_count; i++)
        room += spec->params[i].item_count; /* each can be a text */
    all = ct_spec_alloc(b, room, sizeof(*all));
    if (!all)
        return;
    for (size_t i = 0; i < spec->param_count; i++)
        count += add_param_macros(b, &spec->params[i], all + count);
    for (size_t i = 0; i < spec->derived_count; i++) {
        const struct ct_symbol *symbol = &spec->symbols[spec->derived[i]];

        all[count++] = (struct macro){symbol->name, symbol->place, true, -1};
    }
    for (size_t i = 0; i < spec->define_count; i++)
        all[count++] =
            (struct macro){spec->defines[i].name, spec->defines[i].place, false, -1};
    qsort(all, count, sizeof(*all), by_name);
    for (size_t i = 1; i < count; i++)
        /* Two of one list are equal values, which has been reported. */
        if (strcmp(all[i].name, all[i - 1].name) == 0 &&
            !(all[i].symbol && all[i - 1].symbol) &&
            (all[i].text_of < 0 || all[i].text_of != all[i - 1].text_of))
            CT_SPEC_COMPLAIN(b, all[i].place,
                             "macro '%s' is defined twice; the first is in line %d",
                             all[i].name, all[i - 1].place.line);
}

/* Text that is no word becomes no macro: right for a parameter, whose text goes into the
 * options, but nobody writes a macro that is never defined on purpose. */
static void check_text_macro(struct ct_spec_builder *b, const char *name,
                             const struct ct_expr *expr)
{
    const struct ct_node *root = expr ? expr->root : NULL;

    if (root && root->op == CT_OP_CONST && root->kind == CT_TEXT &&
        !ct_expr_is_word(root->value.u.s, strlen(root->value.u.s)))
        CT_SPEC_WARN(b, expr->place,
                     "'%s' becomes no macro, because its text is no word; write it into "
                     "'options'",
                     name);
}

static void check_text_macros(struct ct_spec_builder *b)
{
    const struct ct_spec *spec = b->spec;

    for (size_t i = 0; i < spec->derived_count; i++)
        if (!spec->symbols[spec->derived[i]].used)
            check_text_macro(b, spec->symbols[spec->derived[i]].name,
                             spec->symbols[spec->derived[i]].expr);
    for (size_t i = 0; i < spec->define_count; i++)
        check_text_macro(b, spec->defines[i].name, spec->defines[i].expr);
}

/* --- values --- */

/* Values of what no parameter changes, for the problem that the file names. */
static struct ct_value *evaluate_fixed(struct ct_spec_builder *b)
{
    const struct ct_spec *spec = b->spec;
    struct ct_value *env = ct_spec_alloc(b, spec->symbol_count, sizeof(*env));

    for (size_t i = 0; env && i < spec->order_count; i++) {
        const struct ct_symbol *symbol = &spec->symbols[spec->order[i]];
        enum ct_eval failed;

        if (!symbol->expr || symbol->per_config)
            continue;
        failed = ct_expr_eval(symbol->expr, env, &env[spec->order[i]]);
        if (failed && failed != CT_EVAL_UNKNOWN)
            CT_SPEC_COMPLAIN(b, symbol->expr->place, "'%s' cannot be computed: %s",
                             symbol->name, ct_eval_text(failed));
    }
    return env;
}

struct domain {
    struct ct_value *values; /* NULL: not known without a device, or wrong */
    size_t count;
};

static struct domain *check_lists(struct ct_spec_builder *b, const struct ct_value *env,
                                  struct ct_arena *arena)
{
    const struct ct_spec *spec = b->spec;
    struct domain *domains = ct_spec_alloc(b, spec->param_count, sizeof(*domains));

    for (size_t i = 0; domains && i < spec->param_count; i++)
        if (ct_spec_expand(spec->params[i].items, spec->params[i].item_count, env,
                           spec->path, arena, &domains[i].values, &domains[i].count,
                           b->diags) == CT_EXPANSION_NOMEM)
            b->nomem = true;
    return domains;
}

static void check_default_value(struct ct_spec_builder *b, const struct ct_value *env,
                                const struct domain *domain,
                                const struct ct_default_value *entry)
{
    const struct ct_spec *spec = b->spec;
    struct ct_value value;
    struct ct_str text;
    enum ct_eval failed;

    if (!entry->value || !domain->values)
        return;
    failed = ct_expr_eval(entry->value, env, &value);
    if (failed == CT_EVAL_UNKNOWN)
        return;
    if (failed) {
        CT_SPEC_COMPLAIN(b, entry->place, "'%s' cannot be computed: %s",
                         entry->value->text, ct_eval_text(failed));
        return;
    }
    if (ct_spec_find_value(domain->values, domain->count, value) >= 0)
        return;
    ct_str_init(&text);
    ct_spec_put_nearest(&text, domain->values, domain->count, value);
    CT_SPEC_COMPLAIN(b, entry->place, "%s is no value of '%s'%s", entry->value->text,
                     spec->symbols[spec->params[entry->param].slot].name, text.data);
    ct_str_release(&text);
}

static void check_values(struct ct_spec_builder *b)
{
    const struct ct_spec *spec = b->spec;
    struct ct_value *env = evaluate_fixed(b);
    struct ct_arena scratch = {0};
    struct domain *domains = env ? check_lists(b, env, &scratch) : NULL;

    for (size_t i = 0; domains && i < spec->default_count; i++)
        for (size_t j = 0; j < spec->defaults[i].count; j++)
            check_default_value(b, env, &domains[spec->defaults[i].values[j].param],
                                &spec->defaults[i].values[j]);
    ct_arena_release(&scratch);
}

static void check_constraints(struct ct_spec_builder *b)
{
    const struct ct_spec *spec = b->spec;

    for (size_t i = 0; i < spec->constraint_count; i++) {
        const struct ct_expr *expr = spec->constraints[i].expr;
        bool varies = !expr;

        for (size_t j = 0; expr && j < expr->slot_count; j++)
            varies = varies || spec->symbols[expr->slots[j]].per_config;
        if (!varies)
            CT_SPEC_WARN(b, expr->place,
                         "constraint '%s' depends on no parameter: it is the same for "
                         "every configuration",
                         spec->constraints[i].name);
    }
}

/* --- what is never used --- */

static bool word_char(char c)
{
    return ct_expr_is_word(&c, 1) || (c >= '0' && c <= '9');
}

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if ((at == text || !word_char(at[-1])) && !word_char(at[length]))
            return true;
    return false;
}

/* Whether a macro's name stands in the options or in a text that becomes another macro.
 */
static bool in_texts(const struct ct_spec *spec, const char *name)
{
    if (spec->options.text && has_word(spec->options.text, name))
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

static const struct ct_source *load_source(struct ct_spec_builder *b,
                                           struct ct_source_cache *cache)
{
    const struct ct_spec *spec = b->spec;
    const char **includes = ct_spec_alloc(b, spec->include_count, sizeof(*includes));
    const struct ct_source *source = NULL;
    char *path;

    if (!cache || !includes || !spec->source.text || !ct_spec_is_plain(&spec->source))
        return NULL;
    for (size_t i = 0; i < spec->include_count; i++) {
        includes[i] = ct_spec_path(spec, &b->spec->arena, spec->includes[i].text);
        if (!includes[i] || !ct_spec_is_plain(&spec->includes[i]))
            return NULL;
    }
    path = ct_spec_path(spec, &b->spec->arena, spec->source.text);
    /* A source that cannot be read is a mistake where it is needed, not here. */
    if (!path ||
        ct_source_load(cache, path, spec->include_count, includes, &source, NULL))
        return NULL;
    return source;
}

static bool macro_used(const struct ct_spec_builder *b, const struct ct_source *source,
                       const char *name)
{
    return ct_source_uses(source, name) || in_texts(b->spec, name);
}

static bool param_used(struct ct_spec_builder *b, const struct ct_source *source,
                       const struct ct_param *param)
{
    const char *name = b->spec->symbols[param->slot].name;
    bool used = macro_used(b, source, name);

    for (size_t i = 0; !used && i < param->item_count; i++) {
        const char *word = text_word(&param->items[i]);
        char *macro = word ? ct_arena_format(&b->spec->arena, "%s_%s", name, word) : NULL;

        used = macro && macro_used(b, source, macro);
    }
    return used;
}

static void check_unused_macros(struct ct_spec_builder *b, const struct ct_source *source)
{
    const struct ct_spec *spec = b->spec;

    for (size_t i = 0; i < spec->param_count; i++) {
        const struct ct_symbol *symbol = &spec->symbols[spec->params[i].slot];

        if (!symbol->used && !param_used(b, source, &spec->params[i]))
            CT_SPEC_WARN(
                b, symbol->place,
                "parameter '%s' is used nowhere, neither in this file nor in the "
                "source",
                symbol->name);
    }
    for (size_t i = 0; i < spec->derived_count; i++) {
        const struct ct_symbol *symbol = &spec->symbols[spec->derived[i]];

        if (!symbol->used && !macro_used(b, source, symbol->name))
            CT_SPEC_WARN(b, symbol->place, "derived name '%s' is used nowhere",
                         symbol->name);
    }
    for (size_t i = 0; i < spec->define_count; i++)
        if (!macro_used(b, source, spec->defines[i].name))
            CT_SPEC_WARN(b, spec->defines[i].place,
                         "macro '%s' is used nowhere in the source",
                         spec->defines[i].name);
}

static void check_unused(struct ct_spec_builder *b)
{
    const struct ct_spec *spec = b->spec;
    struct ct_source_cache *cache = ct_source_cache_new();
    const struct ct_source *source = load_source(b, cache);

    for (size_t i = 0; i < spec->symbol_count; i++) {
        const struct ct_symbol *symbol = &spec->symbols[i];

        if (!symbol->used &&
            (symbol->class == CT_SYM_PROBLEM || symbol->class == CT_SYM_LET))
            CT_SPEC_WARN(b, symbol->place, "'%s' is used nowhere", symbol->name);
    }
    for (size_t i = 0; i < spec->buffer_count; i++)
        if (!b->buffer_used[i])
            CT_SPEC_WARN(b, spec->buffers[i].place,
                         "buffer '%s' is no argument of anything", spec->buffers[i].name);
    if (source)
        check_unused_macros(b, source);
    ct_source_cache_free(cache);
}

static void check_verification(struct ct_spec_builder *b)
{
    const struct ct_spec *spec = b->spec;
    bool checked = false;

    for (size_t i = 0; i < spec->buffer_count; i++) {
        checked = checked || spec->buffers[i].check != CT_CHECK_NONE;
        if (spec->buffers[i].check != CT_CHECK_NONE && !spec->reference.present)
            CT_SPEC_WARN(
                b, spec->buffers[i].place,
                "buffer '%s' has a 'check', but there is no [reference] to compare "
                "with",
                spec->buffers[i].name);
    }
    if (spec->reference.present && !checked)
        CT_SPEC_WARN(b, spec->reference.place,
                     "there is a [reference], but no buffer has a 'check'");
}

void ct_spec_check(struct ct_spec_builder *b, size_t errors)
{
    check_macros(b);
    check_text_macros(b);
    if (!b->nomem)
        check_values(b);
    check_constraints(b);
    check_verification(b);
    /* What is wrong may hide a use. */
    if (!b->nomem && b->diags->errors == errors)
        check_unused(b);
}
