// SPDX-License-Identifier: Apache-2.0
// Counted and limited memory.
#include "space/space_memory.h"

#include <stdlib.h>
#include <string.h>

/* Whether `bytes` more may be held; counts them if so. */
static bool memory_reserve(struct ct_space_memory *memory, uint64_t bytes)
{
    if (bytes > memory->limit_bytes || memory->held_bytes > memory->limit_bytes - bytes)
        return false;
    memory->held_bytes += bytes;
    if (memory->held_bytes > memory->peak_bytes)
        memory->peak_bytes = memory->held_bytes;
    return true;
}

bool ct_space_memory_hold(struct ct_space_memory *memory, uint64_t bytes)
{
    bool held = memory_reserve(memory, bytes);

    memory->over = memory->over || !held;
    return held;
}

void *ct_space_memory_new(struct ct_space_memory *memory, size_t count, size_t size_bytes)
{
    void *data;

    if (count > SIZE_MAX / size_bytes)
        return NULL;
    if (!memory_reserve(memory, (uint64_t)count * size_bytes)) {
        memory->over = true;
        return NULL;
    }
    data = malloc(count ? count * size_bytes : 1);
    if (!data)
        memory->held_bytes -= (uint64_t)count * size_bytes;
    return data;
}

void ct_space_memory_free(struct ct_space_memory *memory, void *data, size_t count,
                          size_t size_bytes)
{
    if (data)
        memory->held_bytes -= (uint64_t)count * size_bytes;
    free(data);
}

bool ct_space_memory_grow(struct ct_space_memory *memory, void *array, size_t *room,
                          size_t needed, size_t size_bytes)
{
    size_t wanted = *room + *room / 2 + 16;
    void *old;
    void *grown;

    if (needed <= *room)
        return true;
    if (wanted < needed)
        wanted = needed;
    if (wanted > SIZE_MAX / 2 / size_bytes)
        return false;
    /* Both exist for a moment while moving. */
    if (!memory_reserve(memory, (uint64_t)wanted * size_bytes)) {
        wanted = needed;
        if (!memory_reserve(memory, (uint64_t)wanted * size_bytes)) {
            memory->over = true;
            return false;
        }
    }
    /* The caller's pointer has its own type; copying its bytes avoids aliasing it. */
    memcpy(&old, array, sizeof(old));
    grown = realloc(old, wanted * size_bytes);
    if (!grown) {
        memory->held_bytes -= (uint64_t)wanted * size_bytes;
        return false;
    }
    memory->held_bytes -= (uint64_t)*room * size_bytes;
    memcpy(array, &grown, sizeof(grown));
    *room = wanted;
    return true; /* cppcheck-suppress memleak */
}

void ct_space_memory_trim(struct ct_space_memory *memory, void *array, size_t *room,
                          size_t count, size_t size_bytes)
{
    void *old;
    void *smaller;

    if (*room <= count)
        return;
    memcpy(&old, array, sizeof(old));
    smaller = realloc(old, count ? count * size_bytes : 1);
    if (!smaller)
        return;
    memory->held_bytes -= (uint64_t)(*room - count) * size_bytes;
    memcpy(array, &smaller, sizeof(smaller));
    *room = count;
    /* cppcheck-suppress memleak */
}
