// SPDX-License-Identifier: Apache-2.0
// The results of a search so far, and the one definition of "the best".
#ifndef CT_TUNE_RESULTS_H
#define CT_TUNE_RESULTS_H

#include "base/hash.h"
#include "base/quantity.h"
#include "judge/ranking.h"
#include "protocol/outcome.h"
#include "tune/objective.h"
#include "tune/timing.h"
#include "tune/workload.h"

#include <stdbool.h>
#include <stdint.h>

/* What is kept of an evaluated configuration during the search; the rest is in the database. */
struct ct_evaluated {
    int64_t index; /* in the space, or CT_OUTSIDE */
    struct ct_hash experiment;
    enum ct_result_status status;
    bool stored;          /* from an earlier run */
    bool verified;        /* its outputs were compared with something */
    bool in_flight_retry; /* in flight when the machine went down: tried last, alone */
    bool stopped_early;
    /* A launch exceeded this deadline when it was timed in this run; 0: it did not. */
    uint64_t slower_ns;
    double time_ns;
    double low_ns;
    double high_ns;
    struct ct_quantities observed; /* with the times */
    struct ct_timing timing;       /* of this run; all zeros if stored */
    double value;                  /* of the objective, in its own unit; NaN: none */
    double spent_ns;               /* time to build and measure it; 0: unknown */
    double headroom;               /* as in struct ct_strategy_result; 0: unknown */
    struct ct_hash duplicate_of;   /* the experiment it was measured for; "": its own */
    size_t epoch; /* of the drift, when it was measured; 0: in an earlier run */
    int64_t measured_unix_s; /* if stored */
    /* From the last play-off, if it took part; its times are then those of the play-off. */
    size_t rank; /* 1: the pick; 2, 3, ...: the others; 0: in no play-off */
    bool tied;   /* statistically tied with the pick */
    /* Cost relative to the pick's, of the same rounds; all zeros: unknown, as after an earlier
     * run. */
    struct ct_ratio to_best;
    bool played;   /* in a play-off of this run */
    size_t rounds; /* processes its times come from; 0: none */
    double raw_ns; /* its time before that */
};

/* All zeros: none yet. */
struct ct_results {
    struct ct_evaluated *done;
    size_t done_count;
    size_t done_capacity;
    uint64_t evaluated; /* new ones of this run */
    uint64_t reused;
    double best_ns;   /* time of the best by the objective; 0: none yet */
    double best_cost; /* of the best */
    uint64_t status_counts[CT_RESULT_STATUS_COUNT];
    /* Of each failure status two causes, with a configuration: "FAULT=8: why". */
    struct ct_failure_kinds {
        char *first; /* NULL: none failed in this way */
        char *cause; /* of the first, without its configuration */
        char *other; /* the first with another cause; NULL: none */
    } failures[CT_RESULT_STATUS_COUNT];
    enum ct_result_status first_failure; /* CT_RESULT_OK: none */
    uint64_t
        all_wrong; /* new ones of this run with (nearly) every value of a buffer wrong */
};

void ct_results_release(struct ct_results *results);

/* Adds an entry, and notes the best.  The default configuration outside a restricted space is a
 * reference only and is not added.  CT_E_NOMEM. */
enum ct_status ct_results_add(struct ct_results *results,
                              const struct ct_objective *objective,
                              const struct ct_evaluated *entry, struct ct_err *err);

/* Whether an entry worked and can be compared. */
bool ct_evaluated_competes(const struct ct_evaluated *entry);

/* Notes the entry as the best if it is. */
void ct_results_note_best(struct ct_results *results,
                          const struct ct_objective *objective,
                          const struct ct_evaluated *entry);

/* Notes the first failure of each status, and the first with another cause, of the configuration in work->values. */
void ct_results_note_failure(struct ct_results *results, const struct ct_workload *work,
                             enum ct_result_status status, const char *message,
                             const char *build_log);

/* Appends the first failure of all, "STATUS: CONFIGURATION: why"; nothing when there is none. */
void ct_results_put_first_failure(const struct ct_results *results, struct ct_str *out);

/* Forgets earlier ranks, which say nothing about new results. */
void ct_results_forget_ranks(struct ct_results *results);

/* The entries that worked, best first: the play-off's pick, those tied with it, all others by
 * value; entries measured themselves before their duplicates.  With a function `value` (else NULL)
 * what it returns takes the place of an entry's own value.  The caller frees; NULL: out of memory. */
const struct ct_evaluated **
ct_results_ranking(const struct ct_results *results, const struct ct_objective *objective,
                   double (*value)(const void *user, const struct ct_evaluated *entry),
                   const void *user, size_t *count);

/* The first of that ranking; NULL if nothing worked. */
const struct ct_evaluated *ct_results_best(const struct ct_results *results,
                                           const struct ct_objective *objective);

#endif
