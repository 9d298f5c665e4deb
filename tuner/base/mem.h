// SPDX-License-Identifier: Apache-2.0
// Checked allocation, and an arena for allocations with a common lifetime.
#ifndef CT_BASE_MEM_H
#define CT_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `count` zeroed elements of `size_bytes` each; NULL if the product overflows or memory is short.
 * Never NULL for count 0.  The caller frees. */
void *ct_mem_array(uint64_t count, size_t size_bytes);

/* Grows `*array` (elements of `size_bytes`, room for `*capacity`) to hold at least `needed`
 * elements; new elements are zeroed.  False, and nothing changed, if out of memory. */
bool ct_mem_grow(void *array, size_t *capacity, size_t needed, size_t size_bytes);

/* A copy of `length` bytes of `text` with a terminating zero, or NULL.  The caller
 * frees. */
char *ct_mem_copy(const char *text, size_t length);

/* An arena: allocations are released all at once.  Initialise with {0}. */
struct ct_arena {
    struct ct_arena_block *blocks;
};

/* `size_bytes` zeroed bytes, aligned for any type, owned by the arena; NULL if out of memory. */
void *ct_arena_alloc(struct ct_arena *arena, size_t size_bytes);

/* As ct_arena_alloc for `count` elements, checked for overflow. */
void *ct_arena_array(struct ct_arena *arena, size_t count, size_t size_bytes);

/* A copy of `count` elements, owned by the arena; not NULL for none of them, but if out of memory. */
void *ct_arena_keep(struct ct_arena *arena, const void *elements, size_t count,
                    size_t size_bytes);

/* A zero-terminated copy of `length` bytes of `text`, owned by the arena, or NULL. */
char *ct_arena_copy(struct ct_arena *arena, const char *text, size_t length);

/* Like printf into the arena; NULL if out of memory. */
char *ct_arena_format(struct ct_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Releases everything; the arena can be used again. */
void ct_arena_release(struct ct_arena *arena);

#endif
