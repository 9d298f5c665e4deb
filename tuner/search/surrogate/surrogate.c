// SPDX-License-Identifier: Apache-2.0
// Bayesian optimisation: a Gaussian process of the logarithm of the objective predicts where an
// improvement is likely.
#include "search/strategies.h"
#include "search/surrogate/surrogate.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void surrogate_destroy(struct ct_strategy *strategy)
{
    struct ct_surrogate *self = (struct ct_surrogate *)strategy;

    ct_history_release(&self->history);
    ct_surrogate_transfer_release(self);
    ct_gp_panel_release(&self->pool.panel);
    ct_surrogate_prices_release(&self->prices);
    ct_surrogate_works_release(&self->works);
    ct_surrogate_arms_release(&self->arms);
    ct_gp_free(self->gp);
    ct_features_release(&self->features);
    ct_map_release(&self->data.places);
    free(self->codes);
    free(self->other);
    free(self->data.samples);
    free(self->fit.rows);
    free(self->fit.y);
    free(self->pool.indices);
    free(self->pool.arms);
    free(self);
}

static struct ct_strategy *surrogate_create(const struct ct_space *space, uint64_t seed)
{
    struct ct_surrogate *self = ct_mem_array(1, sizeof(*self));

    if (!self)
        return NULL;
    ct_history_init(&self->history, space, seed);
    self->data.best = INFINITY;
    self->data.worst = -INFINITY;
    self->data.logarithmic = true;
    if (ct_features_init(&self->features, space)) {
        self->gp =
            ct_gp_new(self->features.params, self->features.count, CT_SURROGATE_ROOM);
        self->codes = ct_mem_array(self->features.count, sizeof(*self->codes));
        self->other = ct_mem_array(self->features.count, sizeof(*self->other));
        self->fit.rows = ct_mem_array(CT_SURROGATE_ROOM, sizeof(*self->fit.rows));
        self->fit.y = ct_mem_array(CT_SURROGATE_ROOM, sizeof(*self->fit.y));
    }
    if (!self->gp || !self->codes || !self->other || !self->fit.rows || !self->fit.y ||
        !ct_surrogate_prices_init(&self->prices) ||
        !ct_surrogate_works_init(&self->works) || !ct_surrogate_arms_init(self)) {
        surrogate_destroy(&self->base);
        return NULL;
    }
    return &self->base;
}

/* Results from elsewhere for a sample. */
static bool look_elsewhere(struct ct_surrogate *self, struct ct_surrogate_sample *sample)
{
    if (!self->transfer.source_count)
        return true;
    ct_features_codes(&self->features, sample->index, self->codes);
    return ct_surrogate_transfer_scan(self, &sample->index, self->codes, 1,
                                      sample->there);
}

/* After any change other than added observations: the factor, the candidates, a result. */
static void forget_sums(struct ct_surrogate *self)
{
    ct_surrogate_prices_forget(&self->prices);
    ct_surrogate_works_forget(&self->works);
}

/* The promise of a result that was not predicted, such as one of an earlier search: about what those of
 * predicted ones are on average. */
static const double unpredicted = 0.004;

/* The sample of a configuration, created if missing; NULL if out of memory. */
static struct ct_surrogate_sample *sample_of(struct ct_surrogate *self, uint64_t index)
{
    uint64_t at = ct_map_get(&self->data.places, index, UINT64_MAX);

    if (at != UINT64_MAX)
        return &self->data.samples[at];
    if (!ct_mem_grow(&self->data.samples, &self->data.room, self->data.count + 1,
                     sizeof(*self->data.samples)) ||
        !ct_map_put(&self->data.places, index, self->data.count)) {
        self->failed = true;
        return NULL;
    }
    at = self->data.count++;
    self->data.samples[at] = (struct ct_surrogate_sample){.index = index,
                                                          .cost = INFINITY,
                                                          .margin = NAN,
                                                          .mean = NAN,
                                                          .promise = unpredicted};
    if (self->transfer.begun && !look_elsewhere(self, &self->data.samples[at]))
        self->failed = true;
    return &self->data.samples[at];
}

/* Margins beyond this say no more: a factor of 16. */
#define MARGIN_MOST 4.0

/* What a new result that is a lower bound is expected to be, from its prediction. */
static void expect_more(struct ct_surrogate *self, struct ct_surrogate_sample *sample)
{
    double y;

    self->data.censored_count++;
    if (isnan(sample->mean) || !(self->data.best < INFINITY) || !self->data.logarithmic)
        return;
    y = ct_surrogate_beyond(sample->mean, sample->sd, ct_surrogate_y(self, sample->cost));
    sample->expected = ct_surrogate_cost(self, y);
}

/* Where a result's configuration failed. */
static enum ct_surrogate_stage stage_of(const struct ct_strategy_result *result,
                                        double cost)
{
    if (cost < INFINITY)
        return CT_SURROGATE_STAGES;
    switch (result->failure) {
    case CT_FAILURE_BUILD:
        return CT_SURROGATE_BUILD;
    case CT_FAILURE_NONE: /* it has no objective */
    case CT_FAILURE_WRONG:
        return CT_SURROGATE_VERIFY;
    default:
        return CT_SURROGATE_LAUNCH;
    }
}

static void surrogate_tell(struct ct_strategy *strategy, uint64_t index,
                           const struct ct_strategy_result *result)
{
    struct ct_surrogate *self = (struct ct_surrogate *)strategy;
    double cost = ct_history_result_cost(result);
    struct ct_surrogate_sample *sample;

    if (!ct_history_tell(&self->history, index, cost))
        return;
    sample = sample_of(self, index);
    if (!sample)
        return;
    sample->has_result = true;
    sample->stage = stage_of(result, cost);
    sample->margin = result->headroom > 0
                         ? fmax(-MARGIN_MOST, fmin(MARGIN_MOST, log2(result->headroom)))
                         : NAN;
    sample->cost = sample->expected = cost;
    sample->censored = result->censored && cost < INFINITY;
    sample->spent_ns = result->spent_ns > 0 ? result->spent_ns : 0;
    self->data.result_count++;
    self->fit.promised += sample->promise;
    if (!sample->proposed)
        ct_surrogate_arms_note_try(self, index);
    ct_surrogate_arms_note_result(self, sample);
    if (!ct_surrogate_works_note(self, (size_t)(sample - self->data.samples)))
        self->failed = true;
    if ((size_t)(sample - self->data.samples) < self->fit.entered) {
        self->fit.changed = true; /* its value was assumed before */
        forget_sums(self);
    }
    if (!(cost < INFINITY))
        return;
    self->data.ok_count++;
    if (sample->censored)
        expect_more(self, sample);
    else if (cost < self->data.best) {
        self->data.best = cost;
        self->fit.changed = true; /* all values are relative to it */
        self->fit.improved = self->data.result_count;
        self->fit.promised = 0;
        self->pool.stale = true;
    }
    if (cost > self->data.worst)
        self->data.worst = cost;
    /* Times are positive, maximised objectives are negated; objectives with both signs stay as
     * they are. */
    self->data.logarithmic = self->data.best > 0 || self->data.worst < 0;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return x < y ? -1 : x > y ? 1 : 0;
}

/* The value assigned to failures: the median of what worked.  That is enough to keep away from
 * failures, and does not distort the predictions of neighbours that may work. */
static double failure_y(const struct ct_surrogate *self)
{
    double *all = ct_mem_array(self->data.ok_count, sizeof(*all));
    size_t n = 0;
    double y;

    if (!all || !self->data.ok_count) {
        free(all);
        return 0;
    }
    for (size_t i = 0; i < self->data.count; i++)
        if (self->data.samples[i].has_result && self->data.samples[i].cost < INFINITY)
            all[n++] = ct_surrogate_y(self, self->data.samples[i].expected);
    qsort(all, n, sizeof(*all), by_size);
    y = all[n / 2];
    free(all);
    return y;
}

/* The regression's y of a sample: y less the prediction from elsewhere. */
static double y_of(const struct ct_surrogate *self, size_t s, double failure)
{
    double believed = ct_surrogate_transfer_sum(self, self->data.samples[s].there);
    const struct ct_surrogate_sample *sample = &self->data.samples[s];

    if (!sample
             ->has_result) /* the prediction is assumed until the result (Ginsbourger et al.,
                              * 2010) */
        return (isnan(sample->mean) ? failure : sample->mean) - believed;
    return (sample->cost < INFINITY ? ct_surrogate_y(self, sample->expected) : failure) -
           believed;
}

/* Adds sample `s` to the regression, which is not full. */
static void take_in(struct ct_surrogate *self, size_t s, double failure)
{
    ct_features_codes(&self->features, self->data.samples[s].index, self->codes);
    self->fit.rows[self->gp->count] = s;
    ct_gp_add(self->gp, self->codes, y_of(self, s, failure));
}

/* A full regression starts again from the better half of its observations, for which it must be
 * precise, and some of the others, so that it knows where not to look. */
static void thin_observations(struct ct_surrogate *self, double failure)
{
    size_t n = self->gp->count;
    double *sorted = ct_mem_array(n, sizeof(*sorted));
    size_t *old = ct_mem_array(n, sizeof(*old));
    size_t others = 0;
    double limit;

    if (!sorted || !old) {
        self->failed = true;
        goto out;
    }
    for (size_t i = 0; i < n; i++)
        sorted[i] = y_of(self, self->fit.rows[i], failure);
    memcpy(old, self->fit.rows, n * sizeof(*old));
    qsort(sorted, n, sizeof(*sorted), by_size);
    limit = sorted[n / 2];
    ct_gp_clear(self->gp);
    forget_sums(self);
    for (size_t i = 0; i < n && self->gp->count < CT_SURROGATE_KEEP; i++) {
        bool good = y_of(self, old[i], failure) < limit;

        others += !good;
        if (good || others % 4 == 0)
            take_in(self, old[i], failure);
    }
    if (self->pool.panel.count && !ct_gp_panel_renew(&self->pool.panel))
        self->failed = true;
out:
    free(sorted);
    free(old);
}

/* Sets the present y of all observations. */
static void give_y(struct ct_surrogate *self)
{
    for (size_t i = 0; i < self->gp->count; i++)
        self->fit.y[i] = y_of(self, self->fit.rows[i], self->fit.failure);
    ct_gp_set_y(self->gp, self->fit.y);
}

/* Brings the regression up to date with the samples, without refitting. */
static void sync(struct ct_surrogate *self)
{
    bool changed = self->fit.changed;
    double failure;

    /* The median changes with every result; failures are updated along with others. */
    if (changed)
        self->fit.failure = failure_y(self);
    failure = self->fit.failure;
    self->fit.changed = false;
    if (changed)
        give_y(self);
    for (; self->fit.entered < self->data.count; self->fit.entered++) {
        if (self->gp->count == CT_SURROGATE_ROOM)
            thin_observations(self, failure);
        take_in(self, self->fit.entered, failure);
        changed = changed || self->transfer.source_count;
    }
    if (changed && self->transfer.source_count && self->gp->count) {
        give_y(self);
        if (!ct_surrogate_transfer_weigh(self))
            self->failed = true;
        give_y(self);
    }
    if (!self->pool.panel.count)
        return;
    if (!ct_gp_panel_follow(&self->pool.panel))
        self->failed = true;
    if (changed)
        ct_gp_panel_set_y(&self->pool.panel);
}

/* The number of results at which the next fit is due: geometric, so that all fits together cost a
 * small multiple of the last one; and sparser once a fit cannot use all results, as new ones then
 * add less. */
static size_t next_fit(size_t results)
{
    return results + 2 + results / (results < CT_GP_FIT_MAX ? 4 : 2);
}

/* Refits and renews the candidates when due. */
static void renew_model(struct ct_surrogate *self)
{
    size_t results = self->data.result_count;
    bool local = ct_surrogate_has_stalled(self);
    bool fit = results >= self->fit.next || local != self->fit.local;
    /* If the pool is a sample, a new best adds its neighbours. */
    bool pool = results >= self->pool.next ||
                (self->pool.stale && self->pool.part && results >= self->pool.last + 10);

    if (fit) {
        self->fit.changed = true;
        sync(self);
        if (!ct_gp_fit(self->gp, self->fit.next ? 10 : 30, local) ||
            !ct_surrogate_expect_censored(self) || !ct_surrogate_works_fit(self))
            self->failed = true;
        if (self->fit.changed)
            sync(self);
        self->fit.local = local;
        self->fit.next = next_fit(results);
    }
    if (fit || pool)
        forget_sums(self);
    if (pool) {
        if (!ct_surrogate_pool(self))
            self->failed = true;
        self->pool.stale = false;
        self->pool.last = results;
        self->pool.next = results + (results > 20 ? results : 20);
    } else if (fit && !ct_gp_panel_renew(&self->pool.panel)) {
        self->failed = true;
    }
}

/* The prediction for a candidate, in terms of the objective. */
static void explain_prediction(const struct ct_surrogate *self, double mean, double sd,
                               struct ct_why *why)
{
    double best = ct_surrogate_y(self, self->data.best);
    double better = sd > 0 ? erfc((mean - best) / sd / sqrt(2)) / 2 : mean < best;

    *why = (struct ct_why){
        .reason = better >= 0.5   ? "likely improvement"
                  : better >= 0.1 ? "possible improvement"
                                  : "no candidate is predicted to be better",
        .predicted = true,
        .objective = ct_surrogate_cost(self, mean),
        .low = ct_surrogate_cost(self, mean - 1.96 * sd),
        .high = ct_surrogate_cost(self, mean + 1.96 * sd),
        .is_better = better,
    };
}

/* The most promising candidate of an arm (or any) without a sample; SIZE_MAX: none is left. */
static size_t promising(const struct ct_surrogate *self, size_t arm)
{
    double best = ct_surrogate_goal(self, arm);
    double cheapest = INFINITY;
    double most = -1;
    unsigned most_novel = 0;
    size_t at = SIZE_MAX;
    double most_worth;

    for (size_t c = 0; c < self->pool.count; c++) {
        double price = ct_surrogate_price(self, c);

        cheapest = price < cheapest ? price : cheapest;
    }
    most_worth = exp(-ct_surrogate_thrift * cheapest);
    for (size_t c = 0; c < self->pool.count; c++) {
        double mean;
        double variance;
        double sd;
        double worth;
        double promise;
        unsigned novel;

        if (arm != CT_SURROGATE_ANY && self->pool.arms[c] != arm)
            continue;
        novel = ct_surrogate_arms_novelty(self, arm,
                                          self->works.codes + c * self->features.count);
        if (novel < most_novel)
            continue;
        if (novel > most_novel &&
            !ct_history_has(&self->history, self->pool.indices[c])) {
            most_novel = novel;
            most = -1;
        }
        /* Cheap bounds exclude most candidates. */
        ct_surrogate_at(self, c, &mean, &variance);
        sd = sqrt(variance);
        promise = ct_surrogate_improvement_most(mean, sd, best);
        if (promise * most_worth <= most ||
            ct_history_has(&self->history, self->pool.indices[c]))
            continue;
        worth = exp(-ct_surrogate_thrift * ct_surrogate_price(self, c)) *
                ct_surrogate_chance_to_work(self, c);
        if (promise * worth <= most)
            continue;
        promise = ct_surrogate_improvement(mean, sd, best) * worth;
        if (promise > most) {
            most = promise;
            at = c;
        }
    }
    return at;
}

/* Chooses among the candidates: the position in the pool, for the arm whose turn it is, if it has
 * any left; SIZE_MAX: none is left.  `arm` becomes the one it is for. */
static size_t choose(struct ct_surrogate *self, size_t *arm)
{
    size_t at;

    *arm = ct_surrogate_arms_turn(self);
    at = promising(self, *arm);
    if (at != SIZE_MAX || *arm == CT_SURROGATE_ANY)
        return at;
    self->arms.items[*arm].out = true;
    *arm = CT_SURROGATE_ANY;
    return promising(self, *arm);
}

static bool improve(struct ct_surrogate *self, uint64_t *index, struct ct_why *why)
{
    size_t arm;
    size_t at;
    struct ct_surrogate_candidate candidate;
    struct ct_surrogate_sample *sample;
    double variance;

    *why = (struct ct_why){.reason = "random: no other candidate is left"};
    sync(self);
    renew_model(self);
    if (!ct_surrogate_prices_follow(self) || !ct_surrogate_works_follow(self)) {
        self->failed = true;
        return false;
    }
    at = choose(self, &arm);
    if (at == SIZE_MAX) { /* the pool is used up */
        self->pool.next = 0;
        return ct_history_draw(&self->history, index);
    }
    candidate.index = self->pool.indices[at];
    ct_surrogate_at(self, at, &candidate.mean, &variance);
    candidate.sd = sqrt(variance);
    ct_features_codes(&self->features, candidate.index, self->codes);
    if (self->pool.part && !ct_surrogate_arms_novelty(self, arm, self->codes))
        ct_surrogate_climb(self, arm, &candidate);
    *index = candidate.index;
    sample = sample_of(self, *index);
    if (!sample)
        return false;
    sample->mean = candidate.mean;
    sample->sd = candidate.sd;
    sample->promise = ct_surrogate_promise(self, candidate.mean, candidate.sd);
    explain_prediction(self, candidate.mean, candidate.sd, why);
    if (arm != CT_SURROGATE_ANY)
        why->reason = "for a fair look at each algorithm";
    return !self->failed;
}

/* At the first ask: results from elsewhere are complete. */
static void begin_asking(struct ct_surrogate *self)
{
    self->transfer.begun = true;
    self->failed = self->failed || !ct_surrogate_transfer_begin(self);
    for (size_t s = 0; s < self->data.count && !self->failed; s++)
        self->failed = !look_elsewhere(self, &self->data.samples[s]);
}

static size_t surrogate_ask(struct ct_strategy *strategy, size_t max, uint64_t *indices)
{
    struct ct_surrogate *self = (struct ct_surrogate *)strategy;
    size_t given = 0;

    if (!self->transfer.begun)
        begin_asking(self);
    while (given < max && !self->failed &&
           self->history.results + self->history.pending < self->history.count) {
        struct ct_surrogate_sample *sample;
        struct ct_why why;

        if (!(ct_surrogate_start(self, &indices[given], &why) ||
              improve(self, &indices[given], &why)))
            break;
        sample = sample_of(self, indices[given]);
        if (!sample || !ct_history_ask(&self->history, indices[given]))
            break;
        sample->proposed = true;
        ct_surrogate_arms_note_try(self, indices[given]);
        sample->why = why;
        given++;
    }
    return given;
}

static void surrogate_limit(struct ct_strategy *strategy, const struct ct_limits *limits)
{
    struct ct_surrogate *self = (struct ct_surrogate *)strategy;

    ct_surrogate_arms_limit(&self->arms, limits->evaluations);
}

static void surrogate_prior(struct ct_strategy *strategy, uint64_t index,
                            const struct ct_strategy_result *result, unsigned source)
{
    struct ct_surrogate *self = (struct ct_surrogate *)strategy;

    if (!self->transfer.begun && index < self->history.count &&
        !ct_surrogate_transfer_add(self, source, index, ct_history_result_cost(result)))
        self->failed = true;
}

static bool surrogate_why(struct ct_strategy *strategy, uint64_t index,
                          struct ct_why *out)
{
    struct ct_surrogate *self = (struct ct_surrogate *)strategy;
    uint64_t at = ct_map_get(&self->data.places, index, UINT64_MAX);

    if (at == UINT64_MAX || !self->data.samples[at].proposed)
        return false;
    *out = self->data.samples[at].why;
    return true;
}

static double surrogate_chance(struct ct_strategy *strategy, double factor)
{
    struct ct_surrogate *self = (struct ct_surrogate *)strategy;

    /* Fewer results do not support a statement about the rest of the space. */
    if (self->failed || self->data.ok_count < CT_SURROGATE_CHANCE ||
        !(self->data.best < INFINITY) || !self->data.logarithmic)
        return NAN;
    if (self->history.results >= self->history.count)
        return 0;
    sync(self);
    self->pool.next = 0; /* also consider candidates outside the pool */
    renew_model(self);
    return self->failed ? NAN : ct_surrogate_chance(self, log(factor));
}

const struct ct_strategy_class ct_strategy_surrogate = {
    .name = "surrogate",
    .summary = "expected improvement under a Gaussian process",
    .create = surrogate_create,
    .ask = surrogate_ask,
    .tell = surrogate_tell,
    .destroy = surrogate_destroy,
    .limit = surrogate_limit,
    .prior = surrogate_prior,
    .why = surrogate_why,
    .chance = surrogate_chance,
};
