// SPDX-License-Identifier: Apache-2.0
// Algorithms as arms of a bandit: successive halving (Jamieson and Talwalkar, "Non-stochastic best
// arm identification and hyperparameter optimization", 2016).
//
// Expected improvement compares what is known of an algorithm with the best of all, so one whose
// own parameters were never right looks as if it could not win.  Therefore the first proposals are for
// the algorithm that has had the fewest, and are to improve on the best of that algorithm, until
// each has some configurations that work.  Then the half with the worse best results is out, and
// whatever is far behind; every other proposal is for one of the rest, until each has twice as many,
// and so on.  The remaining proposals are for whatever promises most.
//
// In the first round, the proposals have values of the algorithm's own parameters that were not tried
// with it: those of other algorithms say nothing of them, and the regression alone stays near the
// first one that works.  When the search stalls, it has found the best of the algorithms that are
// left: then the others are back, but for those that are far behind, which a small budget would
// be wasted on.
#include "search/surrogate/surrogate.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum {
    OPTIONS =
        2,    /* parameters that an algorithm switches; one is no more than an option */
    GOAL = 6, /* configurations that work, of each algorithm, in the first round */
    GOAL_MIN = 2, /* the same with a small budget */
    FAILURES = 4, /* more that it may try because others failed */
    DEAD = 5,     /* failures after which an algorithm of which nothing worked is left */
    LOOKS = 4,    /* the budget over what the first round takes */
    EVERY = 2,    /* proposals of which one is for the round, but for the first one */
    AGAIN =
        12, /* configurations more, for the one that had the fewest, when all are back */
    GROUPS = 6, /* of a parameter's values, of which one is to be tried each */
};

/* An algorithm whose best result is this many times slower than the best of all is far behind. */
static const double far = 3;

bool ct_surrogate_arms_init(struct ct_surrogate *self)
{
    struct ct_surrogate_arms *arms = &self->arms;
    const struct ct_features *features = &self->features;

    if (features->arms == SIZE_MAX)
        return true;
    /* Its odd part comes after it. */
    for (size_t f = features->count; f-- > 0;)
        if (features->source[f] == features->arms)
            arms->feature = f;
    arms->count = features->params[arms->feature].count;
    arms->items = ct_mem_array(arms->count, sizeof(*arms->items));
    arms->goal = GOAL;
    arms->first = true;
    arms->rounds = features->options >= OPTIONS;
    arms->over = !arms->rounds;
    for (size_t a = 0; a < arms->count && arms->items; a++) {
        arms->items[a].best = INFINITY;
        arms->items[a].seen = ct_mem_array(features->count, sizeof(uint64_t));
        arms->items[a].part =
            ct_space_part_new(features->space, features->arms, (uint32_t)a);
        if (!arms->items[a].part || !arms->items[a].seen)
            return false;
        arms->items[a].out = !(ct_space_part_count(arms->items[a].part) > 0);
    }
    return arms->items != NULL;
}

void ct_surrogate_arms_release(struct ct_surrogate_arms *arms)
{
    for (size_t a = 0; a < arms->count && arms->items; a++) {
        ct_space_part_free(arms->items[a].part);
        free(arms->items[a].seen);
    }
    free(arms->items);
}

size_t ct_surrogate_arms_fewest(struct ct_surrogate *self)
{
    const struct ct_surrogate_arms *arms = &self->arms;
    size_t fewest = CT_SURROGATE_ANY;
    uint64_t ties = 0;

    for (size_t a = 0; a < arms->count; a++) {
        const struct ct_surrogate_arm *arm = &arms->items[a];

        if (!(ct_space_part_count(arm->part) > (double)arm->tried))
            continue;
        if (fewest != CT_SURROGATE_ANY && arm->tried > arms->items[fewest].tried)
            continue;
        if (fewest == CT_SURROGATE_ANY || arm->tried < arms->items[fewest].tried)
            ties = 0;
        if (ct_rng_below(&self->history.rng, ++ties) == 0)
            fewest = a;
    }
    return fewest;
}

bool ct_surrogate_arms_draw(struct ct_surrogate *self, size_t arm, uint64_t *index)
{
    struct ct_rng *rng = &self->history.rng;

    if (arm == CT_SURROGATE_ANY) {
        *index = ct_rng_below(rng, self->history.count);
        return true;
    }
    return ct_space_part_draw(self->arms.items[arm].part, rng, self->features.config) &&
           ct_space_index(self->history.space, self->features.config, index);
}

void ct_surrogate_arms_limit(struct ct_surrogate_arms *arms, uint64_t evaluations)
{
    uint64_t share;

    if (!arms->count || !evaluations)
        return;
    share = evaluations / (LOOKS * arms->count);
    arms->goal = share < GOAL_MIN ? GOAL_MIN : share < GOAL ? (size_t)share : GOAL;
}

/* The arm of a configuration; NULL: there are none. */
static struct ct_surrogate_arm *arm_of(struct ct_surrogate *self, uint64_t index)
{
    if (!self->arms.count)
        return NULL;
    ct_features_codes(&self->features, index, self->codes);
    return &self->arms.items[self->codes[self->arms.feature]];
}

/* The group of a value of feature `f`, as a bit, if it is a parameter that an arm has and others do
 * not; else 0. */
static uint64_t group_of(const struct ct_features *features, size_t arm, size_t f,
                         const uint16_t *codes)
{
    const struct ct_feature_switch *on = &features->switches[features->source[f]];
    size_t count = features->params[f].count;
    size_t groups = count < GROUPS ? count : GROUPS;
    bool odd_part = f > 0 && features->source[f - 1] == features->source[f];

    if (!on->off || on->by != features->arms || (on->off >> arm & 1) || odd_part)
        return 0;
    return UINT64_C(1) << codes[f] * groups / count;
}

unsigned ct_surrogate_arms_novelty(const struct ct_surrogate *self, size_t arm,
                                   const uint16_t *codes)
{
    unsigned count = 0;

    if (arm == CT_SURROGATE_ANY || !self->arms.first)
        return 0;
    for (size_t f = 0; f < self->features.count; f++)
        count += (group_of(&self->features, arm, f, codes) &
                  ~self->arms.items[arm].seen[f]) != 0;
    return count;
}

void ct_surrogate_arms_note_try(struct ct_surrogate *self, uint64_t index)
{
    struct ct_surrogate_arm *arm = arm_of(self, index);

    if (!arm)
        return;
    arm->tried++;
    for (size_t f = 0; f < self->features.count; f++)
        arm->seen[f] |=
            group_of(&self->features, (size_t)(arm - self->arms.items), f, self->codes);
}

void ct_surrogate_arms_note_result(struct ct_surrogate *self,
                                   const struct ct_surrogate_sample *sample)
{
    struct ct_surrogate_arm *arm = arm_of(self, sample->index);

    if (!arm)
        return;
    arm->failed += !(sample->cost < INFINITY);
    if (!sample->censored && sample->cost < arm->best)
        arm->best = sample->cost;
}

double ct_surrogate_arms_best(const struct ct_surrogate *self, size_t arm)
{
    double best = arm == CT_SURROGATE_ANY ? self->data.best : self->arms.items[arm].best;

    return best < INFINITY ? ct_surrogate_y(self, best) : self->fit.failure;
}

/* Whether an arm has had its share of the round.  One that always fails is left soon. */
static bool has_its_share(const struct ct_surrogate_arms *arms, size_t a)
{
    const struct ct_surrogate_arm *arm = &arms->items[a];

    return arm->tried - arm->failed >= arms->goal ||
           arm->tried >= arms->goal + FAILURES ||
           (arm->tried == arm->failed && arm->failed >= DEAD);
}

/* Whether the best result of an arm is far behind the best of all. */
static bool is_far_behind(const struct ct_surrogate *self, size_t a)
{
    return self->data.logarithmic &&
           fabs(log(self->arms.items[a].best / self->data.best)) > log(far);
}

/* The arm with the worst best result that is not out. */
static size_t worst_arm(const struct ct_surrogate_arms *arms)
{
    size_t worst = SIZE_MAX;

    for (size_t a = 0; a < arms->count; a++)
        if (!arms->items[a].out &&
            (worst == SIZE_MAX || arms->items[a].best > arms->items[worst].best))
            worst = a;
    return worst;
}

/* The worse half is out, and all that are far behind or of which nothing worked. */
static void end_round(struct ct_surrogate *self)
{
    struct ct_surrogate_arms *arms = &self->arms;
    size_t left = 0;
    size_t keep;

    for (size_t a = 0; a < arms->count; a++) {
        arms->items[a].out = arms->items[a].out || !(arms->items[a].best < INFINITY);
        left += !arms->items[a].out;
    }
    for (keep = (left + 1) / 2; left > keep; left--)
        arms->items[worst_arm(arms)].out = true;
    while (left > 1 && is_far_behind(self, worst_arm(arms))) {
        arms->items[worst_arm(arms)].out = true;
        left--;
    }
    arms->goal *= 2;
    arms->first = false;
    arms->over = left < 2;
}

/* Whether the search gets no further with what is in the present round. */
static bool has_stalled(const struct ct_surrogate *self)
{
    const struct ct_surrogate_arms *arms = &self->arms;
    size_t since =
        arms->revived > self->fit.improved ? arms->revived : self->fit.improved;

    return arms->rounds && !arms->first &&
           self->data.result_count - since >= CT_SURROGATE_PATIENCE;
}

/* All of which something works are in the next round unless they are far behind, and those that had the
 * fewest get most. */
static void revive(struct ct_surrogate *self)
{
    struct ct_surrogate_arms *arms = &self->arms;
    size_t least = SIZE_MAX;

    for (size_t a = 0; a < arms->count; a++) {
        struct ct_surrogate_arm *arm = &arms->items[a];
        size_t worked = arm->tried - arm->failed;

        if (!(arm->best < INFINITY) || is_far_behind(self, a) ||
            !(ct_space_part_count(arm->part) > (double)arm->tried))
            continue;
        arm->out = false;
        least = worked < least ? worked : least;
    }
    arms->revived = self->data.result_count;
    if (least == SIZE_MAX)
        return;
    arms->over = false;
    arms->goal = least + AGAIN;
}

size_t ct_surrogate_arms_turn(struct ct_surrogate *self)
{
    struct ct_surrogate_arms *arms = &self->arms;
    size_t at = CT_SURROGATE_ANY;

    if (has_stalled(self))
        revive(self);
    if (!arms->count || arms->over || (!arms->first && arms->turns++ % EVERY))
        return CT_SURROGATE_ANY;
    while (!arms->over) {
        for (size_t a = 0; a < arms->count; a++)
            if (!arms->items[a].out && !has_its_share(arms, a) &&
                (at == CT_SURROGATE_ANY || arms->items[a].tried < arms->items[at].tried))
                at = a;
        if (at != CT_SURROGATE_ANY)
            return at;
        end_round(self);
    }
    return CT_SURROGATE_ANY;
}
