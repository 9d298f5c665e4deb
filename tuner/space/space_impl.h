// SPDX-License-Identifier: Apache-2.0
// What tuner/space shares among its files: how valid configurations are stored.
#ifndef CT_SPACE_SPACE_IMPL_H
#define CT_SPACE_SPACE_IMPL_H

#include "base/err.h"
#include "space/space.h"

#include <stddef.h>
#include <stdint.h>

/* A configuration is stored as its rank in the Cartesian product, a mixed-radix number
 * whose first digit is the first parameter.  Where the product does not fit in 64 bits
 * the parameters are cut into groups, each with a word of its own; then a configuration
 * is `words` numbers, and comparing them in order is still lexicographic. */
struct ct_space {
    const struct ct_binding *binding;
    size_t param_count;
    size_t words;     /* of a configuration; at least 1 */
    size_t *word_of;  /* of each parameter */
    uint64_t *stride; /* weight of each parameter's digit in its word */
    uint64_t *ranks;  /* count * words, ascending */
    uint64_t count;
    struct ct_space_stats stats;
    struct ct_constraint_stats *constraints;
};

/* Fills ranks, count, constraints and stats.canonical. */
enum ct_status ct_space_build(struct ct_space *space, struct ct_err *err);

#endif
