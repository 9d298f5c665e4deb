// SPDX-License-Identifier: Apache-2.0
// In which order configurations that are built run: the most promising ones first.
//
// The sooner the best time is low, the more of the others are slow at a glance and need no further
// launch.  So the order matters even if all of a space is measured, and for strategies that know no
// order.  What a configuration promises is a sum of effects of its values on the logarithm of the
// cost, fitted to the results so far by backfitting; each effect is shrunk as if one more result
// had shown none.  That is cruder than the surrogate and takes microseconds, between two launches.
#include "tune/search_impl.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_LEAST = 3,
    ROWS_MOST = 256,       /* the latest results */
    VALUES_MOST = 1 << 16, /* of all parameters: with more there is no order */
    SWEEPS = 4,
};

struct effects {
    size_t params;
    size_t values;   /* of all parameters */
    size_t *offsets; /* of each parameter's first value */
    double *effect;  /* one per value */
    double *sums;    /* scratch: one per value */
    size_t *counts;
    size_t rows;
    uint32_t *configs; /* [row][parameter]; one more as scratch */
    double *rest;      /* by row: the logarithm less mean and effects */
};

static void release(struct effects *all)
{
    free(all->offsets);
    free(all->effect);
    free(all->sums);
    free(all->counts);
    free(all->configs);
    free(all->rest);
}

static bool make_room(const struct ct_binding *binding, struct effects *all)
{
    all->params = binding->spec->param_count;
    all->offsets = ct_mem_array(all->params + 1, sizeof(*all->offsets));
    if (!all->offsets)
        return false;
    for (size_t p = 0; p < all->params; p++)
        all->offsets[p + 1] = all->offsets[p] + binding->domains[p].count;
    all->values = all->offsets[all->params];
    if (all->values > VALUES_MOST)
        return false;
    all->effect = ct_mem_array(all->values + 1, sizeof(*all->effect));
    all->sums = ct_mem_array(all->values + 1, sizeof(*all->sums));
    all->counts = ct_mem_array(all->values + 1, sizeof(*all->counts));
    all->configs = ct_mem_array(ROWS_MOST + 1, (all->params + 1) * sizeof(*all->configs));
    all->rest = ct_mem_array(ROWS_MOST, sizeof(*all->rest));
    return all->effect && all->sums && all->counts && all->configs && all->rest;
}

struct ranking {
    struct ct_search *search;
    struct effects effects;
};

static void add_row(struct ranking *ranking, int64_t index, double cost)
{
    struct effects *all = &ranking->effects;

    if (index < 0 || !(cost > 0) || !isfinite(cost) || all->rows == ROWS_MOST)
        return;
    ct_space_config(ranking->search->work.space, (uint64_t)index,
                    all->configs + all->rows * all->params);
    all->rest[all->rows++] = log(cost);
}

/* One that is no result yet, as in a batch on a CPU device: without a correction for drift. */
static void add_unreported(void *user, uint64_t ticket, const struct ct_outcome *outcome)
{
    struct ranking *ranking = user;
    struct ct_search *search = ranking->search;
    struct ct_quantities observed;
    int64_t index;
    double value;

    if (outcome->status != CT_RESULT_OK || ticket >= search->jobs.ticket_count)
        return;
    index = search->jobs.tickets[ticket].index;
    if (index < 0)
        return;
    observed = ct_outcome_quantities(outcome);
    value = ct_search_value(search, &(struct ct_evaluated){.index = index}, &observed);
    add_row(ranking, index, ct_objective_positive(&search->objective, value));
}

/* The latest results that worked. */
static void read_results(struct ranking *ranking)
{
    const struct ct_results *results = &ranking->search->results;
    struct effects *all = &ranking->effects;
    double mean = 0;

    ct_scheduler_unreported(ranking->search->jobs.scheduler, add_unreported, ranking);
    for (size_t i = results->done_count; i-- > 0 && all->rows < ROWS_MOST;) {
        const struct ct_evaluated *entry = &results->done[i];

        if (entry->status == CT_RESULT_OK)
            add_row(ranking, entry->index, ct_search_corrected(ranking->search, entry));
    }
    for (size_t i = 0; i < all->rows; i++)
        mean += all->rest[i] / (double)all->rows;
    for (size_t i = 0; i < all->rows; i++)
        all->rest[i] -= mean;
}

/* One parameter's effects anew, given those of the others. */
static void fit_param(struct effects *all, size_t p)
{
    size_t from = all->offsets[p];
    size_t to = all->offsets[p + 1];

    memset(all->sums + from, 0, (to - from) * sizeof(*all->sums));
    memset(all->counts + from, 0, (to - from) * sizeof(*all->counts));
    for (size_t i = 0; i < all->rows; i++) {
        size_t value = from + all->configs[i * all->params + p];

        all->rest[i] += all->effect[value];
        all->sums[value] += all->rest[i];
        all->counts[value]++;
    }
    for (size_t value = from; value < to; value++)
        all->effect[value] = all->sums[value] / (double)(all->counts[value] + 1);
    for (size_t i = 0; i < all->rows; i++)
        all->rest[i] -= all->effect[from + all->configs[i * all->params + p]];
}

/* Of a configuration; nothing is known of what is outside of the space. */
static double promise_of(struct ranking *ranking, int64_t index)
{
    struct effects *all = &ranking->effects;
    uint32_t *config = all->configs + ROWS_MOST * all->params;
    double sum = 0;

    if (index < 0)
        return 0;
    ct_space_config(ranking->search->work.space, (uint64_t)index, config);
    for (size_t p = 0; p < all->params; p++)
        sum += all->effect[all->offsets[p] + config[p]];
    return sum;
}

static double promise_of_ticket(void *user, uint64_t ticket)
{
    struct ranking *ranking = user;

    return promise_of(ranking, ranking->search->jobs.tickets[ticket].index);
}

/* Fits the effects; false if too little is known, or memory is short. */
static bool fit(struct ranking *ranking)
{
    struct effects *all = &ranking->effects;

    if (!make_room(ct_space_binding(ranking->search->work.space), all))
        return false;
    read_results(ranking);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (size_t p = 0; p < all->params; p++)
            fit_param(all, p);
    return all->rows >= ROWS_LEAST;
}

void ct_search_promise(struct ct_search *search)
{
    struct ranking ranking = {.search = search};

    if (ct_scheduler_built_count(search->jobs.scheduler) < 2)
        return;
    /* Without effects they run in the order in which they were proposed. */
    if (fit(&ranking))
        ct_scheduler_rank(search->jobs.scheduler, promise_of_ticket, &ranking);
    release(&ranking.effects);
}

void ct_search_promises(struct ct_search *search, const int64_t *indices, size_t count,
                        double *promises)
{
    struct ranking ranking = {.search = search};
    bool known = fit(&ranking);

    for (size_t i = 0; i < count; i++)
        promises[i] = known ? promise_of(&ranking, indices[i]) : 0;
    release(&ranking.effects);
}

void ct_search_rank(void *search)
{
    struct ct_search *own = search;

    /* If the objective is not a time, a slow configuration may still be the best. */
    if (ct_objective_races(&own->objective, own->work.spec))
        ct_search_promise(own);
}
