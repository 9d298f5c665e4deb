// SPDX-License-Identifier: Apache-2.0
// What a search's files share.  Private to tuner/tune.
#ifndef CT_TUNE_SEARCH_IMPL_H
#define CT_TUNE_SEARCH_IMPL_H

#include "tune/search.h"

struct ct_map;

/* --- search.c: the steps of a search, which joint.c takes for several of them in turn --- */

/* Everything before the first proposal: the default, stored results, the A/A test. */
enum ct_status ct_search_open(struct ct_search *search, struct ct_err *err);

/* The play-off, or what a rough search has instead; jobs in flight come first in the next loop. */
enum ct_status ct_search_contest(struct ct_search *search, struct ct_err *err);

/* What comes after the last play-off: host code, transfers. */
enum ct_status ct_search_conclude(struct ct_search *search, struct ct_err *err);

/* Ends a search whose steps ended with `status`, which it returns, or its own failure. */
enum ct_status ct_search_close(struct ct_search *search, enum ct_status status,
                               struct ct_err *err);

/* --- jobs.c: the scheduler --- */

/* Creates the scheduler; nothing is started yet. */
enum ct_status ct_jobs_begin(struct ct_search *search, struct ct_err *err);

/* Notes the scheduler's statistics, and frees it; jobs it still has are not evaluated. */
void ct_jobs_end(struct ct_search *search);

/* Likewise, but they come first if the loop is called again.  CT_E_NOMEM. */
enum ct_status ct_jobs_postpone(struct ct_search *search, struct ct_err *err);

/* Evaluates one plan, whose configuration is that of `index`, while the scheduler has nothing
 * else; never stopped early.  Nothing is stored. */
enum ct_status ct_jobs_evaluate(struct ct_search *search, int64_t index,
                                const struct ct_plan *plan,
                                const struct ct_hash *experiment,
                                struct ct_outcome *outcome, struct ct_err *err);

/* ct_scheduler_wait and ct_scheduler_linger, booked as building, running and other by what the workers
 * did meanwhile. */
bool ct_jobs_linger(struct ct_search *search, uint64_t until_ns);
enum ct_status ct_jobs_wait(struct ct_search *search, struct ct_report *report,
                            struct ct_err *err);

/* A new ticket for a configuration.  CT_E_NOMEM. */
enum ct_status ct_jobs_new_ticket(struct ct_jobs *jobs, int64_t index,
                                  const struct ct_hash *experiment, uint64_t *ticket,
                                  struct ct_err *err);

/* Removes and returns the pending configuration of a ticket; NULL: none. */
struct ct_pending *ct_jobs_remove_pending(struct ct_jobs *jobs, uint64_t ticket);
void ct_jobs_release_pending(struct ct_pending *pending);

/* Appends an index; CT_E_NOMEM. */
enum ct_status ct_index_list_add(struct ct_index_list *list, int64_t index,
                                 struct ct_err *err);

/* --- record.c: what happens to an outcome --- */

/* Completes `entry` with the outcome of its configuration, and stores it.  `duplicate_of`: the
 * experiment that was measured in its place; NULL for none. */
enum ct_status ct_search_record(struct ct_search *search, const struct ct_plan *plan,
                                const struct ct_outcome *outcome,
                                const struct ct_hash *duplicate_of,
                                struct ct_evaluated *entry, struct ct_err *err);

/* Gives the outcome of another measurement to all of this run that are the program of the experiment
 * `root`, and worked; those of a play-off keep theirs.  `experiments`: ct_search_map_experiments.  Afterwards
 * ct_search_note_best is due. */
enum ct_status ct_search_record_again(struct ct_search *search,
                                      const struct ct_map *experiments,
                                      const struct ct_hash *root,
                                      const struct ct_outcome *outcome,
                                      struct ct_err *err);

/* Adds an entry to the results, and notes the progress. */
enum ct_status ct_search_add(struct ct_search *search, const struct ct_evaluated *entry,
                             struct ct_err *err);

/* Gives the strategy a result. */
void ct_search_learn(struct ct_search *search, const struct ct_evaluated *entry);

/* Sends CT_EVENT_EVALUATED to the observer. */
void ct_search_show(const struct ct_search *search, const struct ct_evaluated *entry,
                    const char *message, const int64_t *duplicate_of);

/* A late default: speed-ups are known from now on. */
enum ct_status ct_search_note_default(struct ct_search *search,
                                      const struct ct_evaluated *entry,
                                      struct ct_err *err);

/* --- propose.c: from the strategy to the scheduler --- */

/* Looks at postponed ones: their experiments may be stored by now. */
enum ct_status ct_search_look_again(struct ct_search *search, struct ct_err *err);

/* Asks the strategy for as many as there is room for; submits them and what is pending from
 * number `first` on. */
enum ct_status ct_search_propose(struct ct_search *search, size_t first,
                                 struct ct_err *err);

/* Runs one that was in flight when an earlier search died: nothing else runs beside it. */
enum ct_status ct_search_retry_in_flight(struct ct_search *search, struct ct_err *err);

/* --- collect.c: from the scheduler to the results --- */

/* Waits for reports, stores them and learns from them; failures may be held. */
enum ct_status ct_search_collect(struct ct_search *search, struct ct_err *err);

/* --- promise.c --- */

/* Ranks what is built and waits for the runner, by the results so far. */
void ct_search_promise(struct ct_search *search);

/* What each of `count` configurations promises by the results so far: the logarithm of its cost, on a scale
 * of its own, lower is better; 0 for all if nothing is known. */
void ct_search_promises(struct ct_search *search, const int64_t *indices, size_t count,
                        double *promises);

/* The same within a batch, if times are what matters, of a `struct ct_search`. */
void ct_search_rank(void *search);

/* --- collect.c --- */

/* With nothing pending: decides about the failures that are held. */
enum ct_status ct_search_settle_held(struct ct_search *search, struct ct_err *err);

/* --- loop.c --- */

/* Evaluates what the strategy proposes until it has no more or the budget is spent.  What is
 * finished when it returns, for whatever reason, is stored. */
enum ct_status ct_search_loop(struct ct_search *search, struct ct_err *err);

/* --- canary.c: whether a failure is the kernel's or the machine's --- */

/* Whether a report is a failure that waits until something has worked after it: crashes, timeouts
 * and refused memory; of failed builds and short resources the third in a row and all after it.
 * Called once per report, in order. */
bool ct_canary_holds(struct ct_search *search, const struct ct_report *report);

/* Takes over such a failure, and the outcome out of `report`.  CT_E_NOMEM: nothing is taken. */
enum ct_status ct_canary_hold(struct ct_search *search, struct ct_pending *pending,
                              struct ct_report *report, struct ct_err *err);

/* Whether a report shows that the machine works, later than all that is held. */
bool ct_canary_is_cleared(const struct ct_canary *canary, const struct ct_report *report);

/* A configuration has worked: the count of failures in a row begins anew. */
void ct_canary_note_worked(struct ct_canary *canary);

/* Whether so many are held that nothing more may start before the canary. */
bool ct_canary_is_due(const struct ct_canary *canary);

/* Given the outcome of the default, before anything has worked: CT_E_DEVICE if it failed in a way
 * that limits of this process may have caused, and such limits are set. */
enum ct_status ct_canary_check_limits(const struct ct_outcome *first, struct ct_err *err);

/* Evaluates the canary, in a fresh process and built anew, while nothing is pending.  If it
 * fails, what was held is tried once more (jobs.postponed), or, the third time in a row, the
 * search ends with CT_E_DEVICE; other errors as for ct_scheduler_wait. */
enum ct_status ct_canary_ask(struct ct_search *search, bool *works, struct ct_err *err);

/* Forgets what is held: it is not evaluated. */
void ct_canary_release_held(struct ct_canary *canary);

/* --- noise.c: which differences can be resolved --- */

/* Makes search->defaults.plan.  Errors as for ct_workload_plan. */
enum ct_status ct_search_plan_default(struct ct_search *search, struct ct_err *err);

/* What a sample of it costs, as its measuring has told where that is far more than the time: what a program says
 * of its time is a part of its run, and so is the device's time where transfers or set-ups are timed, too. */
double ct_search_sample_cost_ns(const struct ct_evaluated *entry);

/* The A/A test, if it is worth its time for `left` more evaluations; passes its result to the
 * scheduler. */
/* Learns from a result how steady the device is, where no A/A test has shown it. */
void ct_search_note_spread(struct ct_search *search, const struct ct_outcome *outcome);

enum ct_status ct_search_measure_noise(struct ct_search *search, uint64_t left,
                                       struct ct_err *err);

/* --- drift.c: whether the device changes its speed --- */

/* Submits the default for timing when that is due, only together with other jobs; or if the default has
 * changed, one of the first configurations, to see whether that has. */
enum ct_status ct_search_submit_drift(struct ct_search *search, struct ct_err *err);

/* Takes a report if it is one of these; false otherwise. */
bool ct_search_accept_drift(struct ct_search *search, struct ct_report *report);

/* The epoch of what is recorded now. */
static inline size_t ct_search_epoch(const struct ct_search *search)
{
    bool pending = search->drift.witness.wanted || search->drift.witness.out;

    return ct_drift_epoch(&search->drift.series) + (pending ? 1 : 0);
}

/* Forgets what is out, and what is wanted: the scheduler has dropped its jobs. */
static inline void ct_search_drop_drift(struct ct_search *search)
{
    ct_arena_release(&search->drift.witness.arena);
    search->drift.out = search->drift.witness.wanted = search->drift.witness.out = false;
}

/* Notes the device's speed in a play-off, by the times of the default and of the pick in it (NAN: unknown),
 * before `pick` (NULL: none) has its new time. */
void ct_search_note_playoff_speed(struct ct_search *search, double default_ns,
                                  const struct ct_evaluated *pick, double pick_ns);

/* An entry's cost as it would have been at the beginning, on a scale like a time's: positive,
 * lower is better.  NaN if there is none. */
double ct_search_corrected(const struct ct_search *search,
                           const struct ct_evaluated *entry);

/* --- entrants.c, playoff.c, share.c: the best few against each other --- */

/* Plays unless nothing has changed since the last one; replaces times and values of the entrants
 * and of their duplicates, in memory and in the database. */
enum ct_status ct_search_play(struct ct_search *search, struct ct_err *err);

/* The best is the pick, whatever single processes of others measured; NULL: the best of all. */
void ct_search_note_best(struct ct_search *search, const struct ct_evaluated *pick);

/* --- search_state.c --- */

/* Whether a single process can be so wrong that what seems slow is timed a second time. */
bool ct_search_looks_twice(const struct ct_search *search);

/* Tells the scheduler of it, once the noise is known. */
void ct_search_announce_second(struct ct_search *search);

/* --- second.c --- */

/* The end of the loop on a noisy device: those that seemed slow, although they may be good, are timed a
 * second time; what is faster then replaces the first, in memory and in the
 * database.  What is pending is postponed.  Errors as for ct_scheduler_wait. */
enum ct_status ct_search_look_twice(struct ct_search *search, struct ct_err *err);

/* --- refine.c --- */

/* The end of a rough search: the leaders of this run alternate in one process, whose times replace
 * theirs, in memory and in the database.  Only times, and only if time is left. */
enum ct_status ct_search_refine(struct ct_search *search, struct ct_err *err);

/* --- share.c --- */

/* The experiment that represents an entry and all its duplicates. */
struct ct_hash ct_search_root(const struct ct_search *search,
                              const struct ct_map *experiments,
                              const struct ct_evaluated *entry);

/* Fills a map of all experiments with their indices in the results. */
void ct_search_map_experiments(const struct ct_search *search, struct ct_map *out);

/* Gives duplicates the results of their entrants. */
void ct_search_share(struct ct_search *search);

/* Multiplies an entry's times, and what is computed from them. */
void ct_search_scale(const struct ct_search *search, struct ct_evaluated *entry,
                     double factor);

/* The objective's value for an entry with these quantities. */
double ct_search_value(const struct ct_search *search, const struct ct_evaluated *entry,
                       const struct ct_quantities *known);

/* --- siblings.c: further devices of the same kind --- */

/* Takes note of them: nothing is known yet. */
void ct_search_begin_siblings(struct ct_search *search);

/* Times the default on all devices, while the scheduler has nothing else, and leaves out those that
 * differ from the first one.  Errors as for ct_scheduler_time_all. */
enum ct_status ct_search_compare_before(struct ct_search *search, struct ct_err *err);

/* The same after they have measured: warns of those that differ now. */
enum ct_status ct_search_compare_after(struct ct_search *search, struct ct_err *err);

/* Notes what each has measured so far. */
void ct_search_note_siblings(struct ct_search *search);

/* Tells a new scheduler which devices take no part. */
void ct_search_leave_out_siblings(struct ct_search *search);

/* Warns that a device is lost. */
void ct_search_tell_lost(struct ct_search *search, const struct ct_devinfo *device,
                         const char *why);

/* The scheduler has lost one (struct ct_scheduler_options). */
void ct_search_lost_sibling(void *user, size_t number, const struct ct_err *why);

/* Times the default on all devices, once, before the search: search->siblings.middle_ns.  As for
 * ct_search_run. */
enum ct_status ct_search_time_siblings(struct ct_search *search, struct ct_err *err);

/* Differences of times below this share are no differences between devices. */
double ct_search_sibling_tolerance(const struct ct_search *search);

/* --- replace.c --- */

/* Times the default on all devices, once, before the search.  If another one is faster than the first,
 * it takes its place, with a new scheduler, and the first one becomes a sibling; comparing them then
 * leaves it out.  As for ct_search_run. */
enum ct_status ct_search_choose_first(struct ct_search *search, struct ct_err *err);

/* Steps have ended with `why`, and `err` says more.  If the first device is lost, a sibling that takes part takes its place, with a new
 * scheduler, and what was in hand comes first in the next loop.  Returns the error if there is none,
 * or if it is none of a device's; else CT_OK, and `err` is empty.  CT_E_NOMEM, CT_E_WORKER. */
enum ct_status ct_search_replace_first(struct ct_search *search, enum ct_status why,
                                       struct ct_err *err);

/* --- early.c --- */

/* Has builders compile what will probably be proposed first.  CT_E_NOMEM. */
enum ct_status ct_search_build_early(struct ct_search *search, struct ct_err *err);

/* Whether what the strategy proposes depends on results, not only the order: then few proposals may be
 * without one. */
bool ct_search_learns(const struct ct_search *search);

/* How long `reported` of the pending ones can wait at most to be stored, because others will follow
 * soon, and nothing has to be proposed meanwhile; 0: not at all. */
uint64_t ct_search_may_linger_ns(const struct ct_search *search, size_t reported);

/* How many proposals may be without a result at a time; SIZE_MAX: any number.  A strategy that
 * learns is asked for no more than keeps all builders busy, and with a budget of evaluations for no
 * more than a part of that: many builders must not use it up before first results tell what is
 * good. */
size_t ct_search_most_unknown(const struct ct_search *search);

/* --- search_store.c: what only a search stores --- */

/* Records what the scheduler has (jobs.pending) as in flight. */
enum ct_status ct_search_store_inflight(struct ct_search *search, struct ct_err *err);

enum ct_status ct_search_store_baseline(struct ct_search *search,
                                        const struct ct_plan *plan, struct ct_err *err);

/* Stores the default's time, so that a look-up during the search knows the speed-up. */
enum ct_status ct_search_store_default(struct ct_search *search, struct ct_err *err);

/* Stores the play-off's ranking, the pick first.  `entrants[i]` is that of `order[i]`; NULL if it
 * took part in an earlier one of this run. */
enum ct_status ct_search_store_rankings(struct ct_search *search,
                                        struct ct_evaluated *const *order,
                                        const struct ct_entrant *const *entrants,
                                        size_t count, struct ct_err *err);

/* Takes over the ranking of the last play-off. */
enum ct_status ct_search_find_rankings(struct ct_search *search, struct ct_err *err);

/* Ends the run with "running", "done", "interrupted" or "failed". */
enum ct_status ct_search_store_end(struct ct_search *search, const char *status,
                                   struct ct_err *err);

/* --- resume.c: stored results of earlier runs --- */

/* Whether an experiment need not be tried first: it is stored and final, or was in flight when an
 * earlier search died.  Neither changes nor creates the database. */
enum ct_status ct_search_peek(struct ct_search *search, const struct ct_hash *experiment,
                              bool *known, struct ct_err *err);

/* Takes over stored results: those of the same experiments are added and given to the strategy. */
enum ct_status ct_search_resume(struct ct_search *search, struct ct_err *err);

/* The configuration of a stored result as an index of the space, or CT_OUTSIDE.  Changes
 * work.values. */
enum ct_status ct_search_stored_index(struct ct_search *search,
                                      const struct ct_db_known *known, int64_t *index,
                                      struct ct_err *err);

/* The identity of the present values as a configuration that has no plan, for the reason `why`:
 * another reason is another experiment.  CT_E_NOMEM. */
enum ct_status ct_search_refused(const struct ct_search *search, const struct ct_err *why,
                                 struct ct_hash *experiment, struct ct_err *err);

/* Looks up the experiment of the configuration in work.values.  CT_E_NOT_FOUND if it is not
 * stored or must be measured again; out->in_flight_retry then says whether it comes last.  One
 * that was in flight without an outcome when its process died is stored as interrupted, however
 * often cltune is killed; as crashed if the machine went down, and again while nothing else was
 * in flight. */
enum ct_status ct_search_find_stored(struct ct_search *search, const struct ct_plan *plan,
                                     const struct ct_hash *experiment,
                                     struct ct_evaluated *out, struct ct_err *err);

/* Completes `out` with a result of another search of the experiment in work.values; false: it is not
 * final here. */
bool ct_search_take_foreign(struct ct_search *search, struct ct_db_result *result,
                            struct ct_evaluated *out);

/* --- transfer.c: results from elsewhere --- */

/* Gives a strategy that can use them the stored results of the same kernel on other devices, for
 * other problems or in other versions.  Before the first ask. */
enum ct_status ct_search_transfer(struct ct_search *search, struct ct_err *err);

/* Lists whose results of the search's kernel a database has: *count may be 0.  The arena owns the
 * records.  Errors as for ct_db_records, but CT_E_NOT_FOUND is none. */
enum ct_status ct_search_list_records(const struct ct_search *search, struct ct_db *db,
                                      struct ct_arena *arena,
                                      struct ct_db_record **listed, size_t *count,
                                      struct ct_err *err);

/* --- quantities.c: what cannot be observed --- */

/* After the default was measured: CT_E_DEVICE if an input of the objective is unavailable on this
 * device; warns of metrics that will have no value. */
enum ct_status ct_search_check_observed(struct ct_search *search, struct ct_err *err);

/* --- part.c --- */

/* Divides the space for --shard, by the results of --with if there are any.  CT_E_USAGE for a
 * strategy that --shard does not support; errors of these databases; CT_E_NOMEM. */
enum ct_status ct_search_choose_part(struct ct_search *search, struct ct_err *err);

/* The strategy's name: command line before space file before what suits the budget, and what
 * --shard and --island require.  NULL: CT_E_USAGE, with an error. */
const char *ct_search_strategy_for(const struct ct_search *search, bool limited,
                                   struct ct_err *err);

/* Makes the strategy of that name for the search's part.  Errors as for ct_strategy_new. */
enum ct_status ct_search_new_strategy(const struct ct_search *search, const char *name,
                                      struct ct_strategy **out, struct ct_err *err);

/* How many configurations this run evaluates without a budget: those of its part that have no stored
 * result, and the default. */
uint64_t ct_search_left(const struct ct_search *search);

/* --- islands.c --- */

/* Takes over the results of the other islands, when it is time to read them again.  Whatever is wrong
 * with their databases is a warning.  CT_E_NOMEM. */
enum ct_status ct_search_read_islands(struct ct_search *search, struct ct_err *err);
void ct_search_release_islands(struct ct_search *search);

/* --- bar.c --- */

/* Finds the fastest result of this search's kernel, device and problem in another part's database.
 * Errors of the database; CT_E_NOMEM. */
enum ct_status ct_search_read_bar(struct ct_search *search, struct ct_db *db,
                                  struct ct_err *err);

/* The time that configurations have to come near to get all their samples: the best of this search
 * or of the other parts.  0: none is known. */
double ct_search_bar_ns(const struct ct_search *search);

/* --- per_value.c --- */

/* The parameter of the options, else of the space file.  CT_E_USAGE. */
enum ct_status ct_search_choose_per_value(struct ct_search *search, struct ct_err *err);

/* --- baseline.c --- */

/* Measures the host baseline, on one processor and on all, while the scheduler has nothing else: its
 * calls are timed by wall clock.  It takes a share of the search (ct_budget_baseline_s), so with a
 * limit of time it comes first, else last.  A failure does not end the search.
 * CT_E_INTERRUPTED, CT_E_NOMEM, or as for ct_search_store_baseline. */
enum ct_status ct_search_measure_baseline(struct ct_search *search, struct ct_err *err);

/* With a baseline: times the best configuration with transfers, while the scheduler has nothing
 * else.  Errors as for ct_scheduler_wait. */
enum ct_status ct_search_measure_transfers(struct ct_search *search, struct ct_err *err);

#endif
