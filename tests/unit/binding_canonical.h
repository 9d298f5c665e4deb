// SPDX-License-Identifier: Apache-2.0
// Which configurations are canonical, decided one by one: what spaces are compared with.
#ifndef CT_TESTS_BINDING_CANONICAL_H
#define CT_TESTS_BINDING_CANONICAL_H

#include "plan/binding.h"

/* Whether every inactive parameter has its inactive value, and no active one has a value that a
 * restriction removed.  `env` as filled by ct_binding_evaluate. */
static inline bool binding_canonical(const struct ct_binding *binding,
                                     const uint32_t *config, const struct ct_value *env)
{
    for (size_t i = 0; i < binding->spec->param_count; i++) {
        if (ct_binding_active(binding, i, env)) {
            if (binding->only_inactive[i] && config[i] == binding->inactive[i])
                return false;
        } else if (config[i] != binding->inactive[i]) {
            return false;
        }
    }
    return true;
}

#endif
