// SPDX-License-Identifier: Apache-2.0
// Every configuration, in the order of the space.
#include "base/map.h"
#include "search/strategies.h"

#include "base/mem.h"

#include <stdlib.h>

struct exhaustive {
    struct ct_strategy base;
    uint64_t count;
    uint64_t next; /* all before it have been asked for or told */
    struct ct_map told;
    bool failed; /* memory was short: what was told is not known any more */
};

static struct ct_strategy *exhaustive_create(const struct ct_space *space, uint64_t seed)
{
    struct exhaustive *self = ct_mem_array(1, sizeof(*self));

    (void)seed;
    if (!self)
        return NULL;
    self->count = ct_space_count(space);
    return &self->base;
}

static size_t exhaustive_ask(struct ct_strategy *strategy, size_t max, uint64_t *indices)
{
    struct exhaustive *self = (struct exhaustive *)strategy;
    size_t given = 0;

    if (self->failed) /* rather stop than measure twice */
        return 0;
    for (; given < max && self->next < self->count; self->next++)
        if (!ct_map_has(&self->told, self->next))
            indices[given++] = self->next;
    return given;
}

static void exhaustive_tell(struct ct_strategy *strategy, uint64_t index,
                            const struct ct_strategy_result *told)
{
    struct exhaustive *self = (struct exhaustive *)strategy;

    (void)told;
    /* What lies behind will not be asked for anyway. */
    if (index >= self->next && !ct_map_put(&self->told, index, 0))
        self->failed = true;
}

static void exhaustive_destroy(struct ct_strategy *strategy)
{
    struct exhaustive *self = (struct exhaustive *)strategy;

    ct_map_release(&self->told);
    free(self);
}

const struct ct_strategy_class ct_strategy_exhaustive = {
    .name = "exhaustive",
    .summary = "every configuration, in order",
    .create = exhaustive_create,
    .ask = exhaustive_ask,
    .tell = exhaustive_tell,
    .destroy = exhaustive_destroy,
};
