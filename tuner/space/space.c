// SPDX-License-Identifier: Apache-2.0
// A space as a whole.
#include "space/space_impl.h"

#include "base/clock.h"
#include "base/mem.h"

enum ct_status ct_space_new(const struct ct_binding *binding,
                            const struct ct_space_options *options, struct ct_space **out,
                            struct ct_err *err)
{
    uint64_t start_ns = ct_clock_now_ns();
    size_t constraint_count = binding->spec->constraint_count;
    struct ct_space *space = ct_mem_array(1, sizeof(*space));
    enum ct_status status;

    if (!space)
        return ct_err_nomem(err);
    space->binding = binding;
    space->param_count = binding->spec->param_count;
    space->constraints = ct_mem_array(constraint_count, sizeof(*space->constraints));
    if (!space->constraints) {
        ct_space_free(space);
        return ct_err_nomem(err);
    }
    space->stats.cartesian = 1;
    for (size_t p = 0; p < space->param_count; p++)
        space->stats.cartesian *= (double)binding->domains[p].count;
    space->stats.constraint_count = constraint_count;
    space->stats.constraints = space->constraints;
    status = ct_space_build(space, options, err);
    if (status) {
        ct_space_free(space);
        return status;
    }
    space->stats.construct_ns = ct_clock_now_ns() - start_ns;
    *out = space;
    return CT_OK;
}

const struct ct_binding *ct_space_binding(const struct ct_space *space)
{
    return space->binding;
}

uint64_t ct_space_count(const struct ct_space *space)
{
    return space->count;
}

void ct_space_stats_get(const struct ct_space *space, struct ct_space_stats *stats)
{
    *stats = space->stats;
}
