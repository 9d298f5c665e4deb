// SPDX-License-Identifier: Apache-2.0
// A search from beginning to end: the default, the A/A test, the loop, the play-off.
#include "tune/search_impl.h"

#include "base/clock.h"
#include "judge/policy.h"
#include "tune/place.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes the default from the database, or evaluates it; CT_E_NOT_FOUND if it is an in-flight
 * retry. */
static enum ct_status find_default(struct ct_search *search, struct ct_evaluated *entry,
                                   struct ct_err *err)
{
    struct ct_plan plan;
    enum ct_status status = ct_workload_plan_of(&search->work, search->objective.needs,
                                                search->work.default_index, &plan, err);

    if (status)
        return status;
    memset(entry, 0, sizeof(*entry));
    entry->index = search->work.default_index;
    entry->experiment = ct_workload_experiment(&search->work, &plan);
    status = ct_search_find_stored(search, &plan, &entry->experiment, entry, err);
    if (status == CT_E_NOT_FOUND) {
        if (entry->in_flight_retry && !search->defaults.has_first)
            return status;
        if (!search->defaults.has_first)
            status = ct_jobs_evaluate(search, search->work.default_index, &plan,
                                      &entry->experiment, &search->defaults.first, err);
        else
            status = CT_OK;
        if (!status) {
            search->defaults.has_first = true;
            status = ct_workload_check_sources(&search->work, err);
        }
        if (!status)
            status = ct_search_record(search, &plan, &search->defaults.first, NULL, entry,
                                      err);
    }
    return status ? status : ct_search_add(search, entry, err);
}

/* The default configuration comes first: every speed-up is relative to it. */
static enum ct_status evaluate_default(struct ct_search *search, struct ct_err *err)
{
    struct ct_evaluated *entry = &search->defaults.result;
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < search->results.done_count && !search->defaults.known; i++)
        if (search->work.default_index != CT_OUTSIDE &&
            search->results.done[i].index == search->work.default_index) {
            *entry = search->results.done[i];
            search->defaults.known = true;
        }
    if (!search->defaults.known) {
        status = find_default(search, entry, err);
        if (status == CT_E_NOT_FOUND) {
            ct_observer_warn(
                search->observer,
                "the default configuration was running when an earlier search crashed; "
                "it is retried last, so speed-ups appear at the end");
            search->defaults.retry = true;
            return ct_index_list_add(&search->jobs.retries, search->work.default_index,
                                     err);
        }
        if (status)
            return status;
        search->defaults.known = true;
        ct_search_learn(search, entry);
        ct_search_show(search, entry,
                       search->defaults.has_first ? search->defaults.first.message : "",
                       NULL);
    }
    if (entry->status != CT_RESULT_OK) {
        struct ct_str text;

        ct_str_init(&text);
        ct_results_put_first_failure(&search->results, &text);
        ct_observer_warn(
            search->observer,
            "the default configuration failed, so no speed-ups are shown: %s",
            *text.data ? text.data : ct_result_status_name(entry->status));
        ct_str_release(&text);
    }
    return ct_search_store_default(search, err);
}

/* The play-off of several searches comes after all of them. */
static bool is_one_of_several(const struct ct_search *search)
{
    return search->options->shard.of || search->options->island.of;
}

/* Parts have names of their own: a run is known by its strategy, its seed and its start. */
static void name_strategy(struct ct_search *search, const char *name)
{
    const struct ct_tune_options *options = search->options;
    const struct ct_division *division =
        options->shard.of ? &options->shard : &options->island;
    const char *works = ct_strategy_name(search->proposer.strategy);

    if (division->of)
        snprintf(search->proposer.name, sizeof(search->proposer.name),
                 "%s (%s %llu/%llu)", name, options->shard.of ? "part" : "island",
                 (unsigned long long)division->number, (unsigned long long)division->of);
    else
        snprintf(search->proposer.name, sizeof(search->proposer.name),
                 strcmp(name, works) == 0 ? "%s" : "%s (%s)", name, works);
}

static enum ct_status choose_strategy(struct ct_search *search, struct ct_err *err)
{
    const struct ct_tune_options *options = search->options;
    const struct ct_spec *spec = search->work.spec;
    uint64_t count = ct_search_count(search);
    enum ct_status status = ct_budget_choose(&search->budget, &options->budget, spec,
                                             &search->objective, count, err);
    bool limited = ct_budget_is_limited(&search->budget, count);
    const char *declared = spec->measure.strategy.text;
    enum ct_spent before;
    const char *name;

    if (status)
        return status;
    name = ct_search_strategy_for(search, limited, err);
    if (!name)
        return err->code;
    if (!options->rough && !is_one_of_several(search))
        ct_budget_reserve(&search->budget);
    before = ct_meter_turn(&search->meter, CT_SPENT_STRATEGY);
    status = ct_search_new_strategy(search, name, &search->proposer.strategy, err);
    ct_meter_turn(&search->meter, before);
    if (status == CT_E_USAGE && name == declared)
        ct_err_place(err, spec->path, spec->measure.strategy.place.line,
                     spec->measure.strategy.place.column);
    if (status)
        return status;
    search->proposer.asked = name;
    search->proposer.limits =
        (struct ct_limits){.evaluations = search->budget.evaluations, .limited = limited};
    ct_strategy_limit(search->proposer.strategy, &search->proposer.limits);
    if (search->budget.until_chance > 0 && strcmp(name, "auto") != 0 &&
        !ct_strategy_has_chance(search->proposer.strategy))
        return ct_err_set(err, CT_E_USAGE,
                          "--until-chance requires a strategy that estimates the chance, "
                          "which '%s' does not: use surrogate",
                          ct_strategy_name(search->proposer.strategy));
    name_strategy(search, name);
    return CT_OK;
}

/* A step of the search, whose time is of that kind. */
static enum ct_status booked(struct ct_search *search, enum ct_spent kind,
                             enum ct_status (*step)(struct ct_search *, struct ct_err *),
                             struct ct_err *err)
{
    enum ct_spent before = ct_meter_turn(&search->meter, kind);
    enum ct_status status = step(search, err);

    ct_meter_turn(&search->meter, before);
    return status;
}

/* Evaluates the default on the first device, or on another one if that is lost. */
static enum ct_status try_plan(struct ct_search *search, struct ct_err *err)
{
    const struct ct_plan *plan = &search->defaults.plan;
    struct ct_hash experiment = ct_workload_experiment(&search->work, plan);
    enum ct_status status;

    do
        status = ct_jobs_evaluate(search, search->work.default_index, plan, &experiment,
                                  &search->defaults.first, err);
    while (status && !ct_search_replace_first(search, status, err));
    search->defaults.has_first = !status;
    return status;
}

/* Evaluates the default before the database is opened, unless it is stored: errors of the space
 * file as a whole (arguments, reference) show here, and leave the database unchanged. */
static enum ct_status try_default(struct ct_search *search, struct ct_err *err)
{
    const struct ct_plan *plan = &search->defaults.plan;
    struct ct_hash experiment = ct_workload_experiment(&search->work, plan);
    bool known;
    enum ct_status status = ct_search_peek(search, &experiment, &known, err);

    if (!status)
        status = ct_jobs_begin(search, err);
    if (!status && !known && !search->options->playoff_only)
        status = ct_search_build_early(search, err);
    if (status || known)
        return status;
    status = try_plan(search, err);
    if (!status && search->defaults.first.status == CT_RESULT_OK) {
        const struct ct_devinfo *first = search->work.device;

        status = booked(search, CT_SPENT_NOISE, ct_search_choose_first, err);
        if (!status && search->work.device != first) {
            ct_outcome_release(&search->defaults.first);
            status = try_plan(search, err);
        }
    }
    return status ? status : ct_canary_check_limits(&search->defaults.first, err);
}

/* The loop, and what belongs to it; again if the first of several devices is lost. */
static enum ct_status loop_and_compare(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status;

    do {
        status = ct_search_loop(search, err);
        if (!status)
            status = booked(search, CT_SPENT_NOISE, ct_search_compare_after, err);
    } while (status && !ct_search_replace_first(search, status, err));
    return status;
}

static enum ct_status contest(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status;

    do
        status = ct_search_contest(search, err);
    while (status && !ct_search_replace_first(search, status, err));
    return status;
}

/* The search and its play-off.  If a target was reached by one process's time but not in the
 * play-off, the search continues. */
static enum ct_status search_and_play(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (int missed = 0; !status; missed++) {
        bool may_miss;

        if (!search->options->playoff_only)
            status = loop_and_compare(search, err);
        ct_observer_event(search->observer, &(struct ct_event){.kind = CT_EVENT_LOOP_END,
                                                               .search = search});
        may_miss = search->budget.end == CT_SEARCH_TARGET &&
                   missed < CT_POLICY_TARGETS_MISSED && !is_one_of_several(search);
        if (!status)
            status = contest(search, err);
        if (status || !may_miss || ct_search_target_reached(search))
            break;
        ct_observer_event(
            search->observer,
            &(struct ct_event){.kind = CT_EVENT_TARGET_MISSED, .search = search});
    }
    return status;
}

static enum ct_status begin_store(struct ct_search *search, struct ct_err *err)
{
    return ct_store_begin(&search->store, &search->defaults.plan, search->proposer.name,
                          err);
}

/* A play-off of stored results does not begin with a new database. */
static enum ct_status find_database(struct ct_search *search, struct ct_err *err)
{
    const struct ct_db_options reading = {.mode = CT_DB_READ};
    struct ct_db *db = NULL;
    enum ct_status status = ct_db_open(search->options->db, &reading, &db, err);

    ct_db_close(db);
    return status;
}

static enum ct_status require_results(struct ct_search *search, struct ct_err *err)
{
    if (search->results.best_ns > 0)
        return CT_OK;
    return ct_err_set(
        err, CT_E_NOT_FOUND,
        "--playoff-only: %s has no successful result of kernel %s for this "
        "device, problem and version: merge the databases of the parts into "
        "it first ('cltune db merge')",
        ct_db_path(search->store.db), search->work.spec->kernel.name);
}

/* The noise of the first device, and how the others compare with it. */
static enum ct_status know_devices(struct ct_search *search, uint64_t left,
                                   struct ct_err *err)
{
    bool works = search->defaults.known && search->defaults.result.status == CT_RESULT_OK;
    enum ct_status status;

    do {
        status = left && works ? ct_search_choose_first(search, err) : CT_OK;
        if (!status)
            status = ct_search_measure_noise(search, left, err);
        if (!status && left)
            status = ct_search_compare_before(search, err);
    } while (status && !ct_search_replace_first(search, status, err));
    return status;
}

/* Everything before the first proposal. */
static enum ct_status prepare(struct ct_search *search, struct ct_err *err)
{
    bool plays = search->options->playoff_only;
    uint64_t left;
    enum ct_spent before;
    enum ct_status status = plays ? find_database(search, err) : CT_OK;

    if (!status)
        status = try_default(search, err);
    if (!status)
        status = booked(search, CT_SPENT_STORE, begin_store, err);
    if (!status)
        status = ct_search_resume(search, err);
    if (!status && plays)
        status = require_results(search, err);
    if (!status)
        status = ct_search_read_islands(search, err);
    if (!status)
        status = ct_search_find_rankings(search, err);
    if (!status)
        status = booked(search, CT_SPENT_STORE, ct_search_transfer, err);
    if (!status)
        status = evaluate_default(search, err);
    if (!status)
        status = ct_search_check_observed(search, err);
    /* A share of a limit is known at once, that of a whole search at its end. */
    if (!status && search->budget.seconds > 0)
        status = booked(search, CT_SPENT_BASELINE, ct_search_measure_baseline, err);
    if (status)
        return status;
    left = plays ? CT_POLICY_NOISE_WORTH : ct_search_left(search);
    if (search->budget.evaluations && search->budget.evaluations < left)
        left = search->budget.evaluations;
    before = ct_meter_turn(&search->meter, CT_SPENT_NOISE);
    status = know_devices(search, left, err);
    ct_meter_turn(&search->meter, before);
    if (status)
        return status;
    search->pace.planned = plays ? 0 : left;
    ct_observer_event(search->observer,
                      &(struct ct_event){.kind = CT_EVENT_LOOP, .search = search});
    return CT_OK;
}

enum ct_status ct_search_open(struct ct_search *search, struct ct_err *err)
{
    ct_observer_event(search->observer,
                      &(struct ct_event){.kind = CT_EVENT_BEGIN, .search = search});
    return prepare(search, err);
}

enum ct_status ct_search_contest(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status = ct_jobs_postpone(search, err);
    bool none = is_one_of_several(search) && !search->options->rough;

    return status || none
               ? status
               : booked(search, CT_SPENT_PLAYOFF,
                        search->options->rough ? ct_search_refine : ct_search_play, err);
}

enum ct_status ct_search_conclude(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    if (!(search->budget.seconds > 0))
        status = booked(search, CT_SPENT_BASELINE, ct_search_measure_baseline, err);
    return status ? status
                  : booked(search, CT_SPENT_BASELINE, ct_search_measure_transfers, err);
}

enum ct_status ct_search_new(const struct ct_tune_options *options,
                             const struct ct_observer *observer,
                             const struct ct_devinfo *device, const struct ct_spec *spec,
                             struct ct_binding *binding, struct ct_space *space,
                             struct ct_search **out, struct ct_err *err)
{
    struct ct_search *search = ct_mem_array(1, sizeof(*search));
    enum ct_status status;

    *out = NULL;
    if (!search) {
        ct_space_free(space);
        ct_binding_free(binding);
        return ct_err_nomem(err);
    }
    search->options = options;
    search->observer = observer;
    search->jobs.rank = ct_search_rank;
    search->pace.start_ns = ct_clock_now_ns();
    ct_meter_start(&search->meter);
    ct_search_begin_siblings(search);
    search->noise.samples =
        options->samples ? options->samples : (uint32_t)spec->measure.samples;
    search->store = (struct ct_store){
        .options = options, .work = &search->work, .objective = &search->objective};
    status = ct_workload_init(&search->work, device, spec, binding, space, options->cache,
                              err);
    if (!status)
        status = ct_objective_choose(spec, options->objective, &search->objective, err);
    if (!status)
        status = ct_search_choose_per_value(search, err);
    if (!status)
        status = ct_search_choose_part(search, err);
    if (!status)
        status = choose_strategy(search, err);
    if (!status)
        status = ct_search_plan_default(search, err);
    if (status)
        ct_search_free(search);
    else
        *out = search;
    return status;
}

/* After an interrupted play-off earlier ranks say nothing about new results. */
static void forget_old_ranks(struct ct_search *search)
{
    if (!search->playoff.played && search->results.evaluated)
        ct_results_forget_ranks(&search->results);
}

enum ct_status ct_search_close(struct ct_search *search, enum ct_status status,
                               struct ct_err *err)
{
    struct ct_err own = CT_ERR_INIT;
    enum ct_status ended = CT_OK;

    search->interrupted = status == CT_E_INTERRUPTED;
    ct_jobs_end(search);
    forget_old_ranks(search);
    ct_place_error(search->work.spec, err);
    search->pace.end_ns = ct_clock_now_ns();
    ct_observer_event(search->observer,
                      &(struct ct_event){.kind = CT_EVENT_END, .search = search});
    if (search->store.begun)
        ended = ct_search_store_end(search,
                                    search->interrupted ? "interrupted"
                                    : status            ? "failed"
                                                        : "done",
                                    &own);
    ct_meter_turn(&search->meter, CT_SPENT_OTHER);
    if (ended && search->interrupted)
        ct_observer_warn(search->observer, "%s", own.message);
    if (ended && !status)
        *err = own;
    return status ? status : ended;
}

enum ct_status ct_search_run(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status = ct_search_open(search, err);

    if (!status)
        status = search_and_play(search, err);
    if (!status)
        status = ct_search_conclude(search, err);
    return ct_search_close(search, status, err);
}

enum ct_status ct_search_found(const struct ct_search *search, struct ct_err *err)
{
    struct ct_str text;

    if (search->results.best_ns > 0)
        return CT_OK;
    ct_str_init(&text);
    ct_results_put_first_failure(&search->results, &text);
    if (search->budget.end == CT_SEARCH_ALL_WRONG)
        ct_err_set(err, CT_E_NOT_FOUND,
                   "%llu configurations, the default among them, are wrong in every "
                   "value, so the search stopped; check the reference and the fills of "
                   "the buffers, or use --keep-going to search on; the first failure "
                   "was %s",
                   (unsigned long long)search->results.all_wrong, text.data);
    else
        ct_err_set(err, CT_E_NOT_FOUND, "no configuration worked%s%s",
                   *text.data ? "; the first failure was " : "", text.data);
    ct_str_release(&text);
    return CT_E_NOT_FOUND;
}

void ct_search_free(struct ct_search *search)
{
    ct_jobs_end(search);
    ct_baseline_release(&search->host);
    if (search->defaults.has_first)
        ct_outcome_release(&search->defaults.first);
    ct_arena_release(&search->defaults.arena);
    ct_store_release(&search->store);
    ct_search_release_islands(search);
    free(search->part.part.indices);
    if (search->proposer.strategy)
        ct_strategy_free(search->proposer.strategy);
    ct_results_release(&search->results);
    free(search->jobs.pending);
    free(search->canary.held);
    free(search->jobs.tickets);
    free(search->jobs.retries.items);
    free(search->jobs.postponed.items);
    ct_drift_release(&search->drift.series);
    ct_arena_release(&search->drift.witness.arena);
    ct_workload_release(&search->work);
    free(search);
}
