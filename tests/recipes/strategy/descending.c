// SPDX-License-Identifier: Apache-2.0
// Every configuration, the last one first.
#include "search/strategies.h"

#include "base/mem.h"

#include <stdlib.h>

struct descending {
    struct ct_strategy base;
    uint64_t left;
};

static struct ct_strategy *descending_create(const struct ct_space *space, uint64_t seed)
{
    struct descending *self = ct_mem_array(1, sizeof(*self));

    (void)seed;
    if (!self)
        return NULL;
    self->left = ct_space_count(space);
    return &self->base;
}

static size_t descending_ask(struct ct_strategy *strategy, size_t max, uint64_t *indices)
{
    struct descending *self = (struct descending *)strategy;
    size_t given = 0;

    while (given < max && self->left)
        indices[given++] = --self->left;
    return given;
}

static void descending_tell(struct ct_strategy *strategy, uint64_t index,
                            const struct ct_strategy_result *result)
{
    (void)strategy;
    (void)index;
    (void)result;
}

static void descending_destroy(struct ct_strategy *strategy)
{
    free(strategy);
}

const struct ct_strategy_class ct_strategy_descending = {
    .name = "descending",
    .summary = "every configuration, the last one first",
    .create = descending_create,
    .ask = descending_ask,
    .tell = descending_tell,
    .destroy = descending_destroy,
};
