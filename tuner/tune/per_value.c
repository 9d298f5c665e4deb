// SPDX-License-Identifier: Apache-2.0
// A parameter that is the question itself (which algorithm?): what each of its values got, and its best.
#include "tune/search_impl.h"

#include <stdlib.h>

enum ct_status ct_search_choose_per_value(struct ct_search *search, struct ct_err *err)
{
    const char *name = search->options->per_value ? search->options->per_value
                                                  : search->work.spec->measure.by.text;
    struct ct_str names;

    search->per_value = name ? ct_spec_find_param(search->work.spec, name) : -1;
    if (!name || search->per_value >= 0)
        return CT_OK;
    ct_str_init(&names);
    ct_spec_put_params(search->work.spec, name, &names);
    ct_err_set(err, CT_E_USAGE, "--by: '%s' is not a parameter%s", name, names.data);
    ct_str_release(&names);
    return CT_E_USAGE;
}

/* That parameter's value in an entry; CT_NONE if inactive. */
static struct ct_value value_in(const struct ct_search *search,
                                const struct ct_evaluated *entry)
{
    ct_workload_values(&search->work, entry->index);
    ct_binding_evaluate_values(search->work.binding, search->work.values,
                               search->work.env);
    return ct_binding_active(search->work.binding, (size_t)search->per_value,
                             search->work.env)
               ? search->work.values[search->per_value]
               : (struct ct_value){.kind = CT_NONE};
}

/* The arm of a value, added if missing. */
static struct ct_search_arm *arm_of(struct ct_search_arm *arms, size_t *count,
                                    struct ct_value value)
{
    for (size_t i = 0; i < *count; i++)
        if (ct_value_equal(arms[i].value, value))
            return &arms[i];
    arms[*count] = (struct ct_search_arm){.value = value};
    return &arms[(*count)++];
}

struct ct_search_arm *ct_search_arms(const struct ct_search *search,
                                     const struct ct_evaluated *const *order,
                                     size_t order_count, size_t *count)
{
    const struct ct_results *results = &search->results;
    struct ct_search_arm *arms =
        search->per_value >= 0 ? ct_mem_array(results->done_count, sizeof(*arms)) : NULL;

    *count = 0;
    if (!arms)
        return NULL;
    for (size_t i = 0; i < order_count; i++) {
        struct ct_value value = value_in(search, order[i]);
        struct ct_search_arm *arm;

        if (value.kind == CT_NONE)
            continue;
        arm = arm_of(arms, count, value);
        if (!arm->best)
            arm->best = order[i];
    }
    for (size_t i = 0; i < results->done_count; i++) {
        const struct ct_evaluated *entry = &results->done[i];
        struct ct_value value = value_in(search, entry);
        struct ct_search_arm *arm;

        if (value.kind == CT_NONE || entry->status == CT_RESULT_SKIPPED)
            continue;
        arm = arm_of(arms, count, value);
        arm->evaluated++;
        arm->failed += entry->status != CT_RESULT_OK;
    }
    return arms;
}
