// SPDX-License-Identifier: Apache-2.0
// The search itself: ask the strategy, evaluate, store, tell.
#include "cli/search.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

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

static enum ct_status plan_of(struct ct_search *search, int64_t index,
                              struct ct_plan *plan, struct ct_err *err)
{
    ct_search_values(search, index);
    return ct_search_plan(search, plan, err);
}

static struct ct_measure_options measure_options(const struct ct_search *search)
{
    double timeout_s = search->options->timeout_s;
    struct ct_measure_options options = {
        .deadlines = ct_deadlines_default(timeout_s > 0 ? timeout_s : 10),
        /* Where time is not what counts, a slow one may still be the best. */
        .leader_ns = search->objective == CT_OBJECTIVE_TIME ? search->best_ns : 0,
        .seed = CT_INPUT_SEED,
        .slow = search->options->quiet ? NULL : ct_cli_tell_slow,
        .slow_after_ns = CT_CLI_SLOW_NS,
    };

    return options;
}

/* ": LINE" with the compiler's first line that tells of an error. */
static void put_first_error(struct ct_str *text, const char *log)
{
    for (const char *line = log; *line; line += strspn(line, "\n")) {
        size_t length = strcspn(line, "\n");
        const char *error = strstr(line, "error");

        if (error && error < line + length) {
            ct_str_puts(text, ": ");
            ct_str_add(text, line, length);
            return;
        }
        line += length;
    }
}

static void note_failure(struct ct_search *search, const struct ct_outcome *outcome)
{
    struct ct_str text;

    if (search->first_failure || outcome->status == CT_RESULT_OK)
        return;
    ct_str_init(&text);
    ct_str_addf(&text, "%s: ", ct_result_status_name(outcome->status));
    ct_binding_print(search->binding, search->values, NULL, &text);
    if (*outcome->message)
        ct_str_addf(&text, ": %s", outcome->message);
    if (outcome->status == CT_RESULT_BUILD_FAILED)
        put_first_error(&text, outcome->build_log);
    search->first_failure = ct_str_detach(&text);
}

/* Keeps an entry among what is done.  The default configuration outside a restricted
 * space is compared with, but does not compete. */
static enum ct_status keep(struct ct_search *search, const struct ct_evaluated *entry,
                           struct ct_err *err)
{
    if (entry->index == CT_OUTSIDE)
        return CT_OK;
    if (!ct_mem_grow(&search->done, &search->done_capacity, search->done_count + 1,
                     sizeof(*entry)))
        return ct_err_nomem(err);
    search->done[search->done_count++] = *entry;
    search->status_counts[entry->status]++;
    ct_search_competes(search, entry);
    return CT_OK;
}

/* Evaluates one configuration, unless it is stored, and stores it. */
static enum ct_status evaluate(struct ct_search *search, int64_t index,
                               struct ct_evaluated *entry, struct ct_err *err)
{
    struct ct_measure_options options = measure_options(search);
    struct ct_outcome outcome;
    struct ct_plan plan;
    const char *changed;
    enum ct_status status = plan_of(search, index, &plan, err);

    if (status)
        return status;
    memset(entry, 0, sizeof(*entry));
    entry->index = index;
    entry->experiment = ct_search_experiment(search, &plan);
    status = ct_search_store_find(search, &entry->experiment, entry, err);
    if (status != CT_E_NOT_FOUND) {
        search->reused += !status && index != CT_OUTSIDE;
        return status ? status : keep(search, entry, err);
    }
    /* The default sets the scale; it is never cut short. */
    if (!search->default_known)
        options.leader_ns = 0;
    if (search->has_first && index == search->default_index) {
        outcome = search->first;
        search->has_first = false;
    } else {
        status = ct_runner_evaluate(search->runner, &plan, &options, &outcome, err);
        if (status)
            return status;
    }
    changed = ct_source_cache_changed(search->sources);
    if (changed) {
        ct_outcome_release(&outcome);
        return ct_err_set(
            err, CT_E_IO,
            "%s was changed while the search was running: what was measured "
            "before is stored; start it again for the rest",
            changed);
    }
    entry->status = outcome.status;
    entry->time_ns = outcome.time_ns;
    entry->low_ns = outcome.low_ns;
    entry->high_ns = outcome.high_ns;
    entry->value = ct_search_value(search, outcome.time_ns, outcome.end_to_end_ns);
    note_failure(search, &outcome);
    status = ct_search_store_result(search, &plan, &entry->experiment, &outcome, err);
    ct_outcome_release(&outcome);
    if (status)
        return status;
    search->evaluated += index != CT_OUTSIDE;
    return keep(search, entry, err);
}

static void tell(struct ct_search *search, const struct ct_evaluated *entry)
{
    struct ct_told told = {0};

    if (entry->index == CT_OUTSIDE)
        return;
    told.ok = ct_search_competes(search, entry);
    told.objective = ct_search_cost(search, entry);
    ct_strategy_tell(search->strategy, (uint64_t)entry->index, &told);
}

static bool budget_spent(const struct ct_search *search)
{
    double spent_s = (double)(ct_clock_now_ns() - search->start_ns) / 1e9;

    return (search->budget_evaluations &&
            search->evaluated >= search->budget_evaluations) ||
           (search->budget_s > 0 && spent_s >= search->budget_s);
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
        status = evaluate(search, search->default_index, entry, err);
        if (status)
            return status;
        search->default_known = true;
        tell(search, entry);
        if (search->options->verbose)
            ct_search_print_one(search, entry);
    }
    if (entry->status != CT_RESULT_OK)
        ct_cli_warn("the default configuration did not work, so gains cannot be told: %s",
                    search->first_failure ? search->first_failure
                                          : ct_result_status_name(entry->status));
    return ct_search_store_default(search, err);
}

/* Host code to be beaten.  Failing is no reason not to search. */
static enum ct_status measure_baseline(struct ct_search *search, struct ct_err *err)
{
    struct ct_measure_options options = measure_options(search);
    struct ct_err own = CT_ERR_INIT;
    struct ct_plan plan;
    enum ct_status status;

    if (!search->spec->baseline.present)
        return CT_OK;
    status = plan_of(search, search->default_index, &plan, err);
    if (status)
        return status;
    options.leader_ns = 0;
    status = ct_runner_baseline(search->runner, &plan, &options, &search->baseline, &own);
    if (status == CT_E_INTERRUPTED)
        return ct_err_set(err, status, "interrupted");
    if (status) {
        ct_cli_warn("no baseline: %s", own.message);
        return CT_OK;
    }
    search->has_baseline = search->baseline.status == CT_RESULT_OK;
    if (!search->has_baseline) {
        ct_cli_warn("no baseline: %s: %s", ct_result_status_name(search->baseline.status),
                    search->baseline.message);
        ct_outcome_release(&search->baseline);
        return CT_OK;
    }
    return ct_search_store_baseline(search, &plan, err);
}

double ct_search_default_ns(const struct ct_search *search)
{
    return search->default_known && search->default_result.status == CT_RESULT_OK
               ? search->default_result.time_ns
               : 0;
}

static enum ct_status loop(struct ct_search *search, struct ct_err *err)
{
    uint64_t first = search->evaluated;

    for (;;) {
        struct ct_evaluated entry;
        uint64_t index;
        enum ct_status status;

        if (budget_spent(search)) {
            search->out_of_budget = true;
            return CT_OK;
        }
        if (!ct_strategy_ask(search->strategy, 1, &index))
            return CT_OK;
        /* The default was measured before the strategy was asked. */
        if ((int64_t)index == search->default_index && search->default_known)
            continue;
        status = evaluate(search, (int64_t)index, &entry, err);
        if (status)
            return status;
        tell(search, &entry);
        if (search->options->verbose)
            ct_search_print_one(search, &entry);
        ct_progress_draw(&search->progress, ct_clock_now_ns(), search->evaluated,
                         search->best_ns, ct_search_default_ns(search));
        if (search->evaluated == first + CT_SEARCH_ESTIMATE_AFTER)
            ct_search_print_estimate(search);
    }
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

/* Budgets and strategy: the command line before the space file before "everything". */
static enum ct_status choose_strategy(struct ct_search *search, struct ct_err *err)
{
    const struct ct_options *options = search->options;
    const struct ct_spec *spec = search->spec;
    bool limited;

    search->budget_evaluations =
        options->evaluations ? options->evaluations : spec->evaluations;
    search->budget_s = options->duration_s > 0 ? options->duration_s : spec->duration_s;
    limited = search->budget_s > 0 ||
              (search->budget_evaluations &&
               search->budget_evaluations < ct_space_count(search->space));
    search->strategy_name = options->strategy ? options->strategy
                            : spec->strategy  ? spec->strategy
                            : limited         ? "random"
                                              : "exhaustive";
    return ct_strategy_new(search->strategy_name, search->space, options->seed,
                           &search->strategy, err);
}

static enum ct_status prepare(struct ct_search *search, struct ct_plan *plan,
                              struct ct_err *err)
{
    uint64_t index;
    enum ct_status status = prepare_scratch(search, err);

    if (!status)
        status = ct_search_choose_objective(search, err);
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
    struct ct_measure_options options = measure_options(search);
    struct ct_hash experiment = ct_search_experiment(search, plan);
    bool known;
    enum ct_status status = ct_search_store_peek(search, &experiment, &known, err);

    if (!status)
        status = ct_runner_new(search->device, &search->runner, err);
    if (status || known)
        return status;
    status = ct_runner_evaluate(search->runner, plan, &options, &search->first, err);
    search->has_first = !status;
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
        status = ct_search_store_known(search, err);
    if (!status)
        status = measure_baseline(search, err);
    if (!status)
        status = evaluate_default(search, err);
    if (status)
        return status;
    left =
        ct_space_count(search->space) - (search->done_count - (size_t)search->evaluated);
    if (search->budget_evaluations && search->budget_evaluations < left)
        left = search->budget_evaluations;
    ct_progress_init(&search->progress, stderr, !search->options->quiet, left,
                     search->budget_s, search->start_ns);
    status = loop(search, err);
    ct_progress_clear(&search->progress);
    return status;
}

/* How the command ends, once everything measured is stored. */
static int conclude(struct ct_search *search, enum ct_status status, struct ct_err *err)
{
    struct ct_err own = CT_ERR_INIT;
    int exit_status = CT_EXIT_OK;

    search->interrupted = status == CT_E_INTERRUPTED;
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
    if (search->done_count) {
        if ((*search->printed)++)
            puts(search->options->json ? "," : "");
        ct_search_print_results(search);
    } else if (search->interrupted)
        fprintf(stderr, "cltune: interrupted before anything was measured\n");
    if (search->interrupted)
        exit_status = CT_EXIT_INTERRUPTED;
    if (!exit_status && !(search->best_ns > 0)) {
        ct_err_set(&own, CT_E_NOT_FOUND, "no configuration worked%s%s",
                   search->first_failure ? "; the first failure was " : "",
                   search->first_failure ? search->first_failure : "");
        exit_status = ct_cli_error(&own);
    }
    return exit_status;
}

static void release(struct ct_search *search)
{
    if (search->runner)
        ct_runner_free(search->runner);
    if (search->has_baseline)
        ct_outcome_release(&search->baseline);
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
    free(search->first_failure);
    free(search->values);
    free(search->default_values);
    free(search->env);
    free(search->config);
    ct_arena_release(&search->arena);
}

int ct_search_run(const struct ct_options *options, const struct ct_spec *spec,
                  const struct ct_devinfo *device, const struct ct_settings *problem,
                  size_t *printed)
{
    struct ct_search search;
    struct ct_err err = CT_ERR_INIT;
    struct ct_plan plan;
    enum ct_status status;
    int exit_status = CT_EXIT_OK;

    memset(&search, 0, sizeof(search));
    search.options = options;
    search.spec = spec;
    search.device = device;
    search.printed = printed;
    search.start_ns = ct_clock_now_ns();
    search.binding = ct_cli_bind(spec, options, device, problem, &exit_status);
    if (!search.binding)
        return exit_status;
    search.space = ct_cli_space_new(search.binding, options, &exit_status);
    if (search.space && !ct_space_count(search.space))
        exit_status = ct_cli_empty_space(search.space);
    if (exit_status)
        goto out;
    status = prepare(&search, &plan, &err);
    if (status) {
        exit_status = ct_cli_error(&err);
        goto out;
    }
    if (options->dry_run) {
        if ((*printed)++)
            putchar('\n');
        ct_search_print_intent(&search, &plan, stdout);
        goto out;
    }
    if (!options->quiet)
        ct_search_print_intent(&search, &plan, stderr);
    status = measure_all(&search, &plan, &err);
    exit_status = conclude(&search, status, &err);
out:
    release(&search);
    return exit_status;
}
