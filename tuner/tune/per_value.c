// SPDX-License-Identifier: Apache-2.0
// A parameter that is the question itself (which algorithm?): the best of each of its values.
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

struct ct_value ct_search_per_value(const struct ct_search *search,
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

size_t ct_search_firsts(const struct ct_search *search,
                        const struct ct_evaluated *const *order, size_t count,
                        size_t *firsts)
{
    struct ct_value *values = ct_mem_array(count, sizeof(*values));
    size_t found = 0;

    for (size_t i = 0; values && search->per_value >= 0 && i < count; i++) {
        struct ct_value value = ct_search_per_value(search, order[i]);
        bool known = value.kind == CT_NONE;

        for (size_t k = 0; k < found && !known; k++)
            known = ct_value_equal(values[k], value);
        if (known)
            continue;
        values[found] = value;
        firsts[found++] = i;
    }
    free(values);
    return found;
}
