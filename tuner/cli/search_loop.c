// SPDX-License-Identifier: Apache-2.0
// The loop of a search: what the strategy asks for goes to the crew, a batch at a time,
// and what the crew reports is stored and told.
#include "cli/search.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

enum { ASK_MAX = 64 }; /* of the strategy at a time */
#define RECORD_S 0.05  /* of work for each record of what is in flight */

/* --- the crew --- */

enum ct_status ct_search_scheduler_begin(struct ct_search *search, struct ct_err *err)
{
    uint64_t count = ct_space_count(search->space);
    uint64_t budget = search->budget_evaluations;
    struct ct_scheduler_options options = {
        .jobs = search->options->jobs,
        .deadlines = ct_cli_deadlines(search->options),
        .seed = CT_INPUT_SEED,
        .no_cache = search->options->no_cache,
        .no_duplicates = search->options->no_duplicates,
        .no_race = search->options->no_race,
        .samples = search->samples,
        /* And the default, which may be none of them. */
        .expected = (budget && budget < count ? budget : count - 1) + 1,
        .slow = search->options->quiet ? NULL : ct_cli_tell_slow,
        .slow_after_ns = CT_CLI_SLOW_NS,
    };

    return ct_scheduler_new(search->device, &options, &search->scheduler, err);
}

void ct_search_release_pending(struct ct_pending *pending)
{
    ct_arena_release(&pending->arena);
    free(pending);
}

static void release_all(struct ct_search *search)
{
    for (size_t i = 0; i < search->pending_count; i++)
        ct_search_release_pending(search->pending[i]);
    search->pending_count = 0;
}

void ct_search_scheduler_end(struct ct_search *search)
{
    if (!search->scheduler)
        return;
    ct_scheduler_stats_get(search->scheduler, &search->stats);
    snprintf(search->duplicates_off, sizeof(search->duplicates_off), "%s",
             search->stats.duplicates_off ? search->stats.duplicates_off : "");
    search->stats.duplicates_off = search->duplicates_off;
    /* First the crew, which borrows the plans. */
    ct_scheduler_free(search->scheduler);
    search->scheduler = NULL;
    release_all(search);
    ct_search_release_held(search);
}

void ct_search_drop(struct ct_search *search)
{
    ct_scheduler_drop(search->scheduler);
    release_all(search);
    search->drift_out = false;
}

enum ct_status ct_search_put_off(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < search->pending_count && !status; i++)
        status = ct_search_list_add(&search->twice, search->pending[i]->entry.index, err);
    ct_search_drop(search);
    return status;
}

enum ct_status ct_search_take_ticket(struct ct_search *search, int64_t index,
                                     const struct ct_hash *experiment, uint64_t *ticket,
                                     struct ct_err *err)
{
    struct ct_ticket *slot;

    if (!ct_mem_grow(&search->tickets, &search->ticket_capacity, search->ticket_count + 1,
                     sizeof(*search->tickets)))
        return ct_err_nomem(err);
    slot = &search->tickets[search->ticket_count];
    slot->index = index;
    slot->experiment = *experiment;
    *ticket = search->ticket_count++;
    return CT_OK;
}

enum ct_status ct_search_evaluate(struct ct_search *search, int64_t index,
                                  const struct ct_plan *plan,
                                  const struct ct_hash *experiment,
                                  struct ct_outcome *outcome, struct ct_err *err)
{
    struct ct_job job = {.plan = plan, .full = true, .alone = true};
    struct ct_report report = {0};
    enum ct_status status =
        ct_search_take_ticket(search, index, experiment, &job.ticket, err);

    if (!status)
        status = ct_scheduler_submit(search->scheduler, &job, err);
    if (!status)
        status = ct_scheduler_wait(search->scheduler, &report, err);
    if (status == CT_E_NOT_FOUND)
        status = ct_err_set(err, CT_E_INTERNAL, "a configuration was lost");
    if (!status)
        *outcome = report.outcome;
    return status;
}

/* --- what is done --- */

enum ct_status ct_search_keep(struct ct_search *search, const struct ct_evaluated *entry,
                              struct ct_err *err)
{
    if (entry->index == CT_OUTSIDE)
        return CT_OK;
    if (!ct_mem_grow(&search->done, &search->done_capacity, search->done_count + 1,
                     sizeof(*entry)))
        return ct_err_nomem(err);
    search->done[search->done_count++] = *entry;
    search->status_counts[entry->status]++;
    search->reused += entry->stored;
    search->evaluated += !entry->stored;
    ct_search_competes(search, entry);
    ct_search_note_progress(search, entry);
    return CT_OK;
}

static enum ct_failure failure_of(enum ct_result_status status)
{
    switch (status) {
    case CT_RESULT_BUILD_FAILED:
        return CT_FAILURE_BUILD;
    case CT_RESULT_INVALID:
    case CT_RESULT_SKIPPED:
        return CT_FAILURE_INVALID;
    case CT_RESULT_WRONG:
        return CT_FAILURE_WRONG;
    case CT_RESULT_CRASHED:
    case CT_RESULT_INTERRUPTED:
        return CT_FAILURE_CRASHED;
    case CT_RESULT_TIMEOUT:
        return CT_FAILURE_TIMEOUT;
    default:
        return CT_FAILURE_NONE;
    }
}

void ct_search_tell(struct ct_search *search, const struct ct_evaluated *entry)
{
    struct ct_strategy_result told = {.failure = failure_of(entry->status)};

    if (entry->index == CT_OUTSIDE)
        return;
    told.ok = ct_search_competes(search, entry);
    told.objective = ct_search_cost(search, entry);
    told.spent_ns = entry->spent_ns;
    ct_strategy_tell(search->strategy, (uint64_t)entry->index, &told);
}

enum ct_status ct_search_check_sources(struct ct_search *search, struct ct_err *err)
{
    const char *changed = ct_source_cache_changed(search->sources);

    if (!changed)
        return CT_OK;
    return ct_err_set(err, CT_E_IO,
                      "%s was changed while the search was running: what was measured "
                      "before is stored; start it again for the rest",
                      changed);
}

enum ct_status ct_search_record(struct ct_search *search, const struct ct_plan *plan,
                                const struct ct_outcome *outcome,
                                const struct ct_hash *twin_of, struct ct_evaluated *entry,
                                struct ct_err *err)
{
    entry->status = outcome->status;
    entry->in_flight_retry = false;
    entry->verified = outcome->verified;
    entry->time_ns = outcome->time_ns;
    entry->low_ns = outcome->low_ns;
    entry->high_ns = outcome->high_ns;
    entry->stopped_early = outcome->stopped_early;
    entry->epoch = ct_drift_epoch(&search->drift);
    entry->place = 0;
    entry->tied = false;
    entry->rounds = 0;
    entry->raw_ns = outcome->time_ns;
    entry->twin_of = twin_of ? *twin_of : (struct ct_hash){""};
    entry->spent_ns = 0;
    for (int i = 0; i < CT_PHASE_COUNT; i++)
        entry->spent_ns += (double)outcome->spent_ns[i];
    ct_search_values(search, entry->index);
    entry->observed = ct_outcome_quantities(outcome);
    entry->timing =
        outcome->status == CT_RESULT_OK ? ct_timing_of(outcome) : (struct ct_timing){0};
    entry->value = ct_search_value(search, &entry->observed);
    if (outcome->doubt && !search->doubted)
        ct_cli_warn("%s", outcome->doubt);
    search->doubted = search->doubted || outcome->doubt;
    ct_search_note_failure(search, outcome->status, outcome->message, outcome->build_log);
    return ct_search_store_result(search, plan, &entry->experiment, outcome, twin_of,
                                  err);
}

/* A late default: from now on gains can be told. */
static enum ct_status note_default(struct ct_search *search,
                                   const struct ct_evaluated *entry, struct ct_err *err)
{
    if (search->default_known || entry->index != search->default_index)
        return CT_OK;
    search->default_result = *entry;
    search->default_known = true;
    return ct_search_store_default(search, err);
}

enum ct_status ct_search_list_add(struct ct_index_list *list, int64_t index,
                                  struct ct_err *err)
{
    if (!ct_mem_grow(&list->items, &list->capacity, list->count + 1, sizeof(index)))
        return ct_err_nomem(err);
    list->items[list->count++] = index;
    return CT_OK;
}

/* --- handing over --- */

static bool in_scheduler(const struct ct_search *search, const struct ct_hash *experiment)
{
    for (size_t i = 0; i < search->pending_count; i++)
        if (strcmp(search->pending[i]->entry.experiment.text, experiment->text) == 0)
            return true;
    for (size_t i = 0; i < search->held_count; i++)
        if (strcmp(search->held[i].pending->entry.experiment.text, experiment->text) == 0)
            return true;
    return false;
}

/* A stored result, as good as a new one. */
static enum ct_status take_known(struct ct_search *search,
                                 const struct ct_evaluated *entry, struct ct_err *err)
{
    enum ct_status status = ct_search_keep(search, entry, err);

    if (status)
        return status;
    ct_search_tell(search, entry);
    if (search->options->verbose)
        ct_search_print_one(search, entry, "", NULL);
    return note_default(search, entry, err);
}

/* A configuration that cannot be made concrete (a global size of 0, a division by zero in
 * an argument) is a result like any other: the default could, so that the space file as a
 * whole is not to blame. */
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
    status = ct_search_store_find(search, &nothing, &entry.experiment, &entry, err);
    if (!status)
        return take_known(search, &entry, err);
    if (status == CT_E_NOT_FOUND)
        status = ct_search_record(search, &nothing, &outcome, NULL, &entry, err);
    if (!status)
        status = ct_search_keep(search, &entry, err);
    if (status)
        return status;
    ct_search_tell(search, &entry);
    if (search->options->verbose)
        ct_search_print_one(search, &entry, why->message, NULL);
    return CT_OK;
}

/* Decides what to do about a configuration: nothing when it is stored, later when it is a
 * suspect (unless `alone`: then its time has come) or the crew has its twin; else it
 * joins the pending ones. */
static enum ct_status consider(struct ct_search *search, int64_t index, bool alone,
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
    ct_search_values(search, index);
    status = ct_search_plan(search, &pending->arena, &pending->plan, &why);
    if (status == CT_E_SPEC && index != search->default_index) {
        status = refuse(search, index, &why, err);
        goto drop;
    }
    if (status) {
        *err = why;
        goto drop;
    }
    entry->experiment = ct_search_experiment(search, &pending->plan);
    if (in_scheduler(search, &entry->experiment)) {
        status = ct_search_list_add(&search->twice, index, err);
        goto drop;
    }
    status = ct_search_store_find(search, &pending->plan, &entry->experiment, entry, err);
    if (!status)
        status = take_known(search, entry, err);
    else if (status == CT_E_NOT_FOUND && entry->in_flight_retry && !alone)
        status = ct_search_list_add(&search->in_flight_retries, index, err);
    else if (status == CT_E_NOT_FOUND) {
        status = ct_search_take_ticket(search, index, &entry->experiment,
                                       &pending->ticket, err);
        if (!status &&
            !ct_mem_grow(&search->pending, &search->pending_capacity,
                         search->pending_count + 1, sizeof(struct ct_pending *)))
            status = ct_err_nomem(err);
        if (status)
            goto drop;
        search->pending[search->pending_count++] = pending;
        return CT_OK;
    }
drop:
    ct_search_release_pending(pending);
    return status;
}

/* Records and hands over the pending ones from number `first` on. */
static enum ct_status hand_over(struct ct_search *search, size_t first, bool alone,
                                struct ct_err *err)
{
    enum ct_status status = CT_OK;

    if (first == search->pending_count)
        return CT_OK;
    status = ct_search_store_inflight(search, err);
    for (size_t i = first; i < search->pending_count && !status; i++) {
        const struct ct_pending *pending = search->pending[i];
        struct ct_job job = {
            .ticket = pending->ticket,
            .plan = &pending->plan,
            .full = pending->entry.index == search->default_index,
            .trusted = search->best_ns > 0 || ct_search_default_ns(search) > 0,
            .alone = alone,
        };

        status = ct_scheduler_submit(search->scheduler, &job, err);
    }
    return status ? status : ct_search_drift_submit(search, err);
}

static double spent_s(const struct ct_search *search)
{
    return (double)(ct_clock_now_ns() - search->start_ns) / 1e9;
}

/* How many evaluations fit into so many seconds at the rate so far, 1 to ASK_MAX. */
static size_t fitting(const struct ct_search *search, double seconds)
{
    double done = (double)(search->evaluated - search->loop_first);
    double used_s = (double)(ct_clock_now_ns() - search->loop_ns) / 1e9;
    double count = seconds * (done + 1) / (used_s + 1e-3);

    return count < 1 || done < 1 ? 1 : count > ASK_MAX ? ASK_MAX : (size_t)count;
}

static size_t jobs_of(const struct ct_search *search)
{
    struct ct_scheduler_stats stats;

    ct_scheduler_stats_get(search->scheduler, &stats);
    return stats.jobs;
}

static bool learns(const struct ct_search *search)
{
    const char *name = ct_strategy_name(search->strategy);

    return strcmp(name, "exhaustive") != 0 && strcmp(name, "random") != 0;
}

/* How many more to hand over now. */
static size_t room(const struct ct_search *search)
{
    size_t out = search->pending_count;
    size_t wanted = ct_scheduler_capacity(search->scheduler);

    if (ct_search_needs_canary(search))
        return 0;
    /* What learns from results is asked for no more than keeps everybody busy. */
    if (learns(search) && out + wanted > 2 * jobs_of(search) + 2)
        wanted = out < 2 * jobs_of(search) + 2 ? 2 * jobs_of(search) + 2 - out : 0;
    /* A crew that is full still takes one when it has nothing. */
    if (!out && !wanted)
        wanted = 1;
    /* Each time waits for the disk once: not for one of many, and where configurations
     * take less than that does, for more of them. */
    if (out && wanted < 1 + jobs_of(search) / 2)
        return 0;
    if (wanted && wanted < fitting(search, RECORD_S))
        wanted = fitting(search, RECORD_S);
    if (search->budget_s > 0) {
        size_t fit = fitting(search, search->budget_s - spent_s(search));

        wanted = fit > out && wanted > fit - out ? fit - out : fit > out ? wanted : 0;
    }
    if (search->budget_evaluations) {
        uint64_t used = search->evaluated + out + search->held_count;
        uint64_t left =
            search->budget_evaluations > used ? search->budget_evaluations - used : 0;

        wanted = wanted > left ? (size_t)left : wanted;
    }
    return wanted;
}

/* The configurations whose experiment the crew had already: by now it may be stored. */
static enum ct_status look_again(struct ct_search *search, struct ct_err *err)
{
    struct ct_index_list list = search->twice;
    enum ct_status status = CT_OK;

    memset(&search->twice, 0, sizeof(search->twice));
    for (size_t i = 0; i < list.count && !status; i++)
        status = consider(search, list.items[i], false, err);
    free(list.items);
    return status;
}

/* Asks the strategy for as much as there is room for; what is pending from number `first`
 * on is handed over with it. */
static enum ct_status refill(struct ct_search *search, size_t first, struct ct_err *err)
{
    size_t wanted = room(search);
    enum ct_status status = CT_OK;

    while (!status && search->pending_count - first < wanted) {
        uint64_t indices[ASK_MAX];
        size_t missing = wanted - (search->pending_count - first);
        size_t count;

        /* What was refused without the crew counts too. */
        if (search->budget_evaluations) {
            uint64_t used =
                search->evaluated + search->pending_count + search->held_count;
            uint64_t left =
                search->budget_evaluations > used ? search->budget_evaluations - used : 0;

            missing = missing > left ? (size_t)left : missing;
        }
        if (!missing)
            break;
        count = ct_strategy_ask(search->strategy, missing < ASK_MAX ? missing : ASK_MAX,
                                indices);
        if (!count)
            break;
        for (size_t i = 0; i < count && !status; i++) {
            bool is_default = (int64_t)indices[i] == search->default_index;

            /* The default was measured before the strategy was asked. */
            if (!is_default || !(search->default_known || search->default_retry))
                status = consider(search, (int64_t)indices[i], false, err);
        }
    }
    return status ? status : hand_over(search, first, false, err);
}

/* One that was in flight when an earlier search died: the machine is its own. */
static enum ct_status try_in_flight_retry(struct ct_search *search, struct ct_err *err)
{
    int64_t index = search->in_flight_retries.items[search->retry_next++];
    enum ct_status status = consider(search, index, true, err);

    return status ? status : hand_over(search, 0, true, err);
}

/* --- taking back --- */

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

/* Waits for one report, and takes what is there then.  After a failure `batch` holds what
 * came before it. */
static enum ct_status wait_batch(struct ct_search *search, struct batch *batch,
                                 struct ct_err *err)
{
    enum ct_status status;

    do {
        if (!ct_mem_grow(&batch->reports, &batch->capacity, batch->count + 1,
                         sizeof(*batch->reports)))
            return ct_err_nomem(err);
        status = ct_scheduler_wait(search->scheduler, &batch->reports[batch->count], err);
        if (!status && ct_search_drift_take(search, &batch->reports[batch->count]))
            continue;
        batch->count += !status;
    } while (!status && ct_scheduler_ready(search->scheduler));
    if (status == CT_E_NOT_FOUND)
        status = ct_err_set(err, CT_E_INTERNAL, "%zu configurations were lost",
                            search->pending_count);
    /* Whichever came first: the order of tickets is that of the strategy. */
    if (batch->count)
        qsort(batch->reports, batch->count, sizeof(*batch->reports), by_ticket);
    return status;
}

/* The pending configuration of a ticket, which is no longer pending then; NULL: none. */
static struct ct_pending *take_pending(struct ct_search *search, uint64_t ticket)
{
    for (size_t i = 0; i < search->pending_count; i++) {
        struct ct_pending *pending = search->pending[i];

        if (pending->ticket != ticket)
            continue;
        search->pending_count--;
        memmove(&search->pending[i], &search->pending[i + 1],
                (search->pending_count - i) * sizeof(struct ct_pending *));
        return pending;
    }
    return NULL;
}

static const struct ct_ticket *duplicate_ticket(const struct ct_search *search,
                                                const struct ct_report *report)
{
    return report->duplicate != CT_DUPLICATE_NONE &&
                   report->twin_of < search->ticket_count
               ? &search->tickets[report->twin_of]
               : NULL;
}

/* Stores what is over in one transaction; `entries` get what there is to keep and tell.
 * *stored says how many are stored when one fails. */
static enum ct_status store_batch(struct ct_search *search, const struct ct_held *over,
                                  size_t count, struct ct_evaluated *entries,
                                  size_t *stored, struct ct_err *err)
{
    struct ct_err own = CT_ERR_INIT;
    enum ct_status status = ct_db_begin(search->db, err);
    enum ct_status ended;

    *stored = 0;
    if (status)
        return status;
    for (size_t i = 0; i < count && !status; i++) {
        const struct ct_ticket *duplicate = duplicate_ticket(search, &over[i].report);
        const struct ct_pending *pending = over[i].pending;

        entries[i] = pending->entry;
        status =
            ct_search_record(search, &pending->plan, &over[i].report.outcome,
                             duplicate ? &duplicate->experiment : NULL, &entries[i], err);
        *stored += !status;
    }
    ended = ct_db_commit(search->db, &own);
    if (ended && !status && err)
        *err = own;
    return status ? status : ended;
}

/* Stores, keeps and tells what is over. */
static enum ct_status finish_batch(struct ct_search *search, const struct ct_held *over,
                                   size_t count, struct ct_err *err)
{
    struct ct_evaluated *entries = ct_mem_array(count, sizeof(*entries));
    size_t stored = 0;
    enum ct_status kept = CT_OK;
    enum ct_status status;

    if (!entries)
        return ct_err_nomem(err);
    status = ct_search_check_sources(search, err);
    if (!status)
        status = store_batch(search, over, count, entries, &stored, err);
    for (size_t i = 0; i < stored && !kept; i++) {
        const struct ct_report *report = &over[i].report;
        const struct ct_ticket *duplicate = duplicate_ticket(search, report);

        kept = ct_search_keep(search, &entries[i], status ? NULL : err);
        if (!kept)
            ct_search_tell(search, &entries[i]);
        if (!kept && search->options->verbose)
            ct_search_print_one(search, &entries[i], report->outcome.message,
                                duplicate ? &duplicate->index : NULL);
        if (!kept && !status)
            kept = note_default(search, &entries[i], err);
    }
    free(entries);
    return status ? status : kept;
}

/* Believes the failures that are held. */
static enum ct_status finish_held(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status =
        search->held_count ? finish_batch(search, search->held, search->held_count, err)
                           : CT_OK;

    ct_search_release_held(search);
    return status;
}

/* Sorts what has come: what is over is finished, failures wait.  Outcomes that are held
 * are taken out of the batch. */
static enum ct_status take_batch(struct ct_search *search, struct batch *batch,
                                 struct ct_err *err)
{
    struct ct_held *over = ct_mem_array(batch->count, sizeof(*over));
    size_t count = 0;
    enum ct_status status = over ? CT_OK : ct_err_nomem(err);
    bool cleared = false;

    for (size_t i = 0; i < batch->count; i++)
        cleared = cleared || ct_search_is_cleared(search, &batch->reports[i]);
    if (!status && cleared) {
        ct_search_note_worked(search);
        status = finish_held(search, err);
    }
    for (size_t i = 0; over && i < batch->count && !status; i++) {
        struct ct_report *report = &batch->reports[i];
        struct ct_pending *pending = take_pending(search, report->ticket);

        if (!pending)
            status = ct_err_set(err, CT_E_INTERNAL, "a report belongs to no job");
        else if (ct_search_holds(search, report) &&
                 !ct_search_hold(search, pending, report, NULL))
            continue;
        else
            over[count++] = (struct ct_held){pending, *report};
    }
    if (!status && count)
        status = finish_batch(search, over, count, err);
    for (size_t i = 0; i < count; i++)
        ct_search_release_pending(over[i].pending);
    free(over);
    return status;
}

/* Waits for reports and does everything about them. */
static enum ct_status collect(struct ct_search *search, struct ct_err *err)
{
    struct batch batch = {0};
    enum ct_status waited = wait_batch(search, &batch, err);
    enum ct_status status =
        batch.count ? take_batch(search, &batch, waited ? NULL : err) : CT_OK;

    release_batch(&batch);
    if (waited || status)
        return waited ? waited : status;
    if (ct_search_races(search))
        /* Where time is not what counts, a slow one may still be the best. */
        ct_scheduler_leader(search->scheduler, search->best_ns);
    ct_progress_draw(&search->progress, ct_clock_now_ns(), search->evaluated,
                     search->best_ns, ct_search_default_ns(search));
    if (!search->estimated &&
        search->evaluated >= search->loop_first + CT_SEARCH_ESTIMATE_AFTER) {
        ct_search_print_estimate(search);
        search->estimated = true;
    }
    return CT_OK;
}

/* What is left in the crew's hands when the loop ends: the default once more. */
static enum ct_status drain(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    while (!status && search->drift_out)
        status = collect(search, err);
    return status;
}

/* With nothing pending: are the failures to be believed? */
static enum ct_status settle_held(struct ct_search *search, struct ct_err *err)
{
    bool works;
    enum ct_status status = ct_search_ask_canary(search, &works, err);

    return status || !works ? status : finish_held(search, err);
}

static enum ct_status loop(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    search->loop_ns = ct_clock_now_ns();
    search->loop_first = search->evaluated;
    if (ct_search_races(search))
        ct_scheduler_leader(search->scheduler, search->best_ns);
    while (!status) {
        size_t first = search->pending_count;

        status = look_again(search, err);
        if (!status) {
            search->end = ct_search_budget_spent(search);
            if (search->end != CT_SEARCH_WHOLE)
                return CT_OK;
        }
        if (!status)
            status = refill(search, first, err);
        if (!status && !search->pending_count && search->held_count) {
            status = settle_held(search, err);
            continue;
        }
        if (!status && !search->pending_count) {
            if (search->retry_next == search->in_flight_retries.count)
                return CT_OK;
            status = try_in_flight_retry(search, err);
        }
        if (!status && search->pending_count)
            status = collect(search, err);
    }
    return status;
}

enum ct_status ct_search_loop(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status = loop(search, err);

    /* The budget is spent: what is still out is given up, but failures are judged. */
    if (!status && search->held_count) {
        status = ct_search_put_off(search, err);
        if (!status)
            status = settle_held(search, err);
    }
    return status ? status : drain(search, err);
}
