// SPDX-License-Identifier: Apache-2.0
// Matches the configurations of two recorded spaces.
#include "replay/sources.h"

#include "base/mem.h"
#include "plan/binding.h"
#include "spacefile/spec.h"

#include <stdlib.h>

enum ct_status ct_replay_transfers(const struct ct_recorded *recorded,
                                   const struct ct_recorded *other,
                                   struct ct_replay_transfer **out, size_t *count,
                                   struct ct_err *err)
{
    const struct ct_spec *spec = recorded->spec;
    uint64_t most = ct_space_count(other->space);
    size_t n = spec->param_count;
    uint32_t *config = ct_mem_array(n, sizeof(*config));
    struct ct_value *there = ct_mem_array(n, sizeof(*there));
    struct ct_value *here = ct_mem_array(n, sizeof(*here));
    struct ct_replay_transfer *all = ct_mem_array(most, sizeof(*all));
    bool made = config && there && here && all;
    bool same = made && n == other->spec->param_count;
    size_t found = 0;
    enum ct_status status = made ? CT_OK : ct_err_nomem(err);

    for (uint64_t i = 0; i < most && same; i++) {
        uint64_t index;

        ct_space_config(other->space, i, config);
        ct_binding_values(other->binding, config, there);
        for (size_t p = 0; p < n && same; p++) {
            int at = ct_spec_find_param(
                spec, other->spec->slots.symbols[other->spec->params[p].slot].name);

            same = at >= 0;
            if (same)
                here[at] = there[p];
        }
        if (same && ct_space_find(recorded->space, here, &index))
            all[found++] = (struct ct_replay_transfer){
                .index = index, .result = ct_record_result(&other->records[i])};
    }
    free(config);
    free(there);
    free(here);
    if (!status && !found)
        status = ct_err_set(
            err, other->stored ? CT_E_NOT_FOUND : CT_E_USAGE,
            "%s has no information on %s: %s", other->name, recorded->name,
            same ? "they have no configuration in common" : "their parameters differ");
    if (status) {
        free(all);
        return status;
    }
    *out = all;
    *count = found;
    return CT_OK;
}
