// SPDX-License-Identifier: Apache-2.0
// A space file's kernel, problem and configurations in the form of the database.
#define _XOPEN_SOURCE 700 // realpath
#include "plan/stored_kernel.h"

#include "plan/identity.h"
#include "plan/json.h"
#include "plan/problem_macros.h"
#include "plan/stored_expr.h"
#include "spacefile/file_hash.h"

#include <jansson.h>
#include <stdlib.h>

/* {"NAME":[values]} of all parameters, as listed in the space file. */
static char *parameters_json(const struct ct_binding *binding)
{
    const struct ct_spec *spec = binding->spec;
    json_t *object = json_object();
    char *text;

    for (size_t p = 0; p < spec->param_count; p++) {
        const struct ct_domain *domain = &binding->domains[p];
        json_t *list = json_array();

        for (size_t i = 0; i < domain->count; i++) {
            const struct ct_value *v = &domain->values[i];

            json_array_append_new(list, v->kind == CT_INT    ? json_integer(v->u.i)
                                        : v->kind == CT_REAL ? json_real(v->u.r)
                                                             : ct_json_text(v->u.s));
        }
        json_object_set_new(object, spec->slots.symbols[spec->params[p].slot].name, list);
    }
    text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    return text;
}

/* "" if it cannot be read any more. */
static struct ct_hash hash_file(const char *path)
{
    const uint64_t most_bytes = 1 << 30;
    struct ct_file_hashes hashes = {0};
    struct ct_hash hash = {""};

    if (ct_file_hashes_get(&hashes, path, most_bytes, &hash))
        hash = (struct ct_hash){""};
    ct_file_hashes_release(&hashes);
    return hash;
}

enum ct_status ct_stored_kernel_put(struct ct_db *db, const struct ct_binding *binding,
                                    const struct ct_plan *plan, int64_t *kernel_id,
                                    struct ct_err *err)
{
    const struct ct_spec *spec = binding->spec;
    struct ct_db_kernel kernel = {.name = spec->kernel.name,
                                  .space_path = spec->given ? NULL : spec->path};
    char *parameters = parameters_json(binding);
    char *constraints = ct_stored_constraints_json(spec);
    char *macros = ct_problem_macros_json(spec);
    char *file = spec->given ? NULL : realpath(spec->path, NULL);
    enum ct_status status;

    kernel.problem_macros = macros;
    kernel.space_file = file;
    if (file)
        kernel.space_hash = hash_file(file);
    kernel.source_hash = ct_spec_version(spec, plan);
    kernel.parameters = parameters;
    kernel.constraints = constraints;
    if (!parameters || !constraints || !macros || !*kernel.source_hash.text)
        status = ct_err_nomem(err);
    else
        status = ct_db_kernel_put(db, &kernel, kernel_id, err);
    free(parameters);
    free(constraints);
    free(macros);
    free(file);
    return status;
}

/* The problem's names and values; NULL if out of memory.  The caller frees. */
static struct ct_db_value *problem_values(const struct ct_binding *binding, size_t *count)
{
    const struct ct_spec *spec = binding->spec;
    struct ct_db_value *values = ct_mem_array(spec->slots.count, sizeof(*values));

    *count = 0;
    for (size_t i = 0; values && i < spec->slots.count; i++)
        if (spec->slots.symbols[i].class == CT_SYM_PROBLEM) {
            values[*count].name = spec->slots.symbols[i].name;
            values[(*count)++].value = binding->fixed[i];
        }
    return values;
}

enum ct_status ct_stored_problem_put(struct ct_db *db, const struct ct_binding *binding,
                                     int64_t *problem_id, struct ct_err *err)
{
    size_t count;
    struct ct_db_value *values = problem_values(binding, &count);
    enum ct_status status = values ? ct_db_problem_put(db, values, count, problem_id, err)
                                   : ct_err_nomem(err);

    free(values);
    return status;
}

enum ct_status ct_stored_problem(const struct ct_binding *binding, struct ct_str *out,
                                 struct ct_err *err)
{
    size_t count;
    struct ct_db_value *values = problem_values(binding, &count);
    enum ct_status status =
        values ? ct_db_canonical(out, values, count, err) : ct_err_nomem(err);

    free(values);
    return status;
}

enum ct_status ct_stored_config(const struct ct_spec *spec, const struct ct_value *values,
                                struct ct_str *out, struct ct_err *err)
{
    struct ct_db_value *named = ct_mem_array(spec->param_count, sizeof(*named));
    enum ct_status status;

    if (!named)
        return ct_err_nomem(err);
    for (size_t p = 0; p < spec->param_count; p++) {
        named[p].name = spec->slots.symbols[spec->params[p].slot].name;
        named[p].value = values[p];
    }
    status = ct_db_canonical(out, named, spec->param_count, err);
    free(named);
    return status;
}

bool ct_stored_flags(const struct ct_plan *plan, struct ct_str *out)
{
    struct ct_plan_program program;

    if (!plan->program_count) /* copies only */
        return true;
    program = plan->programs[0];
    program.include_count = 0;
    return ct_plan_options(&program, out);
}
