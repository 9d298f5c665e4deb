// SPDX-License-Identifier: Apache-2.0
// The hash map of configuration indices.
#include "search/index_map.h"

#include "base/mem.h"

#include <stdlib.h>

struct ct_index_slot {
    uint64_t key;
    uint64_t value;
    bool used;
};

/* splitmix64's finisher (Steele, Lea and Flood, 2014): neighbouring indices part ways. */
static uint64_t scatter(uint64_t key)
{
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
    return key ^ (key >> 31);
}

/* The slot of a key, or the free one where it belongs; there is always a free one. */
static struct ct_index_slot *slot_of(const struct ct_index_map *map, uint64_t key)
{
    size_t mask = map->capacity - 1;
    size_t at = (size_t)scatter(key) & mask;

    while (map->slots[at].used && map->slots[at].key != key)
        at = (at + 1) & mask;
    return &map->slots[at];
}

static bool grow(struct ct_index_map *map)
{
    struct ct_index_map larger = {NULL, map->capacity ? map->capacity * 2 : 64,
                                  map->count};

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

bool ct_index_map_put(struct ct_index_map *map, uint64_t key, uint64_t value)
{
    struct ct_index_slot *slot;

    if (map->count >= map->capacity / 2 && !grow(map))
        return false;
    slot = slot_of(map, key);
    if (!slot->used)
        map->count++;
    *slot = (struct ct_index_slot){key, value, true};
    return true;
}

uint64_t ct_index_map_get(const struct ct_index_map *map, uint64_t key,
                          uint64_t otherwise)
{
    const struct ct_index_slot *slot = map->capacity ? slot_of(map, key) : NULL;

    return slot && slot->used ? slot->value : otherwise;
}

bool ct_index_map_has(const struct ct_index_map *map, uint64_t key)
{
    return map->capacity && slot_of(map, key)->used;
}

void ct_index_map_release(struct ct_index_map *map)
{
    free(map->slots);
    *map = (struct ct_index_map){0};
}
