// SPDX-License-Identifier: Apache-2.0
// What happens to an outcome: recorded, added to the results, learnt from.
#include "tune/search_impl.h"

#include "judge/policy.h"
#include "tune/headroom.h"

#include <string.h>

enum ct_status ct_search_add(struct ct_search *search, const struct ct_evaluated *entry,
                             struct ct_err *err)
{
    enum ct_status status =
        ct_results_add(&search->results, &search->objective, entry, err);

    if (!status && entry->index != CT_OUTSIDE)
        ct_budget_note_progress(&search->budget, &search->results, entry->stored);
    return status;
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

void ct_search_learn(struct ct_search *search, const struct ct_evaluated *entry)
{
    struct ct_strategy_result result = {.failure = failure_of(entry->status)};
    enum ct_spent before;

    if (entry->index == CT_OUTSIDE)
        return;
    result.ok = ct_evaluated_competes(entry);
    result.objective = ct_objective_cost(&search->objective, entry->value);
    result.spent_ns = entry->spent_ns;
    result.headroom = entry->headroom;
    /* It works: its first launch was in time, and its outputs were right.  What was stopped early
     * otherwise has a time, although of fewer samples, which says more than a bound. */
    if (entry->slower_ns && search->objective.kind == CT_OBJECTIVE_TIME &&
        !search->objective.maximize) {
        result.ok = result.censored = true;
        result.failure = CT_FAILURE_NONE;
        result.objective = (double)entry->slower_ns;
    }
    before = ct_meter_turn(&search->meter, CT_SPENT_STRATEGY);
    ct_strategy_tell(search->proposer.strategy, (uint64_t)entry->index, &result);
    ct_meter_turn(&search->meter, before);
}

void ct_search_show(const struct ct_search *search, const struct ct_evaluated *entry,
                    const char *message, const int64_t *duplicate_of)
{
    ct_observer_event(search->observer, &(struct ct_event){.kind = CT_EVENT_EVALUATED,
                                                           .search = search,
                                                           .entry = entry,
                                                           .text = message,
                                                           .duplicate_of = duplicate_of});
}

/* Whether (nearly) every value that was compared is wrong: some may be right by chance.  The counts
 * are a worker's. */
static bool is_all_wrong(const struct ct_plan *plan, const struct ct_outcome *outcome)
{
    const struct ct_mismatch *mismatch = &outcome->mismatch;
    const struct ct_plan_buffer *buffer;
    double compared;

    if (outcome->status != CT_RESULT_WRONG || mismatch->guard ||
        mismatch->buffer >= plan->buffer_count)
        return false;
    buffer = &plan->buffers[mismatch->buffer];
    compared = buffer->reduce != CT_REDUCE_NONE
                   ? 1
                   : (double)buffer->compare * buffer->type.width;
    return (double)mismatch->wrong_count >= CT_POLICY_ALL_WRONG_SHARE * compared;
}

enum ct_status ct_search_record(struct ct_search *search, const struct ct_plan *plan,
                                const struct ct_outcome *outcome,
                                const struct ct_hash *duplicate_of,
                                struct ct_evaluated *entry, struct ct_err *err)
{
    enum ct_spent before;
    enum ct_status status;

    entry->status = outcome->status;
    entry->in_flight_retry = false;
    entry->verified = outcome->verified;
    entry->time_ns = outcome->time_ns;
    entry->low_ns = outcome->low_ns;
    entry->high_ns = outcome->high_ns;
    entry->stopped_early = outcome->stopped_early;
    entry->slower_ns =
        outcome->status == CT_RESULT_TIMEOUT && outcome->phase == CT_PHASE_MEASURE
            ? outcome->deadline_ns
            : 0;
    entry->epoch = ct_search_epoch(search);
    entry->rank = 0;
    entry->tied = false;
    entry->to_best = (struct ct_ratio){0};
    entry->rounds = 0;
    entry->raw_ns = outcome->time_ns;
    entry->duplicate_of = duplicate_of ? *duplicate_of : (struct ct_hash){""};
    entry->spent_ns = 0;
    for (int i = 0; i < CT_PHASE_COUNT; i++)
        entry->spent_ns += (double)outcome->spent_ns[i];
    entry->headroom = ct_headroom_of(plan, outcome, search->work.device);
    ct_workload_values(&search->work, entry->index);
    entry->observed = ct_outcome_quantities(outcome);
    entry->timing =
        outcome->status == CT_RESULT_OK ? ct_timing_of(outcome) : (struct ct_timing){0};
    entry->value = ct_objective_value(&search->objective, search->work.binding,
                                      search->work.values, &entry->observed);
    if (outcome->doubt && !search->noise.doubted)
        ct_observer_warn(search->observer, "%s", outcome->doubt);
    search->noise.doubted = search->noise.doubted || outcome->doubt;
    search->results.all_wrong += is_all_wrong(plan, outcome) ? 1 : 0;
    ct_results_note_failure(&search->results, &search->work, outcome->status,
                            outcome->message, outcome->build_log);
    before = ct_meter_turn(&search->meter, CT_SPENT_STORE);
    status = ct_store_result(&search->store, plan, &entry->experiment, outcome,
                             duplicate_of, err);
    ct_meter_turn(&search->meter, before);
    return status;
}

/* What has failed now was measured as working a moment ago. */
static enum ct_status take_again(struct ct_search *search,
                                 const struct ct_outcome *outcome,
                                 struct ct_evaluated *entry, struct ct_err *err)
{
    struct ct_hash original = entry->duplicate_of;
    struct ct_arena arena = {0};
    struct ct_plan plan;
    enum ct_status status;

    ct_workload_values(&search->work, entry->index);
    status = ct_workload_plan(&search->work, search->objective.needs, &arena, &plan, err);
    if (!status) {
        search->results.status_counts[entry->status]--;
        search->results.status_counts[outcome->status]++;
        status = ct_search_record(search, &plan, outcome,
                                  *original.text ? &original : NULL, entry, err);
    }
    ct_arena_release(&arena);
    return status;
}

enum ct_status ct_search_record_again(struct ct_search *search,
                                      const struct ct_map *experiments,
                                      const struct ct_hash *root,
                                      const struct ct_outcome *outcome,
                                      struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < search->results.done_count && !status; i++) {
        struct ct_evaluated *entry = &search->results.done[i];
        struct ct_hash own = ct_search_root(search, experiments, entry);

        if (strcmp(own.text, root->text) == 0 && !entry->stored && !entry->rank &&
            entry->status == CT_RESULT_OK)
            status = take_again(search, outcome, entry, err);
    }
    return status;
}

enum ct_status ct_search_note_default(struct ct_search *search,
                                      const struct ct_evaluated *entry,
                                      struct ct_err *err)
{
    if (search->defaults.known || entry->index != search->work.default_index)
        return CT_OK;
    search->defaults.result = *entry;
    search->defaults.known = true;
    return ct_search_store_default(search, err);
}
