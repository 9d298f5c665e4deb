// SPDX-License-Identifier: Apache-2.0
// Every configuration, in the order of the space.
#include "base/map.h"
#include "search/strategies.h"

#include "base/mem.h"

#include <stdlib.h>

struct exhaustive {
    struct ct_strategy base;
    uint64_t count;
    uint64_t next; /* all before it were proposed or have results */
    struct ct_map known;
    bool failed; /* out of memory: results were lost */
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
        if (!ct_map_has(&self->known, self->next))
            indices[given++] = self->next;
    return given;
}

static void exhaustive_tell(struct ct_strategy *strategy, uint64_t index,
                            const struct ct_strategy_result *result)
{
    struct exhaustive *self = (struct exhaustive *)strategy;

    (void)result;
    /* Indices already passed will not be proposed again. */
    if (index >= self->next && !ct_map_put(&self->known, index, 0))
        self->failed = true;
}

static void exhaustive_destroy(struct ct_strategy *strategy)
{
    struct exhaustive *self = (struct exhaustive *)strategy;

    ct_map_release(&self->known);
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
