// SPDX-License-Identifier: Apache-2.0
// cltune space --check: plans configurations, which shows missing sources, sizes and fills that are
// out of range, and everything else that a search would stop at.
#include "cli/space.h"

#include "base/mem.h"
#include "search/strategy.h"
#include "spacefile/source.h"

#include <stdlib.h>
#include <string.h>

/* A space with few values has each in one of these. */
enum { PLANS = 64 };

/* What plans need. */
struct planning {
    const struct ct_space *space;
    const struct ct_binding *binding;
    struct ct_source_cache *sources;
    uint32_t *config;
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

static enum ct_status plan_some(struct planning *p, struct ct_err *err)
{
    uint64_t count = ct_space_count(p->space);
    uint64_t plans = count < PLANS ? count : PLANS;
    enum ct_status status = CT_OK;

    for (uint64_t i = 0; !status && i < plans; i++) {
        ct_space_config(p->space, count / plans * i, p->config);
        ct_binding_values(p->binding, p->config, p->values);
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
    p.values = ct_mem_array(p.binding->spec->param_count, sizeof(*p.values));
    if (!status && (!p.sources || !p.config || !p.values))
        status = ct_err_nomem(&err);
    if (!status && p.binding->spec->kernel.present && !lacks_device(p.binding))
        status = plan_some(&p, &err);
    if (p.sources)
        ct_source_cache_free(p.sources);
    free(p.config);
    free(p.values);
    return status ? ct_cli_error(&err) : CT_EXIT_OK;
}
