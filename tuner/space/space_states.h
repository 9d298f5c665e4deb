// SPDX-License-Identifier: Apache-2.0
// States of a level: partial combinations that are equivalent for pending roots, each once, as
// columns of keys.
#ifndef CT_SPACE_SPACE_STATES_H
#define CT_SPACE_SPACE_STATES_H

#include "space/space_memory.h"
#include "space/space_vector.h"

struct ct_states {
    struct ct_space_memory *memory;
    size_t key_count;
    struct ct_state_key {
        int64_t *bits;
        size_t bits_room;
        uint8_t *tags; /* NULL: all have one kind and a value */
        size_t tags_room;
        bool tagged;
    } * keys;
    size_t count;
    double *weight; /* combinations behind each state */
    size_t weight_room;
    uint32_t *hash;
    size_t hash_room;
    uint32_t *slots; /* state + 1, open addressing */
    size_t slot_count;
};

/* False: out of memory. */
bool ct_states_init(struct ct_states *states, struct ct_space_memory *memory,
                    size_t key_count);
void ct_states_release(struct ct_states *states);

/* Finds or adds the states of `rows` rows, whose keys are `columns` (one per key, pointers to a
 * program's); adds the rows' weights to theirs; found[i]: state of row i.  False: out of memory. */
bool ct_states_merge(struct ct_states *states, const struct ct_column *const *columns,
                     const double *weights, size_t rows, uint32_t *found);

/* Frees what is only needed while merging. */
void ct_states_close(struct ct_states *states);

#endif
