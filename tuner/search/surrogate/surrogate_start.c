// SPDX-License-Identifier: Apache-2.0
// The first proposals, before the regression chooses: spread over the space, and the best elsewhere
// once it is known that what is fast there tends to be fast here.
#include "search/surrogate/surrogate.h"

#include <limits.h>
#include <math.h>

/* What is tried because it is fast elsewhere leads the search to its neighbours; if this device is
 * another one, that costs more than it can gain.  A rank correlation this high over this many
 * results is rare among devices that merely resemble each other. */
static const double agreement = 0.7;
enum { AGREE_MIN = 6, AGREE_MAX = 12 };

/* Every other one of this many is plain (below): what is no power of two may be the best. */
enum { PLAIN = 5 };

/* Sources confirm each other if they explain this share of each other's variance. */
static const double credible = 0.2;

/* Of some random configurations the one farthest from all so far (maximin: Johnson, Moore and
 * Ylvisaker, 1990), of the algorithms that had the fewest.  Some proposals are `plain`: one of
 * those with the fewest values that are no power of two (or three times one, if all are).  Such
 * configurations are fast more often, and what there is to learn is where the fast ones are. */
static bool spread_out(struct ct_surrogate *self, bool plain, uint64_t *index)
{
    enum { TRIES = 64 };
    double most = -1;
    unsigned least = UINT_MAX;

    for (int t = 0; t < TRIES; t++) {
        size_t arm = ct_surrogate_arms_fewest(self);
        uint64_t i;
        unsigned odd = 0;
        double near;

        if (!ct_surrogate_arms_draw(self, arm, &i) || ct_history_has(&self->history, i))
            continue;
        near = ct_surrogate_nearest(self, i);
        if (plain) {
            ct_features_codes(&self->features, i, self->codes);
            odd = ct_features_odd(&self->features, self->codes);
        }
        if (odd < least || (odd == least && near > most)) {
            least = odd;
            most = near;
            *index = i;
        }
    }
    return most >= 0 || ct_history_draw(&self->history, index);
}

/* Kendall's rank correlation of the results with what the sources are expected to say of them. */
static double rank_correlation(const struct ct_surrogate *self)
{
    double balance = 0;
    double pairs = 0;

    for (size_t s = 0; s < self->data.count; s++)
        for (size_t t = 0; t < s; t++) {
            const struct ct_surrogate_sample *a = &self->data.samples[s];
            const struct ct_surrogate_sample *b = &self->data.samples[t];
            double there = ct_surrogate_transfer_expected(self, a->there) -
                           ct_surrogate_transfer_expected(self, b->there);

            if (!a->has_result || !b->has_result || a->cost == b->cost)
                continue;
            balance += (a->cost < b->cost) == (there < 0) ? 1 : -1;
            pairs++;
        }
    return pairs > 0 ? balance / pairs : 0;
}

/* Whether it is the turn of one of the best elsewhere: at once if several sources agree with each
 * other; once the results confirm the sources; and after that, while each is better than all
 * before. */
static bool is_turn_of_elsewhere(struct ct_surrogate *self)
{
    size_t results = self->data.result_count;

    if (!self->transfer.source_count)
        return false;
    if (!self->transfer.tries && self->data.count < CT_SURROGATE_START &&
        self->transfer.source_count > 1 && self->transfer.trust > credible)
        return true;
    if (results < AGREE_MIN || results > AGREE_MAX)
        return false;
    if (self->transfer.confirmed)
        return self->transfer.tries < CT_SURROGATE_ELSEWHERE &&
               self->fit.improved == results;
    self->transfer.confirmed = rank_correlation(self) >= agreement;
    return self->transfer.confirmed;
}

bool ct_surrogate_start(struct ct_surrogate *self, uint64_t *index, struct ct_why *why)
{
    if (is_turn_of_elsewhere(self) && ct_surrogate_transfer_best(self, index)) {
        self->transfer.tries++;
        *why = (struct ct_why){.reason = "initial sample: among the best elsewhere"};
        return true;
    }
    /* Lower bounds alone have no best. */
    if (self->data.ok_count >= 2 && self->data.best < INFINITY &&
        (self->transfer.confirmed || self->data.count >= CT_SURROGATE_START))
        return false;
    *why = (struct ct_why){.reason = "initial sample: far from the others"};
    return spread_out(self, self->data.count < PLAIN && self->data.count % 2 == 0, index);
}
