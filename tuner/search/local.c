// SPDX-License-Identifier: Apache-2.0
// Iterated local search on the Hamming graph: one parameter changes at a time until nothing is
// better, then a kick, and after fruitless kicks a new start (Lourenco, Martin and Stutzle,
// "Iterated Local Search", 2003).
#include "search/proposer.h"
#include "search/strategies.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STARTS = 16,   /* random configurations, the best of which is the start */
    KICKS_MAX = 12 /* without success, before a new start */
};

/* What the next ideas are. */
enum phase {
    STARTING,   /* random places */
    DESCENDING, /* the neighbours of `here` */
    KICKING,    /* a place some steps away from the last optimum */
};

struct local {
    struct ct_proposer proposer;
    bool best_first; /* look at all neighbours, move to the best */
    enum phase phase;
    uint64_t round; /* tag of the ideas that count */
    uint32_t *here;
    double here_cost;
    uint32_t *next; /* best place found in this round */
    double next_cost;
    size_t open; /* ideas of this round without a result */
    struct ct_config_list around;
    size_t at;
    size_t proposed; /* in the phase STARTING */
    uint32_t *optimum;
    double optimum_cost;
    size_t kicks;
};

static void local_destroy(struct ct_strategy *strategy)
{
    struct local *self = (struct local *)strategy;

    ct_proposer_release(&self->proposer);
    ct_config_list_release(&self->around);
    free(self->here);
    free(self->next);
    free(self->optimum);
    free(self);
}

static void begin_phase(struct local *self, enum phase phase)
{
    self->phase = phase;
    self->round++;
    self->open = 0;
    self->at = 0;
    self->proposed = 0;
    self->next_cost = INFINITY;
}

/* Moves to `config` and prepares its neighbours. */
static void move_to(struct local *self, const uint32_t *config, double cost)
{
    struct ct_proposer *proposer = &self->proposer;

    memmove(self->here, config, proposer->param_count * sizeof(*config));
    self->here_cost = cost;
    begin_phase(self, DESCENDING);
    /* At random, either parameters with few values come early or those with many: which is better
     * depends on the space. */
    ct_proposer_around(proposer, self->here, ct_rng_below(&proposer->history.rng, 2) == 0,
                       &self->around);
}

/* No neighbour of `here` is better. */
static void kick_or_restart(struct local *self)
{
    size_t bytes = self->proposer.param_count * sizeof(*self->here);

    if (self->here_cost < self->optimum_cost) {
        memcpy(self->optimum, self->here, bytes);
        self->optimum_cost = self->here_cost;
        self->kicks = 0;
    }
    if (self->kicks++ < KICKS_MAX && self->optimum_cost < INFINITY) {
        begin_phase(self, KICKING);
        return;
    }
    self->kicks = 0;
    self->optimum_cost = INFINITY;
    begin_phase(self, STARTING);
}

/* Changes two or three parameters of the optimum. */
static void kick(struct local *self, uint32_t *config)
{
    struct ct_rng *rng = &self->proposer.history.rng;
    size_t n = self->proposer.param_count;
    size_t free_count = 0;
    uint64_t changes = 2 + ct_rng_below(rng, 2);

    memcpy(config, self->optimum, n * sizeof(*config));
    for (size_t p = 0; p < n; p++)
        free_count += self->proposer.domains[p].count > 1;
    for (; changes > 0 && free_count > 0; changes--) {
        uint64_t which = ct_rng_below(rng, free_count);
        size_t p = 0;

        while (self->proposer.domains[p].count < 2 || which-- > 0)
            p++;
        config[p] = (uint32_t)ct_rng_below(rng, self->proposer.domains[p].count);
    }
}

static bool propose_step(struct ct_proposer *proposer, uint32_t *config, uint64_t *tag)
{
    struct local *self = (struct local *)proposer;
    size_t bytes = proposer->param_count * sizeof(*config);

    if (self->phase == DESCENDING && self->at >= self->around.count && !self->open) {
        if (self->next_cost < self->here_cost)
            move_to(self, self->next, self->next_cost);
        else
            kick_or_restart(self);
    }
    *tag = self->round;
    switch (self->phase) {
    case STARTING:
        if (self->proposed >= STARTS)
            return false;
        self->proposed++;
        self->open++;
        return ct_proposer_random(proposer, config);
    case DESCENDING:
        if (self->at >= self->around.count)
            return false;
        memcpy(config, ct_config_list_at(&self->around, self->at++), bytes);
        self->open++;
        return true;
    case KICKING:
        kick(self, config);
        self->open++;
        return true;
    }
    return false;
}

static void local_result(struct ct_proposer *proposer, const uint32_t *config,
                         double cost, uint64_t tag)
{
    struct local *self = (struct local *)proposer;

    if (tag != self->round)
        return;
    self->open -= self->open > 0;
    if (cost < self->next_cost) {
        memcpy(self->next, config, proposer->param_count * sizeof(*config));
        self->next_cost = cost;
    }
    if (self->phase == STARTING && self->proposed >= STARTS && !self->open) {
        if (self->next_cost < INFINITY)
            move_to(self, self->next, self->next_cost);
        else
            begin_phase(self, STARTING);
    } else if ((self->phase == KICKING && cost < INFINITY) ||
               (self->phase == DESCENDING && !self->best_first &&
                cost < self->here_cost)) {
        move_to(self, config, cost);
    }
}

static struct ct_strategy *create_either(const struct ct_space *space, uint64_t seed,
                                         bool best_first)
{
    static const struct ct_proposer_hooks hooks = {propose_step, local_result};
    struct local *self = ct_mem_array(1, sizeof(*self));
    size_t n = ct_space_binding(space)->spec->param_count;

    if (!self)
        return NULL;
    self->best_first = best_first;
    self->optimum_cost = INFINITY;
    self->here_cost = INFINITY;
    self->here = ct_mem_array(n, sizeof(*self->here));
    self->next = ct_mem_array(n, sizeof(*self->next));
    self->optimum = ct_mem_array(n, sizeof(*self->optimum));
    if (!ct_proposer_init(&self->proposer, &hooks, space, seed) || !self->here ||
        !self->next || !self->optimum) {
        local_destroy(&self->proposer.base);
        return NULL;
    }
    begin_phase(self, STARTING);
    return &self->proposer.base;
}

static struct ct_strategy *local_create(const struct ct_space *space, uint64_t seed)
{
    return create_either(space, seed, false);
}

static struct ct_strategy *create_best(const struct ct_space *space, uint64_t seed)
{
    return create_either(space, seed, true);
}

const struct ct_strategy_class ct_strategy_local = {
    .name = "local",
    .summary = "local search that takes the first improvement, with kicks and restarts",
    .create = local_create,
    .ask = ct_proposer_ask,
    .tell = ct_proposer_tell,
    .destroy = local_destroy,
    .limit = ct_proposer_limit,
};

const struct ct_strategy_class ct_strategy_local_best = {
    .name = "local-best",
    .summary = "local search that takes the best neighbour, with kicks and restarts",
    .create = create_best,
    .ask = ct_proposer_ask,
    .tell = ct_proposer_tell,
    .destroy = local_destroy,
    .limit = ct_proposer_limit,
};
