// SPDX-License-Identifier: Apache-2.0
// One search: a space file on one device for one problem.  Private to tuner/cli.
#ifndef CT_CLI_SEARCH_H
#define CT_CLI_SEARCH_H

#include "cli/cli.h"
#include "cli/doubts.h"
#include "db/store.h"
#include "schedule/scheduler.h"
#include "judge/drift.h"
#include "judge/playoff.h"
#include "report/progress.h"
#include "search/strategy.h"
#include "space/space.h"
#include "spacefile/source.h"

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
    bool stored;          /* known from an earlier call */
    bool verified;        /* its outputs were compared with something */
    bool in_flight_retry; /* in flight when the machine went down: to be tried last, alone
                           */
    double time_ns;
    double low_ns;
    double high_ns;
    struct ct_quantities observed; /* with the times */
    struct ct_timing timing;       /* of this call; all zeros for what is stored */
    double value;           /* of the objective, in its own unit; NaN: there is none */
    double spent_ns;        /* building and measuring it took; 0: not known */
    struct ct_hash twin_of; /* it was measured for this experiment; "": itself */
    bool stopped_early;
    size_t epoch; /* of search->drift, when it was measured; 0: in an earlier call */
    int64_t measured_unix_s; /* if stored */
    /* Of the last play-off, if it was in one; its times are those of the play-off then.
     */
    size_t place;  /* 1: the pick; 2, 3, ...: the others; 0: it was in none */
    bool tied;     /* cannot be told apart from the pick */
    bool played;   /* in a play-off of this call */
    size_t rounds; /* processes that its times come from; 0: none */
    double raw_ns; /* its time before that */
};

/* A time and its interval, in nanoseconds; all 0: not known. */
struct ct_range {
    double middle;
    double low;
    double high;
};

/* A configuration in the crew's hands. */
struct ct_pending {
    uint64_t ticket;
    struct ct_arena arena; /* owns the plan */
    struct ct_plan plan;
    struct ct_evaluated entry; /* what is known of it so far */
};

/* A failure that is not believed yet (search_canary.c). */
struct ct_held {
    struct ct_pending *pending; /* owned */
    struct ct_report report;    /* owned */
};

/* A list of indices of the space. */
struct ct_index_list {
    int64_t *items;
    size_t count;
    size_t capacity;
};

/* What a ticket of the crew stands for, for as long as twins may refer to it. */
struct ct_ticket {
    int64_t index;
    struct ct_hash experiment;
};

/* What the play-off of this call did. */
struct ct_search_playoff {
    bool played;
    size_t entrants;
    size_t processes;
    size_t tied;       /* with the pick */
    double resolution; /* differences below this could not be told */
    bool doubtful;
    uint64_t spent_ns;
};

/* The best of a search, for whoever does not want it printed. */
struct ct_search_answer {
    bool found;
    double time_ns; /* with its 95% interval */
    double low_ns;
    double high_ns;
    double bytes;      /* that it moves and operations that it does, by the metrics of */
    double operations; /* these names; NaN: there is no such metric */
    struct ct_str configuration; /* "WG=64 VEC=4"; the caller releases it */
};

/* What ended a search. */
enum ct_search_end {
    CT_SEARCH_WHOLE, /* nothing was left */
    CT_SEARCH_EVALUATIONS,
    CT_SEARCH_TIME,
    CT_SEARCH_TARGET,
    CT_SEARCH_FRACTION,
    CT_SEARCH_NO_PROGRESS,
};

/* A search in progress. */
struct ct_search {
    const struct ct_options *options;
    const struct ct_devinfo *device;
    const struct ct_spec *spec;
    struct ct_binding *binding;
    struct ct_space *space;
    struct ct_source_cache *sources;
    struct ct_scheduler *scheduler;
    struct ct_scheduler_stats stats; /* of the crew, once it is gone */
    char duplicates_off[200];        /* stats.duplicates_off points here */
    struct ct_strategy *strategy;
    const char *strategy_name; /* "auto (surrogate)" */
    char strategy_text[64];
    enum ct_spec_objective objective;
    const char *objective_name;
    int by;                  /* parameter of which each value's best is told; -1: none */
    size_t objective_metric; /* for CT_OBJECTIVE_METRIC */
    enum ct_quantity objective_quantity; /* for CT_OBJECTIVE_QUANTITY */
    uint32_t needs; /* what the objective is computed from: bits of enum ct_quantity */
    bool maximize;
    bool cold;                   /* caches, while a configuration is timed */
    uint64_t budget_evaluations; /* 0: none */
    double budget_s;             /* 0: none */
    bool budget_is_share;        /* budget_evaluations comes from --fraction */
    uint64_t budget_no_progress; /* 0: none */
    bool has_target;
    double target;         /* of the objective, in its own unit */
    uint64_t fruitless;    /* new evaluations in a row without a better one */
    double progress_best;  /* best cost when that began; INFINITY: none */
    size_t transfer_count; /* results of other devices and problems that were told */
    size_t transfer_sources;

    struct ct_db *db;
    struct ct_db_run run;
    bool run_begun;
    struct ct_arena orphan_arena;
    struct ct_db_orphan *orphans; /* in order of their hashes */
    size_t orphan_count;

    /* What the crew has, and what waits for it. */
    struct ct_pending **pending;
    size_t pending_count;
    size_t pending_capacity;
    struct ct_ticket *tickets; /* by ticket */
    size_t ticket_count;
    size_t ticket_capacity;
    struct ct_index_list in_flight_retries; /* come last, one at a time */
    size_t retry_next;
    /* Are looked at again: their experiment is in the crew's hands already, or they were
     * put off. */
    struct ct_index_list twice;

    /* Failures that wait for something to work after them. */
    struct ct_held *held;
    size_t held_count;
    size_t held_capacity;
    uint64_t held_before;    /* tickets below this are from before the last of them */
    size_t canary_at;        /* so many of them, and the canary is asked */
    size_t failed_in_a_row;  /* of kinds that are doubtful in numbers only */
    unsigned canaries;       /* asked so far */
    unsigned machine_faults; /* canaries that failed, in a row */

    /* Scratch for one configuration. */
    struct ct_arena arena;
    struct ct_value *values;
    struct ct_value *env;
    uint32_t *config;

    struct ct_value *default_values;
    int64_t default_index; /* in the space, or CT_OUTSIDE */
    struct ct_evaluated default_result;
    bool default_known;
    bool default_retry; /* it is among the suspects */
    bool has_first;     /* the default was evaluated before the database was touched */
    struct ct_outcome first;
    bool has_baseline;
    struct ct_outcome baseline; /* on one processor */
    bool has_baseline_all;
    struct ct_outcome baseline_all; /* on all of them */
    char *baseline_all_missing;     /* why it is left out; NULL: it is not */
    unsigned processors;            /* that those are; 0 without a baseline */
    struct ct_range transfers;      /* the winner's time with transfers */

    struct ct_arena default_arena; /* owns the plan */
    struct ct_plan default_plan;   /* for whatever times the default again */
    bool has_default_plan;
    struct ct_noise noise;
    bool has_noise;
    bool doubted;     /* it was said that the check says nothing */
    uint32_t samples; /* that a configuration gets; 0: the default number */
    struct ct_drift drift;
    uint64_t drift_ticket; /* of the job that is in the crew's hands */
    bool drift_out;
    uint64_t drift_run_ns;      /* what had been run when it was timed last */
    uint64_t drift_evaluations; /* and evaluated */
    struct ct_search_playoff playoff;

    struct ct_evaluated *done;
    size_t done_count;
    size_t done_capacity;
    uint64_t evaluated; /* new ones of this call */
    uint64_t reused;
    double best_ns;   /* time of the best by the objective; 0: none yet */
    double best_cost; /* of it */
    uint64_t status_counts[CT_RESULT_STATUS_COUNT];
    /* The first one that failed in each way, and of all: "FAULT=8: why". */
    char *failures[CT_RESULT_STATUS_COUNT];
    enum ct_result_status first_failure; /* CT_RESULT_OK: there is none */

    size_t *printed;                 /* as ct_search_run has it */
    struct ct_search_answer *answer; /* gets the results; NULL: they are printed */
    struct ct_progress progress;
    uint64_t start_ns;
    uint64_t loop_ns;    /* when the strategy was asked for the first time */
    uint64_t loop_first; /* evaluations before that */
    bool estimated;
    uint64_t store_ns; /* spent in the database */
    bool interrupted;
    enum ct_search_end end;
};

/* --- search_loop.c: the crew and the strategy --- */

/* Hires the crew; nothing is started yet. */
enum ct_status ct_search_scheduler_begin(struct ct_search *search, struct ct_err *err);

/* Notes what the crew did, and ends it; jobs that it still has are not evaluated. */
void ct_search_scheduler_end(struct ct_search *search);

/* Gives up what the crew still has: a budget is spent. */
void ct_search_drop(struct ct_search *search);

/* Likewise, but should the loop be called again, they come first.  CT_E_NOMEM. */
enum ct_status ct_search_put_off(struct ct_search *search, struct ct_err *err);

/* Evaluates one plan, whose configuration is that of `index`, while the crew has nothing
 * else; never stopped early.  Nothing is stored. */
enum ct_status ct_search_evaluate(struct ct_search *search, int64_t index,
                                  const struct ct_plan *plan,
                                  const struct ct_hash *experiment,
                                  struct ct_outcome *outcome, struct ct_err *err);

/* Completes `entry` by what became of its configuration, and stores that.  `twin_of`:
 * the experiment that it was not measured for; NULL for none. */
enum ct_status ct_search_record(struct ct_search *search, const struct ct_plan *plan,
                                const struct ct_outcome *outcome,
                                const struct ct_hash *twin_of, struct ct_evaluated *entry,
                                struct ct_err *err);

/* Keeps an entry among what is done.  The default configuration outside a restricted
 * space is compared with, but does not compete. */
enum ct_status ct_search_keep(struct ct_search *search, const struct ct_evaluated *entry,
                              struct ct_err *err);

/* CT_E_IO when an include was edited since it was read: what was built may be a mixture.
 */
enum ct_status ct_search_check_sources(struct ct_search *search, struct ct_err *err);

/* Tells the strategy. */
void ct_search_tell(struct ct_search *search, const struct ct_evaluated *entry);

/* Appends an index; CT_E_NOMEM. */
enum ct_status ct_search_list_add(struct ct_index_list *list, int64_t index,
                                  struct ct_err *err);

/* Evaluates what the strategy asks for until it has no more or the budget is spent.  What
 * is finished when it returns, for whatever reason, is stored. */
enum ct_status ct_search_loop(struct ct_search *search, struct ct_err *err);

/* A new ticket for a configuration.  CT_E_NOMEM. */
enum ct_status ct_search_take_ticket(struct ct_search *search, int64_t index,
                                     const struct ct_hash *experiment, uint64_t *ticket,
                                     struct ct_err *err);

void ct_search_release_pending(struct ct_pending *pending);

/* --- search_canary.c: whose fault a failure is --- */

/* Whether a report is a failure that is to wait until something has worked after it:
 * crashes, timeouts and memory that was refused; of failed builds and short resources the
 * third in a row and all after it.  To be asked once a report, in their order. */
bool ct_search_holds(struct ct_search *search, const struct ct_report *report);

/* Takes such a failure over, and the outcome out of `report`.  CT_E_NOMEM: nothing is
 * taken. */
enum ct_status ct_search_hold(struct ct_search *search, struct ct_pending *pending,
                              struct ct_report *report, struct ct_err *err);

/* Whether a report shows that the machine works, after all that is held. */
bool ct_search_is_cleared(const struct ct_search *search, const struct ct_report *report);

/* A configuration has worked: the count of failures in a row begins anew. */
void ct_search_note_worked(struct ct_search *search);

/* Whether so many are held that nothing more is to be begun before the canary. */
bool ct_search_needs_canary(const struct ct_search *search);

/* With the outcome of the default, before anything has worked: CT_E_DEVICE when it failed
 * in a way that limits of this process may have brought about, and there are such ones.
 */
enum ct_status ct_search_check_limits(const struct ct_outcome *first, struct ct_err *err);

/* Evaluates what is known to work, in a fresh process and built anew, while nothing is
 * pending.  When it fails, what was held comes once more (search->twice), or, the third
 * time in a row, the search ends with CT_E_DEVICE; other errors as ct_scheduler_wait's.
 */
enum ct_status ct_search_ask_canary(struct ct_search *search, bool *works,
                                    struct ct_err *err);

/* Forgets what is held: it is not evaluated. */
void ct_search_release_held(struct ct_search *search);

/* --- search_noise.c: what can be told apart --- */

/* Makes search->default_plan.  Errors as those of ct_search_plan. */
enum ct_status ct_search_default_plan(struct ct_search *search, struct ct_err *err);

/* How long one sample of something that takes `time_ns` takes, about. */
double ct_search_sample_ns(double time_ns);

/* The A/A test, where it is worth its time for `left` more evaluations; tells the crew
 * what came of it. */
enum ct_status ct_search_noise(struct ct_search *search, uint64_t left,
                               struct ct_err *err);

/* "0.8% between processes, ..." */
void ct_search_noise_text(const struct ct_search *search, struct ct_str *out);

/* --- search_drift.c: whether the device changes its speed --- */

/* Has the crew time the default once more when that is due; together with other jobs
 * only. */
enum ct_status ct_search_drift_submit(struct ct_search *search, struct ct_err *err);

/* Takes a report that is the default's; false when it is another's. */
bool ct_search_drift_take(struct ct_search *search, struct ct_report *report);

/* An entry's cost as it would have been at the beginning, as a time would be: positive,
 * and small is good.  NaN where there is none. */
double ct_search_corrected(const struct ct_search *search,
                           const struct ct_evaluated *entry);

/* --- search_playoff.c: the best few against each other --- */

/* Plays unless nothing has changed since the last one; replaces times and values of the
 * entrants and of their twins, here and in the database. */
enum ct_status ct_search_play(struct ct_search *search, struct ct_err *err);

/* Twins of entrants share what was found out about them. */
void ct_search_share(struct ct_search *search);

/* --- search_store.c: the search's side of the database --- */

/* Opens the database and stores device, kernel and problem; begins the run. */
enum ct_status ct_search_store_begin(struct ct_search *search, const struct ct_plan *plan,
                                     struct ct_err *err);

/* Records what the crew has (search->pending) as in flight. */
enum ct_status ct_search_store_inflight(struct ct_search *search, struct ct_err *err);

/* Stores the outcome of the configuration in search->values; `twin_of` as
 * ct_search_record has it. */
enum ct_status ct_search_store_result(struct ct_search *search,
                                      const struct ct_plan *plan,
                                      const struct ct_hash *experiment,
                                      const struct ct_outcome *outcome,
                                      const struct ct_hash *twin_of, struct ct_err *err);

/* Stores a result that was read for this run, too, with the configuration in
 * search->values and what this search's objective and metrics make of `observed`. */
enum ct_status ct_search_store_again(struct ct_search *search, const struct ct_plan *plan,
                                     struct ct_db_result *result,
                                     const struct ct_quantities *observed,
                                     struct ct_err *err);

enum ct_status ct_search_store_baseline(struct ct_search *search,
                                        const struct ct_plan *plan, struct ct_err *err);

/* Stores the default's time, so that a look-up during the search can tell the gain. */
enum ct_status ct_search_store_default(struct ct_search *search, struct ct_err *err);

/* Stores who won the play-off, the pick first.  `entrants[i]` is that of `order[i]`. */
enum ct_status ct_search_store_rankings(struct ct_search *search,
                                        struct ct_evaluated *const *order,
                                        const struct ct_entrant *const *entrants,
                                        size_t count, struct ct_err *err);

/* Takes over the standings of the last play-off. */
enum ct_status ct_search_store_find_rankings(struct ct_search *search,
                                             struct ct_err *err);

/* Ends the run with "done", "interrupted" or "failed". */
enum ct_status ct_search_store_end(struct ct_search *search, const char *status,
                                   struct ct_err *err);

/* Identity of an experiment: the plan, the device, its driver and the seed of its inputs.
 */
struct ct_hash ct_search_experiment(const struct ct_search *search,
                                    const struct ct_plan *plan);

/* --- search_failures.c: what did not work --- */

/* Notes the first failure of each kind, of the configuration in search->values. */
void ct_search_note_failure(struct ct_search *search, enum ct_result_status status,
                            const char *message, const char *build_log);

/* Appends the first failure of all, "STATUS: CONFIGURATION: why"; nothing when there is
 * none. */
void ct_search_first_failure(const struct ct_search *search, struct ct_str *out);

/* One line for each kind, on standard output. */
void ct_search_print_failures(const struct ct_search *search);

/* --- search_known.c: what earlier calls have stored --- */

/* Whether an experiment need not be tried before everything else: it is stored and final,
 * or was in flight when an earlier search died.  Does not change the database nor make
 * one that is not there.  Only search->device, ->options and ->needs are used. */
enum ct_status ct_search_store_peek(struct ct_search *search,
                                    const struct ct_hash *experiment, bool *known,
                                    struct ct_err *err);

/* Takes over what is stored already: results of the same experiments are told to the
 * strategy and kept in `done`. */
enum ct_status ct_search_resume_load(struct ct_search *search, struct ct_err *err);

/* The configuration of a stored result as an index of the space, or CT_OUTSIDE.  Changes
 * search->values. */
enum ct_status ct_search_resume_index(struct ct_search *search,
                                      const struct ct_db_known *known, int64_t *index,
                                      struct ct_err *err);

/* --- search_prior.c: what is stored of elsewhere --- */

/* Tells the strategy, if it can learn from that, what the same kernel did on other
 * devices, for other problems or in other versions, and says so in one line.  Before the
 * first ask. */
enum ct_status ct_search_transfer_load(struct ct_search *search, struct ct_err *err);

/* The identity of the present values as a configuration that cannot be planned, for the
 * reason in `why`: another reason makes it another experiment.  CT_E_NOMEM. */
enum ct_status ct_search_refused(const struct ct_search *search, const struct ct_err *why,
                                 struct ct_hash *experiment, struct ct_err *err);

/* Looks the experiment of the configuration in search->values up.  CT_E_NOT_FOUND when it
 * is not stored or has to be measured again; out->suspect then tells whether that should
 * come last.  One that was in flight without outcome when its process died is stored as
 * interrupted, however often cltune is killed; as crashed when the machine went down, and
 * again while nothing else was in flight. */
enum ct_status ct_search_store_find(struct ct_search *search, const struct ct_plan *plan,
                                    const struct ct_hash *experiment,
                                    struct ct_evaluated *out, struct ct_err *err);

/* How long a launch may take (--timeout): a stored timeout of one is final up to there.
 */
uint64_t ct_search_launch_deadline_ns(const struct ct_search *search);

/* --- search_objective.c: what is made best --- */

/* Whether the objective follows from the device time alone. */
bool ct_search_by_time(const struct ct_search *search);

/* The objective of the command line, else of the space file.  CT_E_USAGE. */
enum ct_status ct_search_choose_objective(struct ct_search *search, struct ct_err *err);

/* Its value for the configuration in search->values, of which so much is known; NaN where
 * it has none. */
double ct_search_value(const struct ct_search *search,
                       const struct ct_quantities *observed);

/* Once the default was measured: CT_E_DEVICE when what the objective is computed from is
 * not known on this device; warns of metrics that will have no value. */
enum ct_status ct_search_check_observed(struct ct_search *search, struct ct_err *err);

/* Whether a slow configuration is of no interest to anything that is asked for. */
bool ct_search_races(const struct ct_search *search);

/* The cost as a positive number that is proportional to a time where the objective is
 * one: a value that is minimized, or the inverse of one that is maximized.  NaN where it
 * has none. */
double ct_search_positive(const struct ct_search *search, double value);

/* The value as what is to be small: strategies and rankings minimize. */
double ct_search_cost(const struct ct_search *search, const struct ct_evaluated *entry);

/* How many times as good an entry is as another; 0 where that cannot be told. */
double ct_search_gain(const struct ct_search *search, const struct ct_evaluated *entry,
                      const struct ct_evaluated *base);

/* Whether an entry worked and can be compared; notes the best. */
bool ct_search_competes(struct ct_search *search, const struct ct_evaluated *entry);

/* Makes the plan of the configuration in search->values, in `arena`. */
enum ct_status ct_search_plan(struct ct_search *search, struct ct_arena *arena,
                              struct ct_plan *plan, struct ct_err *err);

/* --- search_budget.c: what ends a search before everything is measured --- */

/* Budgets: the command line before the space file.  After ct_search_choose_objective.
 * CT_E_USAGE or CT_E_SPEC for a target that does not fit the objective. */
enum ct_status ct_search_choose_budget(struct ct_search *search, struct ct_err *err);

/* Whether the search may end before all configurations are known. */
bool ct_search_is_limited(const struct ct_search *search);

/* Counts evaluations since the last better one; `entry` was just kept. */
void ct_search_note_progress(struct ct_search *search, const struct ct_evaluated *entry);

/* Whether there is a target, and the best meets it. */
bool ct_search_target_reached(const struct ct_search *search);

/* Which budget is spent now; CT_SEARCH_WHOLE: none. */
enum ct_search_end ct_search_budget_spent(const struct ct_search *search);

/* "evaluations", "time", ...; "whole" when none was. */
const char *ct_search_end_name(enum ct_search_end end);

/* Appends a value of the objective with its unit or name. */
void ct_search_put_value(const struct ct_search *search, double value,
                         struct ct_str *out);

/* Appends the budgets, each after ", "; and which one ended the search. */
void ct_search_put_budget(const struct ct_search *search, struct ct_str *out);
void ct_search_put_end(const struct ct_search *search, struct ct_str *out);

/* Appends why the strategy asked for a configuration and what it expected of it, in terms
 * of the objective.  False, and nothing appended, when it does not say. */
bool ct_search_put_why(struct ct_search *search, int64_t index, struct ct_str *out);

/* The estimated chance that something more than 5% better remains; NAN: the strategy has
 * no estimate. */
double ct_search_chance(const struct ct_search *search);

/* --- search_report.c: what it says --- */

/* Before: what will be done (to standard error, or to standard output for --dry-run). */
void ct_search_print_intent(const struct ct_search *search, const struct ct_plan *plan,
                            FILE *out);

/* With -v: one line for each evaluation; `message` says why it failed ("" for nothing to
 * say), `twin_of` whose program it shares (NULL: nobody's). */
void ct_search_print_one(struct ct_search *search, const struct ct_evaluated *entry,
                         const char *message, const int64_t *twin_of);

/* After ten evaluations: how long all will take. */
void ct_search_print_estimate(struct ct_search *search);

/* After: the ten best and everything else, on standard output. */
void ct_search_print_results(struct ct_search *search);

/* Fills search->answer in. */
void ct_search_answer_find(struct ct_search *search);

/* --- search_ceiling.c: how near it is to what the device can do --- */

/* A metric of the space file by its name, for an entry; NaN where there is none.  Changes
 * search->values. */
double ct_search_metric(struct ct_search *search, const struct ct_evaluated *entry,
                        const char *name);

/* The pick as shares of the device's ceilings (`cltune peak`): on standard output, and as
 * JSON (NULL never, null where `bytes` and `operations` or the ceilings are missing). */
void ct_search_print_ceiling(struct ct_search *search, const struct ct_evaluated *best);
struct json_t *ct_search_ceiling_json(struct ct_search *search,
                                      const struct ct_evaluated *best);

/* Reached share of the memory's ceiling by an entry; NaN: not known. */
double ct_search_share_of_copy(struct ct_search *search,
                               const struct ct_evaluated *entry);

/* --- search_by.c: the best of each value of a parameter --- */

/* The parameter of --by, else of the space file.  CT_E_USAGE. */
enum ct_status ct_search_choose_by(struct ct_search *search, struct ct_err *err);

/* One line for each value that worked, in the order of their best; `order` has all that
 * worked, best first.  Nothing where nothing was asked for. */
void ct_search_print_by(struct ct_search *search, const struct ct_evaluated *const *order,
                        size_t count);

/* The first entry of each value, in that order, as indices of `order` (room for `count`);
 * returns how many. */
size_t ct_search_firsts(struct ct_search *search, const struct ct_evaluated *const *order,
                        size_t count, size_t *firsts);

/* Appends a configuration, without inactive parameters. */
void ct_search_put_config(const struct ct_search *search, const struct ct_value *values,
                          struct ct_str *out);

/* A column for each metric of the space file, and the cells of an entry, whose values are
 * in search->values. */
struct ct_table;
void ct_search_metric_columns(const struct ct_search *search, struct ct_table *table);
void ct_search_metric_cells(const struct ct_search *search, struct ct_table *table,
                            const struct ct_evaluated *entry);

/* --- search_trust.c: how far that can be trusted --- */

/* Who is tied with the pick, what the play-off, the A/A test and the drift were, on
 * standard output. */
void ct_search_print_playoff(const struct ct_search *search,
                             const struct ct_evaluated *const *order, size_t count);

/* What makes the times of the best and of the default doubtful: after the results, on
 * standard error. */
void ct_search_warn_doubts(const struct ct_search *search,
                           const struct ct_evaluated *best);

/* The same as JSON: "noise", "playoff", "race", "drift" and "warnings" of `object`. */
struct json_t;
void ct_search_confidence_json(const struct ct_search *search,
                               const struct ct_evaluated *best, struct json_t *object);

/* The same as one JSON object, with the first `shown` of the `count` entries of `order`
 * as the best. */
void ct_search_print_json(struct ct_search *search,
                          const struct ct_evaluated *const *order, size_t count,
                          size_t shown);

/* --- search_verdict.c: the device against the processor --- */

/* Measures host code to be beaten, on one processor and on all; failing is no reason not
 * to search.  CT_E_INTERRUPTED, CT_E_NOMEM, or as ct_search_store_baseline. */
enum ct_status ct_search_measure_baseline(struct ct_search *search, struct ct_err *err);
void ct_search_release_baseline(struct ct_search *search);

/* With a baseline: times the best configuration with transfers, while the crew has
 * nothing else.  Errors as ct_scheduler_wait's. */
enum ct_status ct_search_measure_transfers(struct ct_search *search, struct ct_err *err);

/* The baseline and the verdict: on standard output, and as JSON (NULL never, null where
 * there is none). */
void ct_search_print_verdict(struct ct_search *search);
struct json_t *ct_search_verdict_json(const struct ct_search *search);

/* --- search_run.c --- */

/* The default's time, 0 when it is not known. */
double ct_search_default_ns(const struct ct_search *search);

/* Searches one problem on one device; returns the exit status.  *printed counts the
 * searches of this call that printed results before: something separates them. */
int ct_search_run(const struct ct_options *options, const struct ct_spec *spec,
                  const struct ct_devinfo *device, const struct ct_settings *problem,
                  size_t *printed);

/* The same, but what it finds goes into `answer` and is not printed. */
int ct_search_ask(const struct ct_options *options, const struct ct_spec *spec,
                  const struct ct_devinfo *device, const struct ct_settings *problem,
                  struct ct_search_answer *answer);

/* Values of configuration `index` of the space into search->values. */
void ct_search_values(struct ct_search *search, int64_t index);

#endif
