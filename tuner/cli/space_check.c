// SPDX-License-Identifier: Apache-2.0
// cltune space --check: plans configurations, which shows missing sources, sizes and fills that are
// out of range, and everything else that a search would stop at.
#include "cli/space.h"

#include "base/mem.h"
#include "search/strategy.h"
#include "spacefile/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Plans spread evenly over the space, and most plans made for single values. */
enum { PLANS = 64, VALUES = 1024 };

/* What plans need. */
struct planning {
    const struct ct_space *space;
    const struct ct_binding *binding;
    struct ct_source_cache *sources;
    uint32_t *config;
    uint32_t *near;
    struct ct_value *values;
};

static enum ct_status plan_values(struct planning *p, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_plan plan;
    enum ct_status status =
        ct_binding_plan(p->binding, p->values, p->sources, &arena, &plan, err);

    ct_arena_release(&arena);
    return status;
}

/* From the first to the last configuration. */
static enum ct_status plan_spread(struct planning *p, struct ct_err *err)
{
    uint64_t last = ct_space_count(p->space) - 1;
    uint64_t steps = last < PLANS ? last : PLANS;
    enum ct_status status = CT_OK;

    for (uint64_t i = 0; !status && i <= steps; i++) {
        uint64_t index = steps ? last / steps * i + last % steps * i / steps : 0;

        ct_space_config(p->space, index, p->config);
        ct_binding_values(p->binding, p->config, p->values);
        status = plan_values(p, err);
    }
    return status;
}

/* For each value of each parameter a configuration near the first one that has it. */
static enum ct_status plan_each_value(struct planning *p, struct ct_err *err)
{
    size_t param_count = p->binding->spec->param_count;
    size_t planned = 0;
    enum ct_status status = CT_OK;

    for (size_t k = 0; !status && k < param_count; k++)
        for (uint32_t v = 0; !status && v < p->binding->domains[k].count; v++) {
            if (planned++ == VALUES)
                return CT_OK;
            ct_space_config(p->space, 0, p->config);
            p->config[k] = v;
            if (!ct_space_nearest(p->space, p->config, p->near, err))
                return ct_err_nomem(err);
            /* Another value is nearer: this one needs several changes, or is in none. */
            if (p->near[k] != v)
                continue;
            ct_binding_values(p->binding, p->near, p->values);
            status = plan_values(p, err);
        }
    return status;
}

/* Whether the file asks for properties of a device while none is named: what follows from them is
 * not known. */
static bool lacks_device(const struct ct_binding *binding)
{
    const struct ct_spec *spec = binding->spec;

    for (size_t i = 0; i < spec->slots.count && !*binding->device_name; i++)
        if (spec->slots.symbols[i].class == CT_SYM_DEVICE && spec->slots.symbols[i].used)
            return true;
    return false;
}

/* Sources with one name for all configurations must be there, device or not. */
static enum ct_status check_sources(const struct ct_spec *spec,
                                    const struct ct_spec_program *program,
                                    struct ct_err *err)
{
    for (size_t i = 0; i < program->source_count; i++) {
        const struct ct_template *source = &program->sources[i];
        struct ct_str path;
        int error = 0;

        if (source->piece_count != 1 || source->pieces[0].slot >= 0)
            continue;
        ct_str_init(&path);
        if (*source->text != '/')
            ct_str_addf(&path, "%s/", spec->dir);
        ct_str_puts(&path, source->text);
        if (!path.failed && access(path.data, R_OK) != 0)
            error = errno;
        ct_str_release(&path);
        if (error)
            return ct_err_at(err, CT_E_SPEC, spec->path, source->place.line,
                             source->place.column, "cannot read '%s': %s", source->text,
                             strerror(error));
    }
    return CT_OK;
}

static enum ct_status check_all_sources(const struct ct_spec *spec, struct ct_err *err)
{
    enum ct_status status = check_sources(spec, &spec->kernel.program, err);

    for (size_t i = 0; !status && i < spec->launch_count; i++)
        if (spec->launches[i].has_program)
            status = check_sources(spec, &spec->launches[i].program, err);
    return status;
}

static enum ct_status check_strategy(const struct ct_space *space, struct ct_err *err)
{
    const struct ct_spec *spec = ct_space_binding(space)->spec;
    struct ct_strategy *strategy = NULL;
    enum ct_status status = CT_OK;

    if (spec->measure.strategy.text)
        status = ct_strategy_new(spec->measure.strategy.text, space, 1, &strategy, err);
    if (status)
        ct_err_place(err, spec->path, spec->measure.strategy.place.line,
                     spec->measure.strategy.place.column);
    ct_strategy_free(strategy);
    return status;
}

int ct_space_check(const struct ct_space *space)
{
    struct planning p = {.space = space, .binding = ct_space_binding(space)};
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status = check_strategy(space, &err);

    p.sources = ct_source_cache_new();
    p.config = ct_mem_array(p.binding->spec->param_count, sizeof(*p.config));
    p.near = ct_mem_array(p.binding->spec->param_count, sizeof(*p.near));
    p.values = ct_mem_array(p.binding->spec->param_count, sizeof(*p.values));
    if (!status && (!p.sources || !p.config || !p.near || !p.values))
        status = ct_err_nomem(&err);
    if (!status && p.binding->spec->kernel.present)
        status = check_all_sources(p.binding->spec, &err);
    if (!status && p.binding->spec->kernel.present && !lacks_device(p.binding))
        status = plan_spread(&p, &err);
    if (!status && p.binding->spec->kernel.present && !lacks_device(p.binding))
        status = plan_each_value(&p, &err);
    if (p.sources)
        ct_source_cache_free(p.sources);
    free(p.config);
    free(p.near);
    free(p.values);
    return status ? ct_cli_error(&err) : CT_EXIT_OK;
}
