// SPDX-License-Identifier: Apache-2.0
// Every configuration of a space, or of a part of it.
#include "search/part.h"

#include "base/map.h"
#include "base/mem.h"
#include "search/order.h"
#include "search/strategies.h"

#include <stdlib.h>

/* Positions in the part are visited in rounds of at most CT_ORDER_MOST, each from everywhere in it: they
 * are divided as spaces are into shards. */
struct in_part {
    struct ct_strategy base;
    const struct ct_part *part;
    struct ct_part whole; /* the part, if it is the space */
    uint64_t rounds;
    uint64_t round;    /* the next one */
    uint64_t *indices; /* scratch: of a round */
    struct ct_order order;
    struct ct_index_set known;
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

static uint64_t index_at(const struct ct_part *part, uint64_t position)
{
    return part->indices ? part->indices[position]
                         : ct_space_shard_index(part->number, part->of, position);
}

/* Puts the next round in order; false if there are no more. */
static bool start_round(struct in_part *self)
{
    uint64_t at;
    size_t count = 0;

    if (self->round == self->rounds)
        return false;
    /* Of the largest spaces a further one would be beyond 2^64. */
    while (count < CT_ORDER_MOST &&
           (at = ct_space_shard_index(self->round, self->rounds, count)) <
               self->part->count)
        self->indices[count++] = index_at(self->part, at);
    ct_order_load(&self->order, self->indices, count, &self->known);
    self->round++;
    return true;
}

static size_t part_ask(struct ct_strategy *strategy, size_t max, uint64_t *indices)
{
    struct in_part *self = (struct in_part *)strategy;
    size_t given = 0;

    while (given < max && !self->failed) { /* rather stop than measure twice */
        uint64_t index;

        if (ct_order_next(&self->order, &index)) {
            if (!ct_index_set_has(&self->known, index))
                indices[given++] = index;
        } else if (!start_round(self)) {
            break;
        }
    }
    return given;
}

static void part_tell(struct ct_strategy *strategy, uint64_t index,
                      const struct ct_strategy_result *result)
{
    struct in_part *self = (struct in_part *)strategy;

    if (ct_index_set_has(&self->known, index))
        return;
    ct_order_tell(&self->order, index, result);
    if (!ct_index_set_add(&self->known, index))
        self->failed = true;
}

static void part_destroy(struct ct_strategy *strategy)
{
    struct in_part *self = (struct in_part *)strategy;

    free(self->indices);
    ct_order_release(&self->order);
    ct_index_set_release(&self->known);
    free(self);
}

/* `part`: NULL is the whole space. */
static struct in_part *create(const struct ct_space *space, const struct ct_part *part)
{
    struct in_part *self = ct_mem_array(1, sizeof(*self));

    if (!self)
        return NULL;
    self->whole = (struct ct_part){.of = 1, .count = ct_space_count(space)};
    self->part = part ? part : &self->whole;
    self->rounds =
        self->part->count / CT_ORDER_MOST + (self->part->count % CT_ORDER_MOST != 0);
    self->indices = ct_mem_array(CT_ORDER_MOST, sizeof(*self->indices));
    if (ct_order_init(&self->order, space) && self->indices)
        return self;
    part_destroy(&self->base);
    return NULL;
}

static struct ct_strategy *exhaustive_create(const struct ct_space *space, uint64_t seed)
{
    struct in_part *self = create(space, NULL);

    (void)seed;
    return self ? &self->base : NULL;
}

const struct ct_strategy_class ct_strategy_exhaustive = {
    .name = "exhaustive",
    .summary = "every configuration, the most promising ones first",
    .create = exhaustive_create,
    .ask = part_ask,
    .tell = part_tell,
    .destroy = part_destroy,
};

enum ct_status ct_strategy_new_part(const struct ct_space *space,
                                    const struct ct_part *part, struct ct_strategy **out,
                                    struct ct_err *err)
{
    struct in_part *self = create(space, part);

    if (!self)
        return ct_err_nomem(err);
    self->base.class = &ct_strategy_exhaustive;
    *out = &self->base;
    return CT_OK;
}
