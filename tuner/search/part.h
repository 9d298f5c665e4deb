// SPDX-License-Identifier: Apache-2.0
// Exhaustive search of a part of a space.
#ifndef CT_SEARCH_PART_H
#define CT_SEARCH_PART_H

#include "search/strategy.h"

/* A part of a space: shard `number` (from 0) of `of`, which has `count` configurations. */
struct ct_part {
    uint64_t number;
    uint64_t of; /* 0: the whole space, and all else is unset */
    uint64_t count;
    uint64_t *indices; /* ascending; NULL: those of ct_space_shard_index */
};

/* Whether a configuration belongs to the part. */
bool ct_part_has(const struct ct_part *part, uint64_t index);

/* Makes a strategy called exhaustive that proposes the configurations of a part of the space; the
 * part is borrowed.  CT_E_NOMEM. */
enum ct_status ct_strategy_new_part(const struct ct_space *space,
                                    const struct ct_part *part, struct ct_strategy **out,
                                    struct ct_err *err);

#endif
