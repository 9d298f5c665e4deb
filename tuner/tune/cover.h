// SPDX-License-Identifier: Apache-2.0
// Set cover: the fewest sets that contain all points.
#ifndef CT_TUNE_COVER_H
#define CT_TUNE_COVER_H

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One set; of equal ones the first is chosen that is preferred most. */
struct ct_cover_set {
    int64_t key;
    double preference;
    uint64_t *points; /* bits */
    size_t size;
};

/* Initially all zeros. */
struct ct_cover {
    struct ct_arena arena;
    size_t point_count;
    size_t words; /* of a set's bits */
    struct ct_cover_set *sets;
    size_t set_count;
    size_t set_capacity;
    int64_t *chosen; /* keys, in the order in which they were chosen */
    size_t count;    /* of them; 0: no cover was found */
    bool exact;      /* fewer do not suffice; without a cover: none of as many exists */
    uint64_t steps;  /* of the exact search */
};

enum ct_status ct_cover_begin(struct ct_cover *cover, size_t point_count,
                              struct ct_err *err);
void ct_cover_release(struct ct_cover *cover);

/* Adds an empty set; includes a point in the last one; says how much that one is preferred. */
enum ct_status ct_cover_add(struct ct_cover *cover, int64_t key, struct ct_err *err);
void ct_cover_include(struct ct_cover *cover, size_t point);
void ct_cover_prefer(struct ct_cover *cover, double preference);

/* Finds a cover of at most `most` sets: the smallest where the exact search ends, else a greedy one.
 * The same sets give the same cover, in whatever order they were added. */
enum ct_status ct_cover_solve(struct ct_cover *cover, size_t most, struct ct_err *err);

#endif
