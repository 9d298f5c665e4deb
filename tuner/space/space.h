// SPDX-License-Identifier: Apache-2.0
// The valid configurations of a bound specification: count them, index them, draw them.
//
// A configuration is an array of param_count value indices (into the binding's domains).
// Valid configurations have indices 0 to count - 1 in the lexicographic order of the
// parameters as the file names them.
#ifndef CT_SPACE_SPACE_H
#define CT_SPACE_SPACE_H

#include "spec/binding.h"

#include <stdbool.h>
#include <stdint.h>

struct ct_space;

/* What one constraint does: of `tried` combinations of parameter values that reached it,
 * `removed` did not satisfy it and `failed` of those could not be evaluated.  A
 * constraint is decided once for all configurations that share the values it depends on,
 * and not for those that another constraint has removed. */
struct ct_constraint_stats {
    uint64_t tried;
    uint64_t removed;
    uint64_t failed;
    bool undecided; /* needs a device; taken as satisfied */
};

struct ct_space_stats {
    double cartesian; /* product of the numbers of values */
    /* Without duplicates through inactive parameters; UINT64_MAX when more do not fit. */
    uint64_t canonical;
    uint64_t valid;
    uint64_t bytes;        /* memory held */
    uint64_t construct_ns; /* time taken to construct it */
    size_t constraint_count;
    const struct ct_constraint_stats *constraints; /* in file order */
};

/* Builds the space.  `binding` must outlive it.  A configuration is valid when it is
 * canonical (ct_binding_canonical) and every constraint holds or is undecided.
 * CT_E_NOMEM; CT_E_SPEC when there are more valid configurations than this version can
 * hold, or more combinations to try than anyone will wait for (said in `err`).  A space
 * without valid configurations is CT_OK with count 0. */
enum ct_status ct_space_new(const struct ct_binding *binding, struct ct_space **out,
                            struct ct_err *err);
void ct_space_free(struct ct_space *space);

const struct ct_binding *ct_space_binding(const struct ct_space *space);
uint64_t ct_space_count(const struct ct_space *space);
void ct_space_stats(const struct ct_space *space, struct ct_space_stats *stats);

/* Configuration number `index` (below the count) into config[param_count]. */
void ct_space_config(const struct ct_space *space, uint64_t index, uint32_t *config);

/* Whether `config` is valid; if so its index. */
bool ct_space_index(const struct ct_space *space, const uint32_t *config,
                    uint64_t *index);

/* Index of the configuration with these values; false when it is not in the space. */
bool ct_space_find(const struct ct_space *space, const struct ct_value *values,
                   uint64_t *index);

#endif
