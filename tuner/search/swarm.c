// SPDX-License-Identifier: Apache-2.0
// Particle swarm optimisation (Kennedy and Eberhart, 1995, with the inertia of Shi and
// Eberhart, 1998) on value indices; a particle is evaluated at the valid configuration
// nearest to it.
#include "search/population.h"
#include "search/strategies.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 15, REACH = 2 };
/* Constriction (Clerc and Kennedy, 2002). */
static const double inertia = 0.73;
static const double pull = 1.5; /* to its own best, and to that of its neighbours */
static const double craziness = 0.3;

struct swarm {
    struct ct_proposer proposer;
    struct ct_population own; /* the best place of each particle */
    double *position;         /* SIZE * param_count, of value indices */
    double *velocity;
    bool *placed;
    size_t turn; /* particle, and tag of its idea */
};

static void swarm_destroy(struct ct_strategy *strategy)
{
    struct swarm *self = (struct swarm *)strategy;

    ct_proposer_release(&self->proposer);
    ct_population_release(&self->own);
    free(self->position);
    free(self->velocity);
    free(self->placed);
    free(self);
}

/* Places a particle at random, at rest. */
static bool scatter_particle(struct swarm *self, size_t i, uint32_t *config)
{
    size_t n = self->proposer.param_count;

    if (!ct_proposer_random(&self->proposer, config))
        return false;
    for (size_t p = 0; p < n; p++) {
        self->position[i * n + p] = config[p];
        self->velocity[i * n + p] = 0;
    }
    self->placed[i] = true;
    return true;
}

/* The particle with the best place among `i` and its neighbours on a ring (Kennedy and Mendes,
 * 2002): news spreads slowly enough for others to look elsewhere. */
static size_t leader(const struct swarm *self, size_t i)
{
    size_t best = i;

    for (size_t d = 1; d <= REACH; d++) {
        size_t left = (i + SIZE - d) % SIZE;
        size_t right = (i + d) % SIZE;

        if (self->own.costs[left] < self->own.costs[best])
            best = left;
        if (self->own.costs[right] < self->own.costs[best])
            best = right;
    }
    return best;
}

/* A particle sometimes jumps along one parameter, and always when it comes to a known place (the
 * "craziness" of Kennedy and Eberhart): otherwise the swarm would come to rest. */
static void startle(struct swarm *self, size_t i, uint32_t *config)
{
    struct ct_rng *rng = &self->proposer.history.rng;
    size_t p = (size_t)ct_rng_below(rng, self->proposer.param_count);

    config[p] = (uint32_t)ct_rng_below(rng, self->proposer.domains[p].count);
    self->position[i * self->proposer.param_count + p] = config[p];
}

static bool propose_position(struct ct_proposer *proposer, uint32_t *config,
                             uint64_t *tag)
{
    struct swarm *self = (struct swarm *)proposer;
    struct ct_rng *rng = &proposer->history.rng;
    size_t n = proposer->param_count;
    size_t i = self->turn;
    size_t best = leader(self, i);
    uint64_t index;

    self->turn = (self->turn + 1) % SIZE;
    *tag = i;
    if (!self->placed[i] || !(self->own.costs[i] < INFINITY))
        return scatter_particle(self, i, config);
    for (size_t p = 0; p < n; p++) {
        double *x = &self->position[i * n + p];
        double *v = &self->velocity[i * n + p];
        double last = (double)proposer->domains[p].count - 1;

        *v = inertia * *v +
             pull * ct_rng_unit(rng) * (ct_population_at(&self->own, i)[p] - *x) +
             pull * ct_rng_unit(rng) * (ct_population_at(&self->own, best)[p] - *x);
        *x += *v;
        if (*x < 0 || *x > last) { /* stop at the boundary */
            *x = *x < 0 ? 0 : last;
            *v = 0;
        }
        config[p] = (uint32_t)floor(*x + 0.5);
    }
    if (ct_rng_unit(rng) < craziness ||
        (ct_space_index(proposer->history.space, config, &index) &&
         ct_history_has(&proposer->history, index)))
        startle(self, i, config);
    return true;
}

static void swarm_result(struct ct_proposer *proposer, const uint32_t *config,
                         double cost, uint64_t tag)
{
    struct swarm *self = (struct swarm *)proposer;

    (void)proposer;
    if (tag == CT_PROPOSER_STRAY) { /* found without a particle: the worst one gets it */
        tag = ct_population_worst(&self->own);
        if (!self->placed[tag])
            return;
    }
    if (cost < self->own.costs[tag])
        ct_population_set(&self->own, (size_t)tag, config, cost);
}

static struct ct_strategy *swarm_create(const struct ct_space *space, uint64_t seed)
{
    static const struct ct_proposer_hooks hooks = {propose_position, swarm_result};
    struct swarm *self = ct_mem_array(1, sizeof(*self));
    size_t n = ct_space_binding(space)->spec->param_count;

    if (!self)
        return NULL;
    self->position = ct_mem_array(SIZE * n, sizeof(*self->position));
    self->velocity = ct_mem_array(SIZE * n, sizeof(*self->velocity));
    self->placed = ct_mem_array(SIZE, sizeof(*self->placed));
    if (!ct_proposer_init(&self->proposer, &hooks, space, seed) ||
        !ct_population_init(&self->own, SIZE, n) || !self->position || !self->velocity ||
        !self->placed) {
        swarm_destroy(&self->proposer.base);
        return NULL;
    }
    self->own.count = SIZE;
    for (size_t i = 0; i < SIZE; i++)
        self->own.costs[i] = INFINITY;
    return &self->proposer.base;
}

const struct ct_strategy_class ct_strategy_swarm = {
    .name = "swarm",
    .summary = "particle swarm optimisation",
    .create = swarm_create,
    .ask = ct_proposer_ask,
    .tell = ct_proposer_tell,
    .destroy = swarm_destroy,
    .limit = ct_proposer_limit,
};
