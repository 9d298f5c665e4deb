// SPDX-License-Identifier: Apache-2.0
// The search itself: ask the strategy, evaluate, store, tell.
#include "cli/screen.h"
#include "cli/search.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MISSED = 5 }; /* play-offs that may miss the target before it is given up */

void ct_search_values(struct ct_search *search, int64_t index)
{
    if (index == CT_OUTSIDE) {
        memcpy(search->values, search->default_values,
               search->spec->param_count * sizeof(*search->values));
        return;
    }
    ct_space_config(search->space, (uint64_t)index, search->config);
    ct_binding_values(search->binding, search->config, search->values);
}

/* The plan lives until the next one is made like this. */
static enum ct_status plan_of(struct ct_search *search, int64_t index,
                              struct ct_plan *plan, struct ct_err *err)
{
    ct_search_values(search, index);
    ct_arena_release(&search->arena);
    return ct_search_plan(search, &search->arena, plan, err);
}

/* Takes the default from the database, or evaluates it; CT_E_NOT_FOUND when it is a
 * suspect. */
static enum ct_status find_default(struct ct_search *search, struct ct_evaluated *entry,
                                   struct ct_err *err)
{
    struct ct_plan plan;
    enum ct_status status = plan_of(search, search->default_index, &plan, err);

    if (status)
        return status;
    memset(entry, 0, sizeof(*entry));
    entry->index = search->default_index;
    entry->experiment = ct_search_experiment(search, &plan);
    status = ct_search_store_find(search, &plan, &entry->experiment, entry, err);
    if (status == CT_E_NOT_FOUND) {
        if (entry->in_flight_retry && !search->has_first)
            return status;
        if (!search->has_first)
            status = ct_search_evaluate(search, search->default_index, &plan,
                                        &entry->experiment, &search->first, err);
        else
            status = CT_OK;
        if (!status) {
            search->has_first = true;
            status = ct_search_check_sources(search, err);
        }
        if (!status)
            status = ct_search_record(search, &plan, &search->first, NULL, entry, err);
    }
    return status ? status : ct_search_keep(search, entry, err);
}

/* The default configuration comes first: every gain is quoted against it. */
static enum ct_status evaluate_default(struct ct_search *search, struct ct_err *err)
{
    struct ct_evaluated *entry = &search->default_result;
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < search->done_count && !search->default_known; i++)
        if (search->default_index != CT_OUTSIDE &&
            search->done[i].index == search->default_index) {
            *entry = search->done[i];
            search->default_known = true;
        }
    if (!search->default_known) {
        status = find_default(search, entry, err);
        if (status == CT_E_NOT_FOUND) {
            ct_cli_warn("the default configuration was at work when an earlier search "
                        "died: it comes last, and gains are not told before");
            search->default_retry = true;
            return ct_search_list_add(&search->in_flight_retries, search->default_index,
                                      err);
        }
        if (status)
            return status;
        search->default_known = true;
        ct_search_tell(search, entry);
        if (search->options->verbose)
            ct_search_print_one(search, entry,
                                search->has_first ? search->first.message : "", NULL);
    }
    if (entry->status != CT_RESULT_OK) {
        struct ct_str text;

        ct_str_init(&text);
        ct_search_first_failure(search, &text);
        ct_cli_warn("the default configuration did not work, so gains cannot be told: %s",
                    *text.data ? text.data : ct_result_status_name(entry->status));
        ct_str_release(&text);
    }
    return ct_search_store_default(search, err);
}

double ct_search_default_ns(const struct ct_search *search)
{
    return search->default_known && search->default_result.status == CT_RESULT_OK
               ? search->default_result.time_ns
               : 0;
}

static enum ct_status prepare_scratch(struct ct_search *search, struct ct_err *err)
{
    const struct ct_spec *spec = search->spec;

    search->values = ct_mem_array(spec->param_count, sizeof(*search->values));
    search->default_values = ct_mem_array(spec->param_count, sizeof(*search->values));
    search->env = ct_mem_array(spec->symbol_count, sizeof(*search->env));
    search->config = ct_mem_array(spec->param_count, sizeof(*search->config));
    search->sources = ct_source_cache_new();
    if (!search->values || !search->default_values || !search->env || !search->config ||
        !search->sources)
        return ct_err_nomem(err);
    return CT_OK;
}

/* The command line before the space file before what suits the budget. */
static enum ct_status choose_strategy(struct ct_search *search, struct ct_err *err)
{
    const struct ct_options *options = search->options;
    enum ct_status status = ct_search_choose_budget(search, err);
    bool limited = ct_search_is_limited(search);
    const char *name = options->strategy        ? options->strategy
                       : search->spec->strategy ? search->spec->strategy
                       : limited                ? "auto"
                                                : "exhaustive";

    if (!status)
        status =
            ct_strategy_new(name, search->space, options->seed, &search->strategy, err);
    if (status)
        return status;
    ct_strategy_limit(search->strategy,
                      &(struct ct_limits){.evaluations = search->budget_evaluations,
                                          .limited = limited});
    snprintf(search->strategy_text, sizeof(search->strategy_text),
             strcmp(name, ct_strategy_name(search->strategy)) == 0 ? "%s" : "%s (%s)",
             name, ct_strategy_name(search->strategy));
    search->strategy_name = search->strategy_text;
    return CT_OK;
}

static enum ct_status prepare(struct ct_search *search, struct ct_plan *plan,
                              struct ct_err *err)
{
    uint64_t index;
    enum ct_status status = prepare_scratch(search, err);

    if (!status)
        status = ct_cli_cache_state(search->options, &search->cold, err);
    search->samples = search->options->samples ? (uint32_t)search->options->samples
                                               : search->spec->samples;
    if (!status)
        status = ct_search_choose_objective(search, err);
    if (!status)
        status = ct_search_choose_by(search, err);
    if (!status)
        status = choose_strategy(search, err);
    if (!status)
        status = ct_binding_default(search->binding, search->default_values, err);
    if (status)
        return status;
    search->default_index = ct_space_find(search->space, search->default_values, &index)
                                ? (int64_t)index
                                : CT_OUTSIDE;
    return plan_of(search, search->default_index, plan, err);
}

/* Evaluates the default before the database is touched, unless it is stored: what is
 * wrong with the space file as a whole (arguments, reference) shows here, and leaves the
 * database as it was. */
static enum ct_status try_default(struct ct_search *search, const struct ct_plan *plan,
                                  struct ct_err *err)
{
    struct ct_hash experiment = ct_search_experiment(search, plan);
    bool known;
    enum ct_status status = ct_search_store_peek(search, &experiment, &known, err);

    if (!status)
        status = ct_search_scheduler_begin(search, err);
    if (status || known)
        return status;
    status = ct_search_evaluate(search, search->default_index, plan, &experiment,
                                &search->first, err);
    search->has_first = !status;
    return status ? status : ct_search_check_limits(&search->first, err);
}

/* The search and its play-off.  A target that was reached by the time of one process, but
 * is not in the play-off, is not reached: the search goes on. */
static enum ct_status search_and_play(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (int missed = 0; !status; missed++) {
        bool may_miss;

        status = ct_search_loop(search, err);
        ct_progress_clear(&search->progress);
        may_miss = search->end == CT_SEARCH_TARGET && missed < MOST_MISSED;
        if (!status)
            status = ct_search_put_off(search, err);
        if (!status)
            status = ct_search_play(search, err);
        if (status || !may_miss || ct_search_target_reached(search))
            break;
        if (!search->options->quiet)
            fprintf(stderr, "the play-off misses the target: the search goes on\n");
    }
    return status;
}

static enum ct_status measure_all(struct ct_search *search, struct ct_plan *plan,
                                  struct ct_err *err)
{
    uint64_t left;
    enum ct_status status = try_default(search, plan, err);

    if (!status)
        status = ct_search_store_begin(search, plan, err);
    if (!status)
        status = ct_search_resume_load(search, err);
    if (!status)
        status = ct_search_store_find_rankings(search, err);
    if (!status)
        status = ct_search_transfer_load(search, err);
    if (!status)
        status = evaluate_default(search, err);
    if (!status)
        status = ct_search_check_observed(search, err);
    if (!status)
        status = ct_search_measure_baseline(search, err);
    if (status)
        return status;
    left =
        ct_space_count(search->space) - (search->done_count - (size_t)search->evaluated);
    if (search->budget_evaluations && search->budget_evaluations < left)
        left = search->budget_evaluations;
    status = ct_search_noise(search, left, err);
    if (status)
        return status;
    ct_progress_init(&search->progress, ct_screen_terminal(), !search->options->quiet,
                     left, search->budget_s, search->start_ns);
    status = search_and_play(search, err);
    return status ? status : ct_search_measure_transfers(search, err);
}

/* How the command ends, once everything measured is stored. */
static int conclude(struct ct_search *search, enum ct_status status, struct ct_err *err)
{
    struct ct_err own = CT_ERR_INIT;
    int exit_status = CT_EXIT_OK;

    search->interrupted = status == CT_E_INTERRUPTED;
    ct_search_scheduler_end(search);
    ct_cli_place_launch(search->spec, err);
    if (status && !search->interrupted)
        exit_status = ct_cli_error(err);
    if (search->run_begun &&
        ct_search_store_end(search,
                            search->interrupted ? "interrupted"
                            : status            ? "failed"
                                                : "done",
                            &own) &&
        !exit_status)
        exit_status = ct_cli_error(&own);
    if (search->answer) {
        ct_search_answer_find(search);
    } else if (search->done_count) {
        if ((*search->printed)++)
            puts(search->options->json ? "," : "");
        ct_search_print_results(search);
    } else if (search->interrupted)
        fprintf(stderr, "cltune: interrupted before anything was measured\n");
    if (search->interrupted)
        exit_status = CT_EXIT_INTERRUPTED;
    if (!exit_status && !(search->best_ns > 0)) {
        struct ct_str text;

        ct_str_init(&text);
        ct_search_first_failure(search, &text);
        ct_err_set(&own, CT_E_NOT_FOUND, "no configuration worked%s%s",
                   *text.data ? "; the first failure was " : "", text.data);
        ct_str_release(&text);
        exit_status = ct_cli_error(&own);
    }
    return exit_status;
}

static void release(struct ct_search *search)
{
    ct_search_scheduler_end(search);
    ct_search_release_baseline(search);
    if (search->has_first)
        ct_outcome_release(&search->first);
    ct_db_close(search->db);
    if (search->strategy)
        ct_strategy_free(search->strategy);
    if (search->sources)
        ct_source_cache_free(search->sources);
    if (search->space)
        ct_space_free(search->space);
    if (search->binding)
        ct_binding_free(search->binding);
    free(search->done);
    for (int i = 0; i < CT_RESULT_STATUS_COUNT; i++)
        free(search->failures[i]);
    free(search->pending);
    free(search->held);
    free(search->tickets);
    free(search->in_flight_retries.items);
    free(search->twice.items);
    ct_drift_release(&search->drift);
    ct_arena_release(&search->default_arena);
    ct_arena_release(&search->orphan_arena);
    free(search->values);
    free(search->default_values);
    free(search->env);
    free(search->config);
    ct_arena_release(&search->arena);
}

static int run(struct ct_search *search, const struct ct_settings *problem)
{
    const struct ct_options *options = search->options;
    struct ct_err err = CT_ERR_INIT;
    struct ct_plan plan;
    enum ct_status status;
    int exit_status = CT_EXIT_OK;

    search->progress_best = INFINITY;
    search->start_ns = ct_clock_now_ns();
    search->binding =
        ct_cli_bind(search->spec, options, search->device, problem, &exit_status);
    if (!search->binding)
        return exit_status;
    search->space = ct_cli_space_new(search->binding, options, &exit_status);
    if (search->space && !ct_space_count(search->space))
        exit_status = ct_cli_empty_space(search->space);
    if (exit_status)
        return exit_status;
    status = prepare(search, &plan, &err);
    if (status)
        return ct_cli_error(&err);
    if (options->dry_run) {
        if ((*search->printed)++)
            putchar('\n');
        ct_search_print_intent(search, &plan, stdout);
        return CT_EXIT_OK;
    }
    if (!options->quiet)
        ct_search_print_intent(search, &plan, stderr);
    status = measure_all(search, &plan, &err);
    return conclude(search, status, &err);
}

int ct_search_run(const struct ct_options *options, const struct ct_spec *spec,
                  const struct ct_devinfo *device, const struct ct_settings *problem,
                  size_t *printed)
{
    struct ct_search search;
    int exit_status;

    memset(&search, 0, sizeof(search));
    search.options = options;
    search.spec = spec;
    search.device = device;
    search.printed = printed;
    exit_status = run(&search, problem);
    release(&search);
    return exit_status;
}

int ct_search_ask(const struct ct_options *options, const struct ct_spec *spec,
                  const struct ct_devinfo *device, const struct ct_settings *problem,
                  struct ct_search_answer *answer)
{
    struct ct_search search;
    size_t printed = 0;
    int exit_status;

    memset(&search, 0, sizeof(search));
    memset(answer, 0, sizeof(*answer));
    ct_str_init(&answer->configuration);
    search.options = options;
    search.spec = spec;
    search.device = device;
    search.printed = &printed;
    search.answer = answer;
    exit_status = run(&search, problem);
    release(&search);
    return exit_status;
}
