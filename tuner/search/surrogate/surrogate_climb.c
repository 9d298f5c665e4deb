// SPDX-License-Identifier: Apache-2.0
// From the most promising candidate to better configurations beside it, which are not among the
// candidates: the pool is a part of the space.
#include "search/surrogate/surrogate.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* Bound of the work for one proposal: predictions times the square of the observations. */
static const double most_work = 3e6;

/* A walk in progress. */
struct walk {
    struct ct_surrogate *self;
    double best;   /* y that is to be improved on */
    size_t arm;    /* the one to stay in, or CT_SURROGATE_ANY */
    double *white; /* scratch: covariances of one configuration with the observations */
    double work;
};

/* The promise of a configuration, whose features are in self->codes. */
static double promise_of(struct walk *walk, struct ct_surrogate_candidate *candidate)
{
    struct ct_surrogate *self = walk->self;
    float there[CT_SURROGATE_SOURCES];
    double variance;

    ct_gp_predict(self->gp, self->codes, walk->white, &candidate->mean, &variance);
    candidate->sd = sqrt(variance);
    if (self->transfer.source_count) {
        if (!ct_surrogate_transfer_scan(self, &candidate->index, self->codes, 1, there))
            self->failed = true;
        else
            candidate->mean += ct_surrogate_transfer_sum(self, there);
    }
    walk->work += (double)self->gp->count * (double)self->gp->count;
    return ct_surrogate_improvement(candidate->mean, candidate->sd, walk->best) *
           ct_surrogate_worth(self, walk->white) *
           ct_surrogate_works_at(self, self->codes, walk->white);
}

/* Moves to the most promising neighbour; false if none is more promising. */
static bool step(struct walk *walk, const struct ct_config_list *list,
                 struct ct_surrogate_candidate *candidate, double *most)
{
    struct ct_surrogate *self = walk->self;
    bool moved = false;

    for (size_t i = 0; i < list->count && walk->work < most_work; i++) {
        const uint32_t *config = ct_config_list_at(list, i);
        struct ct_surrogate_candidate other;
        double promise;

        if (!ct_space_index(self->history.space, config, &other.index) ||
            ct_history_has(&self->history, other.index))
            continue;
        ct_features_of(&self->features, config, self->codes);
        if (walk->arm != CT_SURROGATE_ANY && self->codes[self->arms.feature] != walk->arm)
            continue;
        promise = promise_of(walk, &other);
        if (promise > *most) {
            *most = promise;
            *candidate = other;
            moved = true;
        }
    }
    return moved;
}

void ct_surrogate_climb(struct ct_surrogate *self, size_t arm,
                        struct ct_surrogate_candidate *candidate)
{
    struct walk walk = {.self = self, .best = ct_surrogate_goal(self, arm), .arm = arm};
    struct ct_config_list list = {0};
    bool moved = true;
    double most;

    walk.white = ct_mem_array(CT_SURROGATE_ROOM, sizeof(*walk.white));
    if (!walk.white) {
        self->failed = true;
        return;
    }
    ct_features_codes(&self->features, candidate->index, self->codes);
    most = promise_of(&walk, candidate);
    while (moved && walk.work < most_work && !self->failed) {
        list.count = 0;
        ct_space_config(self->history.space, candidate->index, self->features.config);
        if (ct_space_neighbours(self->history.space, self->features.config,
                                CT_NEIGHBOURS_ONE, &list, NULL))
            self->failed = true;
        else
            moved = step(&walk, &list, candidate, &most);
    }
    ct_config_list_release(&list);
    free(walk.white);
}
