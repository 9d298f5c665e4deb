// SPDX-License-Identifier: Apache-2.0
// How much each parameter matters: a functional analysis of variance of the results of a search.
//
// The logarithm of the cost is decomposed into effects of single parameters, of pairs, and a rest
// (Hutter, Hoos and Leyton-Brown, "An Efficient Approach for Assessing Hyperparameter Importance",
// ICML 2014).  Where nearly all valid configurations have results, over these results; else over a
// Gaussian process fitted to them (search/surrogate/gp.h), at configurations whose values have
// occurred together, pair by pair: constraints are not extrapolated.  Parameters of a constrained
// space depend on each other, so effects are fitted together by least squares (Hooker,
// "Generalized Functional ANOVA Diagnostics", JCGS 2007), and the total effect of a parameter is
// the variance that is left when all others are fixed, which needs no independence (Saltelli et
// al., "Variance based sensitivity analysis of model output", 2010).  Configurations that failed
// have no cost and are left out.
#ifndef CT_TUNE_IMPORTANCE_H
#define CT_TUNE_IMPORTANCE_H

#include "base/err.h"
#include "base/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Below these nothing is claimed. */
enum {
    CT_IMPORTANCE_RESULTS = 20,      /* results that worked, of a part of the space */
    CT_IMPORTANCE_RESULTS_WHOLE = 8, /* of the whole of it */
    CT_IMPORTANCE_WITNESSES =
        12,                  /* comparisons of results that differ in one parameter */
    CT_IMPORTANCE_PAIRS = 3, /* pairs that interact, at most */
};

/* Shares of the variation, unless stated otherwise. */

/* Of the valid configurations: with more results, these speak for the space. */
#define CT_IMPORTANCE_WHOLE 0.8
/* What the model must predict of left-out results before shares are stated.  Own effects and pairs
 * over a model are multiplied by it: the rest is nobody's. */
#define CT_IMPORTANCE_EXPLAINED 0.6
#define CT_IMPORTANCE_SHOWN     0.8
#define CT_IMPORTANCE_DECIDING  0.9
/* Smaller interactions are not named; what makes no difference has no larger total effect. */
#define CT_IMPORTANCE_PAIR   0.05
#define CT_IMPORTANCE_LITTLE 0.02
/* Smaller relative differences of cost are none, whatever the noise. */
#define CT_IMPORTANCE_NOTHING 0.02
/* Greater ones are never called none: on a noisy device, the comparisons show nothing. */
#define CT_IMPORTANCE_VAGUE 0.1
/* How many standard deviations a pair is beyond chance. */
#define CT_IMPORTANCE_SURE 4.0

/* Results that worked; everything is borrowed. */
struct ct_importance_input {
    const char *const *names; /* of the parameters */
    size_t width;
    const struct ct_value *values; /* row by row, `width` each; CT_NONE: inactive */
    const double *cost;            /* of each row; positive, less is better */
    size_t count;
    uint64_t failed;                 /* results that did not work */
    uint64_t valid;                  /* configurations of the space; 0: unknown */
    const struct ct_value *standard; /* the default configuration; NULL: unknown */
    double
        noise; /* relative differences up to this one are within the noise; 0: unknown */
};

/* Values that are looked at together: a parameter with many has them in groups. */
struct ct_importance_level {
    struct ct_value low;
    struct ct_value high; /* the same as `low`: a single value */
};

struct ct_importance_param {
    const char *name; /* borrowed from the input */
    size_t levels;    /* at least 2 */
    double main;      /* share of the variation that its own effect explains */
    double total; /* with all interactions; NAN: no configuration differs in it alone */
    /* The level with the least cost, all else equal, and the default's, or, where that is the best
     * or unknown, that with the greatest cost.  How many times the cost of `best` that of `versus`
     * is, with a 95% interval (bootstrap); NAN: too few results. */
    struct ct_importance_level best;
    struct ct_importance_level versus;
    bool versus_default;
    double worth;
    double low;
    double high;
    bool matters; /* `low` is beyond the noise, and the difference beyond chance */
    /* Comparisons of results that differ in this parameter alone: how many, and the relative
     * difference in 9 of 10 groups of them; NAN: none. */
    size_t witnesses;
    double within;
    /* Enough witnesses, every value among them, within the noise, which is small enough. */
    bool no_difference;
};

/* Two parameters with an effect beyond their own ones. */
struct ct_importance_pair {
    const char *names[2];
    double share; /* of the variation */
};

enum ct_importance_state {
    CT_IMPORTANCE_TOO_FEW, /* results: nothing below is known */
    CT_IMPORTANCE_ALIKE,   /* costs differ by no more than the noise */
    CT_IMPORTANCE_UNCLEAR, /* the results do not predict each other: shares are guesses */
    CT_IMPORTANCE_KNOWN,
};

struct ct_importance {
    enum ct_importance_state state;
    bool whole;      /* over the results; else over the model */
    size_t results;  /* rows of the input */
    uint64_t failed; /* likewise */
    size_t needed;   /* results, for more than TOO_FEW */
    double
        explained; /* of the variation of left-out results, by the model; 1 without one */
    double spread; /* cost of the 95th percentile, relative to the least, less 1 */
    /* The parameters that vary, those that matter most first. */
    struct ct_importance_param *params;
    size_t param_count;
    size_t deciding; /* how many of these decide; 0: not known */
    struct ct_importance_pair pairs[CT_IMPORTANCE_PAIRS]; /* the strongest first */
    size_t pair_count;
};

/* The result is the same for the same input.  Takes up to about half a second.  CT_E_NOMEM; `out`
 * need be released only on success. */
enum ct_status ct_importance_find(const struct ct_importance_input *input,
                                  struct ct_importance *out, struct ct_err *err);
void ct_importance_release(struct ct_importance *importance);

/* Of a search that has ended, and of stored results; names and texts are borrowed from them.
 * CT_E_NOMEM. */
struct ct_search;
struct ct_stored_subject;
enum ct_status ct_importance_of_search(const struct ct_search *search,
                                       struct ct_importance *out, struct ct_err *err);
enum ct_status ct_importance_of_stored(const struct ct_stored_subject *subject,
                                       struct ct_importance *out, struct ct_err *err);

#endif
