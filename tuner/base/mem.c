// SPDX-License-Identifier: Apache-2.0
// Checked allocation and the arena.
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *ct_mem_array(uint64_t count, size_t size_bytes)
{
    if (size_bytes && count > SIZE_MAX / size_bytes)
        return NULL;
    return calloc(count ? (size_t)count : 1, size_bytes ? size_bytes : 1);
}

bool ct_mem_grow(void *array, size_t *capacity, size_t needed, size_t size_bytes)
{
    void *old;
    void *grown;
    size_t room = *capacity;

    if (needed <= room)
        return true;
    while (room < needed) {
        if (room > SIZE_MAX / 2)
            return false;
        /* Large ones by half: what is not used counts there. */
        room = !room ? 8 : room < 1024 ? room * 2 : room + room / 2;
    }
    if (room > SIZE_MAX / size_bytes)
        return false;
    /* The caller's pointer has its own type; copying its bytes avoids aliasing it. */
    memcpy(&old, array, sizeof(old));
    grown = realloc(old, room * size_bytes);
    if (!grown)
        return false;
    memset((char *)grown + *capacity * size_bytes, 0, (room - *capacity) * size_bytes);
    memcpy(array, &grown, sizeof(grown));
    *capacity = room;
    return true;
}

char *ct_mem_copy(const char *text, size_t length)
{
    char *copy;

    if (length == SIZE_MAX)
        return NULL;
    copy = malloc(length + 1);
    if (!copy)
        return NULL;
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

struct ct_arena_block {
    struct ct_arena_block *next;
    size_t used;
    size_t size;
    max_align_t data[];
};

/* Blocks grow: most arenas remain small, and all of a block is zeroed. */
enum { BLOCK_LEAST_BYTES = 1024, BLOCK_BYTES = 16384 };

static size_t next_block_bytes(const struct ct_arena_block *last)
{
    size_t twice = last ? 2 * last->size : BLOCK_LEAST_BYTES;

    return twice < BLOCK_BYTES ? twice : BLOCK_BYTES;
}

void *ct_arena_alloc(struct ct_arena *arena, size_t size_bytes)
{
    size_t unit = sizeof(max_align_t);
    struct ct_arena_block *block = arena->blocks;
    void *result;

    if (size_bytes > SIZE_MAX - unit - sizeof(struct ct_arena_block))
        return NULL;
    size_bytes = (size_bytes + unit - 1) / unit * unit;
    if (!block || block->size - block->used < size_bytes) {
        size_t size = next_block_bytes(block);

        size = size_bytes > size ? size_bytes : size;

        block = calloc(1, sizeof(*block) + size);
        if (!block)
            return NULL;
        block->size = size;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    result = (char *)block->data + block->used;
    block->used += size_bytes;
    return result;
}

void *ct_arena_array(struct ct_arena *arena, size_t count, size_t size_bytes)
{
    if (size_bytes && count > SIZE_MAX / size_bytes)
        return NULL;
    return ct_arena_alloc(arena, count * size_bytes);
}

void *ct_arena_keep(struct ct_arena *arena, const void *elements, size_t count,
                    size_t size_bytes)
{
    void *copy = ct_arena_array(arena, count, size_bytes);

    if (copy && count)
        memcpy(copy, elements, count * size_bytes);
    return copy;
}

char *ct_arena_copy(struct ct_arena *arena, const char *text, size_t length)
{
    char *copy = length == SIZE_MAX ? NULL : ct_arena_alloc(arena, length + 1);

    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}

char *ct_arena_format(struct ct_arena *arena, const char *format, ...)
{
    va_list args;
    va_list again;
    int length;
    char *text = NULL;

    va_start(args, format);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    if (length >= 0)
        text = ct_arena_alloc(arena, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

void ct_arena_release(struct ct_arena *arena)
{
    struct ct_arena_block *block = arena->blocks;

    while (block) {
        struct ct_arena_block *next = block->next;

        free(block);
        block = next;
    }
    arena->blocks = NULL;
}
