// SPDX-License-Identifier: Apache-2.0
// What a search has found out so far, and the one definition of "the best".
#ifndef CT_TUNE_RESULTS_H
#define CT_TUNE_RESULTS_H

#include "base/hash.h"
#include "base/quantity.h"
#include "protocol/outcome.h"
#include "tune/objective.h"
#include "tune/timing.h"
#include "tune/workload.h"

#include <stdbool.h>
#include <stdint.h>

/* What is kept of an evaluated configuration while the search runs; everything else is in the
 * database. */
struct ct_evaluated {
    int64_t index; /* in the space, or CT_OUTSIDE */
    struct ct_hash experiment;
    enum ct_result_status status;
    bool stored;   /* known from an earlier call */
    bool verified; /* its outputs were compared with something */
    bool
        in_flight_retry; /* in flight when the machine went down: to be tried last, alone */
    bool stopped_early;
    double time_ns;
    double low_ns;
    double high_ns;
    struct ct_quantities observed; /* with the times */
    struct ct_timing timing;       /* of this call; all zeros for what is stored */
    double value;    /* of the objective, in its own unit; NaN: there is none */
    double spent_ns; /* building and measuring it took; 0: not known */
    struct ct_hash duplicate_of; /* it was measured for this experiment; "": itself */
    size_t epoch; /* of the drift, when it was measured; 0: in an earlier call */
    int64_t measured_unix_s; /* if stored */
    /* Of the last play-off, if it was in one; its times are those of the play-off then. */
    size_t rank;   /* 1: the pick; 2, 3, ...: the others; 0: it was in none */
    bool tied;     /* statistically tied with the pick */
    bool played;   /* in a play-off of this call */
    size_t rounds; /* processes that its times come from; 0: none */
    double raw_ns; /* its time before that */
};

/* All zeros: none yet. */
struct ct_results {
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
};

void ct_results_release(struct ct_results *results);

/* Keeps an entry, and notes the best.  The default configuration outside a restricted space is
 * compared with, but does not compete: it is not kept.  CT_E_NOMEM. */
enum ct_status ct_results_add(struct ct_results *results,
                              const struct ct_objective *objective,
                              const struct ct_evaluated *entry, struct ct_err *err);

/* Whether an entry worked and can be compared. */
bool ct_evaluated_competes(const struct ct_evaluated *entry);

/* Notes the entry as the best if it is. */
void ct_results_note_best(struct ct_results *results,
                          const struct ct_objective *objective,
                          const struct ct_evaluated *entry);

/* Notes the first failure of each kind, of the configuration in work->values. */
void ct_results_note_failure(struct ct_results *results, const struct ct_workload *work,
                             enum ct_result_status status, const char *message,
                             const char *build_log);

/* Appends the first failure of all, "STATUS: CONFIGURATION: why"; nothing when there is none. */
void ct_results_put_first_failure(const struct ct_results *results, struct ct_str *out);

/* Earlier ranks say nothing of what is new: forgets them. */
void ct_results_forget_ranks(struct ct_results *results);

/* The entries that worked, best first: the pick of the play-off, those that are tied with it, all
 * others by their values; what was measured itself before its duplicates.  The caller frees; NULL
 * when memory is short. */
const struct ct_evaluated **ct_results_ranking(const struct ct_results *results,
                                               const struct ct_objective *objective,
                                               size_t *count);

/* The first of that ranking; NULL: nothing worked. */
const struct ct_evaluated *ct_results_best(const struct ct_results *results,
                                           const struct ct_objective *objective);

#endif
