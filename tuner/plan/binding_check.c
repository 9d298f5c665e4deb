// SPDX-License-Identifier: Apache-2.0
// Checks of a binding before any configuration is planned.
#include "plan/binding_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct checker {
    const struct ct_binding *binding;
    struct ct_diags *diags;
    struct ct_value *env;
    uint32_t *config;
    bool *marked; /* by slot */
    bool nomem;
};

/* The text in an environment; false if a name has no value. */
static bool fill_template(const struct ct_template *text, const struct ct_value *env,
                          struct ct_str *out)
{
    ct_str_init(out);
    for (size_t i = 0; i < text->piece_count; i++) {
        int slot = text->pieces[i].slot;

        ct_str_puts(out, text->pieces[i].literal);
        if (slot < 0)
            continue;
        if (env[slot].kind == CT_NONE)
            return false;
        ct_value_print(out, env[slot]);
    }
    return true;
}

/* --- types --- */

/* The number of parameters that the marked slots depend on; `*last` is one of them. */
static size_t count_params(struct checker *c, size_t *last)
{
    const struct ct_spec *spec = c->binding->spec;
    size_t count = 0;

    ct_binding_mark_uses(c->binding, c->marked);
    for (size_t i = 0; i < spec->param_count; i++)
        if (c->marked[spec->params[i].slot]) {
            *last = i;
            count++;
        }
    return count;
}

static void clear_marks(struct checker *c)
{
    memset(c->marked, 0, c->binding->spec->slots.count * sizeof(*c->marked));
}

/* Whether a constraint on `param` alone excludes the environment's value. */
static bool is_excluded(struct checker *c, size_t param)
{
    const struct ct_spec *spec = c->binding->spec;

    for (size_t i = 0; i < spec->constraint_count; i++) {
        const struct ct_expr *expr = spec->constraints[i].expr;
        enum ct_verdict verdict;
        size_t only;

        clear_marks(c);
        for (size_t j = 0; j < expr->slot_count; j++)
            c->marked[expr->slots[j]] = true;
        if (count_params(c, &only) != 1 || only != param)
            continue;
        verdict = ct_binding_decide(c->binding, i, c->env);
        if (verdict == CT_VIOLATED || verdict == CT_FAILED)
            return true;
    }
    return false;
}

/* Whether the type is valid in the present environment; reports errors. */
static bool check_value(struct checker *c, const struct ct_spec_buffer *buffer,
                        const size_t *param)
{
    const struct ct_spec *spec = c->binding->spec;
    struct ct_type type;
    struct ct_str text;
    struct ct_str where;
    bool right = !fill_template(&buffer->type, c->env, &text) || text.failed ||
                 ct_type_read(text.data, &type) || (param && is_excluded(c, *param));

    ct_str_init(&where);
    if (!right && param) {
        int slot = spec->params[*param].slot;

        ct_str_addf(&where, " (with %s=", spec->slots.symbols[slot].name);
        ct_value_print(&where, c->env[slot]);
        ct_str_putc(&where, ')');
    }
    if (!right)
        ct_diags_add(c->diags, CT_ERROR, spec->path, buffer->type.place.line,
                     buffer->type.place.column, "'%s' is not an OpenCL type%s", text.data,
                     where.data);
    c->nomem = c->nomem || text.failed || where.failed;
    ct_str_release(&text);
    ct_str_release(&where);
    return right;
}

/* A type that depends on one parameter is tried with each of its values. */
static void check_type(struct checker *c, const struct ct_spec_buffer *buffer)
{
    const struct ct_binding *binding = c->binding;
    const struct ct_spec *spec = binding->spec;
    size_t param = 0;
    size_t params;

    if (buffer->dims || buffer->type.piece_count < 2)
        return; /* plain ones were checked on reading */
    clear_marks(c);
    for (size_t i = 0; i < buffer->type.piece_count; i++)
        if (buffer->type.pieces[i].slot >= 0)
            c->marked[buffer->type.pieces[i].slot] = true;
    params = count_params(c, &param);
    if (params > 1)
        return;
    memset(c->config, 0, spec->param_count * sizeof(*c->config));
    for (size_t i = 0; i < (params ? binding->domains[param].count : 1); i++) {
        if (params)
            c->config[param] = (uint32_t)i;
        ct_binding_evaluate(binding, c->config, c->env);
        if (!check_value(c, buffer, params ? &param : NULL))
            return; /* one report is enough */
    }
}

/* --- files --- */

/* A file whose path does not depend on parameters.  Spaces can be examined without their sources,
 * so that a missing one is no error yet. */
static void check_file(struct checker *c, const struct ct_template *path)
{
    const struct ct_spec *spec = c->binding->spec;
    struct ct_arena scratch = {0};
    struct ct_str text;
    char *full;

    if (!path->text || !path->piece_count)
        return;
    for (size_t i = 0; i < path->piece_count; i++)
        if (path->pieces[i].slot >= 0 &&
            spec->slots.symbols[path->pieces[i].slot].per_config)
            return;
    if (fill_template(path, c->binding->fixed, &text) && !text.failed) {
        full = ct_spec_path(spec, &scratch, text.data);
        c->nomem = c->nomem || !full;
        if (full && access(full, R_OK) != 0)
            ct_diags_add(c->diags, CT_WARNING, spec->path, path->place.line,
                         path->place.column, "'%s' cannot be read: %s", text.data,
                         strerror(errno));
    }
    c->nomem = c->nomem || text.failed;
    ct_str_release(&text);
    ct_arena_release(&scratch);
}

static void check_sources(struct checker *c, const struct ct_spec_program *program)
{
    for (size_t i = 0; i < program->source_count; i++)
        check_file(c, &program->sources[i]);
}

static void check_files(struct checker *c)
{
    const struct ct_spec *spec = c->binding->spec;

    check_sources(c, &spec->kernel.program);
    for (size_t i = 0; i < spec->launch_count; i++)
        check_sources(c, &spec->launches[i].program);
    for (size_t i = 0; i < spec->buffer_count; i++) {
        check_file(c, &spec->buffers[i].fill.path);
        check_file(c, &spec->buffers[i].expect.path);
    }
    check_file(c, &spec->reference.host.c);
    for (size_t i = 0; i < spec->reference.launch_count; i++)
        check_sources(c, &spec->reference.launches[i].program);
    check_file(c, &spec->baseline.c);
}

/* --- the default --- */

/* A search refuses an invalid default; here it is only reported. */
static void check_default(struct checker *c)
{
    const struct ct_spec *spec = c->binding->spec;
    struct ct_value *values = ct_mem_array(spec->param_count, sizeof(*values));
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status =
        values ? ct_binding_default(c->binding, values, &err) : CT_E_NOMEM;

    if (status == CT_E_SPEC)
        ct_diags_add(c->diags, CT_WARNING, spec->path, err.line, err.column, "%s",
                     err.message);
    c->nomem = c->nomem || status == CT_E_NOMEM;
    free(values);
}

bool ct_binding_check(const struct ct_binding *binding, struct ct_diags *diags)
{
    const struct ct_spec *spec = binding->spec;
    struct checker c = {
        .binding = binding,
        .diags = diags,
        .env = ct_mem_array(spec->slots.count, sizeof(*c.env)),
        .config = ct_mem_array(spec->param_count, sizeof(*c.config)),
        .marked = ct_mem_array(spec->slots.count, sizeof(*c.marked)),
    };

    c.nomem = !c.env || !c.config || !c.marked;
    for (size_t i = 0; !c.nomem && i < spec->buffer_count; i++)
        check_type(&c, &spec->buffers[i]);
    if (!c.nomem)
        check_files(&c);
    if (!c.nomem)
        check_default(&c);
    free(c.env);
    free(c.config);
    free(c.marked);
    return !c.nomem;
}
