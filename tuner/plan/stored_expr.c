// SPDX-License-Identifier: Apache-2.0
// Writes expressions without names that only the space file defines.
#include "plan/stored_expr.h"

#include "spacefile/expr/expr.h"

#include <jansson.h>

void ct_stored_expr_follow_slot(const struct ct_spec *spec, int slot,
                                struct ct_stored_follows *out)
{
    const struct ct_symbol *symbol = &spec->slots.symbols[slot];

    switch (symbol->class) {
    case CT_SYM_PROBLEM:
        out->problem = true;
        out->sizes |= symbol->expr && symbol->expr->slot_count;
        break;
    case CT_SYM_LET:
    case CT_SYM_DERIVED:
        ct_stored_expr_follow(spec, symbol->expr, out);
        break;
    case CT_SYM_PARAM:
        break;
    case CT_SYM_DEVICE:
        out->device = true;
        break;
    default:
        out->more = true;
        break;
    }
}

void ct_stored_expr_follow(const struct ct_spec *spec, const struct ct_expr *expr,
                           struct ct_stored_follows *out)
{
    for (size_t i = 0; expr && i < expr->slot_count; i++)
        ct_stored_expr_follow_slot(spec, expr->slots[i], out);
}

/* A name as it stands in an expression: that of a definition is its expression. */
static void put_name(void *context, int slot, struct ct_str *out)
{
    const struct ct_spec *spec = context;
    const struct ct_symbol *symbol = &spec->slots.symbols[slot];

    if (symbol->class != CT_SYM_LET && symbol->class != CT_SYM_DERIVED) {
        ct_str_puts(out, symbol->name);
        return;
    }
    if (out->length > CT_STORED_EXPR_BYTES)
        return;
    ct_str_putc(out, '(');
    ct_expr_print(symbol->expr, put_name, context, out);
    ct_str_putc(out, ')');
}

void ct_stored_expr_put(const struct ct_spec *spec, const struct ct_expr *expr,
                        struct ct_str *out)
{
    ct_expr_print(expr, put_name, (void *)(uintptr_t)spec, out);
}

static bool add_constraint(const struct ct_spec *spec, json_t *list,
                           const struct ct_named_expr *constraint)
{
    struct ct_stored_follows from = {0};
    json_t *item = json_pack("{s:s, s:s}", "name", constraint->name, "expression",
                             constraint->expr->text);
    struct ct_str text;
    bool added;

    ct_str_init(&text);
    ct_stored_expr_follow(spec, constraint->expr, &from);
    if (from.device && !from.more)
        ct_stored_expr_put(spec, constraint->expr, &text);
    if (item && text.length && text.length <= CT_STORED_EXPR_BYTES)
        json_object_set_new(item, "device", json_string(text.data));
    added = !text.failed && json_array_append_new(list, item) == 0;
    ct_str_release(&text);
    return added;
}

char *ct_stored_constraints_json(const struct ct_spec *spec)
{
    json_t *list = json_array();
    bool added = list != NULL;
    char *text;

    for (size_t i = 0; added && i < spec->constraint_count; i++)
        added = add_constraint(spec, list, &spec->constraints[i]);
    text = added ? json_dumps(list, JSON_COMPACT) : NULL;
    json_decref(list);
    return text;
}
