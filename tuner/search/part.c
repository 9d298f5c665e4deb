// SPDX-License-Identifier: Apache-2.0
// Every configuration of a part of the space, in order.
#include "search/part.h"

#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>

struct in_part {
    struct ct_strategy base;
    const struct ct_part *part;
    uint64_t next; /* position in the part */
    struct ct_map known;
    bool failed; /* out of memory: results were lost */
};

static int by_index(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

bool ct_part_has(const struct ct_part *part, uint64_t index)
{
    if (!part->of)
        return true;
    return part->indices ? bsearch(&index, part->indices, (size_t)part->count,
                                   sizeof(*part->indices), by_index) != NULL
                         : ct_space_shard_of(index, part->of) == part->number;
}

static size_t part_ask(struct ct_strategy *strategy, size_t max, uint64_t *indices)
{
    struct in_part *self = (struct in_part *)strategy;
    const struct ct_part *part = self->part;
    size_t given = 0;

    if (self->failed) /* rather stop than measure twice */
        return 0;
    for (; given < max && self->next < part->count; self->next++) {
        uint64_t index = part->indices
                             ? part->indices[self->next]
                             : ct_space_shard_index(part->number, part->of, self->next);

        if (!ct_map_has(&self->known, index))
            indices[given++] = index;
    }
    return given;
}

static void part_tell(struct ct_strategy *strategy, uint64_t index,
                      const struct ct_strategy_result *result)
{
    struct in_part *self = (struct in_part *)strategy;

    (void)result;
    if (ct_part_has(self->part, index) && !ct_map_put(&self->known, index, 0))
        self->failed = true;
}

static void part_destroy(struct ct_strategy *strategy)
{
    struct in_part *self = (struct in_part *)strategy;

    ct_map_release(&self->known);
    free(self);
}

/* Not in strategies.def: it cannot be made from a space and a seed. */
static const struct ct_strategy_class part_class = {
    .name = "exhaustive",
    .ask = part_ask,
    .tell = part_tell,
    .destroy = part_destroy,
};

enum ct_status ct_strategy_new_part(const struct ct_part *part, struct ct_strategy **out,
                                    struct ct_err *err)
{
    struct in_part *self = ct_mem_array(1, sizeof(*self));

    if (!self)
        return ct_err_nomem(err);
    self->base.class = &part_class;
    self->part = part;
    *out = &self->base;
    return CT_OK;
}
