// SPDX-License-Identifier: Apache-2.0
// Checks that require the whole specification: macros, lists, defaults, unused names.
#include "spacefile/spec_impl.h"

#include <stdlib.h>
#include <string.h>

/* --- macros --- */

struct macro {
    const char *name;
    struct ct_place place;
    bool symbol; /* of the common namespace, where clashes are reported already */
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

const char *ct_spec_text_word(const struct ct_list_item *item)
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
    const struct ct_symbol *symbol = &b->spec->slots.symbols[param->slot];
    size_t count = 0;

    macros[count++] = (struct macro){symbol->name, symbol->place, true, -1};
    for (size_t i = 0; !param->replaces && i < param->item_count; i++) {
        const char *word = ct_spec_text_word(&param->items[i]);
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
    size_t room =
        spec->param_count + spec->slots.derived_count + spec->kernel.program.define_count;
    size_t count = 0;
    struct macro *all;

    for (size_t i = 0; i < spec->param_count; i++)
        room += spec->params[i].item_count; /* each may be a text */
    all = ct_spec_alloc(b, room, sizeof(*all));
    if (!all)
        return;
    for (size_t i = 0; i < spec->param_count; i++)
        count += add_param_macros(b, &spec->params[i], all + count);
    for (size_t i = 0; i < spec->slots.derived_count; i++) {
        const struct ct_symbol *symbol = &spec->slots.symbols[spec->slots.derived[i]];

        all[count++] = (struct macro){symbol->name, symbol->place, true, -1};
    }
    for (size_t i = 0; i < spec->kernel.program.define_count; i++)
        all[count++] = (struct macro){spec->kernel.program.defines[i].name,
                                      spec->kernel.program.defines[i].place, false, -1};
    qsort(all, count, sizeof(*all), by_name);
    for (size_t i = 1; i < count; i++)
        /* Two of one list are equal values, which have been reported. */
        if (strcmp(all[i].name, all[i - 1].name) == 0 &&
            !(all[i].symbol && all[i - 1].symbol) &&
            (all[i].text_of < 0 || all[i].text_of != all[i - 1].text_of))
            CT_SPEC_COMPLAIN(b, all[i].place,
                             "macro '%s' is defined twice; the first is in line %d",
                             all[i].name, all[i - 1].place.line);
    for (size_t i = 0; spec->kernel.present && !spec->command.present && i < count; i++)
        if ((!i || strcmp(all[i].name, all[i - 1].name) != 0) &&
            ct_spec_is_keyword(all[i].name))
            CT_SPEC_WARN(b, all[i].place,
                         "'%s' is a keyword of OpenCL C, which the source can no longer "
                         "use as such, and '-D %s=...' breaks other builds; rename it",
                         all[i].name, all[i].name);
}

/* Text that is not a word does not become a macro: fine for a parameter whose text goes into the
 * options, but a macro that is never defined is never intended. */
static void check_text_macro(struct ct_spec_builder *b, const char *name,
                             const struct ct_expr *expr)
{
    const struct ct_node *root = expr ? expr->root : NULL;

    if (root && root->op == CT_OP_CONST && root->kind == CT_TEXT &&
        !ct_expr_is_word(root->value.u.s, strlen(root->value.u.s)))
        CT_SPEC_WARN(
            b, expr->place,
            "'%s' cannot become a macro because its text is not a word; write it "
            "into 'options'",
            name);
}

/* A parameter that the file does not use is for the kernel: only as a macro. */
static void check_param_macro(struct ct_spec_builder *b, const struct ct_param *param)
{
    const struct ct_symbol *symbol = &b->spec->slots.symbols[param->slot];

    for (size_t i = 0; !symbol->used && !param->replaces && i < param->item_count; i++) {
        const struct ct_list_item *item = &param->items[i];
        const struct ct_node *root =
            item->form == CT_ITEM_VALUE && item->a ? item->a->root : NULL;

        if (root && root->op == CT_OP_CONST && root->kind == CT_TEXT &&
            *root->value.u.s &&
            !ct_expr_is_word(root->value.u.s, strlen(root->value.u.s))) {
            CT_SPEC_WARN(
                b, item->place,
                "'%s' is not a word and cannot become a macro: this value of '%s' has "
                "no effect; use ${%s}, for example in 'options'",
                root->value.u.s, symbol->name, symbol->name);
            return;
        }
    }
}

static void check_text_macros(struct ct_spec_builder *b)
{
    const struct ct_spec *spec = b->spec;

    for (size_t i = 0;
         spec->kernel.present && !spec->command.present && i < spec->param_count; i++)
        check_param_macro(b, &spec->params[i]);

    for (size_t i = 0; i < spec->slots.derived_count; i++)
        if (!spec->slots.symbols[spec->slots.derived[i]].used)
            check_text_macro(b, spec->slots.symbols[spec->slots.derived[i]].name,
                             spec->slots.symbols[spec->slots.derived[i]].expr);
    for (size_t i = 0; i < spec->kernel.program.define_count; i++)
        check_text_macro(b, spec->kernel.program.defines[i].name,
                         spec->kernel.program.defines[i].expr);
}

/* --- values --- */

/* Values that do not depend on parameters, for the problem that the file names. */
static struct ct_value *evaluate_fixed(struct ct_spec_builder *b)
{
    const struct ct_spec *spec = b->spec;
    struct ct_value *env = ct_spec_alloc(b, spec->slots.count, sizeof(*env));

    for (size_t i = 0; env && i < spec->slots.order_count; i++) {
        const struct ct_symbol *symbol = &spec->slots.symbols[spec->slots.order[i]];
        char why[CT_EVAL_WHY_SIZE];
        enum ct_eval failed;

        if (!symbol->expr || symbol->per_config)
            continue;
        failed = ct_expr_eval(symbol->expr, env, &env[spec->slots.order[i]]);
        if (failed && failed != CT_EVAL_UNKNOWN)
            CT_SPEC_COMPLAIN(b, symbol->expr->place, "'%s' cannot be computed: %s",
                             symbol->name, ct_expr_why(symbol->expr, failed, env, why));
    }
    return env;
}

struct domain {
    const struct ct_value *values; /* NULL: unknown without a device, or invalid */
    size_t count;
};

/* Expands the lists.  Those without names are the same for every binding. */
static struct domain *check_lists(struct ct_spec_builder *b, const struct ct_value *env,
                                  struct ct_arena *scratch)
{
    struct ct_spec *spec = b->spec;
    struct domain *domains = ct_spec_alloc(b, spec->param_count, sizeof(*domains));
    size_t total = 0;

    for (size_t i = 0; domains && i < spec->param_count; i++) {
        struct ct_param *param = &spec->params[i];
        struct domain *domain = &domains[i];
        bool literal = true;

        for (size_t j = 0; j < param->item_count; j++)
            literal = literal && ct_spec_is_literal(&param->items[j]);
        switch (ct_spec_expand(param->items, param->item_count, env, spec->path,
                               literal ? &spec->arena : scratch, &domain->values,
                               &domain->count, b->diags)) {
        case CT_EXPANDED:
            param->values = literal ? domain->values : NULL;
            param->value_count = literal ? domain->count : 0;
            total += domain->count;
            break;
        case CT_EXPANSION_NOMEM:
            b->nomem = true;
            break;
        case CT_EXPANSION_WRONG:
        case CT_EXPANSION_UNKNOWN:
            break;
        }
        if (total > CT_SPEC_VALUES_TOTAL_MAX) {
            CT_SPEC_COMPLAIN(
                b, param->place,
                "up to this point, the parameters have more than %d values in total: "
                "shorten the lists",
                CT_SPEC_VALUES_TOTAL_MAX);
            break;
        }
    }
    return domains;
}

static void check_default_value(struct ct_spec_builder *b, const struct ct_value *env,
                                const struct domain *domain,
                                const struct ct_default_value *entry)
{
    const struct ct_spec *spec = b->spec;
    char why[CT_EVAL_WHY_SIZE];
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
                         entry->value->text, ct_expr_why(entry->value, failed, env, why));
        return;
    }
    if (ct_spec_find_value(domain->values, domain->count, value) >= 0)
        return;
    ct_str_init(&text);
    ct_spec_put_nearest(&text, domain->values, domain->count, value);
    CT_SPEC_COMPLAIN(b, entry->place, "%s is not a value of '%s'%s", entry->value->text,
                     spec->slots.symbols[spec->params[entry->param].slot].name,
                     text.data);
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
            varies = varies || spec->slots.symbols[expr->slots[j]].per_config;
        if (!varies)
            CT_SPEC_WARN(
                b, expr->place,
                "constraint '%s' does not depend on any parameter: it is the same for "
                "every configuration",
                spec->constraints[i].name);
    }
}

/* A reference without a source of its own is in that of [kernel]. */
static void check_reference_source(struct ct_spec_builder *b)
{
    const struct ct_spec *spec = b->spec;
    const struct ct_spec_reference *other = &spec->reference;
    bool inherits = false;

    for (size_t i = 0; i < other->launch_count; i++)
        inherits = inherits || !other->launches[i].program.source_count;
    for (size_t i = 0; inherits && i < spec->kernel.program.source_count; i++)
        for (size_t j = 0; j < spec->kernel.program.sources[i].piece_count; j++) {
            int slot = spec->kernel.program.sources[i].pieces[j].slot;

            if (slot >= 0 && spec->slots.symbols[slot].per_config)
                CT_SPEC_COMPLAIN(
                    b, other->place,
                    "the reference requires its own 'source': that of [kernel] depends on "
                    "'%s'",
                    spec->slots.symbols[slot].name);
        }
}

static void check_verification(struct ct_spec_builder *b)
{
    const struct ct_spec *spec = b->spec;
    bool reference = spec->reference.present;
    bool checked = false;

    for (size_t i = 0; i < spec->buffer_count; i++) {
        const struct ct_spec_buffer *buffer = &spec->buffers[i];

        checked = checked || (buffer->check != CT_CHECK_NONE && !buffer->has_expect);
        if (buffer->check != CT_CHECK_NONE && !reference && !buffer->has_expect)
            CT_SPEC_WARN(b, buffer->place,
                         "%s '%s' has a 'check', but there is no [reference] to compare "
                         "with",
                         buffer->dims ? "image" : "buffer", buffer->name);
    }
    if (reference && !checked)
        CT_SPEC_WARN(b, spec->reference.place,
                     "there is a [reference], but no buffer has a 'check'");
}

static bool is_argument(const struct ct_spec_arg *arg, int buffer)
{
    if (arg->test)
        return is_argument(arg->yes, buffer) || is_argument(arg->no, buffer);
    return arg->kind == CT_ARG_BUFFER && arg->buffer == buffer;
}

static bool is_among_args(const struct ct_spec_arg *args, size_t count, int buffer)
{
    bool given = false;

    for (size_t i = 0; !given && i < count; i++)
        given = is_argument(&args[i], buffer);
    return given;
}

/* A reference without a buffer among its arguments cannot define its contents. */
static void check_reference_args(struct ct_spec_builder *b)
{
    const struct ct_spec *spec = b->spec;
    const struct ct_spec_reference *from = &spec->reference;

    if (!from->launch_count && !from->host.present)
        return;
    for (size_t i = 0; i < spec->buffer_count; i++) {
        const struct ct_spec_buffer *buffer = &spec->buffers[i];
        bool given = buffer->check == CT_CHECK_NONE || buffer->has_expect ||
                     is_among_args(from->host.args, from->host.arg_count, (int)i);

        for (size_t j = 0; !given && j < from->launch_count; j++)
            given = is_among_args(from->launches[j].args, from->launches[j].arg_count,
                                  (int)i);
        if (!given)
            CT_SPEC_COMPLAIN(
                b, buffer->place,
                "%s '%s' is checked, but is not passed to the reference: add it to its "
                "'args', or give it an 'expect'",
                buffer->dims ? "image" : "buffer", buffer->name);
    }
}

void ct_spec_check(struct ct_spec_builder *b, size_t errors)
{
    check_macros(b);
    check_text_macros(b);
    if (!b->nomem)
        check_values(b);
    check_constraints(b);
    check_verification(b);
    check_reference_source(b);
    if (b->diags->errors == errors)
        check_reference_args(b);
    /* Errors may hide a use. */
    if (!b->nomem && b->diags->errors == errors)
        ct_spec_check_unused(b);
}
