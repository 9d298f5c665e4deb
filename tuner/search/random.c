// SPDX-License-Identifier: Apache-2.0
// Configurations drawn at random without replacement.
#include "search/index_map.h"
#include "search/strategies.h"

#include "base/mem.h"
#include "base/rng.h"

#include <stdlib.h>

/* A Fisher-Yates shuffle (Durstenfeld, 1964) that is done as far as is asked for.  Of the
 * array of all indices only the places that differ from the start are kept, at most one
 * for each index drawn. */
struct random {
    struct ct_strategy base;
    struct ct_rng rng;
    uint64_t count;
    uint64_t drawn; /* the shuffle is done up to here */
    struct ct_index_map moved;
    struct ct_index_map told;
    bool failed; /* memory was short: the shuffle or what was told is lost */
};

static struct ct_strategy *create(const struct ct_space *space, uint64_t seed)
{
    struct random *self = ct_mem_array(1, sizeof(*self));

    if (!self)
        return NULL;
    self->count = ct_space_count(space);
    ct_rng_seed(&self->rng, seed);
    return &self->base;
}

/* The next index of the shuffle; false when memory is short. */
static bool draw(struct random *self, uint64_t *index)
{
    uint64_t here = self->drawn;
    uint64_t there = here + ct_rng_below(&self->rng, self->count - here);

    *index = ct_index_map_get(&self->moved, there, there);
    if (!ct_index_map_put(&self->moved, there,
                          ct_index_map_get(&self->moved, here, here)))
        return false;
    self->drawn++;
    return true;
}

static size_t ask(struct ct_strategy *strategy, size_t max, uint64_t *indices)
{
    struct random *self = (struct random *)strategy;
    size_t given = 0;

    while (given < max && self->drawn < self->count && !self->failed) {
        uint64_t index;

        if (!draw(self, &index))
            self->failed = true;
        else if (!ct_index_map_has(&self->told, index))
            indices[given++] = index;
    }
    return given;
}

static void tell(struct ct_strategy *strategy, uint64_t index, const struct ct_told *told)
{
    struct random *self = (struct random *)strategy;

    (void)told;
    if (!ct_index_map_put(&self->told, index, 0))
        self->failed = true;
}

static void destroy(struct ct_strategy *strategy)
{
    struct random *self = (struct random *)strategy;

    ct_index_map_release(&self->moved);
    ct_index_map_release(&self->told);
    free(self);
}

const struct ct_strategy_class ct_strategy_random = {
    .name = "random",
    .summary = "drawn at random, none twice",
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
};
