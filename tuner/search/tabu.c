// SPDX-License-Identifier: Apache-2.0
// Tabu search (Glover, 1989): always moves to the best of some neighbours, even uphill; a value
// that was left is barred for a while, unless it gives the best so far.
#include "search/proposer.h"
#include "search/strategies.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STARTS = 16, /* random configurations, the best of which is the start */
    LOOK = 12,   /* neighbours looked at before a step */
    TENURE = 6,  /* steps for which a value that was left is tabu */
    STALE = 25   /* steps without a new best before going back to the best */
};

struct tabu {
    struct ct_proposer proposer;
    uint32_t *here; /* best of the starting places, then the current place */
    double here_cost;
    uint32_t *next;
    double next_cost;
    uint32_t *best;
    double best_cost;
    size_t started;
    struct ct_config_list around;
    bool looked;
    size_t at;   /* neighbours proposed */
    size_t open; /* without a result */
    uint64_t step;
    uint64_t fruitful; /* last step that found a new best */
    uint64_t **until;  /* by parameter and value: tabu before this step */
};

static void tabu_destroy(struct ct_strategy *strategy)
{
    struct tabu *self = (struct tabu *)strategy;

    for (size_t p = 0; p < self->proposer.param_count && self->until; p++)
        free(self->until[p]);
    ct_proposer_release(&self->proposer);
    ct_config_list_release(&self->around);
    free(self->until);
    free(self->here);
    free(self->next);
    free(self->best);
    free(self);
}

/* Moves to `next`, or back to the best place. */
static void move_on(struct tabu *self)
{
    size_t n = self->proposer.param_count;
    bool back = self->step - self->fruitful > STALE || !(self->next_cost < INFINITY);
    const uint32_t *to = back ? self->best : self->next;

    self->step++;
    for (size_t p = 0; p < n; p++)
        if (self->here[p] != to[p] && !back)
            self->until[p][self->here[p]] = self->step + TENURE;
    if (back)
        self->fruitful = self->step;
    memmove(self->here, to, n * sizeof(*to));
    self->here_cost = back ? self->best_cost : self->next_cost;
    self->next_cost = INFINITY;
    self->looked = false;
    self->at = 0;
    self->open = 0;
}

static void look_around(struct tabu *self)
{
    ct_proposer_around(&self->proposer, self->here, true, &self->around);
    self->looked = true;
}

static bool forbidden(const struct tabu *self, const uint32_t *config)
{
    for (size_t p = 0; p < self->proposer.param_count; p++)
        if (config[p] != self->here[p] && self->until[p][config[p]] > self->step)
            return true;
    return false;
}

static bool propose_next(struct ct_proposer *proposer, uint32_t *config, uint64_t *tag)
{
    struct tabu *self = (struct tabu *)proposer;
    size_t most;

    *tag = self->step;
    if (self->started < STARTS || !(self->best_cost < INFINITY)) {
        self->started++;
        return ct_proposer_random(proposer, config);
    }
    if (!self->looked)
        look_around(self);
    most = self->around.count < LOOK ? self->around.count : LOOK;
    if (self->at >= most) {
        if (self->open)
            return false;
        move_on(self);
        look_around(self);
        *tag = self->step;
    }
    if (!self->around.count)
        return false;
    memcpy(config, ct_config_list_at(&self->around, self->at++),
           proposer->param_count * sizeof(*config));
    self->open++;
    return true;
}

static void tabu_result(struct ct_proposer *proposer, const uint32_t *config, double cost,
                        uint64_t tag)
{
    struct tabu *self = (struct tabu *)proposer;
    size_t bytes = proposer->param_count * sizeof(*config);
    bool record = cost < self->best_cost;
    bool current = tag == self->step && self->looked;

    if (current)
        self->open -= self->open > 0;
    if (record) {
        memcpy(self->best, config, bytes);
        self->best_cost = cost;
        self->fruitful = self->step;
        if (!self->looked) { /* still starting: move to the best */
            memcpy(self->here, config, bytes);
            self->here_cost = cost;
        }
    }
    if (!current || cost >= self->next_cost || (forbidden(self, config) && !record))
        return;
    memcpy(self->next, config, bytes);
    self->next_cost = cost;
    if (record) /* no need to look further */
        move_on(self);
}

static struct ct_strategy *tabu_create(const struct ct_space *space, uint64_t seed)
{
    static const struct ct_proposer_hooks hooks = {propose_next, tabu_result};
    struct tabu *self = ct_mem_array(1, sizeof(*self));
    size_t n = ct_space_binding(space)->spec->param_count;
    bool enough;

    if (!self)
        return NULL;
    self->best_cost = INFINITY;
    self->here_cost = INFINITY;
    self->next_cost = INFINITY;
    self->here = ct_mem_array(n, sizeof(*self->here));
    self->next = ct_mem_array(n, sizeof(*self->next));
    self->best = ct_mem_array(n, sizeof(*self->best));
    self->until = ct_mem_array(n, sizeof(*self->until));
    enough = ct_proposer_init(&self->proposer, &hooks, space, seed) && self->here &&
             self->next && self->best && self->until;
    for (size_t p = 0; p < n && enough; p++) {
        self->until[p] =
            ct_mem_array(self->proposer.domains[p].count, sizeof(**self->until));
        enough = self->until[p] != NULL;
    }
    if (!enough) {
        tabu_destroy(&self->proposer.base);
        return NULL;
    }
    return &self->proposer.base;
}

const struct ct_strategy_class ct_strategy_tabu = {
    .name = "tabu",
    .summary = "tabu search",
    .create = tabu_create,
    .ask = ct_proposer_ask,
    .tell = ct_proposer_tell,
    .destroy = tabu_destroy,
    .limit = ct_proposer_limit,
};
