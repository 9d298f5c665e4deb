// SPDX-License-Identifier: Apache-2.0
// A hash map from indices or content hashes to 64-bit values, also used as a set.
#ifndef CT_BASE_MAP_H
#define CT_BASE_MAP_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Open addressing with linear probing; memory in proportion to the number of keys.  Initialise
 * with {0}.  One map has keys of one kind. */
struct ct_map {
    struct ct_map_slot *slots;
    size_t capacity; /* 0 or a power of two */
    size_t count;
};

/* Sets the value of a key; false, and nothing changed, if out of memory. */
bool ct_map_put(struct ct_map *map, uint64_t key, uint64_t value);

/* The value of a key, or `otherwise` if it has none. */
uint64_t ct_map_get(const struct ct_map *map, uint64_t key, uint64_t otherwise);

/* Whether a key has a value. */
bool ct_map_has(const struct ct_map *map, uint64_t key);

/* The same for hashes.  An empty hash has no value, and setting one does nothing. */
bool ct_map_put_hash(struct ct_map *map, const struct ct_hash *key, uint64_t value);
bool ct_map_find_hash(const struct ct_map *map, const struct ct_hash *key,
                      uint64_t *value);

/* Frees what it owns and leaves it empty. */
void ct_map_release(struct ct_map *map);

/* A set of indices, of which up to 64 that lie beside each other take as much memory as one key.
 * Initialise with {0}. */
struct ct_index_set {
    struct ct_map words; /* of index / 64: a bit for each */
};

/* Adds an index; false, and nothing changed, if out of memory. */
bool ct_index_set_add(struct ct_index_set *set, uint64_t index);

bool ct_index_set_has(const struct ct_index_set *set, uint64_t index);

/* Frees what it owns and leaves it empty. */
void ct_index_set_release(struct ct_index_set *set);

#endif
