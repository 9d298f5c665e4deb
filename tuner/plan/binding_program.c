// SPDX-License-Identifier: Apache-2.0
// Plans a configuration: the program, its macros and its source.
#include "plan/binding_plan.h"
#include "plan/redefinition.h"
#include "spacefile/notes.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* --- macros --- */

static void add_macro(struct ct_planner *p, struct ct_plan_program *program,
                      const char *name, const char *value)
{
    if (p->status)
        return;
    program->macros[program->macro_count].name = name;
    program->macros[program->macro_count++].value = value;
}

/* NAME=value; a text that is a word is also defined as NAME_word=1, since `#if NAME == word`
 * would hold for every word; other text does not become a macro. */
static void add_value(struct ct_planner *p, struct ct_plan_program *program,
                      const char *name, struct ct_value value)
{
    struct ct_str text;

    if (value.kind == CT_TEXT && !ct_expr_is_word(value.u.s, strlen(value.u.s)))
        return;
    ct_str_init(&text);
    ct_value_print(&text, value);
    add_macro(p, program, name, ct_planner_keep(p, &text));
    if (value.kind == CT_TEXT) {
        ct_str_addf(&text, "%s_%s", name, value.u.s);
        add_macro(p, program, ct_planner_keep(p, &text), "1");
    }
}

/* Whether a program's own definitions replace a macro. */
static bool is_replaced(struct ct_planner *p, const struct ct_spec_program *own,
                        const char *name)
{
    for (size_t i = 0; own && !p->status && i < own->define_count; i++)
        if (strcmp(own->defines[i].name, name) == 0)
            return ct_planner_holds(p, own->defines[i].condition);
    return false;
}

/* Macros of [define] or of a launch, without those replaced by `instead`. */
static void add_defines(struct ct_planner *p, const struct ct_spec_program *from,
                        const struct ct_spec_program *instead,
                        struct ct_plan_program *program)
{
    struct ct_value value;

    for (size_t i = 0; !p->status && i < from->define_count; i++) {
        const struct ct_named_expr *define = &from->defines[i];

        if (is_replaced(p, instead, define->name) || p->status ||
            !ct_planner_holds(p, define->condition) || p->status)
            continue;
        if (!define->expr)
            add_macro(p, program, define->name, "");
        else if (!ct_planner_eval(p, define->expr, "the macro's value", &value))
            add_value(p, program, define->name, value);
    }
}

/* Space for all macros: each may become two. */
static bool make_room(struct ct_planner *p, const struct ct_spec_program *own,
                      struct ct_plan_program *program)
{
    const struct ct_spec *spec = p->binding->spec;
    size_t room = spec->param_count + spec->slots.derived_count +
                  spec->kernel.program.define_count + (own ? own->define_count : 0);

    program->macros = ct_planner_alloc(p, 2 * room, sizeof(*program->macros));
    return program->macros != NULL;
}

static void plan_macros(struct ct_planner *p, const struct ct_spec_program *own,
                        struct ct_plan_program *program)
{
    const struct ct_spec *spec = p->binding->spec;
    struct ct_value value;

    if (!make_room(p, own, program))
        return;
    for (size_t i = 0; !p->status && i < spec->param_count; i++) {
        const char *name = spec->slots.symbols[spec->params[i].slot].name;

        if (!spec->params[i].replaces && !is_replaced(p, own, name))
            add_value(p, program, name, p->values[i]);
    }
    for (size_t i = 0; !p->status && i < spec->slots.derived_count; i++) {
        const struct ct_symbol *symbol = &spec->slots.symbols[spec->slots.derived[i]];

        if (is_replaced(p, own, symbol->name))
            continue;
        /* Evaluated again for the error message if it fails. */
        if (!ct_planner_eval(p, symbol->expr, "the derived value", &value))
            add_value(p, program, symbol->name, value);
    }
    add_defines(p, &spec->kernel.program, own, program);
    if (own)
        add_defines(p, own, NULL, program);
}

/* --- include folders --- */

static void add_folder(struct ct_planner *p, struct ct_plan_program *program,
                       const char *folder)
{
    if (!p->status)
        program->include_dirs[program->include_count++] = folder;
}

static bool has_folder(const struct ct_plan_program *program, const char *folder)
{
    for (size_t i = 0; i < program->include_count; i++)
        if (strcmp(program->include_dirs[i], folder) == 0)
            return true;
    return false;
}

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

static bool varies(const struct ct_spec *spec, const struct ct_template *text)
{
    for (size_t i = 0; i < text->piece_count; i++)
        if (text->pieces[i].slot >= 0 &&
            spec->slots.symbols[text->pieces[i].slot].per_config)
            return true;
    return false;
}

/* --- source --- */

/* A program whose sources are being read. */
struct reading {
    struct ct_planner *p;
    struct ct_plan_program *program;
    size_t count;
    const struct ct_template *texts;
    const char **paths;
    const struct ct_source **sources;
};

/* The folders of the sources come first on the include path, then those of `include`. */
static void find_files(struct reading *r, const struct ct_spec_program *own,
                       bool reference)
{
    struct ct_planner *p = r->p;
    const struct ct_spec *spec = p->binding->spec;
    size_t room = r->count + spec->kernel.program.include_count + own->include_count;

    r->paths = ct_planner_alloc(p, r->count, sizeof(*r->paths));
    r->sources = ct_planner_alloc(p, r->count, sizeof(*r->sources));
    r->program->include_dirs =
        ct_planner_alloc(p, room, sizeof(*r->program->include_dirs));
    for (size_t i = 0; !p->status && i < r->count; i++) {
        const char *folder;

        r->paths[i] = ct_planner_path(p, &r->texts[i]);
        folder = r->paths[i] ? folder_of(p, r->paths[i]) : NULL;
        if (folder && !has_folder(r->program, folder))
            add_folder(p, r->program, folder);
    }
    for (size_t i = 0;
         own != &spec->kernel.program && !p->status && i < own->include_count; i++)
        add_folder(p, r->program, ct_planner_path(p, &own->includes[i]));
    for (size_t i = 0; !p->status && i < spec->kernel.program.include_count; i++)
        if (!reference || !varies(spec, &spec->kernel.program.includes[i]))
            add_folder(p, r->program,
                       ct_planner_path(p, &spec->kernel.program.includes[i]));
}

static void load_source(struct reading *r, size_t index)
{
    struct ct_planner *p = r->p;
    const struct ct_template *text = &r->texts[index];
    struct ct_err why = CT_ERR_INIT;

    if (!ct_source_cache_has(p->cache, r->paths[index]) &&
        access(r->paths[index], R_OK) != 0) {
        int error = errno;
        const char *written = ct_planner_fill(p, text);

        if (written)
            CT_PLANNER_FAIL(p, text->place, "cannot read '%s': %s", written,
                            strerror(error));
        return;
    }
    switch (ct_source_load(p->cache, r->paths[index], r->program->include_count,
                           r->program->include_dirs, &r->sources[index], &why)) {
    case CT_OK:
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

/* Concatenates several files; compilers' messages use each file's own lines. */
static void join_sources(struct reading *r)
{
    struct ct_planner *p = r->p;
    struct ct_str text;
    struct ct_str hashes;

    ct_str_init(&text);
    ct_str_init(&hashes);
    for (size_t i = 0; !p->status && i < r->count; i++) {
        const char *written = ct_planner_fill(p, &r->texts[i]);

        ct_str_puts(&text, "#line 1 \"");
        for (const char *c = written ? written : ""; *c; c++) {
            if (*c == '"' || *c == '\\')
                ct_str_putc(&text, '\\');
            ct_str_putc(&text, *c);
        }
        ct_str_puts(&text, "\"\n");
        ct_str_add(&text, r->sources[i]->text, r->sources[i]->length);
        ct_str_putc(&text, '\n');
        ct_str_puts(&hashes, r->sources[i]->hash.text);
    }
    if (hashes.failed && !p->status)
        p->status = ct_err_nomem(p->err);
    r->program->source_hash = ct_hash_bytes(hashes.data, hashes.length);
    ct_str_release(&hashes);
    r->program->source = ct_planner_keep(p, &text);
}

/* Only the sources themselves can be changed, not what they include. */
static void report_redefinition(const struct reading *r, size_t index,
                                const struct ct_redefinition *again)
{
    struct ct_planner *p = r->p;
    const char *name = again->macro->name;

    if (strcmp(again->path, r->paths[index]) != 0)
        p->status = ct_err_at(p->err, CT_E_SPEC, again->path, again->line, 0,
                              "'#define %s' replaces the macro of the parameter, so "
                              "that all its values give the same program; write "
                              "#ifndef %s before it and #endif after it",
                              name, name);
    else
        p->status = ct_err_at(
            p->err, CT_E_SPEC, again->path, again->line, 0,
            "'#define %s' hides the macro of the parameter, so that all its values give "
            "the same program; write 'replaces' after the parameter's values in the "
            "space file, which changes this line, or #ifndef %s before it and #endif "
            "after it",
            name, name);
}

/* What decides whether a source defines a macro again: not the values, so it is the same for most
 * configurations. */
static struct ct_hash redefinition_question(const struct reading *r,
                                            const struct ct_plan_macro *params,
                                            size_t count)
{
    const struct ct_plan_program *program = r->program;
    struct ct_hash hash = {""};
    struct ct_str all;

    ct_str_init(&all);
    ct_str_puts(&all, "redefinitions");
    for (size_t i = 0; i < r->count; i++)
        ct_str_addf(&all, "\n%s", r->paths[i]);
    for (size_t i = 0; i < count; i++)
        ct_str_addf(&all, "\n%s", params[i].name);
    for (size_t i = 0; i < program->macro_count; i++)
        ct_str_addf(&all, "\n%s", program->macros[i].name);
    for (size_t i = 0; i < program->include_count; i++)
        ct_str_addf(&all, "\n%s", program->include_dirs[i]);
    ct_str_addf(&all, "\n%zu %zu\n%s", r->count, count,
                program->options ? program->options : "");
    if (!all.failed)
        hash = ct_hash_bytes(all.data, all.length);
    ct_str_release(&all);
    return hash;
}

/* A source that defines a parameter's macro itself makes all its values the same program.  (One
 * that repeats what the space file derives is right as long as both agree.) */
static void check_redefinitions(const struct reading *r)
{
    struct ct_planner *p = r->p;
    const struct ct_spec *spec = p->binding->spec;
    struct ct_plan_macro *params =
        ct_planner_alloc(p, r->program->macro_count, sizeof(*params));
    const struct ct_redefinition_files files = {p->cache, r->program};
    struct ct_redefinition again;
    struct ct_notes *notes = ct_source_cache_notes(p->cache);
    struct ct_hash question;
    size_t count = 0;

    for (size_t i = 0; !p->status && i < r->program->macro_count; i++) {
        int slot = ct_spec_find(spec, r->program->macros[i].name);

        if (slot >= 0 && spec->slots.symbols[slot].class == CT_SYM_PARAM)
            params[count++] = r->program->macros[i];
    }
    if (p->status)
        return;
    question = redefinition_question(r, params, count);
    if (ct_notes_have(notes, &question))
        return;
    for (size_t i = 0; !p->status && i < r->count; i++)
        if (ct_redefinition_find(r->paths[i], r->sources[i]->text, r->sources[i]->length,
                                 params, count, &files, &again))
            report_redefinition(r, i, &again);
    if (!p->status)
        ct_notes_add(notes, &question);
}

/* Sources with the values of the parameters that replace. */
static void replace_values(struct reading *r)
{
    const struct ct_replaced replaced = {r->p, r->program, r->count, r->paths};

    for (size_t i = 0; !r->p->status && i < r->count; i++)
        ct_planner_replace(&replaced, i, &r->sources[i]);
}

static void plan_source(struct ct_planner *p, const struct ct_spec_program *own,
                        bool reference, struct ct_plan_program *program)
{
    const struct ct_spec_program *from =
        own->source_count ? own : &p->binding->spec->kernel.program;
    struct reading r = {
        .p = p, .program = program, .count = from->source_count, .texts = from->sources};

    find_files(&r, own, reference);
    for (size_t i = 0; !p->status && i < r.count; i++)
        load_source(&r, i);
    if (!p->status && !reference)
        check_redefinitions(&r);
    if (!p->status && !reference)
        replace_values(&r);
    if (p->status)
        return;
    program->source_path = r.paths[0];
    if (r.count > 1) {
        join_sources(&r);
    } else {
        program->source = r.sources[0]->text;
        program->source_hash = r.sources[0]->hash;
    }
}

void ct_planner_program(struct ct_planner *p, const struct ct_spec_program *own,
                        struct ct_plan_program *program)
{
    const struct ct_spec_program *whole = &p->binding->spec->kernel.program;

    program->options =
        ct_planner_fill(p, own && own->options.text ? &own->options : &whole->options);
    if (!p->status)
        plan_macros(p, own, program);
    if (!p->status)
        plan_source(p, own ? own : whole, false, program);
}

void ct_planner_reference_program(struct ct_planner *p, const struct ct_spec_program *own,
                                  struct ct_plan_program *program)
{
    program->options = ct_planner_fill(p, &own->options);
    if (!p->status && make_room(p, own, program))
        add_defines(p, own, NULL, program);
    if (!p->status)
        plan_source(p, own, true, program);
}
