// SPDX-License-Identifier: Apache-2.0
// In which order configurations that are built run: the most promising ones first.
//
// The sooner the best time is low, the more of the others are slow at a glance and need no further
// launch.  So the order matters even if all of a space is measured, and for strategies that know no
// order.  What a configuration promises is the sum of its values' effects (search/additive.h).
#include "tune/search_impl.h"

#include "search/additive.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS_MOST = 256 }; /* the latest results: a fit takes place between two launches */

struct ranking {
    struct ct_search *search;
    struct ct_additive model;
    uint32_t *config; /* scratch */
};

static void add_row(struct ranking *ranking, int64_t index, double cost)
{
    if (index < 0 || !(cost > 0) || !isfinite(cost) || ranking->model.rows == ROWS_MOST)
        return;
    ct_space_config(ranking->search->work.space, (uint64_t)index, ranking->config);
    ct_additive_add(&ranking->model, ranking->config, log(cost));
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

    ct_scheduler_unreported(ranking->search->jobs.scheduler, add_unreported, ranking);
    for (size_t i = results->done_count; i-- > 0 && ranking->model.rows < ROWS_MOST;) {
        const struct ct_evaluated *entry = &results->done[i];

        if (entry->status == CT_RESULT_OK)
            add_row(ranking, entry->index, ct_search_corrected(ranking->search, entry));
    }
}

/* Of a configuration; nothing is known of what is outside of the space. */
static double promise_of(struct ranking *ranking, int64_t index)
{
    if (index < 0)
        return 0;
    ct_space_config(ranking->search->work.space, (uint64_t)index, ranking->config);
    return ct_additive_of(&ranking->model, ranking->config);
}

static double promise_of_ticket(void *user, uint64_t ticket)
{
    struct ranking *ranking = user;

    return promise_of(ranking, ranking->search->jobs.tickets[ticket].index);
}

/* False if too little is known, or memory is short; `release` still follows. */
static bool fit(struct ranking *ranking)
{
    const struct ct_binding *binding = ct_space_binding(ranking->search->work.space);

    if (!ct_additive_init(&ranking->model, binding, ROWS_MOST))
        return false;
    ranking->config =
        ct_mem_array(binding->spec->param_count + 1, sizeof(*ranking->config));
    if (!ranking->config)
        return false;
    read_results(ranking);
    return ct_additive_fit(&ranking->model);
}

static void release(struct ranking *ranking)
{
    ct_additive_release(&ranking->model);
    free(ranking->config);
}

void ct_search_promise(struct ct_search *search)
{
    struct ranking ranking = {.search = search};

    if (ct_scheduler_built_count(search->jobs.scheduler) < 2)
        return;
    /* Without effects they run in the order in which they were proposed. */
    if (fit(&ranking))
        ct_scheduler_rank(search->jobs.scheduler, promise_of_ticket, &ranking);
    release(&ranking);
}

void ct_search_promises(struct ct_search *search, const int64_t *indices, size_t count,
                        double *promises)
{
    struct ranking ranking = {.search = search};
    bool known = fit(&ranking);

    for (size_t i = 0; i < count; i++)
        promises[i] = known ? promise_of(&ranking, indices[i]) : 0;
    release(&ranking);
}

void ct_search_rank(void *search)
{
    struct ct_search *own = search;

    /* If the objective is not a time, a slow configuration may still be the best. */
    if (ct_objective_races(&own->objective, own->work.spec))
        ct_search_promise(own);
}
