// SPDX-License-Identifier: Apache-2.0
// From the strategy to the scheduler: proposals are looked up, refused or submitted.
#include "tune/search_impl.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

enum {
    ASK_MAX = 64,    /* proposals at a time */
    UNKNOWN_MIN = 6, /* without a result at a time: what keeps two builders busy */
    UNKNOWN_SHARE =
        8, /* the part of a budget of evaluations that may be without a result */
};
#define RECORD_S 0.05 /* work per record of what is in flight */
#define LINGER_S 0.02 /* for further results, which are stored together */

/* --- submission --- */

static bool in_scheduler(const struct ct_search *search, const struct ct_hash *experiment)
{
    for (size_t i = 0; i < search->jobs.pending_count; i++)
        if (strcmp(search->jobs.pending[i]->entry.experiment.text, experiment->text) == 0)
            return true;
    for (size_t i = 0; i < search->canary.held_count; i++)
        if (strcmp(search->canary.held[i].pending->entry.experiment.text,
                   experiment->text) == 0)
            return true;
    return false;
}

/* A stored result counts like a new one. */
static enum ct_status take_known(struct ct_search *search,
                                 const struct ct_evaluated *entry, struct ct_err *err)
{
    enum ct_status status = ct_search_add(search, entry, err);

    if (status)
        return status;
    ct_search_learn(search, entry);
    ct_search_show(search, entry, "", NULL);
    return ct_search_note_default(search, entry, err);
}

/* A configuration that has no plan (a global size of 0, a division by zero in an argument) is a
 * result like any other: the default has one, so the space file as a whole is not to blame. */
static enum ct_status refuse(struct ct_search *search, int64_t index,
                             const struct ct_err *why, struct ct_err *err)
{
    const struct ct_plan nothing = {0};
    struct ct_outcome outcome = {.status = CT_RESULT_INVALID,
                                 .phase = CT_PHASE_START,
                                 .message = why->message,
                                 .build_log = ""};
    struct ct_evaluated entry = {.index = index};
    enum ct_status status = ct_search_refused(search, why, &entry.experiment, err);

    if (status)
        return status;
    status = ct_search_find_stored(search, &nothing, &entry.experiment, &entry, err);
    if (!status)
        return take_known(search, &entry, err);
    if (status == CT_E_NOT_FOUND)
        status = ct_search_record(search, &nothing, &outcome, NULL, &entry, err);
    if (!status)
        status = ct_search_add(search, &entry, err);
    if (status)
        return status;
    ct_search_learn(search, &entry);
    ct_search_show(search, &entry, why->message, NULL);
    return CT_OK;
}

/* Handles a proposal: nothing to do if it is stored; later if it was in flight when the machine
 * went down (unless `alone`: its turn has come) or the scheduler has its duplicate; else it joins
 * the pending ones. */
static enum ct_status look_up(struct ct_search *search, int64_t index, bool alone,
                              struct ct_err *err)
{
    struct ct_pending *pending = ct_mem_array(1, sizeof(*pending));
    struct ct_err why = CT_ERR_INIT;
    struct ct_evaluated *entry;
    enum ct_status status;

    if (!pending)
        return ct_err_nomem(err);
    entry = &pending->entry;
    entry->index = index;
    ct_workload_values(&search->work, index);
    status = ct_workload_plan(&search->work, search->objective.needs, &pending->arena,
                              &pending->plan, &why);
    if (status == CT_E_SPEC && index != search->work.default_index) {
        status = refuse(search, index, &why, err);
        goto drop;
    }
    if (status) {
        *err = why;
        goto drop;
    }
    entry->experiment = ct_workload_experiment(&search->work, &pending->plan);
    if (in_scheduler(search, &entry->experiment)) {
        status = ct_index_list_add(&search->jobs.postponed, index, err);
        goto drop;
    }
    status =
        ct_search_find_stored(search, &pending->plan, &entry->experiment, entry, err);
    if (!status)
        status = take_known(search, entry, err);
    else if (status == CT_E_NOT_FOUND && entry->in_flight_retry && !alone)
        status = ct_index_list_add(&search->jobs.retries, index, err);
    else if (status == CT_E_NOT_FOUND) {
        status = ct_jobs_new_ticket(&search->jobs, index, &entry->experiment,
                                    &pending->ticket, err);
        if (!status &&
            !ct_mem_grow(&search->jobs.pending, &search->jobs.pending_capacity,
                         search->jobs.pending_count + 1, sizeof(struct ct_pending *)))
            status = ct_err_nomem(err);
        if (status)
            goto drop;
        search->jobs.pending[search->jobs.pending_count++] = pending;
        return CT_OK;
    }
drop:
    ct_jobs_release_pending(pending);
    return status;
}

/* Records and submits the pending ones from number `first` on. */
static enum ct_status submit_pending(struct ct_search *search, size_t first, bool alone,
                                     struct ct_err *err)
{
    enum ct_status status = CT_OK;

    if (first == search->jobs.pending_count)
        return CT_OK;
    status = ct_search_store_inflight(search, err);
    for (size_t i = first; i < search->jobs.pending_count && !status; i++) {
        const struct ct_pending *pending = search->jobs.pending[i];
        struct ct_job job = {
            .ticket = pending->ticket,
            .plan = &pending->plan,
            .full = pending->entry.index == search->work.default_index,
            .trusted = search->results.best_ns > 0 || ct_search_default_ns(search) > 0,
            .alone = alone,
        };

        status = ct_scheduler_submit(search->jobs.scheduler, &job, err);
    }
    return status ? status : ct_search_submit_drift(search, err);
}

static double spent_s(const struct ct_search *search)
{
    return (double)(ct_clock_now_ns() - search->pace.start_ns) / 1e9;
}

/* How many evaluations fit into `seconds` at the rate so far, 1 to ASK_MAX. */
static size_t fitting(const struct ct_search *search, double seconds)
{
    double done = (double)(search->results.evaluated - search->pace.loop_first);
    double used_s = (double)(ct_clock_now_ns() - search->pace.loop_ns) / 1e9;
    double count = seconds * (done + 1) / (used_s + 1e-3);

    return count < 1 || done < 1 ? 1 : count > ASK_MAX ? ASK_MAX : (size_t)count;
}

static size_t jobs_of(const struct ct_search *search)
{
    struct ct_scheduler_stats stats;

    ct_scheduler_stats_get(search->jobs.scheduler, &stats);
    return stats.jobs;
}

bool ct_search_learns(const struct ct_search *search)
{
    const char *name = ct_strategy_name(search->proposer.strategy);

    return strcmp(name, "exhaustive") != 0 && strcmp(name, "random") != 0;
}

/* Evaluations that count for the budget: done, in the scheduler, and held. */
static uint64_t begun(const struct ct_search *search)
{
    return search->results.evaluated + search->jobs.pending_count +
           search->canary.held_count;
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t ct_search_most_unknown(const struct ct_search *search)
{
    size_t busy = 2 * jobs_of(search) + 2;
    uint64_t share = search->budget.evaluations / UNKNOWN_SHARE;

    if (!ct_search_learns(search))
        return SIZE_MAX;
    if (!search->budget.evaluations || share >= busy)
        return busy;
    return share > UNKNOWN_MIN ? (size_t)share : least_of(busy, UNKNOWN_MIN);
}

/* How many more to submit now that `out` are without a report. */
static size_t free_room(const struct ct_search *search, size_t out)
{
    size_t most = ct_search_most_unknown(search);
    size_t left = most > out ? most - out : 0;
    size_t wanted = least_of(ct_scheduler_capacity(search->jobs.scheduler), left);
    size_t quick = fitting(search, RECORD_S);

    if (ct_canary_is_due(&search->canary))
        return 0;
    /* A full scheduler still accepts one if it has nothing. */
    if (!out && !wanted)
        wanted = 1;
    /* Each record waits for the disk once: not for one of many, and where configurations take
     * less time than that, for more of them. */
    if (out && wanted < least_of(1 + jobs_of(search) / 2, most / 4 + 1))
        return 0;
    if (search->budget.evaluations)
        quick = least_of(quick, left);
    if (wanted && wanted < quick)
        wanted = quick;
    if (search->budget.seconds > 0) {
        size_t fit = fitting(search, search->budget.seconds - search->budget.reserved_s -
                                         spent_s(search));

        wanted = fit > out && wanted > fit - out ? fit - out : fit > out ? wanted : 0;
    }
    return ct_budget_room(&search->budget, begun(search), wanted);
}

uint64_t ct_search_may_linger_ns(const struct ct_search *search, size_t reported)
{
    size_t out = search->jobs.pending_count - reported;

    /* Where configurations take longer, each is stored as it comes. */
    return out && fitting(search, LINGER_S) > 1 && !free_room(search, out)
               ? (uint64_t)(LINGER_S * 1e9)
               : 0;
}

enum ct_status ct_search_look_again(struct ct_search *search, struct ct_err *err)
{
    struct ct_index_list list = search->jobs.postponed;
    enum ct_status status = CT_OK;

    memset(&search->jobs.postponed, 0, sizeof(search->jobs.postponed));
    for (size_t i = 0; i < list.count && !status; i++)
        status = look_up(search, list.items[i], false, err);
    free(list.items);
    return status;
}

enum ct_status ct_search_propose(struct ct_search *search, size_t first,
                                 struct ct_err *err)
{
    size_t wanted = free_room(search, search->jobs.pending_count);
    enum ct_status status = CT_OK;

    while (!status && search->jobs.pending_count - first < wanted) {
        uint64_t indices[ASK_MAX];
        size_t missing = wanted - (search->jobs.pending_count - first);
        enum ct_spent before;
        size_t count;

        /* Refused without the scheduler: they count too. */
        missing = ct_budget_room(&search->budget, begun(search), missing);
        if (!missing)
            break;
        before = ct_meter_turn(&search->meter, CT_SPENT_STRATEGY);
        count = ct_strategy_ask(search->proposer.strategy,
                                missing < ASK_MAX ? missing : ASK_MAX, indices);
        ct_meter_turn(&search->meter, before);
        if (!count)
            break;
        for (size_t i = 0; i < count && !status; i++) {
            bool is_default = (int64_t)indices[i] == search->work.default_index;

            /* The default was measured before the strategy was asked. */
            if (!is_default || !(search->defaults.known || search->defaults.retry))
                status = look_up(search, (int64_t)indices[i], false, err);
        }
    }
    return status ? status : submit_pending(search, first, false, err);
}

enum ct_status ct_search_retry_in_flight(struct ct_search *search, struct ct_err *err)
{
    int64_t index = search->jobs.retries.items[search->jobs.retry_next++];
    enum ct_status status = look_up(search, index, true, err);

    return status ? status : submit_pending(search, 0, true, err);
}
