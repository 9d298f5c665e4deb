// SPDX-License-Identifier: Apache-2.0
// The hash map: keys of 128 bits, of which an index takes half.
#include "base/map.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct key {
    uint64_t high; /* 0 for an index */
    uint64_t low;
};

struct ct_map_slot {
    struct key key;
    uint64_t value;
    bool used;
};

/* splitmix64's finisher (Steele, Lea and Flood, 2014): separates neighbouring indices. */
static uint64_t scatter_bits(uint64_t key)
{
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
    return key ^ (key >> 31);
}

static struct key key_of_index(uint64_t index)
{
    return (struct key){0, index};
}

/* The 32 hexadecimal digits of a hash as a number. */
static struct key key_of_hash(const struct ct_hash *hash)
{
    char digits[17] = "";
    struct key key;

    memcpy(digits, hash->text, 16);
    key.high = strtoull(digits, NULL, 16);
    memcpy(digits, hash->text + 16, 16);
    key.low = strtoull(digits, NULL, 16);
    return key;
}

/* The slot of a key, or the free one where it belongs; there is always a free one. */
static struct ct_map_slot *slot_of(const struct ct_map *map, struct key key)
{
    size_t mask = map->capacity - 1;
    size_t at = (size_t)scatter_bits(key.low) & mask;

    while (map->slots[at].used &&
           (map->slots[at].key.low != key.low || map->slots[at].key.high != key.high))
        at = (at + 1) & mask;
    return &map->slots[at];
}

static bool grow_table(struct ct_map *map)
{
    struct ct_map larger = {NULL, map->capacity ? map->capacity * 2 : 64, map->count};

    if (larger.capacity < map->capacity)
        return false;
    larger.slots = ct_mem_array(larger.capacity, sizeof(*larger.slots));
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].used)
            *slot_of(&larger, map->slots[i].key) = map->slots[i];
    free(map->slots);
    *map = larger;
    return true;
}

static bool put_entry(struct ct_map *map, struct key key, uint64_t value)
{
    struct ct_map_slot *slot;

    if (map->count >= map->capacity / 2 && !grow_table(map))
        return false;
    slot = slot_of(map, key);
    if (!slot->used)
        map->count++;
    *slot = (struct ct_map_slot){key, value, true};
    return true;
}

static bool find_entry(const struct ct_map *map, struct key key, uint64_t *value)
{
    const struct ct_map_slot *slot = map->capacity ? slot_of(map, key) : NULL;

    if (!slot || !slot->used)
        return false;
    *value = slot->value;
    return true;
}

bool ct_map_put(struct ct_map *map, uint64_t key, uint64_t value)
{
    return put_entry(map, key_of_index(key), value);
}

uint64_t ct_map_get(const struct ct_map *map, uint64_t key, uint64_t otherwise)
{
    uint64_t value;

    return find_entry(map, key_of_index(key), &value) ? value : otherwise;
}

bool ct_map_has(const struct ct_map *map, uint64_t key)
{
    uint64_t value;

    return find_entry(map, key_of_index(key), &value);
}

bool ct_map_put_hash(struct ct_map *map, const struct ct_hash *key, uint64_t value)
{
    return !*key->text || put_entry(map, key_of_hash(key), value);
}

bool ct_map_find_hash(const struct ct_map *map, const struct ct_hash *key,
                      uint64_t *value)
{
    return *key->text && find_entry(map, key_of_hash(key), value);
}

void ct_map_release(struct ct_map *map)
{
    free(map->slots);
    *map = (struct ct_map){0};
}

/* --- sets of indices --- */

enum { WORD_BITS = 64 };

bool ct_index_set_add(struct ct_index_set *set, uint64_t index)
{
    uint64_t word = ct_map_get(&set->words, index / WORD_BITS, 0);

    return ct_map_put(&set->words, index / WORD_BITS,
                      word | UINT64_C(1) << index % WORD_BITS);
}

bool ct_index_set_has(const struct ct_index_set *set, uint64_t index)
{
    return ct_map_get(&set->words, index / WORD_BITS, 0) >> index % WORD_BITS & 1;
}

void ct_index_set_release(struct ct_index_set *set)
{
    ct_map_release(&set->words);
}
