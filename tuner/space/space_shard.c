// SPDX-License-Identifier: Apache-2.0
// Parts of a space: by index alone, or by expected cost.
#include "space/space_impl.h"

#include "base/mem.h"

#include <stdlib.h>

/* --- by index --- */

/* The configurations shards*b .. shards*b + shards - 1 are block b, of which each part has one.  Which
 * one differs from block to block: otherwise a part could have one value of the last parameter. */
static uint64_t turn_of(uint64_t block, uint64_t shards)
{
    /* The finalizer of MurmurHash3 (Appleby, public domain). */
    block ^= block >> 33;
    block *= 0xff51afd7ed558ccdU;
    block ^= block >> 33;
    block *= 0xc4ceb9fe1a85ec53U;
    block ^= block >> 33;
    return block % shards;
}

uint64_t ct_space_shard_index(uint64_t shard, uint64_t shards, uint64_t i)
{
    uint64_t turn = turn_of(i, shards);

    return i * shards + (shard >= turn ? shard - turn : shards - (turn - shard));
}

uint64_t ct_space_shard_count(const struct ct_space *space, uint64_t shard,
                              uint64_t shards)
{
    uint64_t blocks = space->count / shards;
    uint64_t turn = turn_of(blocks, shards);

    return blocks + ((shard >= turn ? shard - turn : shards - (turn - shard)) <
                     space->count % shards);
}

uint64_t ct_space_shard_of(uint64_t index, uint64_t shards)
{
    uint64_t turn = turn_of(index / shards, shards);
    uint64_t within = index % shards;

    return within < shards - turn ? within + turn : within - (shards - turn);
}

/* --- by cost --- */

struct costly {
    uint64_t number;
    double cost;
};

static int by_falling_cost(const void *a, const void *b)
{
    const struct costly *x = a;
    const struct costly *y = b;

    if (x->cost != y->cost)
        return x->cost < y->cost ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

static int by_rising_cost(const void *a, const void *b)
{
    const struct costly *x = a;
    const struct costly *y = b;

    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

enum ct_status ct_space_deal(const double *costs, uint64_t count, uint64_t shards,
                             uint64_t shard, uint64_t *out, uint64_t *out_count,
                             double *share, struct ct_err *err)
{
    struct costly *items = ct_mem_array((size_t)count, sizeof(*items));
    struct costly *parts = ct_mem_array((size_t)shards, sizeof(*parts));
    double total = 0;
    double own = 0;

    *out_count = 0;
    if (!items || !parts) {
        free(items);
        free(parts);
        return ct_err_nomem(err);
    }
    for (uint64_t i = 0; i < count; i++) {
        items[i] = (struct costly){i, costs[i]};
        total += costs[i];
    }
    for (uint64_t s = 0; s < shards; s++)
        parts[s].number = s;
    if (count)
        qsort(items, (size_t)count, sizeof(*items), by_falling_cost);
    for (uint64_t i = 0; i < count; i += shards) {
        qsort(parts, (size_t)shards, sizeof(*parts), by_rising_cost);
        for (uint64_t s = 0; s < shards && i + s < count; s++) {
            parts[s].cost += items[i + s].cost;
            if (parts[s].number != shard)
                continue;
            out[(*out_count)++] = items[i + s].number;
            own += items[i + s].cost;
        }
    }
    if (*out_count)
        qsort(out, (size_t)*out_count, sizeof(*out), by_number);
    *share = total > 0 ? own / total : 0;
    free(items);
    free(parts);
    return CT_OK;
}
