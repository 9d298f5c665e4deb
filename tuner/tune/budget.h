// SPDX-License-Identifier: Apache-2.0
// What ends a search before everything is measured.
#ifndef CT_TUNE_BUDGET_H
#define CT_TUNE_BUDGET_H

#include "tune/objective.h"
#include "tune/options.h"
#include "tune/results.h"

/* What ended a search. */
enum ct_search_end {
    CT_SEARCH_WHOLE, /* nothing was left */
    CT_SEARCH_EVALUATIONS,
    CT_SEARCH_TIME,
    CT_SEARCH_TARGET,
    CT_SEARCH_FRACTION,
    CT_SEARCH_NO_PROGRESS,
};

struct ct_budget {
    uint64_t evaluations; /* new ones; 0: no limit */
    bool is_share;        /* that comes from a share of the space */
    double seconds;       /* 0: no limit */
    uint64_t no_progress; /* new evaluations in a row without a better one; 0: no limit */
    bool has_target;
    double target;        /* of the objective, in its own unit: times in nanoseconds */
    uint64_t fruitless;   /* new evaluations in a row without a better one, so far */
    double progress_best; /* best cost when that began; INFINITY: none */
    enum ct_search_end end;
};

/* Budgets: the options before the space file; `count` is the number of valid configurations.
 * CT_E_USAGE or CT_E_SPEC for a target that does not fit the objective. */
enum ct_status ct_budget_choose(struct ct_budget *budget,
                                const struct ct_budget_options *options,
                                const struct ct_spec *spec,
                                const struct ct_objective *objective, uint64_t count,
                                struct ct_err *err);

/* Whether the search may end before all `count` configurations are known. */
bool ct_budget_is_limited(const struct ct_budget *budget, uint64_t count);

/* Counts evaluations since the last better one; one, `stored` or new, was just added. */
void ct_budget_note_progress(struct ct_budget *budget, const struct ct_results *results,
                             bool stored);

/* Whether there is a target, and the best meets it. */
bool ct_budget_target_reached(const struct ct_budget *budget,
                              const struct ct_objective *objective,
                              const struct ct_results *results);

/* Which one is spent after so many seconds; CT_SEARCH_WHOLE: none. */
enum ct_search_end ct_budget_spent(const struct ct_budget *budget,
                                   const struct ct_objective *objective,
                                   const struct ct_results *results, double seconds);

/* How many of `wanted` more evaluations the limit leaves room for, when `used` were begun. */
size_t ct_budget_room(const struct ct_budget *budget, uint64_t used, size_t wanted);

/* "evaluations", "time", ...; "whole" when none was. */
const char *ct_search_end_name(enum ct_search_end end);

#endif
