// SPDX-License-Identifier: Apache-2.0
// Search strategies behind one ask/tell interface: they choose configurations and are
// told results; they never see a device.
//
// Laws that every strategy keeps: it never names a configuration twice, nor one that it
// was told of before it asked; it names only valid ones; it names all of a finite space
// before it ends; for a space, a seed and a history of calls it names the same ones
// everywhere.  Asks and tells may come in any order and number: what was asked for may be
// told late, or never.
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
    CT_FAILURE_BUILD,   /* the compiler refused it */
    CT_FAILURE_INVALID, /* the device refused it, or `require` did */
    CT_FAILURE_WRONG,   /* it ran, and its outputs were wrong */
    CT_FAILURE_CRASHED,
    CT_FAILURE_TIMEOUT, /* ran longer than its deadline */
};
enum { CT_FAILURE_COUNT = CT_FAILURE_TIMEOUT + 1 };

/* What became of a configuration. */
struct ct_strategy_result {
    bool ok;          /* measured and right; otherwise it failed in whatever way */
    double objective; /* smaller is better; only when ok */
    enum ct_failure failure;
    double spent_ns; /* what building and measuring took; 0: not known */
};

/* What a strategy may count on. */
struct ct_limits {
    uint64_t evaluations; /* so many will be asked for at most; 0: not known */
    bool limited;         /* the search may end in another way before all are: time, a
                             target, no progress */
};

/* Why a configuration was asked for, and what is expected of it. */
struct ct_why {
    const char *reason; /* "likely improvement" */
    bool predicted;     /* the rest is known */
    double objective;   /* what is expected */
    double low;         /* 95 of 100 should be from here ... */
    double high;        /* ... to here */
    double is_better;   /* probability that it is better than the best was then */
};

struct ct_strategy;

/* One strategy: a row of the table in strategy.c. */
struct ct_strategy_class {
    const char *name;
    const char *summary; /* one line for --help */
    struct ct_strategy *(*create)(const struct ct_space *space, uint64_t seed);
    size_t (*ask)(struct ct_strategy *self, size_t max, uint64_t *indices);
    void (*tell)(struct ct_strategy *self, uint64_t index,
                 const struct ct_strategy_result *told);
    void (*destroy)(struct ct_strategy *self);
    /* The rest may be NULL. */
    void (*limit)(struct ct_strategy *self, const struct ct_limits *limits);
    void (*prior)(struct ct_strategy *self, uint64_t index,
                  const struct ct_strategy_result *told, unsigned source);
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

/* Says what the strategy may count on; to be called before the first ask, or not at
 * all. */
void ct_strategy_limit(struct ct_strategy *strategy, const struct ct_limits *limits);

/* Tells what a configuration did elsewhere: on another device or for another problem,
 * `source` being a number of the caller's choice for each such place.  To be called
 * before the first ask; it is no result of this search, and a strategy may ignore it. */
void ct_strategy_transfer(struct ct_strategy *strategy, uint64_t index,
                          const struct ct_strategy_result *told, unsigned source);

/* Whether the strategy (the one that it has picked) learns from that. */
bool ct_strategy_has_transfer(const struct ct_strategy *strategy);

/* The name of the strategy that does the work: what one that picks others has picked,
 * within the limits that it knows of; else its own. */
const char *ct_strategy_name(const struct ct_strategy *strategy);

/* Asks for up to `max` configurations, written to `indices`; returns how many: at least
 * one when max is not 0, unless the strategy has no more (or memory is short). */
size_t ct_strategy_ask(struct ct_strategy *strategy, size_t max, uint64_t *indices);

/* Tells a result, in any order, also of configurations that were never asked for (stored
 * results of an earlier run).  A configuration counts as told the first time. */
void ct_strategy_tell(struct ct_strategy *strategy, uint64_t index,
                      const struct ct_strategy_result *told);

/* Why a configuration was asked for, with what was expected of it at that time.  False
 * when it was not asked for, or the strategy has nothing to say. */
bool ct_strategy_why(struct ct_strategy *strategy, uint64_t index, struct ct_why *out);

/* The estimated probability that some configuration not told yet has an objective below
 * `factor` (below 1) times the best one so far; NAN when the strategy has no estimate. */
double ct_strategy_chance(struct ct_strategy *strategy, double factor);

void ct_strategy_free(struct ct_strategy *strategy);

/* Appends the names of all strategies: "annealing, auto, ... or tabu". */
void ct_strategy_put_names(struct ct_str *out);

#endif
