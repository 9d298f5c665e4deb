// SPDX-License-Identifier: Apache-2.0
// Making a configuration concrete: the program, its macros and its source.
#include "spec/binding_plan.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Moves a string into the plan's arena. */
static const char *keep(struct ct_planner *p, struct ct_str *text)
{
    const char *kept =
        text->failed ? NULL : ct_arena_copy(p->arena, text->data, text->length);

    if (!kept && !p->status)
        p->status = ct_err_nomem(p->err);
    ct_str_release(text);
    return kept;
}

const char *ct_planner_fill(struct ct_planner *p, const struct ct_template *text)
{
    struct ct_str out;

    ct_str_init(&out);
    for (size_t i = 0; i < text->piece_count; i++) {
        int slot = text->pieces[i].slot;

        ct_str_puts(&out, text->pieces[i].literal);
        if (slot < 0)
            continue;
        if (p->env[slot].kind == CT_NONE) {
            CT_PLANNER_FAIL(p, text->place, "'%s' in '%s' has no value",
                            p->binding->spec->symbols[slot].name, text->text);
            ct_str_release(&out);
            return NULL;
        }
        ct_value_print(&out, p->env[slot]);
    }
    return keep(p, &out);
}

/* --- macros --- */

static void add_macro(struct ct_planner *p, struct ct_plan_program *program,
                      const char *name, const char *value)
{
    if (p->status)
        return;
    program->macros[program->macro_count].name = name;
    program->macros[program->macro_count++].value = value;
}

/* NAME=value; a text that is a word is defined as NAME_word=1 too, since `#if NAME ==
 * word` would hold for every word; other text is no macro. */
static void add_value(struct ct_planner *p, struct ct_plan_program *program,
                      const char *name, struct ct_value value)
{
    struct ct_str text;

    if (value.kind == CT_TEXT && !ct_expr_is_word(value.u.s, strlen(value.u.s)))
        return;
    ct_str_init(&text);
    ct_value_print(&text, value);
    add_macro(p, program, name, keep(p, &text));
    if (value.kind == CT_TEXT) {
        ct_str_addf(&text, "%s_%s", name, value.u.s);
        add_macro(p, program, keep(p, &text), "1");
    }
}

static void plan_macros(struct ct_planner *p, struct ct_plan_program *program)
{
    const struct ct_spec *spec = p->binding->spec;
    size_t room = 2 * (spec->param_count + spec->derived_count + spec->define_count);
    struct ct_value value;

    program->macros = ct_planner_alloc(p, room, sizeof(*program->macros));
    for (size_t i = 0; !p->status && i < spec->param_count; i++)
        add_value(p, program, spec->symbols[spec->params[i].slot].name, p->values[i]);
    for (size_t i = 0; !p->status && i < spec->derived_count; i++) {
        const struct ct_symbol *symbol = &spec->symbols[spec->derived[i]];

        /* Evaluated again for the sake of the message when it cannot be. */
        if (!ct_planner_eval(p, symbol->expr, "the derived value", &value))
            add_value(p, program, symbol->name, value);
    }
    for (size_t i = 0; !p->status && i < spec->define_count; i++) {
        const struct ct_named_expr *define = &spec->defines[i];

        if (ct_planner_holds(p, define->condition) && !p->status &&
            !ct_planner_eval(p, define->expr, "the macro's value", &value))
            add_value(p, program, define->name, value);
    }
}

/* --- source --- */

/* The folder of an absolute path. */
static const char *folder_of(struct ct_planner *p, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *folder = ct_arena_copy(
        p->arena, path, slash > path ? (size_t)(slash - path) : (size_t)(slash == path));

    if (!folder && !p->status)
        p->status = ct_err_nomem(p->err);
    return folder;
}

static const char *full_path(struct ct_planner *p, const struct ct_template *text)
{
    const char *path = ct_planner_fill(p, text);

    if (!path)
        return NULL;
    path = ct_spec_path(p->binding->spec, p->arena, path);
    if (!path && !p->status)
        p->status = ct_err_nomem(p->err);
    return path;
}

/* The source's folder comes first on the include path, then those of [kernel]. */
static void plan_includes(struct ct_planner *p, struct ct_plan_program *program)
{
    const struct ct_spec *spec = p->binding->spec;

    program->include_dirs =
        ct_planner_alloc(p, spec->include_count + 1, sizeof(*program->include_dirs));
    if (!p->status)
        program->include_dirs[program->include_count++] =
            folder_of(p, program->source_path);
    for (size_t i = 0; !p->status && i < spec->include_count; i++)
        program->include_dirs[program->include_count++] =
            full_path(p, &spec->includes[i]);
}

static void plan_source(struct ct_planner *p, struct ct_source_cache *cache,
                        struct ct_plan_program *program)
{
    const struct ct_template *text = &p->binding->spec->source;
    const struct ct_source *source;
    struct ct_err why = CT_ERR_INIT;

    if (access(program->source_path, R_OK) != 0) {
        int error = errno;
        const char *written = ct_planner_fill(p, text);

        if (written)
            CT_PLANNER_FAIL(p, text->place, "cannot read '%s': %s", written,
                            strerror(error));
        return;
    }
    switch (ct_source_load(cache, program->source_path, program->include_count,
                           program->include_dirs, &source, &why)) {
    case CT_OK:
        program->source = source->text;
        program->source_hash = source->hash;
        break;
    case CT_E_NOMEM:
        p->status = ct_err_nomem(p->err);
        break;
    default:
        if (why.file[0] && why.line)
            p->status = ct_err_at(p->err, CT_E_SPEC, why.file, why.line, why.column, "%s",
                                  why.message);
        else
            CT_PLANNER_FAIL(p, text->place, "%s", why.message);
        break;
    }
}

void ct_planner_program(struct ct_planner *p, struct ct_source_cache *cache,
                        struct ct_plan *plan)
{
    const struct ct_spec *spec = p->binding->spec;
    struct ct_plan_program *program = ct_planner_alloc(p, 1, sizeof(*program));

    if (!program)
        return;
    plan->programs = program;
    plan->program_count = 1;
    program->options = ct_planner_fill(p, &spec->options);
    program->source_path = full_path(p, &spec->source);
    if (!p->status)
        plan_macros(p, program);
    if (!p->status)
        plan_includes(p, program);
    if (!p->status)
        plan_source(p, cache, program);
}
