// SPDX-License-Identifier: Apache-2.0
// Decides which configuration the next launch of a running program uses: tries new ones, confirms
// the leaders, then stays with the best and watches it.  No clock, no database, no OpenCL.
#ifndef CT_ONLINE_TRIALS_H
#define CT_ONLINE_TRIALS_H

#include "search/strategy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Policy. */
enum {
    CT_TRIALS_SAMPLES = 3,       /* per new configuration, after one launch to warm up */
    CT_TRIALS_FINALISTS = 3,     /* are measured again before one is chosen ... */
    CT_TRIALS_ROUNDS = 5,        /* ... in turns, as often as this */
    CT_TRIALS_WATCHED = 16,      /* times of the best that are compared with its record */
    CT_TRIALS_WATCHED_MAX = 128, /* likewise, after it was tuned again several times */
    CT_TRIALS_WATCH_EVERY =
        64,                   /* launches, once it has been compared for the first time */
    CT_TRIALS_REFUSED = 1000, /* in a row end it: the space is not for this device */
    CT_TRIALS_LEAST = 24,     /* results before an estimate of what remains may end it */
};
#define CT_TRIALS_GUARD    1.1 /* slower than this times its record: tuned again */
#define CT_TRIALS_SLOW     1.5 /* slower than this times the best: one sample is enough */
#define CT_TRIALS_NEAR     1.1 /* faster than this times the best: may be a finalist */
#define CT_TRIALS_GAIN     0.95 /* a gain worth searching for ... */
#define CT_TRIALS_UNLIKELY 0.05 /* ... unless its probability is below this */

/* What may be spent on other configurations than the best, and on confirming; 0: no limit of that
 * kind; both 0: nothing is tried.  What has begun is finished: a configuration's samples, and one
 * turn of each finalist. */
struct ct_trials_budget {
    uint64_t launches;
    double spent_ns;
};

enum ct_trials_phase {
    CT_TRIALS_EXPLORE, /* new configurations */
    CT_TRIALS_CONFIRM, /* finalists, in turns; others if all of these turn out to be slower */
    CT_TRIALS_SETTLED, /* the best */
};

/* The configuration of the next launch. */
struct ct_trial {
    uint64_t index;
    enum ct_trials_phase phase;
    bool fresh;   /* it has no result and has not run yet: it may crash */
    bool measure; /* its time is of use */
};

/* What a report changed. */
struct ct_trials_news {
    bool result; /* a configuration has got its result, or failed: */
    uint64_t index;
    enum ct_failure failure;  /* none: it worked, with these samples */
    const double *samples_ns; /* until the next report */
    size_t sample_count;
    bool settled; /* the best is known now; without finalists: nothing is confirmed */
    bool
        regressed; /* the best is slower than its record, or fails: it is to be tuned again */
};

struct ct_trials_finalist {
    uint64_t index;
    double ns[CT_TRIALS_ROUNDS];
    size_t count;
    double median_ns;
    double low_ns;
    double high_ns;
};

struct ct_trials;

/* CT_E_NOMEM.  `space` must outlive it.  `regressions`: how often a best was found to be slower than
 * its record in this process, which makes the watch more patient. */
enum ct_status ct_trials_new(const struct ct_space *space, uint64_t seed,
                             const struct ct_trials_budget *budget, unsigned regressions,
                             struct ct_trials **out, struct ct_err *err);
void ct_trials_free(struct ct_trials *trials);

/* Before the first launch; see ct_strategy_transfer.  A candidate is tried before all others, in
 * this order, and is what runs where nothing is tried, or all finalists fail when the budget is
 * used up.  A known result counts as if measured; of several of a configuration the first, but that
 * one was wrong, or crashed, always. */
void ct_trials_transfer(struct ct_trials *trials, uint64_t index,
                        const struct ct_strategy_result *result, unsigned source);
enum ct_status ct_trials_candidate(struct ct_trials *trials, uint64_t index,
                                   struct ct_err *err);
enum ct_status ct_trials_known(struct ct_trials *trials, uint64_t index,
                               const struct ct_strategy_result *result,
                               struct ct_err *err);

/* Whether a configuration is known to have failed. */
bool ct_trials_failed(const struct ct_trials *trials, uint64_t index);

/* Stays with a configuration from now on, whose time is known (NAN: unknown; it is not watched). */
void ct_trials_settle(struct ct_trials *trials, uint64_t index, double record_ns);

/* The configuration of the next launch; the same until something is reported.  False: none is
 * left, all have failed. */
bool ct_trials_next(struct ct_trials *trials, struct ct_trial *out);

/* The time of the launch that ct_trials_next gave, or its failure; what it cost the program. */
void ct_trials_report(struct ct_trials *trials, double time_ns, enum ct_failure failure,
                      double spent_ns, struct ct_trials_news *news);

/* The configuration that ct_trials_next gave cannot be used, and was not launched. */
void ct_trials_refuse(struct ct_trials *trials, enum ct_failure failure,
                      struct ct_trials_news *news);

/* The finalists by time; 0 before ct_trials_news.settled. */
size_t ct_trials_finalists(const struct ct_trials *trials,
                           const struct ct_trials_finalist **out);

#endif
