// SPDX-License-Identifier: Apache-2.0
// Search strategies behind one ask/tell interface: they propose configurations and are given
// results; they have no access to devices.
//
// Rules for every strategy: it never proposes a configuration twice, nor one whose result it
// already has; it proposes only valid ones; it proposes all of a finite space before it ends; for
// a space, a seed and a history of calls it proposes the same ones everywhere.  Asks and tells
// may come in any order and number: a result may come late, or never.
#ifndef CT_SEARCH_STRATEGY_H
#define CT_SEARCH_STRATEGY_H

#include "base/err.h"
#include "base/str.h"
#include "space/space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a configuration failed. */
enum ct_failure {
    CT_FAILURE_NONE,
    CT_FAILURE_BUILD,   /* rejected by the compiler */
    CT_FAILURE_INVALID, /* rejected by the device or by `require` */
    CT_FAILURE_WRONG,   /* it ran, and its outputs were wrong */
    CT_FAILURE_CRASHED,
    CT_FAILURE_TIMEOUT, /* ran longer than its deadline */
};
enum { CT_FAILURE_COUNT = CT_FAILURE_TIMEOUT + 1 };

/* The result of a configuration. */
struct ct_strategy_result {
    bool ok;          /* measured and right; otherwise it failed */
    double objective; /* lower is better; only if ok */
    enum ct_failure failure;
    double spent_ns; /* time to build and measure it; 0: unknown */
    /* Of what was built, whether it then worked or not: the work-group size, or the local memory,
     * that the driver allows over what a launch asks for, the least of these ratios; below 1: it is
     * refused.  0: unknown. */
    double headroom;
    /* Only if ok: measuring was stopped, and the objective is at least this (a lower bound, beyond
     * the best at that time). */
    bool censored;
};

/* What a strategy may rely on. */
struct ct_limits {
    uint64_t evaluations; /* upper limit of proposals; 0: unknown */
    /* the search may end earlier for other reasons: time, a target, no progress */
    bool limited;
};

/* Why a configuration was proposed, and its prediction. */
struct ct_why {
    const char *reason; /* "likely improvement" */
    bool predicted;     /* the fields below are set */
    double objective;   /* the prediction */
    double low;         /* lower end of its 95% interval */
    double high;        /* upper end */
    double is_better;   /* probability that it beats the best at that time */
};

struct ct_strategy;

/* One strategy, with a row in strategies.def. */
struct ct_strategy_class {
    const char *name;
    const char *summary; /* one line for --help */
    struct ct_strategy *(*create)(const struct ct_space *space, uint64_t seed);
    size_t (*ask)(struct ct_strategy *self, size_t max, uint64_t *indices);
    void (*tell)(struct ct_strategy *self, uint64_t index,
                 const struct ct_strategy_result *result);
    void (*destroy)(struct ct_strategy *self);
    /* The rest may be NULL. */
    void (*limit)(struct ct_strategy *self, const struct ct_limits *limits);
    void (*prior)(struct ct_strategy *self, uint64_t index,
                  const struct ct_strategy_result *result, unsigned source);
    const char *(*name_of)(const struct ct_strategy *self);
    bool (*why)(struct ct_strategy *self, uint64_t index, struct ct_why *out);
    double (*chance)(struct ct_strategy *self, double factor);
};

/* Every implementation starts with this. */
struct ct_strategy {
    const struct ct_strategy_class *class;
};

/* All strategies, in alphabetical order. */
extern const struct ct_strategy_class *const ct_strategies[];
extern const size_t ct_strategy_count;

/* Makes a strategy by name.  CT_E_USAGE with "did you mean" for an unknown one. */
enum ct_status ct_strategy_new(const char *name, const struct ct_space *space,
                               uint64_t seed, struct ct_strategy **out,
                               struct ct_err *err);

/* Sets what the strategy may rely on; call before the first ask, or not at all. */
void ct_strategy_limit(struct ct_strategy *strategy, const struct ct_limits *limits);

/* Passes on a result from elsewhere: another device or another problem, `source` being a number
 * of the caller's choice for each of these.  Call before the first ask; it is no result of this
 * search, and a strategy may ignore it. */
void ct_strategy_transfer(struct ct_strategy *strategy, uint64_t index,
                          const struct ct_strategy_result *result, unsigned source);

/* Whether the strategy (the one it has chosen) learns from such results. */
bool ct_strategy_has_transfer(const struct ct_strategy *strategy);

/* Whether the strategy (the one it has chosen) estimates what remains (ct_strategy_chance). */
bool ct_strategy_has_chance(const struct ct_strategy *strategy);

/* The name of the strategy that does the work: for one that chooses others, its choice within the
 * limits it knows; else its own. */
const char *ct_strategy_name(const struct ct_strategy *strategy);

/* Asks for up to `max` configurations, written to `indices`; returns how many: at least one
 * unless max is 0, the strategy has no more, or memory is short. */
size_t ct_strategy_ask(struct ct_strategy *strategy, size_t max, uint64_t *indices);

/* Reports a result, in any order, also for configurations that were never proposed (stored
 * results of an earlier run).  Only the first result of a configuration counts. */
void ct_strategy_tell(struct ct_strategy *strategy, uint64_t index,
                      const struct ct_strategy_result *result);

/* Why a configuration was proposed, and what was predicted for it at that time.  False if it was
 * not proposed, or the strategy gives no reason. */
bool ct_strategy_why(struct ct_strategy *strategy, uint64_t index, struct ct_why *out);

/* The estimated probability that some configuration without a result has an objective below
 * `factor` (below 1) times the best so far; NAN: the strategy has no estimate. */
double ct_strategy_chance(struct ct_strategy *strategy, double factor);

void ct_strategy_free(struct ct_strategy *strategy);

/* Appends the names of all strategies: "annealing, auto, ... or tabu". */
void ct_strategy_put_names(struct ct_str *out);

#endif
