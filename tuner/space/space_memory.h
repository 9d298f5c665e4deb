// SPDX-License-Identifier: Apache-2.0
// Memory for constructing spaces, counted and limited.
#ifndef CT_SPACE_SPACE_MEMORY_H
#define CT_SPACE_SPACE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ct_space_memory {
    uint64_t held_bytes;
    uint64_t peak_bytes;
    uint64_t limit_bytes;
    bool over; /* an allocation was refused because of the limit */
};

/* Counts memory allocated elsewhere; the caller subtracts it from held_bytes again.  False, with
 * `over`, if it exceeds the limit. */
bool ct_space_memory_hold(struct ct_space_memory *memory, uint64_t bytes);

/* `count` elements of `size_bytes`, not cleared; NULL if it exceeds the limit (then `over` is
 * set) or memory is short.  Free with ct_space_memory_free of the same size. */
void *ct_space_memory_new(struct ct_space_memory *memory, size_t count,
                          size_t size_bytes);
void ct_space_memory_free(struct ct_space_memory *memory, void *data, size_t count,
                          size_t size_bytes);

/* Grows `*array` with room for `*room` elements to hold `needed`, by half at least if the limit
 * allows; new elements are not cleared.  False as above, nothing changed. */
bool ct_space_memory_grow(struct ct_space_memory *memory, void *array, size_t *room,
                          size_t needed, size_t size_bytes);

/* Shrinks to `count` elements. */
void ct_space_memory_trim(struct ct_space_memory *memory, void *array, size_t *room,
                          size_t count, size_t size_bytes);

#endif
