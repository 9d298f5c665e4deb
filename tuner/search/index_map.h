// SPDX-License-Identifier: Apache-2.0
// A hash map from configuration indices to 64-bit values, also used as a set.
#ifndef CT_SEARCH_INDEX_MAP_H
#define CT_SEARCH_INDEX_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Open addressing with linear probing; memory in proportion to the number of keys,
 * whatever the size of the space.  Initialise with {0}. */
struct ct_index_map {
    struct ct_index_slot *slots;
    size_t capacity; /* 0 or a power of two */
    size_t count;
};

/* Sets the value of a key; false when memory is short, and nothing has changed. */
bool ct_index_map_put(struct ct_index_map *map, uint64_t key, uint64_t value);

/* The value of a key, or `otherwise` where it has none. */
uint64_t ct_index_map_get(const struct ct_index_map *map, uint64_t key,
                          uint64_t otherwise);

/* Whether a key has a value. */
bool ct_index_map_has(const struct ct_index_map *map, uint64_t key);

/* Frees what it owns and leaves it empty. */
void ct_index_map_release(struct ct_index_map *map);

#endif
