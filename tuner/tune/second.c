// SPDX-License-Identifier: Apache-2.0
// A second look at what seemed slow.
//
// On processors that other machines share, something slows single configurations down for a tenth of a
// second, one in twenty, up to 2.6 times: all the samples that they get, so that they are stopped early or
// have no chance in the play-off.  No statistics of one visit can tell that from a slow kernel; another
// visit can.  Most promising ones come first, because most of those that look slow are.
#include "tune/search_impl.h"

#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"
#include "judge/policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOGETHER = 4 }; /* between two looks at the clock */

/* Where in the results, and by what it promises. */
struct slow_one {
    size_t at;
    double promise;
};

struct second_look {
    struct ct_search *search;
    struct slow_one *items;
    size_t count;
    size_t next;
    uint64_t end_ns; /* nothing begins later */
    struct ct_map experiments;
    struct visit {
        size_t at; /* in the results */
        struct ct_arena arena;
        struct ct_plan plan;
        uint64_t ticket;
    } visits[TOGETHER];
    size_t visit_count;
};

static bool is_due(const struct ct_search *search)
{
    return ct_search_looks_twice(search) && search->results.evaluated &&
           search->budget.end != CT_SEARCH_TIME &&
           search->budget.end != CT_SEARCH_TARGET &&
           search->budget.end != CT_SEARCH_ALL_WRONG;
}

/* Slower by what a moment may cost: closer ones meet the best in the play-off, if need be. */
static bool is_doubtful(const struct ct_search *search, const struct ct_evaluated *entry)
{
    double ratio = entry->time_ns / search->results.best_ns;
    double far = fmin(1 + search->noise.result.resolution, CT_POLICY_SECOND_FAR);

    return entry->status == CT_RESULT_OK && !entry->stored && !entry->played &&
           !*entry->duplicate_of.text && entry->index != CT_OUTSIDE &&
           (entry->stopped_early || ratio >= far) && ratio <= CT_POLICY_SECOND_NEAR;
}

static int by_promise(const void *a, const void *b)
{
    const struct slow_one *x = a;
    const struct slow_one *y = b;

    return x->promise != y->promise
               ? (x->promise > y->promise) - (x->promise < y->promise)
               : (x->at > y->at) - (x->at < y->at);
}

/* All that are doubtful, most promising first. */
static enum ct_status find_doubtful(struct second_look *look, struct ct_err *err)
{
    struct ct_search *search = look->search;
    size_t most = search->results.done_count;
    int64_t *indices = ct_mem_array(most + 1, sizeof(*indices));
    double *promises = ct_mem_array(most + 1, sizeof(*promises));
    enum ct_status status = CT_OK;

    look->items = ct_mem_array(most + 1, sizeof(*look->items));
    if (!indices || !promises || !look->items) {
        status = ct_err_nomem(err);
        goto done;
    }
    for (size_t i = 0; i < most; i++) {
        if (!is_doubtful(search, &search->results.done[i]))
            continue;
        indices[look->count] = search->results.done[i].index;
        look->items[look->count++].at = i;
    }
    if (!look->count)
        goto done;
    ct_search_promises(search, indices, look->count, promises);
    for (size_t i = 0; i < look->count; i++)
        look->items[i].promise = promises[i];
    qsort(look->items, look->count, sizeof(*look->items), by_promise);
done:
    free(indices);
    free(promises);
    return status;
}

/* A share of the search so far, within the limit of time. */
static uint64_t end_of(const struct ct_search *search, uint64_t now_ns)
{
    double spent_s = (double)(now_ns - search->pace.start_ns) / 1e9;
    double share_s = fmax(CT_POLICY_SECOND_SHARE * spent_s, CT_POLICY_SECOND_LEAST_S);
    const struct ct_budget *budget = &search->budget;

    if (budget->seconds > 0)
        share_s = fmax(fmin(share_s, budget->seconds - budget->reserved_s - spent_s), 0);
    return now_ns + (uint64_t)(share_s * 1e9);
}

static void release_visits(struct second_look *look)
{
    for (size_t i = 0; i < look->visit_count; i++)
        ct_arena_release(&look->visits[i].arena);
    look->visit_count = 0;
}

static enum ct_status submit(struct second_look *look, size_t at, struct ct_err *err)
{
    struct ct_search *search = look->search;
    const struct ct_evaluated *entry = &search->results.done[at];
    struct visit *visit = &look->visits[look->visit_count++];
    struct ct_job job = {.plan = &visit->plan,
                         .again = true,
                         .trusted = true,
                         .samples = CT_POLICY_SECOND_SAMPLES,
                         .beat_ns = CT_POLICY_SECOND_BEAT * entry->time_ns};
    enum ct_status status;

    *visit = (struct visit){.at = at};
    ct_workload_values(&search->work, entry->index);
    status = ct_workload_plan(&search->work, search->objective.needs, &visit->arena,
                              &visit->plan, err);
    if (!status)
        status = ct_jobs_new_ticket(&search->jobs, entry->index, &entry->experiment,
                                    &job.ticket, err);
    visit->ticket = job.ticket;
    return status ? status : ct_scheduler_submit(search->jobs.scheduler, &job, err);
}

/* What was faster takes the place of the first: nothing makes a kernel faster than it is. */
static enum ct_status take(struct second_look *look, const struct ct_report *report,
                           struct ct_err *err)
{
    struct ct_search *search = look->search;
    const struct ct_outcome *outcome = &report->outcome;
    const struct ct_evaluated *entry = NULL;
    struct ct_hash root;

    for (size_t i = 0; i < look->visit_count; i++)
        if (look->visits[i].ticket == report->ticket)
            entry = &search->results.done[look->visits[i].at];
    if (!entry)
        return ct_err_set(err, CT_E_INTERNAL, "a report belongs to no job");
    search->second.timed++;
    /* An output that is wrong now and then is wrong. */
    if (outcome->status != CT_RESULT_WRONG &&
        (outcome->status != CT_RESULT_OK || outcome->time_ns >= entry->time_ns ||
         (outcome->stopped_early &&
          outcome->time_ns >= CT_POLICY_SECOND_BEAT * entry->time_ns)))
        return CT_OK;
    search->second.faster += outcome->status == CT_RESULT_OK;
    root = ct_search_root(search, &look->experiments, entry);
    return ct_search_record_again(search, &look->experiments, &root, outcome, err);
}

/* The next few: all are submitted, then all are waited for. */
static enum ct_status look_at_some(struct second_look *look, struct ct_err *err)
{
    struct ct_search *search = look->search;
    enum ct_status status = CT_OK;

    while (!status && look->visit_count < TOGETHER && look->next < look->count)
        status = submit(look, look->items[look->next++].at, err);
    for (size_t i = 0; i < look->visit_count && !status; i++) {
        struct ct_report report;

        status = ct_jobs_wait(search, &report, err);
        if (status == CT_E_NOT_FOUND)
            status = ct_err_set(err, CT_E_INTERNAL, "a configuration was lost");
        if (status)
            break;
        status = take(look, &report, err);
        ct_outcome_release(&report.outcome);
    }
    if (status)
        ct_scheduler_drop(search->jobs.scheduler);
    release_visits(look);
    if (!status) {
        ct_search_note_best(search, NULL);
        ct_scheduler_leader(search->jobs.scheduler, ct_search_bar_ns(search));
    }
    return status;
}

enum ct_status ct_search_look_twice(struct ct_search *search, struct ct_err *err)
{
    struct second_look *look;
    enum ct_status status;

    if (!is_due(search))
        return CT_OK;
    status = ct_jobs_postpone(search, err);
    if (status)
        return status;
    look = ct_mem_array(1, sizeof(*look));
    if (!look)
        return ct_err_nomem(err);
    look->search = search;
    look->end_ns = end_of(search, ct_clock_now_ns());
    ct_search_map_experiments(search, &look->experiments);
    status = find_doubtful(look, err);
    while (!status && look->next < look->count && ct_clock_now_ns() < look->end_ns)
        status = look_at_some(look, err);
    ct_map_release(&look->experiments);
    free(look->items);
    free(look);
    return status;
}
