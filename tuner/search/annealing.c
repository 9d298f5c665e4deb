// SPDX-License-Identifier: Apache-2.0
// Simulated annealing (Kirkpatrick, Gelatt and Vecchi, 1983) on the Hamming graph; costs are
// compared by the logarithm of their ratio, so that temperatures have no unit.
#include "search/proposer.h"
#include "search/strategies.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* At first one and a half times as slow is accepted with probability 0.37, in the end one percent
 * is; cooling is geometric over the available evaluations. */
static const double hot = 0.4;
static const double cold = 0.01;
enum { STARTS = 8 };

struct annealing {
    struct ct_proposer proposer;
    uint32_t *here;
    double here_cost;
    bool looked; /* `around` is for here */
    struct ct_config_list around;
    size_t started;
    uint64_t place; /* tag: steps from another place do not count */
};

static void annealing_destroy(struct ct_strategy *strategy)
{
    struct annealing *self = (struct annealing *)strategy;

    ct_proposer_release(&self->proposer);
    ct_config_list_release(&self->around);
    free(self->here);
    free(self);
}

static bool propose_neighbour(struct ct_proposer *proposer, uint32_t *config,
                              uint64_t *tag)
{
    struct annealing *self = (struct annealing *)proposer;

    *tag = self->place;
    if (self->started < STARTS || !(self->here_cost < INFINITY)) {
        self->started++;
        return ct_proposer_random(proposer, config);
    }
    if (!self->looked) {
        self->around.count = 0;
        if (ct_space_neighbours(proposer->history.space, self->here, CT_NEIGHBOURS_ONE,
                                &self->around, NULL))
            proposer->history.failed = true;
        self->looked = true;
    }
    if (!self->around.count)
        return false;
    memcpy(config,
           ct_config_list_at(&self->around, (size_t)ct_rng_below(&proposer->history.rng,
                                                                 self->around.count)),
           proposer->param_count * sizeof(*config));
    return true;
}

static void annealing_result(struct ct_proposer *proposer, const uint32_t *config,
                             double cost, uint64_t tag)
{
    struct annealing *self = (struct annealing *)proposer;
    double progress = ct_proposer_progress(proposer);
    double temperature = hot * pow(cold / hot, progress < 1 ? progress : 1);
    double excess = ct_proposer_excess(cost, self->here_cost);
    bool starting = self->started < STARTS;

    if (!(cost < INFINITY) || (tag != self->place && excess >= 0))
        return;
    if (excess >= 0 &&
        (starting || ct_rng_unit(&proposer->history.rng) >= exp(-excess / temperature)))
        return;
    memcpy(self->here, config, proposer->param_count * sizeof(*config));
    self->here_cost = cost;
    self->looked = false;
    self->place++;
}

static struct ct_strategy *annealing_create(const struct ct_space *space, uint64_t seed)
{
    static const struct ct_proposer_hooks hooks = {propose_neighbour, annealing_result};
    struct annealing *self = ct_mem_array(1, sizeof(*self));

    if (!self)
        return NULL;
    self->here_cost = INFINITY;
    self->here =
        ct_mem_array(ct_space_binding(space)->spec->param_count, sizeof(*self->here));
    if (!ct_proposer_init(&self->proposer, &hooks, space, seed) || !self->here) {
        annealing_destroy(&self->proposer.base);
        return NULL;
    }
    return &self->proposer.base;
}

const struct ct_strategy_class ct_strategy_annealing = {
    .name = "annealing",
    .summary = "simulated annealing",
    .create = annealing_create,
    .ask = ct_proposer_ask,
    .tell = ct_proposer_tell,
    .destroy = annealing_destroy,
    .limit = ct_proposer_limit,
};
