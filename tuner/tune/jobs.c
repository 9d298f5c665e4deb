// SPDX-License-Identifier: Apache-2.0
// A search's jobs: creating the scheduler, tickets, what is pending.
#include "tune/search_impl.h"

#include "judge/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The configuration that a worker is busy with. */
static int64_t index_of(const struct ct_jobs *jobs,
                        const struct ct_scheduler_worker *worker)
{
    bool early = worker->task == CT_TASK_EARLY;

    if (worker->ticket >= (early ? jobs->early_count : jobs->ticket_count))
        return CT_OUTSIDE;
    return early ? jobs->early_indices[worker->ticket]
                 : jobs->tickets[worker->ticket].index;
}

static void observe_activity(void *user, const struct ct_scheduler_activity *activity)
{
    const struct ct_search *search = user;
    bool known = activity->running && activity->ticket < search->jobs.ticket_count;
    int64_t indices[CT_SCHEDULER_WORKERS_MAX];

    for (size_t i = 0; i < activity->worker_count; i++)
        indices[i] = index_of(&search->jobs, &activity->workers[i]);
    ct_observer_event(
        search->observer,
        &(struct ct_event){.kind = CT_EVENT_ACTIVITY,
                           .search = search,
                           .activity = activity,
                           .indices = indices,
                           .count = known ? 1 : 0,
                           .still = known ? &search->jobs.tickets[activity->ticket].index
                                          : NULL});
}

enum ct_status ct_jobs_begin(struct ct_search *search, struct ct_err *err)
{
    uint64_t count = ct_space_count(search->work.space);
    uint64_t budget = search->budget.evaluations;
    /* Plus the default, which may be none of them. */
    uint64_t expected = (budget && budget < count ? budget : count - 1) + 1;
    struct ct_scheduler_options options = ct_tune_scheduler_options(
        search->options, search->observer, search->noise.samples, expected);
    const struct ct_devinfo *siblings[CT_SIBLINGS_MAX];
    enum ct_status status;

    if (!search->options->rough)
        options.contests = CT_POLICY_NOISE_PROCESSES + 2 * CT_POLICY_STEADY_ROUNDS;
    options.activity = observe_activity;
    options.activity_user = search;
    options.rank = search->jobs.rank;
    options.rank_user = search;
    for (size_t i = 0; i < search->siblings.count; i++)
        siblings[i] = search->siblings.items[i].device;
    options.siblings = siblings;
    options.sibling_count = search->siblings.count;
    options.lost = ct_search_lost_sibling;
    options.lost_user = search;
    status =
        ct_scheduler_new(search->work.device, &options, &search->jobs.scheduler, err);
    if (status)
        return status;
    ct_search_leave_out_siblings(search);
    if (search->noise.known) {
        ct_scheduler_sampling(search->jobs.scheduler, search->noise.samples,
                              search->noise.result.resolution);
        ct_search_announce_second(search);
    }
    return CT_OK;
}

void ct_jobs_release_pending(struct ct_pending *pending)
{
    ct_arena_release(&pending->arena);
    free(pending);
}

static void release_all(struct ct_search *search)
{
    for (size_t i = 0; i < search->jobs.pending_count; i++)
        ct_jobs_release_pending(search->jobs.pending[i]);
    search->jobs.pending_count = 0;
}

void ct_jobs_end(struct ct_search *search)
{
    if (!search->jobs.scheduler)
        return;
    ct_search_note_siblings(search);
    ct_scheduler_stats_get(search->jobs.scheduler, &search->jobs.stats);
    snprintf(search->jobs.duplicates_off, sizeof(search->jobs.duplicates_off), "%s",
             search->jobs.stats.duplicates_off ? search->jobs.stats.duplicates_off : "");
    search->jobs.stats.duplicates_off = search->jobs.duplicates_off;
    /* The scheduler first: it borrows the plans. */
    ct_scheduler_free(search->jobs.scheduler);
    search->jobs.scheduler = NULL;
    search->jobs.early_count = 0;
    ct_arena_release(&search->jobs.early_arena);
    release_all(search);
    ct_canary_release_held(&search->canary);
}

/* Drops the jobs that the scheduler still has: a budget is spent. */
static void drop_jobs(struct ct_search *search)
{
    ct_scheduler_drop(search->jobs.scheduler);
    release_all(search);
    ct_search_drop_drift(search);
}

enum ct_status ct_jobs_postpone(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < search->jobs.pending_count && !status; i++)
        status = ct_index_list_add(&search->jobs.postponed,
                                   search->jobs.pending[i]->entry.index, err);
    drop_jobs(search);
    return status;
}

enum ct_status ct_jobs_new_ticket(struct ct_jobs *jobs, int64_t index,
                                  const struct ct_hash *experiment, uint64_t *ticket,
                                  struct ct_err *err)
{
    struct ct_ticket *slot;

    if (!ct_mem_grow(&jobs->tickets, &jobs->ticket_capacity, jobs->ticket_count + 1,
                     sizeof(*jobs->tickets)))
        return ct_err_nomem(err);
    slot = &jobs->tickets[jobs->ticket_count];
    slot->index = index;
    slot->experiment = *experiment;
    *ticket = jobs->ticket_count++;
    return CT_OK;
}

/* The time that the workers take, as it was when waiting for them began. */
struct waiting {
    enum ct_spent before;
    uint64_t spent_ns;
    struct ct_scheduler_stats first;
};

static struct waiting begin_waiting(struct ct_search *search)
{
    struct waiting waiting = {.before = ct_meter_turn(&search->meter, CT_SPENT_RUN)};

    waiting.spent_ns = search->meter.ns[CT_SPENT_RUN];
    ct_scheduler_stats_get(search->jobs.scheduler, &waiting.first);
    return waiting;
}

static void end_waiting(struct ct_search *search, const struct waiting *waiting)
{
    struct ct_scheduler_stats last;
    uint64_t spent_ns;
    uint64_t build_ns;
    uint64_t run_ns;

    ct_scheduler_stats_get(search->jobs.scheduler, &last);
    ct_meter_turn(&search->meter, waiting->before);
    spent_ns = search->meter.ns[CT_SPENT_RUN] - waiting->spent_ns;
    build_ns = last.build_alone_wall_ns - waiting->first.build_alone_wall_ns;
    run_ns = last.run_wall_ns - waiting->first.run_wall_ns;
    ct_meter_move(&search->meter, CT_SPENT_RUN, CT_SPENT_BUILD, build_ns);
    if (spent_ns > build_ns + run_ns)
        ct_meter_move(&search->meter, CT_SPENT_RUN, CT_SPENT_OTHER,
                      spent_ns - build_ns - run_ns);
}

enum ct_status ct_jobs_wait(struct ct_search *search, struct ct_report *report,
                            struct ct_err *err)
{
    struct waiting waiting = begin_waiting(search);
    enum ct_status status = ct_scheduler_wait(search->jobs.scheduler, report, err);

    end_waiting(search, &waiting);
    return status;
}

bool ct_jobs_linger(struct ct_search *search, uint64_t until_ns)
{
    struct waiting waiting = begin_waiting(search);
    bool ready = ct_scheduler_linger(search->jobs.scheduler, until_ns);

    end_waiting(search, &waiting);
    return ready;
}

/* Whether the A/A test will probably time the default in any case. */
static bool is_timed_again(const struct ct_search *search)
{
    uint64_t budget = search->budget.evaluations;

    return !search->options->samples && !search->options->rough &&
           (!budget || budget >= CT_POLICY_NOISE_WORTH) &&
           ct_search_count(search) > CT_POLICY_NOISE_WORTH;
}

enum ct_status ct_jobs_evaluate(struct ct_search *search, int64_t index,
                                const struct ct_plan *plan,
                                const struct ct_hash *experiment,
                                struct ct_outcome *outcome, struct ct_err *err)
{
    struct ct_job job = {.plan = plan, .full = true, .alone = true};
    struct ct_report report = {0};
    enum ct_status status;

    if (is_timed_again(search))
        job.samples = CT_POLICY_FIRST_SAMPLES;
    status = ct_jobs_new_ticket(&search->jobs, index, experiment, &job.ticket, err);
    if (!status)
        status = ct_scheduler_submit(search->jobs.scheduler, &job, err);
    if (!status)
        status = ct_jobs_wait(search, &report, err);
    if (status == CT_E_NOT_FOUND)
        status = ct_err_set(err, CT_E_INTERNAL, "a configuration was lost");
    if (!status)
        *outcome = report.outcome;
    return status;
}

struct ct_pending *ct_jobs_remove_pending(struct ct_jobs *jobs, uint64_t ticket)
{
    for (size_t i = 0; i < jobs->pending_count; i++) {
        struct ct_pending *pending = jobs->pending[i];

        if (pending->ticket != ticket)
            continue;
        jobs->pending_count--;
        memmove(&jobs->pending[i], &jobs->pending[i + 1],
                (jobs->pending_count - i) * sizeof(struct ct_pending *));
        return pending;
    }
    return NULL;
}

enum ct_status ct_index_list_add(struct ct_index_list *list, int64_t index,
                                 struct ct_err *err)
{
    if (!ct_mem_grow(&list->items, &list->capacity, list->count + 1, sizeof(index)))
        return ct_err_nomem(err);
    list->items[list->count++] = index;
    return CT_OK;
}
