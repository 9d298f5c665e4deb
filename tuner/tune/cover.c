// SPDX-License-Identifier: Apache-2.0
// Set cover: the fewest sets that contain all points.
//
// Sets within other sets are dropped.  A greedy cover is an upper bound; iterative deepening with
// branching on the point that the fewest sets contain then looks for smaller ones.
#include "tune/cover.h"

#include <stdlib.h>
#include <string.h>

enum {
    STEPS_MOST =
        20000000, /* words and sets that the exact search looks at: a fraction of a second */
    SETS_MOST = 3000, /* more are not compared with each other, nor searched exactly */
};

enum ct_status ct_cover_begin(struct ct_cover *cover, size_t point_count,
                              struct ct_err *err)
{
    *cover =
        (struct ct_cover){.point_count = point_count, .words = (point_count + 63) / 64};
    cover->chosen = ct_arena_array(&cover->arena, point_count, sizeof(*cover->chosen));
    return cover->chosen ? CT_OK : ct_err_nomem(err);
}

void ct_cover_release(struct ct_cover *cover)
{
    free(cover->sets);
    ct_arena_release(&cover->arena);
    memset(cover, 0, sizeof(*cover));
}

enum ct_status ct_cover_add(struct ct_cover *cover, int64_t key, struct ct_err *err)
{
    uint64_t *points = ct_arena_array(&cover->arena, cover->words, sizeof(*points));

    if (!points || !ct_mem_grow(&cover->sets, &cover->set_capacity, cover->set_count + 1,
                                sizeof(*cover->sets)))
        return ct_err_nomem(err);
    cover->sets[cover->set_count++] = (struct ct_cover_set){.key = key, .points = points};
    return CT_OK;
}

void ct_cover_include(struct ct_cover *cover, size_t point)
{
    struct ct_cover_set *set = &cover->sets[cover->set_count - 1];

    set->points[point / 64] |= (uint64_t)1 << point % 64;
    set->size++;
}

void ct_cover_prefer(struct ct_cover *cover, double preference)
{
    cover->sets[cover->set_count - 1].preference = preference;
}

/* --- sets --- */

static size_t bits_of(uint64_t word)
{
    size_t count = 0;

    for (; word; word &= word - 1)
        count++;
    return count;
}

static bool contains(const struct ct_cover_set *set, size_t point)
{
    return set->points[point / 64] >> point % 64 & 1;
}

/* The larger first, then the preferred; equal sets follow each other only then. */
static int by_size(const void *left, const void *right)
{
    const struct ct_cover_set *a = left;
    const struct ct_cover_set *b = right;

    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    if (a->preference != b->preference)
        return a->preference > b->preference ? -1 : 1;
    return (a->key > b->key) - (a->key < b->key);
}

static bool is_within(const struct ct_cover *cover, const struct ct_cover_set *inner,
                      const struct ct_cover_set *outer)
{
    for (size_t i = 0; i < cover->words; i++)
        if (inner->points[i] & ~outer->points[i])
            return false;
    return true;
}

/* Drops sets that another one contains; false if so many are left that it was given up. */
static bool drop_dominated(struct ct_cover *cover)
{
    size_t kept = 0;

    for (size_t i = 0; i < cover->set_count; i++) {
        bool dominated = false;

        if (kept > SETS_MOST)
            return false;
        for (size_t k = 0; k < kept && !dominated; k++)
            dominated = is_within(cover, &cover->sets[i], &cover->sets[k]);
        if (dominated)
            continue;
        cover->sets[kept] = cover->sets[i];
        kept++;
    }
    cover->set_count = kept;
    return true;
}

/* --- greedy --- */

/* The set that covers most of `left`; NULL: none covers any. */
static const struct ct_cover_set *largest(struct ct_cover *cover, const uint64_t *left)
{
    const struct ct_cover_set *best = NULL;
    size_t most = 0;

    cover->steps += cover->set_count * cover->words;
    for (size_t i = 0; i < cover->set_count; i++) {
        size_t gain = 0;

        for (size_t w = 0; w < cover->words; w++)
            gain += bits_of(cover->sets[i].points[w] & left[w]);
        if (gain > most) {
            most = gain;
            best = &cover->sets[i];
        }
    }
    return best;
}

static void fill(const struct ct_cover *cover, uint64_t *left)
{
    memset(left, 0, cover->words * sizeof(*left));
    for (size_t p = 0; p < cover->point_count; p++)
        left[p / 64] |= (uint64_t)1 << p % 64;
}

static bool is_empty(const struct ct_cover *cover, const uint64_t *left)
{
    for (size_t w = 0; w < cover->words; w++)
        if (left[w])
            return false;
    return true;
}

/* Sets chosen and count; count 0: some point is in no set. */
static void solve_greedily(struct ct_cover *cover, uint64_t *left)
{
    fill(cover, left);
    cover->count = 0;
    while (!is_empty(cover, left)) {
        const struct ct_cover_set *set = largest(cover, left);

        if (!set) {
            cover->count = 0;
            return;
        }
        cover->chosen[cover->count++] = set->key;
        for (size_t w = 0; w < cover->words; w++)
            left[w] &= ~set->points[w];
    }
}

/* --- exact --- */

/* Of the points that are left, the one that the fewest sets contain. */
static size_t rarest(struct ct_cover *cover, const uint64_t *left)
{
    size_t best = 0;
    size_t fewest = SIZE_MAX;

    for (size_t p = 0; p < cover->point_count; p++) {
        size_t count = 0;

        if (!(left[p / 64] >> p % 64 & 1))
            continue;
        for (size_t i = 0; i < cover->set_count && count < fewest; i++)
            count += contains(&cover->sets[i], p);
        cover->steps += cover->set_count;
        if (count < fewest) {
            fewest = count;
            best = p;
        }
    }
    return best;
}

/* Whether `depth` more sets can contain all points of `left`, which has room for the levels below
 * behind it. */
static bool descend(struct ct_cover *cover, uint64_t *left, size_t depth, int64_t *chosen,
                    size_t level)
{
    uint64_t *rest = left + cover->words;
    size_t point;

    if (is_empty(cover, left)) {
        cover->count = level;
        return true;
    }
    if (!depth || cover->steps > STEPS_MOST)
        return false;
    /* No set contains more than the largest one. */
    if (depth == 1) {
        const struct ct_cover_set *last = largest(cover, left);

        for (size_t w = 0; last && w < cover->words; w++)
            if (left[w] & ~last->points[w])
                return false;
        if (!last)
            return false;
        chosen[level] = last->key;
        cover->count = level + 1;
        return true;
    }
    point = rarest(cover, left);
    for (size_t i = 0; i < cover->set_count && cover->steps <= STEPS_MOST; i++) {
        if (!contains(&cover->sets[i], point))
            continue;
        chosen[level] = cover->sets[i].key;
        for (size_t w = 0; w < cover->words; w++)
            rest[w] = left[w] & ~cover->sets[i].points[w];
        if (descend(cover, rest, depth - 1, chosen, level + 1))
            return true;
    }
    return false;
}

/* Looks for a smaller cover than the greedy one, of at most `most` sets. */
static enum ct_status improve(struct ct_cover *cover, size_t most, struct ct_err *err)
{
    size_t greedy = cover->count;
    size_t limit = greedy ? greedy - 1 : 0;
    uint64_t *left;
    int64_t *chosen;

    if (limit > most)
        limit = most;
    left = ct_mem_array(cover->words * (limit + 2), sizeof(*left));
    chosen = ct_mem_array(limit + 1, sizeof(*chosen));
    if (!left || !chosen) {
        free(left);
        free(chosen);
        return ct_err_nomem(err);
    }
    for (size_t depth = 1; depth <= limit && cover->steps <= STEPS_MOST; depth++) {
        fill(cover, left);
        if (!descend(cover, left, depth, chosen, 0))
            continue;
        memcpy(cover->chosen, chosen, cover->count * sizeof(*chosen));
        break;
    }
    cover->exact = cover->steps <= STEPS_MOST;
    if (cover->count > most)
        cover->count = 0;
    free(left);
    free(chosen);
    return CT_OK;
}

enum ct_status ct_cover_solve(struct ct_cover *cover, size_t most, struct ct_err *err)
{
    uint64_t *left = ct_mem_array(cover->words + 1, sizeof(*left));
    bool few;

    if (!left)
        return ct_err_nomem(err);
    if (cover->set_count)
        qsort(cover->sets, cover->set_count, sizeof(*cover->sets), by_size);
    few = drop_dominated(cover);
    solve_greedily(cover, left);
    free(left);
    if (!cover->count) {
        cover->exact = true;
        return CT_OK;
    }
    cover->steps = 0;
    if (few)
        return improve(cover, most, err);
    cover->exact = cover->count == 1;
    if (cover->count > most)
        cover->count = 0;
    return CT_OK;
}
