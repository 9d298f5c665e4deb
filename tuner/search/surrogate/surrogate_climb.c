// SPDX-License-Identifier: Apache-2.0
// From the most promising candidate to better configurations beside it, which are not among the
// candidates: the pool is a part of the space.
#include "search/surrogate/surrogate.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* Bound of the work for one proposal: predictions times the square of the observations. */
static const double most_work = 1.5e6;

/* A walk in progress. */
struct walk {
    struct ct_surrogate *self;
    double best;     /* y that is to be improved on */
    size_t arm;      /* the one to stay in, or CT_SURROGATE_ANY */
    uint16_t *codes; /* features of CT_GP_TOGETHER configurations */
    float *white;    /* their covariances with the observations */
    double work;
};

/* The promises of some configurations, whose features are in walk->codes. */
static void promises_of(struct walk *walk, size_t count,
                        struct ct_surrogate_candidate *candidates, double *promises)
{
    struct ct_surrogate *self = walk->self;
    const struct ct_gp *gp = self->gp;
    double mean[CT_GP_TOGETHER];
    double variance[CT_GP_TOGETHER];
    double worth[CT_GP_TOGETHER];
    double works[CT_GP_TOGETHER];

    ct_gp_predict(gp, walk->codes, count, walk->white, mean, variance);
    ct_surrogate_worth(self, walk->white, worth);
    /* Overwrites `white`. */
    ct_surrogate_works_at(self, walk->codes, count, walk->white, works);
    walk->work += (double)count * (double)gp->count * (double)gp->count;
    for (size_t i = 0; i < count; i++) {
        const uint16_t *codes = walk->codes + i * self->features.count;
        struct ct_surrogate_candidate *candidate = &candidates[i];
        float there[CT_SURROGATE_SOURCES];

        candidate->mean = mean[i];
        candidate->sd = sqrt(variance[i]);
        if (self->transfer.source_count) {
            if (!ct_surrogate_transfer_scan(self, &candidate->index, codes, 1, there))
                self->failed = true;
            else
                candidate->mean += ct_surrogate_transfer_sum(self, there);
        }
        promises[i] =
            ct_surrogate_improvement(candidate->mean, candidate->sd, walk->best) *
            worth[i] * works[i];
    }
}

/* Whether there is work left for one more configuration beside `count`. */
static bool may_go_on(const struct walk *walk, size_t count)
{
    double n = (double)walk->self->gp->count;

    return walk->work + (double)count * n * n < most_work;
}

/* The next neighbours that the walk may take, from number `*at` on. */
static size_t gather(struct walk *walk, const struct ct_config_list *list, size_t *at,
                     struct ct_surrogate_candidate *candidates)
{
    struct ct_surrogate *self = walk->self;
    size_t count = 0;

    for (; *at < list->count && count < CT_GP_TOGETHER && may_go_on(walk, count); ++*at) {
        const uint32_t *config = ct_config_list_at(list, *at);
        uint16_t *codes = walk->codes + count * self->features.count;

        if (!ct_space_index(self->history.space, config, &candidates[count].index) ||
            ct_history_has(&self->history, candidates[count].index))
            continue;
        ct_features_of(&self->features, config, codes);
        if (walk->arm == CT_SURROGATE_ANY || codes[self->arms.feature] == walk->arm)
            count++;
    }
    return count;
}

/* Moves to the most promising neighbour; false if none is more promising. */
static bool step(struct walk *walk, const struct ct_config_list *list,
                 struct ct_surrogate_candidate *candidate, double *most)
{
    struct ct_surrogate_candidate others[CT_GP_TOGETHER];
    double promises[CT_GP_TOGETHER];
    bool moved = false;
    size_t at = 0;
    size_t count;

    while ((count = gather(walk, list, &at, others)) > 0) {
        promises_of(walk, count, others, promises);
        for (size_t i = 0; i < count; i++)
            if (promises[i] > *most) {
                *most = promises[i];
                *candidate = others[i];
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

    walk.codes = ct_mem_array(CT_GP_TOGETHER * self->features.count, sizeof(*walk.codes));
    walk.white =
        ct_mem_array((size_t)CT_GP_TOGETHER * CT_SURROGATE_ROOM, sizeof(*walk.white));
    if (!walk.codes || !walk.white) {
        free(walk.codes);
        free(walk.white);
        self->failed = true;
        return;
    }
    ct_features_codes(&self->features, candidate->index, walk.codes);
    promises_of(&walk, 1, candidate, &most);
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
    free(walk.codes);
    free(walk.white);
}
