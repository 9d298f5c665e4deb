// SPDX-License-Identifier: Apache-2.0
// Writes the macros that follow from the problem.
#include "plan/problem_macros.h"

#include "plan/stored_expr.h"
#include "spacefile/expr/expr.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Adds a macro, unless its value is the same for every problem. */
static bool add_macro(const struct ct_spec *spec, json_t *object, const char *name,
                      const struct ct_expr *expr, const struct ct_expr *condition)
{
    struct ct_stored_follows from = {0};
    struct ct_stored_follows when = {0};
    struct ct_str text;
    bool added;

    ct_stored_expr_follow(spec, expr, &from);
    ct_stored_expr_follow(spec, condition, &when);
    /* A macro that is defined twice has the value of one of the two. */
    if (!from.problem && !when.problem && !json_object_get(object, name))
        return true;
    ct_str_init(&text);
    if (!from.more && !from.device && !from.sizes && !when.problem &&
        !json_object_get(object, name))
        ct_stored_expr_put(spec, expr, &text);
    added = !text.failed &&
            json_object_set_new(object, name,
                                text.length && text.length <= CT_STORED_EXPR_BYTES
                                    ? json_string(text.data)
                                    : json_null()) == 0;
    ct_str_release(&text);
    return added;
}

static bool add_program(const struct ct_spec *spec, json_t *object,
                        const struct ct_spec_program *program)
{
    const struct ct_template *options = &program->options;
    struct ct_stored_follows from = {0};
    bool added = true;

    for (size_t i = 0; added && i < program->define_count; i++)
        added = add_macro(spec, object, program->defines[i].name,
                          program->defines[i].expr, program->defines[i].condition);
    for (size_t i = 0; options->text && i < options->piece_count; i++)
        if (options->pieces[i].slot >= 0)
            ct_stored_expr_follow_slot(spec, options->pieces[i].slot, &from);
    if (added && from.problem)
        added = json_object_set_new(object, "", json_null()) == 0;
    return added;
}

char *ct_problem_macros_json(const struct ct_spec *spec)
{
    json_t *object = json_object();
    bool added = object != NULL;
    char *text;

    for (size_t i = 0; added && i < spec->slots.derived_count; i++) {
        const struct ct_symbol *symbol = &spec->slots.symbols[spec->slots.derived[i]];

        added = add_macro(spec, object, symbol->name, symbol->expr, NULL);
    }
    added = added && add_program(spec, object, &spec->kernel.program);
    for (size_t i = 0; added && i < spec->launch_count; i++)
        if (spec->launches[i].has_program)
            added = add_program(spec, object, &spec->launches[i].program);
    text = added ? json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(object);
    return text;
}
