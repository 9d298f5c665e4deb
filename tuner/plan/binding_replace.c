// SPDX-License-Identifier: Apache-2.0
// Plans parameters whose values replace those of the source's own macros.
#include "plan/binding_plan.h"
#include "plan/redefinition.h"
#include "plan/replacement.h"

#include <string.h>

/* The parameters that replace, as macros; `index` are their numbers. */
static size_t list_replacing(struct ct_planner *p, struct ct_plan_macro **macros,
                             size_t **index)
{
    const struct ct_spec *spec = p->binding->spec;
    size_t count = 0;

    for (size_t i = 0; i < spec->param_count; i++)
        count += spec->params[i].replaces;
    if (!count)
        return 0;
    *macros = ct_planner_alloc(p, count, sizeof(**macros));
    *index = ct_planner_alloc(p, count, sizeof(**index));
    count = 0;
    for (size_t i = 0; !p->status && i < spec->param_count; i++) {
        struct ct_str text;

        if (!spec->params[i].replaces)
            continue;
        ct_str_init(&text);
        ct_value_print(&text, p->values[i]);
        (*macros)[count].name = spec->slots.symbols[spec->params[i].slot].name;
        (*macros)[count].value = ct_planner_keep(p, &text);
        (*index)[count++] = i;
    }
    return p->status ? 0 : count;
}

/* What is included cannot be changed: compilers read it themselves. */
static void check_included(const struct ct_replaced *from, size_t source,
                           const struct ct_source *text,
                           const struct ct_plan_macro *macros, size_t count, bool *found)
{
    struct ct_planner *p = from->p;
    const struct ct_redefinition_files files = {p->cache, from->program};
    struct ct_redefinition again;
    struct ct_str blank;

    ct_str_init(&blank);
    ct_replacement_apply(text->text, text->length, macros, count, true, found, &blank);
    if (blank.failed)
        p->status = ct_err_nomem(p->err);
    else if (ct_redefinition_find(from->paths[source], blank.data, blank.length, macros,
                                  count, &files, &again))
        p->status = ct_err_at(
            p->err, CT_E_SPEC, again.path, again.line, 0,
            "'#define %s' is in an included file or takes arguments, which 'replaces' "
            "cannot change: name the file in 'source', or write #ifndef %s before it and "
            "#endif after it",
            again.macro->name, again.macro->name);
    ct_str_release(&blank);
}

void ct_planner_replace(const struct ct_replaced *from, size_t index,
                        const struct ct_source **source)
{
    struct ct_planner *p = from->p;
    struct ct_plan_macro *macros = NULL;
    size_t *params = NULL;
    size_t count = list_replacing(p, &macros, &params);
    bool *found = count ? ct_planner_alloc(p, count, sizeof(*found)) : NULL;
    struct ct_source *changed = count ? ct_planner_alloc(p, 1, sizeof(*changed)) : NULL;
    struct ct_str identity;
    struct ct_str text;

    if (!count || p->status)
        return;
    check_included(from, index, *source, macros, count, found);
    ct_str_init(&text);
    ct_str_init(&identity);
    ct_replacement_apply((*source)->text, (*source)->length, macros, count, false, found,
                         &text);
    *changed = **source;
    ct_str_puts(&identity, (*source)->hash.text);
    for (size_t i = 0; i < count; i++)
        if (found[i]) {
            p->replaced[params[i]] = true;
            ct_str_addf(&identity, "\n%s %s", macros[i].name, macros[i].value);
        }
    if (identity.failed && !p->status)
        p->status = ct_err_nomem(p->err);
    changed->hash = ct_hash_bytes(identity.data, identity.length);
    ct_str_release(&identity);
    changed->length = text.length;
    changed->text = ct_planner_keep(p, &text);
    for (size_t i = 0; !p->status && i < count; i++)
        if (found[i]) {
            *source = changed;
            break;
        }
}

void ct_planner_check_replaced(struct ct_planner *p)
{
    const struct ct_spec *spec = p->binding->spec;

    /* A launch that is left out may have the source. */
    for (size_t i = 0; i < spec->launch_count; i++)
        if (spec->launches[i].when && spec->launches[i].has_program)
            return;
    for (size_t i = 0; !p->status && i < spec->param_count; i++) {
        const char *name = spec->slots.symbols[spec->params[i].slot].name;

        if (spec->params[i].replaces && !p->replaced[i])
            CT_PLANNER_FAIL(p, spec->params[i].place,
                            "no source has '#define %s' for '%s' to replace; without "
                            "'replaces' its values become -D %s=...",
                            name, name, name);
    }
}
