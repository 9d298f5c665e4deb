// SPDX-License-Identifier: Apache-2.0
// Which parameters are switched off by a value of another one: an algorithm that does not use them.
#include "search/surrogate/features.h"

#include "base/mem.h"

#include <stdlib.h>

enum {
    SAMPLE = 4096,  /* configurations looked at */
    VALUES = 16,    /* of a parameter that switches others; more are no algorithms */
    DOMAIN_MAX = 64 /* values of one that is switched */
};

/* For a parameter and each value of another: which of its values occur. */
struct seen {
    uint64_t by_value[VALUES];
};

/* Notes the values of `count` configurations for every pair of parameters. */
static void note(struct seen *seen, const struct ct_binding *binding, size_t params,
                 const uint32_t *config)
{
    for (size_t by = 0; by < params; by++) {
        if (binding->domains[by].count > VALUES)
            continue;
        for (size_t p = 0; p < params; p++)
            if (binding->domains[p].count <= DOMAIN_MAX)
                seen[by * params + p].by_value[config[by]] |= UINT64_C(1) << config[p];
    }
}

/* Whether `by` switches `p`: p has all of its values with some values of `by`, and only its first
 * one, as an inactive parameter has, with others: those of `off`. */
static bool switches(const struct seen *seen, const struct ct_binding *binding, size_t by,
                     size_t p, uint32_t *off)
{
    size_t count = binding->domains[p].count;
    size_t values = binding->domains[by].count;
    const uint64_t *sets = seen[by * binding->spec->param_count + p].by_value;
    uint64_t all = count >= DOMAIN_MAX ? UINT64_MAX : (UINT64_C(1) << count) - 1;
    bool complete = false;

    *off = 0;
    if (by == p || count < 2 || count > DOMAIN_MAX || values > VALUES)
        return false;
    for (size_t v = 0; v < values; v++) {
        complete = complete || sets[v] == all;
        if (sets[v] == 1)
            *off |= UINT32_C(1) << v;
    }
    return complete && *off;
}

bool ct_feature_switches(const struct ct_space *space, struct ct_feature_switch *out)
{
    const struct ct_binding *binding = ct_space_binding(space);
    size_t params = binding->spec->param_count;
    struct ct_config_list list = {0};
    struct seen *seen = ct_mem_array(params * params, sizeof(*seen));
    bool enough = seen && !ct_space_sample(space, SAMPLE, 1, &list, NULL);

    for (size_t i = 0; i < list.count && enough; i++)
        note(seen, binding, params, ct_config_list_at(&list, i));
    for (size_t p = 0; p < params && enough; p++)
        for (size_t by = 0; by < params && !out[p].off; by++) {
            uint32_t off;
            uint32_t other;

            /* If each seems to switch the other, it is the first one that does. */
            if (switches(seen, binding, by, p, &off) &&
                !(by > p && switches(seen, binding, p, by, &other)))
                out[p] = (struct ct_feature_switch){by, off};
        }
    free(seen);
    ct_config_list_release(&list);
    return enough;
}
