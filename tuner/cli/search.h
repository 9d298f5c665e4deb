// SPDX-License-Identifier: Apache-2.0
// One search: a space file on one device for one problem.  Private to tuner/cli.
#ifndef CT_CLI_SEARCH_H
#define CT_CLI_SEARCH_H

#include "cli/cli.h"
#include "db/store.h"
#include "measure/measure.h"
#include "report/progress.h"
#include "search/strategy.h"
#include "space/space.h"
#include "spec/source.h"

#include <stdbool.h>
#include <stdint.h>

enum { CT_SEARCH_ESTIMATE_AFTER = 10 }; /* evaluations, before the rate is known */
enum {
    CT_OUTSIDE = -1
}; /* the default configuration may lie outside a restricted space */

/* What is kept of an evaluated configuration while the search runs; everything else is in
 * the database. */
struct ct_evaluated {
    int64_t index; /* in the space, or CT_OUTSIDE */
    struct ct_hash experiment;
    enum ct_result_status status;
    bool stored; /* known from an earlier call */
    double time_ns;
    double low_ns;
    double high_ns;
    double value; /* of the objective, in its own unit; NaN: there is none */
};

/* A search in progress. */
struct ct_search {
    const struct ct_options *options;
    const struct ct_devinfo *device;
    const struct ct_spec *spec;
    struct ct_binding *binding;
    struct ct_space *space;
    struct ct_source_cache *sources;
    struct ct_runner *runner;
    struct ct_strategy *strategy;
    const char *strategy_name;
    enum ct_spec_objective objective;
    const char *objective_name;
    size_t objective_metric; /* for CT_OBJECTIVE_METRIC */
    bool maximize;
    uint64_t budget_evaluations; /* 0: none */
    double budget_s;             /* 0: none */

    struct ct_db *db;
    struct ct_db_run run;
    bool run_begun;

    /* Scratch for one configuration. */
    struct ct_arena arena;
    struct ct_value *values;
    struct ct_value *env;
    uint32_t *config;

    struct ct_value *default_values;
    int64_t default_index; /* in the space, or CT_OUTSIDE */
    struct ct_evaluated default_result;
    bool default_known;
    bool has_first; /* the default was evaluated before the database was touched */
    struct ct_outcome first;
    bool has_baseline;
    struct ct_outcome baseline;

    struct ct_evaluated *done;
    size_t done_count;
    size_t done_capacity;
    uint64_t evaluated; /* new ones of this call */
    uint64_t reused;
    double best_ns;   /* time of the best by the objective; 0: none yet */
    double best_cost; /* of it */
    uint64_t status_counts[CT_RESULT_STATUS_COUNT];
    char *first_failure; /* message of the first one that failed */

    size_t *printed; /* as ct_search_run has it */
    struct ct_progress progress;
    uint64_t start_ns;
    uint64_t store_ns; /* spent in the database */
    bool interrupted;
    bool out_of_budget;
};

/* --- search_store.c: the search's side of the database --- */

/* Whether an experiment is stored and final, without changing the database or making one
 * that is not there.  Only search->device and search->options are needed. */
enum ct_status ct_search_store_peek(struct ct_search *search,
                                    const struct ct_hash *experiment, bool *known,
                                    struct ct_err *err);

/* Opens the database and stores device, kernel and problem; begins the run. */
enum ct_status ct_search_store_begin(struct ct_search *search, const struct ct_plan *plan,
                                     struct ct_err *err);

/* Takes over what is stored already: results of the same experiments are told to the
 * strategy and kept in `done`. */
enum ct_status ct_search_store_known(struct ct_search *search, struct ct_err *err);

/* Looks one experiment up.  CT_E_NOT_FOUND when it is not stored or has to be measured
 * again. */
enum ct_status ct_search_store_find(struct ct_search *search,
                                    const struct ct_hash *experiment,
                                    struct ct_evaluated *out, struct ct_err *err);

/* Stores the outcome of the configuration in search->values. */
enum ct_status ct_search_store_result(struct ct_search *search,
                                      const struct ct_plan *plan,
                                      const struct ct_hash *experiment,
                                      const struct ct_outcome *outcome,
                                      struct ct_err *err);

enum ct_status ct_search_store_baseline(struct ct_search *search,
                                        const struct ct_plan *plan, struct ct_err *err);

/* Stores the default's time, so that a look-up during the search can tell the gain. */
enum ct_status ct_search_store_default(struct ct_search *search, struct ct_err *err);

/* Ends the run with "done", "interrupted" or "failed". */
enum ct_status ct_search_store_end(struct ct_search *search, const char *status,
                                   struct ct_err *err);

/* Identity of an experiment: the plan, the device, its driver and the seed of its inputs.
 */
struct ct_hash ct_search_experiment(const struct ct_search *search,
                                    const struct ct_plan *plan);

/* --- search_objective.c: what is made best --- */

/* The objective of the command line, else of the space file.  CT_E_USAGE. */
enum ct_status ct_search_choose_objective(struct ct_search *search, struct ct_err *err);

/* Its value for the configuration in search->values; NaN where it has none.
 * `end_to_end_ns` is used by the objective of that name alone. */
double ct_search_value(const struct ct_search *search, double time_ns,
                       double end_to_end_ns);

/* The value as what is to be small: strategies and rankings minimize. */
double ct_search_cost(const struct ct_search *search, const struct ct_evaluated *entry);

/* How many times as good an entry is as another; 0 where that cannot be told. */
double ct_search_gain(const struct ct_search *search, const struct ct_evaluated *entry,
                      const struct ct_evaluated *base);

/* Whether an entry worked and can be compared; notes the best. */
bool ct_search_competes(struct ct_search *search, const struct ct_evaluated *entry);

/* Makes the plan of the configuration in search->values; it lives until the next one. */
enum ct_status ct_search_plan(struct ct_search *search, struct ct_plan *plan,
                              struct ct_err *err);

/* --- search_report.c: what it says --- */

/* Before: what will be done (to standard error, or to standard output for --dry-run). */
void ct_search_print_intent(const struct ct_search *search, const struct ct_plan *plan,
                            FILE *out);

/* With -v: one line for each evaluation. */
void ct_search_print_one(struct ct_search *search, const struct ct_evaluated *entry);

/* After ten evaluations: how long all will take. */
void ct_search_print_estimate(struct ct_search *search);

/* After: the ten best and everything else, on standard output. */
void ct_search_print_results(struct ct_search *search);

/* The same as one JSON object, with the `count` entries of `order` as the best. */
void ct_search_print_json(struct ct_search *search, const struct ct_evaluated **order,
                          size_t count);

/* --- search_run.c --- */

/* The default's time, 0 when it is not known. */
double ct_search_default_ns(const struct ct_search *search);

/* Searches one problem on one device; returns the exit status.  *printed counts the
 * searches of this call that printed results before: something separates them. */
int ct_search_run(const struct ct_options *options, const struct ct_spec *spec,
                  const struct ct_devinfo *device, const struct ct_settings *problem,
                  size_t *printed);

/* Values of configuration `index` of the space into search->values. */
void ct_search_values(struct ct_search *search, int64_t index);

#endif
