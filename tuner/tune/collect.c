// SPDX-License-Identifier: Apache-2.0
// From the scheduler to the results, one batch of reports at a time.
#include "tune/search_impl.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

/* --- collecting --- */

struct batch {
    struct ct_report *reports;
    size_t count;
    size_t capacity;
};

static void release_batch(struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        ct_outcome_release(&batch->reports[i].outcome);
    free(batch->reports);
}

static int by_ticket(const void *a, const void *b)
{
    const struct ct_report *x = a;
    const struct ct_report *y = b;

    return (x->ticket > y->ticket) - (x->ticket < y->ticket);
}

/* Whether a further report is there, or comes while the first one can wait. */
static bool another_comes(struct ct_search *search, size_t count, uint64_t first_ns)
{
    uint64_t for_ns;

    if (ct_scheduler_ready(search->jobs.scheduler))
        return true;
    for_ns = count ? ct_search_may_linger_ns(search, count) : 0;
    return for_ns && ct_jobs_linger(search, first_ns + for_ns);
}

/* Waits for one report, and takes all that have arrived or follow soon.  After a failure `batch`
 * holds what came before it. */
static enum ct_status wait_batch(struct ct_search *search, struct batch *batch,
                                 struct ct_err *err)
{
    enum ct_status status;
    uint64_t first_ns = 0;

    do {
        if (!ct_mem_grow(&batch->reports, &batch->capacity, batch->count + 1,
                         sizeof(*batch->reports)))
            return ct_err_nomem(err);
        status = ct_jobs_wait(search, &batch->reports[batch->count], err);
        if (!status && ct_search_accept_drift(search, &batch->reports[batch->count]))
            continue;
        batch->count += !status;
        first_ns = batch->count == 1 ? ct_clock_now_ns() : first_ns;
    } while (!status && another_comes(search, batch->count, first_ns));
    if (status == CT_E_NOT_FOUND)
        status = ct_err_set(err, CT_E_INTERNAL, "%zu configurations were lost",
                            search->jobs.pending_count);
    /* Tickets follow the strategy's order, reports may not. */
    if (batch->count)
        qsort(batch->reports, batch->count, sizeof(*batch->reports), by_ticket);
    return status;
}

static const struct ct_ticket *duplicate_ticket(const struct ct_search *search,
                                                const struct ct_report *report)
{
    return report->duplicate != CT_DUPLICATE_NONE &&
                   report->duplicate_of < search->jobs.ticket_count
               ? &search->jobs.tickets[report->duplicate_of]
               : NULL;
}

/* Stores finished reports in one transaction; `entries` receives the results to keep and show.
 * *stored says how many are stored when one fails. */
static enum ct_status store_batch(struct ct_search *search, const struct ct_held *over,
                                  size_t count, struct ct_evaluated *entries,
                                  size_t *stored, struct ct_err *err)
{
    struct ct_err own = CT_ERR_INIT;
    enum ct_spent before = ct_meter_turn(&search->meter, CT_SPENT_STORE);
    enum ct_status status = ct_db_begin(search->store.db, err);
    enum ct_status ended;

    *stored = 0;
    if (status) {
        ct_meter_turn(&search->meter, before);
        return status;
    }
    for (size_t i = 0; i < count && !status; i++) {
        const struct ct_ticket *duplicate = duplicate_ticket(search, &over[i].report);
        const struct ct_pending *pending = over[i].pending;

        entries[i] = pending->entry;
        status =
            ct_search_record(search, &pending->plan, &over[i].report.outcome,
                             duplicate ? &duplicate->experiment : NULL, &entries[i], err);
        *stored += !status;
    }
    ended = ct_db_commit(search->store.db, &own);
    ct_meter_turn(&search->meter, before);
    if (ended && !status && err)
        *err = own;
    return status ? status : ended;
}

/* Stores, keeps and shows finished reports. */
static enum ct_status finish_batch(struct ct_search *search, const struct ct_held *over,
                                   size_t count, struct ct_err *err)
{
    struct ct_evaluated *entries = ct_mem_array(count, sizeof(*entries));
    size_t stored = 0;
    enum ct_status kept = CT_OK;
    enum ct_status status;

    if (!entries)
        return ct_err_nomem(err);
    status = ct_workload_check_sources(&search->work, err);
    if (!status)
        status = store_batch(search, over, count, entries, &stored, err);
    for (size_t i = 0; i < stored && !kept; i++) {
        const struct ct_report *report = &over[i].report;
        const struct ct_ticket *duplicate = duplicate_ticket(search, report);

        kept = ct_search_add(search, &entries[i], status ? NULL : err);
        ct_search_note_spread(search, &report->outcome);
        if (!kept)
            ct_search_learn(search, &entries[i]);
        if (!kept)
            ct_search_show(search, &entries[i], report->outcome.message,
                           duplicate ? &duplicate->index : NULL);
        if (!kept && !status)
            kept = ct_search_note_default(search, &entries[i], err);
    }
    free(entries);
    return status ? status : kept;
}

/* Accepts the failures that are held. */
static enum ct_status finish_held(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status =
        search->canary.held_count
            ? finish_batch(search, search->canary.held, search->canary.held_count, err)
            : CT_OK;

    ct_canary_release_held(&search->canary);
    return status;
}

/* Sorts a batch: finished reports are stored, failures wait.  Outcomes that are held are taken
 * out of the batch. */
static enum ct_status take_batch(struct ct_search *search, struct batch *batch,
                                 struct ct_err *err)
{
    struct ct_held *over = ct_mem_array(batch->count, sizeof(*over));
    size_t count = 0;
    enum ct_status status = over ? CT_OK : ct_err_nomem(err);
    bool cleared = false;

    for (size_t i = 0; i < batch->count; i++)
        cleared = cleared || ct_canary_is_cleared(&search->canary, &batch->reports[i]);
    if (!status && cleared) {
        ct_canary_note_worked(&search->canary);
        status = finish_held(search, err);
    }
    for (size_t i = 0; over && i < batch->count && !status; i++) {
        struct ct_report *report = &batch->reports[i];
        struct ct_pending *pending =
            ct_jobs_remove_pending(&search->jobs, report->ticket);

        if (!pending)
            status = ct_err_set(err, CT_E_INTERNAL, "a report belongs to no job");
        else if (ct_canary_holds(search, report) &&
                 !ct_canary_hold(search, pending, report, NULL))
            continue;
        else
            over[count++] = (struct ct_held){pending, *report};
    }
    if (!status && count)
        status = finish_batch(search, over, count, err);
    for (size_t i = 0; i < count; i++)
        ct_jobs_release_pending(over[i].pending);
    free(over);
    return status;
}

enum ct_status ct_search_collect(struct ct_search *search, struct ct_err *err)
{
    struct batch batch = {0};
    enum ct_status waited = wait_batch(search, &batch, err);
    enum ct_status status =
        batch.count ? take_batch(search, &batch, waited ? NULL : err) : CT_OK;

    release_batch(&batch);
    if (waited || status)
        return waited ? waited : status;
    /* If the objective is not a time, a slow configuration may still be the best. */
    if (ct_objective_races(&search->objective, search->work.spec)) {
        ct_scheduler_leader(search->jobs.scheduler, ct_search_bar_ns(search));
        ct_search_promise(search);
    }
    ct_observer_event(search->observer,
                      &(struct ct_event){.kind = CT_EVENT_PROGRESS, .search = search});
    return CT_OK;
}

enum ct_status ct_search_settle_held(struct ct_search *search, struct ct_err *err)
{
    bool works;
    enum ct_status status = ct_canary_ask(search, &works, err);

    return status || !works ? status : finish_held(search, err);
}
