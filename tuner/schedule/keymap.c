// SPDX-License-Identifier: Apache-2.0
// Open addressing; the keys are hashes already.
#include "schedule/keymap.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void ct_keymap_release(struct ct_keymap *map)
{
    free(map->slots);
    memset(map, 0, sizeof(*map));
}

/* Where the key is, or would be put; there is always a free slot. */
static struct ct_keymap_slot *slot_of(const struct ct_keymap *map,
                                      const struct ct_hash *key)
{
    char digits[9] = "";
    size_t at;

    memcpy(digits, key->text, 8);
    at = strtoul(digits, NULL, 16) & (map->slot_count - 1);
    while (*map->slots[at].key.text && strcmp(map->slots[at].key.text, key->text) != 0)
        at = (at + 1) & (map->slot_count - 1);
    return &map->slots[at];
}

bool ct_keymap_find(const struct ct_keymap *map, const struct ct_hash *key, size_t *value)
{
    const struct ct_keymap_slot *slot =
        *key->text && map->slot_count ? slot_of(map, key) : NULL;

    if (!slot || !*slot->key.text)
        return false;
    *value = slot->value;
    return true;
}

static bool grow(struct ct_keymap *map)
{
    struct ct_keymap larger = {.slot_count = map->slot_count ? 2 * map->slot_count : 64};

    larger.slots = ct_mem_array(larger.slot_count, sizeof(*larger.slots));
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < map->slot_count; i++)
        if (*map->slots[i].key.text)
            *slot_of(&larger, &map->slots[i].key) = map->slots[i];
    larger.count = map->count;
    free(map->slots);
    *map = larger;
    return true;
}

void ct_keymap_put(struct ct_keymap *map, const struct ct_hash *key, size_t value)
{
    struct ct_keymap_slot *slot;

    if (!*key->text || (2 * map->count >= map->slot_count && !grow(map)))
        return;
    slot = slot_of(map, key);
    map->count += !*slot->key.text;
    slot->key = *key;
    slot->value = value;
}
