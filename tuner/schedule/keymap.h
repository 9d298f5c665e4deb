// SPDX-License-Identifier: Apache-2.0
// A table from hashes to numbers.
#ifndef CT_SCHEDULE_KEYMAP_H
#define CT_SCHEDULE_KEYMAP_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>

/* {0} is an empty one. */
struct ct_keymap {
    struct ct_keymap_slot {
        struct ct_hash key; /* "": free */
        size_t value;
    } * slots;
    size_t slot_count; /* a power of two */
    size_t count;
};

void ct_keymap_release(struct ct_keymap *map);

/* The number of a key; false when it is not there, and for an empty key. */
bool ct_keymap_find(const struct ct_keymap *map, const struct ct_hash *key,
                    size_t *value);

/* Gives a key a number, in place of the one that it may have.  An empty key has none;
 * when memory is short nothing is kept. */
void ct_keymap_put(struct ct_keymap *map, const struct ct_hash *key, size_t value);

#endif
