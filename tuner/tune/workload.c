// SPDX-License-Identifier: Apache-2.0
// A bound space file; its configurations, plans and experiments.
#include "tune/workload.h"

#include "plan/identity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum ct_status ct_workload_init(struct ct_workload *work, const struct ct_devinfo *device,
                                const struct ct_spec *spec, struct ct_binding *binding,
                                struct ct_space *space, enum ct_cache_state cache,
                                struct ct_err *err)
{
    uint64_t index;
    enum ct_status status;

    *work = (struct ct_workload){.device = device,
                                 .spec = spec,
                                 .binding = binding,
                                 .space = space,
                                 .cache = cache,
                                 .default_index = CT_OUTSIDE};
    work->values = ct_mem_array(spec->param_count, sizeof(*work->values));
    work->default_values = ct_mem_array(spec->param_count, sizeof(*work->default_values));
    work->env = ct_mem_array(spec->slots.count, sizeof(*work->env));
    work->config = ct_mem_array(spec->param_count, sizeof(*work->config));
    work->sources = ct_source_cache_new();
    if (!work->values || !work->default_values || !work->env || !work->config ||
        !work->sources)
        return ct_err_nomem(err);
    if (!space)
        return CT_OK;
    status = ct_binding_default(binding, work->default_values, err);
    if (!status && ct_space_find(space, work->default_values, &index))
        work->default_index = (int64_t)index;
    return status;
}

void ct_workload_release(struct ct_workload *work)
{
    if (work->sources)
        ct_source_cache_free(work->sources);
    if (work->space)
        ct_space_free(work->space);
    if (work->binding)
        ct_binding_free(work->binding);
    free(work->values);
    free(work->default_values);
    free(work->env);
    free(work->config);
    ct_arena_release(&work->arena);
}

void ct_workload_values(const struct ct_workload *work, int64_t index)
{
    if (index == CT_OUTSIDE) {
        memcpy(work->values, work->default_values,
               work->spec->param_count * sizeof(*work->values));
        return;
    }
    ct_space_config(work->space, (uint64_t)index, work->config);
    ct_binding_values(work->binding, work->config, work->values);
}

enum ct_status ct_workload_plan(const struct ct_workload *work, uint32_t needs,
                                struct ct_arena *arena, struct ct_plan *plan,
                                struct ct_err *err)
{
    enum ct_status status =
        ct_binding_plan(work->binding, work->values, work->sources, arena, plan, err);
    uint32_t uses = needs | ct_spec_metrics_use(work->spec);

    /* The command line's objective may differ from the file's. */
    ct_plan_observe(plan, uses);
    if (work->cache != CT_CACHE_UNSPECIFIED)
        plan->cold = work->cache == CT_CACHE_COLD;
    return status;
}

enum ct_status ct_workload_plan_of(struct ct_workload *work, uint32_t needs,
                                   int64_t index, struct ct_plan *plan,
                                   struct ct_err *err)
{
    ct_workload_values(work, index);
    ct_arena_release(&work->arena);
    return ct_workload_plan(work, needs, &work->arena, plan, err);
}

struct ct_hash ct_workload_experiment(const struct ct_workload *work,
                                      const struct ct_plan *plan)
{
    return ct_experiment_hash(plan, work->device);
}

void ct_workload_put_config(const struct ct_workload *work, const struct ct_value *values,
                            struct ct_str *out)
{
    ct_binding_evaluate_values(work->binding, values, work->env);
    ct_binding_print(work->binding, values, work->env, out);
}

double ct_workload_metric(const struct ct_workload *work, const char *name,
                          const struct ct_quantities *observed)
{
    const struct ct_spec *spec = work->spec;
    double value;

    for (size_t m = 0; m < spec->metric_count; m++)
        if (strcmp(spec->metrics[m].name, name) == 0 &&
            ct_binding_metric(work->binding, m, work->values, observed, &value))
            return value;
    return NAN;
}

enum ct_status ct_workload_check_sources(const struct ct_workload *work,
                                         struct ct_err *err)
{
    const char *changed = ct_source_cache_changed(work->sources);

    if (!changed)
        return CT_OK;
    return ct_err_set(
        err, CT_E_IO,
        "%s was changed while the search was running; results from before are "
        "stored; run the search again for the rest",
        changed);
}
