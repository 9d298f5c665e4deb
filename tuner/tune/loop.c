// SPDX-License-Identifier: Apache-2.0
// The loop of a search: the strategy proposes, the scheduler works, results are learnt from.
#include "tune/search_impl.h"

#include "base/clock.h"
#include "judge/policy.h"

#include <string.h>

/* Finishes what the scheduler still has when the loop ends: the default's repetition, and what that
 * asks for. */
static enum ct_status drain(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    while (!status && (search->drift.out || search->drift.witness.wanted))
        status = search->drift.out ? ct_search_collect(search, err)
                                   : ct_search_submit_drift(search, err);
    return status;
}

/* Whether further configurations would be as wrong as these: not the kernel, but what it is
 * compared with must be at fault. */
static bool all_is_wrong(const struct ct_search *search)
{
    return !search->options->keep_going && search->defaults.known &&
           search->defaults.result.status == CT_RESULT_WRONG &&
           search->results.all_wrong >= CT_POLICY_ALL_WRONG &&
           !search->results.status_counts[CT_RESULT_OK];
}

/* Whether enough is known: little chance remains that something better is found. */
static bool chance_is_low(struct ct_search *search)
{
    enum ct_spent before;
    double chance;

    if (!ct_budget_asks_chance(&search->budget, search->results.evaluated))
        return false;
    before = ct_meter_turn(&search->meter, CT_SPENT_STRATEGY);
    chance = ct_search_chance(search);
    ct_meter_turn(&search->meter, before);
    return chance < search->budget.until_chance; /* an unknown one, NAN, is not low */
}

static enum ct_status run_loop(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    search->pace.loop_ns = ct_clock_now_ns();
    search->pace.loop_first = search->results.evaluated;
    if (ct_objective_races(&search->objective, search->work.spec))
        ct_scheduler_leader(search->jobs.scheduler, ct_search_bar_ns(search));
    while (!status) {
        size_t first = search->jobs.pending_count;

        status = ct_search_read_islands(search, err);
        if (!status)
            status = ct_search_look_again(search, err);
        if (!status) {
            search->budget.end = ct_budget_spent(
                &search->budget, &search->objective, &search->results,
                (double)(ct_clock_now_ns() - search->pace.start_ns) / 1e9);
            if (search->budget.end == CT_SEARCH_WHOLE && all_is_wrong(search))
                search->budget.end = CT_SEARCH_ALL_WRONG;
            if (search->budget.end == CT_SEARCH_WHOLE && chance_is_low(search))
                search->budget.end = CT_SEARCH_CHANCE;
            if (search->budget.end != CT_SEARCH_WHOLE)
                return CT_OK;
        }
        if (!status)
            status = ct_search_propose(search, first, err);
        if (!status && !search->jobs.pending_count && search->canary.held_count) {
            status = ct_search_settle_held(search, err);
            continue;
        }
        if (!status && !search->jobs.pending_count) {
            if (search->jobs.retry_next == search->jobs.retries.count)
                return CT_OK;
            status = ct_search_retry_in_flight(search, err);
        }
        if (!status && search->jobs.pending_count)
            status = ct_search_collect(search, err);
    }
    return status;
}

enum ct_status ct_search_loop(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status = run_loop(search, err);

    /* The budget is spent: jobs in flight are dropped, but held failures are settled. */
    if (!status && search->canary.held_count) {
        status = ct_jobs_postpone(search, err);
        if (!status)
            status = ct_search_settle_held(search, err);
    }
    /* When the time is up, what runs is dropped. */
    if (status || search->budget.end == CT_SEARCH_TIME)
        return status;
    status = drain(search, err);
    return status ? status : ct_search_look_twice(search, err);
}
