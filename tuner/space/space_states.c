// SPDX-License-Identifier: Apache-2.0
// Merging rows into states by hashing their keys.
#include "space/space_states.h"

#include <string.h>

enum { SLOTS_MIN = 64 };

bool ct_states_init(struct ct_states *states, struct ct_space_memory *memory,
                    size_t key_count)
{
    memset(states, 0, sizeof(*states));
    states->memory = memory;
    states->key_count = key_count;
    states->keys = ct_space_memory_new(memory, key_count, sizeof(*states->keys));
    if (!states->keys)
        return false;
    memset(states->keys, 0, key_count * sizeof(*states->keys));
    return true;
}

void ct_states_close(struct ct_states *states)
{
    ct_space_memory_free(states->memory, states->slots, states->slot_count,
                         sizeof(*states->slots));
    ct_space_memory_free(states->memory, states->hash, states->hash_room,
                         sizeof(*states->hash));
    states->slots = NULL;
    states->slot_count = 0;
    states->hash = NULL;
    states->hash_room = 0;
}

void ct_states_release(struct ct_states *states)
{
    if (!states->memory)
        return;
    ct_states_close(states);
    for (size_t k = 0; states->keys && k < states->key_count; k++) {
        ct_space_memory_free(states->memory, states->keys[k].bits,
                             states->keys[k].bits_room, sizeof(int64_t));
        ct_space_memory_free(states->memory, states->keys[k].tags,
                             states->keys[k].tags_room, 1);
    }
    ct_space_memory_free(states->memory, states->keys, states->key_count,
                         sizeof(*states->keys));
    ct_space_memory_free(states->memory, states->weight, states->weight_room,
                         sizeof(*states->weight));
    memset(states, 0, sizeof(*states));
}

static bool grow_states(struct ct_states *states, size_t needed)
{
    struct ct_space_memory *memory = states->memory;

    for (size_t k = 0; k < states->key_count; k++) {
        struct ct_state_key *key = &states->keys[k];

        if (!ct_space_memory_grow(memory, &key->bits, &key->bits_room, needed,
                                  sizeof(*key->bits)))
            return false;
        if (key->tagged && !ct_space_memory_grow(memory, &key->tags, &key->tags_room,
                                                 needed, sizeof(*key->tags)))
            return false;
    }
    return ct_space_memory_grow(memory, &states->weight, &states->weight_room, needed,
                                sizeof(*states->weight)) &&
           ct_space_memory_grow(memory, &states->hash, &states->hash_room, needed,
                                sizeof(*states->hash));
}

static bool rehash_states(struct ct_states *states, size_t needed)
{
    size_t count = states->slot_count ? states->slot_count : SLOTS_MIN;
    uint32_t *slots;

    while (count < needed * 2)
        count *= 2;
    if (count == states->slot_count)
        return true;
    slots = ct_space_memory_new(states->memory, count, sizeof(*slots));
    if (!slots)
        return false;
    memset(slots, 0, count * sizeof(*slots));
    for (size_t i = 0; i < states->count; i++) {
        size_t at = states->hash[i] & (count - 1);

        while (slots[at])
            at = (at + 1) & (count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    ct_space_memory_free(states->memory, states->slots, states->slot_count,
                         sizeof(*slots));
    states->slots = slots;
    states->slot_count = count;
    return true;
}

static bool same_keys(const struct ct_states *states, size_t state,
                      const struct ct_column *const *columns, size_t row)
{
    for (size_t k = 0; k < states->key_count; k++) {
        const struct ct_state_key *key = &states->keys[k];

        if (key->bits[state] != columns[k]->bits[row] ||
            (key->tagged && key->tags[state] != columns[k]->tags[row]))
            return false;
    }
    return true;
}

static bool add_state(struct ct_states *states, const struct ct_column *const *columns,
                      size_t row, uint32_t hash)
{
    if (states->count >= UINT32_MAX - 1 || !grow_states(states, states->count + 1))
        return false;
    for (size_t k = 0; k < states->key_count; k++) {
        struct ct_state_key *key = &states->keys[k];

        key->bits[states->count] = columns[k]->bits[row];
        if (key->tagged)
            key->tags[states->count] = columns[k]->tags[row];
    }
    states->hash[states->count] = hash;
    states->weight[states->count] = 0;
    states->count++;
    return true;
}

/* Rows without a value are all alike. */
static void clear_failures(const struct ct_column *column, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        if (column->tags[i] >= CT_TAG_FAIL)
            column->bits[i] = 0;
}

bool ct_states_merge(struct ct_states *states, const struct ct_column *const *columns,
                     const double *weights, size_t rows, uint32_t *found)
{
    uint64_t hashes[CT_VECTOR_ROWS];

    for (size_t i = 0; i < rows; i++)
        hashes[i] = 0;
    for (size_t k = 0; k < states->key_count; k++) {
        const struct ct_column *column = columns[k];

        if (states->keys[k].tagged) {
            clear_failures(column, rows);
            for (size_t i = 0; i < rows; i++)
                hashes[i] += column->tags[i];
        }
        for (size_t i = 0; i < rows; i++) {
            uint64_t x = (hashes[i] ^ (uint64_t)column->bits[i]) * 0x9e3779b97f4a7c15u;

            hashes[i] = x ^ x >> 29;
        }
    }
    if (!rehash_states(states, states->count + rows))
        return false;
    for (size_t i = 0; i < rows; i++) {
        uint32_t hash = (uint32_t)(hashes[i] ^ hashes[i] >> 32);
        size_t at = hash & (states->slot_count - 1);

        while (states->slots[at] &&
               (states->hash[states->slots[at] - 1] != hash ||
                !same_keys(states, states->slots[at] - 1, columns, i)))
            at = (at + 1) & (states->slot_count - 1);
        if (!states->slots[at]) {
            if (!add_state(states, columns, i, hash))
                return false;
            states->slots[at] = (uint32_t)states->count;
        }
        found[i] = states->slots[at] - 1;
        states->weight[found[i]] += weights[i];
    }
    return true;
}
