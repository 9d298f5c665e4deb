// SPDX-License-Identifier: Apache-2.0
// Configurations drawn at random without replacement.
#include "search/history.h"
#include "search/strategies.h"

#include "base/mem.h"

#include <stdlib.h>

struct random {
    struct ct_strategy base;
    struct ct_history history;
};

static struct ct_strategy *random_create(const struct ct_space *space, uint64_t seed)
{
    struct random *self = ct_mem_array(1, sizeof(*self));

    if (!self)
        return NULL;
    ct_history_init(&self->history, space, seed);
    return &self->base;
}

static size_t random_ask(struct ct_strategy *strategy, size_t max, uint64_t *indices)
{
    struct random *self = (struct random *)strategy;
    size_t given = 0;

    while (given < max && ct_history_draw(&self->history, &indices[given]) &&
           ct_history_ask(&self->history, indices[given]))
        given++;
    return given;
}

static void random_tell(struct ct_strategy *strategy, uint64_t index,
                        const struct ct_strategy_result *result)
{
    struct random *self = (struct random *)strategy;

    ct_history_tell(&self->history, index, ct_history_result_cost(result));
}

static void random_destroy(struct ct_strategy *strategy)
{
    struct random *self = (struct random *)strategy;

    ct_history_release(&self->history);
    free(self);
}

const struct ct_strategy_class ct_strategy_random = {
    .name = "random",
    .summary = "drawn at random, none twice",
    .create = random_create,
    .ask = random_ask,
    .tell = random_tell,
    .destroy = random_destroy,
};
