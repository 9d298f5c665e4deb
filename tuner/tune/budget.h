// SPDX-License-Identifier: Apache-2.0
// Limits that end a search before everything is measured.
#ifndef CT_TUNE_BUDGET_H
#define CT_TUNE_BUDGET_H

#include "tune/objective.h"
#include "tune/options.h"
#include "tune/results.h"

/* Why a search ended. */
enum ct_search_end {
    CT_SEARCH_WHOLE, /* everything was measured */
    CT_SEARCH_EVALUATIONS,
    CT_SEARCH_TIME,
    CT_SEARCH_TARGET,
    CT_SEARCH_FRACTION,
    CT_SEARCH_NO_PROGRESS,
    CT_SEARCH_CHANCE,
    CT_SEARCH_ALL_WRONG, /* every value of the first ones: the reference or a fill is suspect */
};

struct ct_budget {
    uint64_t evaluations; /* new ones; 0: no limit */
    bool is_share;        /* `evaluations` is a share of the space */
    double seconds;       /* of the whole search; 0: no limit */
    double reserved_s;    /* of these, kept free for the play-off */
    double playoff;       /* largest share of the time for the play-off; 0: the default */
    double baseline;      /* the same for the host baseline */
    double noise_s;       /* what the A/A test took, which shares the default with it */
    bool steady;          /* which has shown that processes differ by 5% at most */
    uint64_t no_progress; /* new evaluations in a row without a better one; 0: no limit */
    double until_chance;  /* 0: no limit */
    uint64_t chance_next; /* new evaluations at which it is estimated again */
    bool has_target;
    double target;        /* in the objective's own unit; times in nanoseconds */
    uint64_t fruitless;   /* new evaluations in a row without a better one, so far */
    double progress_best; /* best cost when that count began; INFINITY: none */
    enum ct_search_end end;
};

/* Sets the limits: options take precedence over the space file; `count` is the number of valid
 * configurations.  CT_E_USAGE or CT_E_SPEC if the target does not fit the objective. */
enum ct_status ct_budget_choose(struct ct_budget *budget,
                                const struct ct_budget_options *options,
                                const struct ct_spec *spec,
                                const struct ct_objective *objective, uint64_t count,
                                struct ct_err *err);

/* Keeps time free for the play-off, if there is a limit of time. */
void ct_budget_reserve(struct ct_budget *budget);

/* Seconds for the play-off that comes after `spent_s` seconds, `played_s` of them in earlier
 * play-offs: together with the A/A test a quarter of the limit of time, or of the search so far
 * without the two, but for play-offs at least 6 s (where processes are steady, and that has taken more than 14 s,
 * only so long that all ends after 20 s); or the user's share, for play-offs alone. */
double ct_budget_playoff_s(const struct ct_budget *budget, double spent_s,
                           double played_s);

/* Seconds for the host baseline of a search that has taken `spent_s` seconds so far, all but this;
 * INFINITY: no limit. */
double ct_budget_baseline_s(const struct ct_budget *budget, double spent_s);

/* Whether that is a limit in any case, because the user has set it or a limit of time.  Otherwise
 * a play-off may take as long as it has to to state intervals. */
bool ct_budget_playoff_is_hard(const struct ct_budget *budget);

/* Whether the search may end before all `count` configurations have results. */
bool ct_budget_is_limited(const struct ct_budget *budget, uint64_t count);

/* Counts evaluations since the last improvement, after a result (`stored` or new) was added. */
void ct_budget_note_progress(struct ct_budget *budget, const struct ct_results *results,
                             bool stored);

/* Whether there is a target and the best reaches it. */
bool ct_budget_target_reached(const struct ct_budget *budget,
                              const struct ct_objective *objective,
                              const struct ct_results *results);

/* Which limit is reached after `seconds`, those reserved for the play-off aside; CT_SEARCH_WHOLE:
 * none. */
enum ct_search_end ct_budget_spent(const struct ct_budget *budget,
                                   const struct ct_objective *objective,
                                   const struct ct_results *results, double seconds);

/* Whether it is time to estimate the chance that something better remains, after `evaluated` new
 * evaluations: estimates cost about as much as proposals, so they get rarer.  Then the time of the
 * next one is set. */
bool ct_budget_asks_chance(struct ct_budget *budget, uint64_t evaluated);

/* How many of `wanted` more evaluations fit the limit when `used` have been started. */
size_t ct_budget_room(const struct ct_budget *budget, uint64_t used, size_t wanted);

/* "evaluations", "time", ...; "whole" when no limit was reached. */
const char *ct_search_end_name(enum ct_search_end end);

#endif
