// SPDX-License-Identifier: Apache-2.0
// What the files of the surrogate strategy share.  Private to tuner/search.
#ifndef CT_SEARCH_SURROGATE_SURROGATE_H
#define CT_SEARCH_SURROGATE_SURROGATE_H

#include "search/surrogate/features.h"
#include "search/surrogate/gp.h"
#include "search/history.h"

enum { CT_SURROGATE_SOURCES = 5 };

/* A result from elsewhere. */
struct ct_surrogate_record {
    uint64_t index;
    double cost; /* INFINITY: it failed */
};

/* All results of one other device or problem. */
struct ct_surrogate_source {
    unsigned number;
    /* sorted by cost after the first ask, the best first */
    struct ct_surrogate_record *records;
    size_t count;
    size_t room;
    size_t ok_count;
    struct ct_map costs; /* bits of the cost */
    struct ct_gp *gp;    /* its predictions for other configurations */
    double failure;      /* y of what failed */
    double mean;         /* of y */
    double variance;
    double expected; /* the multiple before there are results here */
    double multiple; /* its fitted weight */
};

/* The stages at which a configuration fails, each of which it reaches only after the one before. */
enum ct_surrogate_stage {
    CT_SURROGATE_BUILD,
    CT_SURROGATE_LAUNCH, /* refused by the device, crashed, or too slow */
    CT_SURROGATE_VERIFY,
    CT_SURROGATE_STAGES /* it works */
};

/* A configuration that was proposed or evaluated. */
struct ct_surrogate_sample {
    uint64_t index;
    double cost; /* INFINITY: it failed */
    double
        expected; /* the same; if the cost is a lower bound, what it is expected to be */
    double spent_ns; /* 0: unknown */
    double margin;   /* log2 of the headroom, at most 4 either way; NAN: unknown */
    enum ct_surrogate_stage stage; /* at which it failed, if it has a result */
    bool has_result;
    bool censored; /* the cost is a lower bound */
    bool proposed;
    struct ct_why why; /* when it was proposed */
    double mean;       /* the prediction of y at that time; NAN: none */
    double sd;
    double
        promise; /* the chance, at that time, that it is clearly better than the best */
    float there[CT_SURROGATE_SOURCES]; /* y elsewhere, less its mean */
};

/* Failures at one stage, among the configurations that reached it. */
struct ct_surrogate_failures {
    size_t reached_count;
    size_t failed_count;
    double *failed; /* whitened: 1 if it failed here, else 0 */
    double *reached;
    float *failed_sums; /* by candidate */
    float *reached_sums;
};

/* Whether configurations work.  Failures are regressed like the objective, by stage.  Margins have
 * a regression of their own: what decides how large a work-group may be is not what decides how
 * fast it is. */
struct ct_surrogate_works {
    size_t
        rows; /* observations of the objective's regression in the sums; 0: start anew */
    struct ct_surrogate_failures stages[CT_SURROGATE_STAGES];
    size_t *told; /* samples with a margin, in the order of their results */
    size_t told_count;
    size_t told_room;
    size_t entered;       /* of these: in the regression, or were */
    size_t refused_count; /* of these */
    struct ct_gp *gp;     /* of margins; NULL until something was refused */
    struct ct_gp_panel panel;
    uint16_t *codes; /* of the candidates */
    size_t count;
};

/* Evaluation times, for all candidates. */
struct ct_surrogate_prices {
    size_t rows;        /* observations included; 0: start anew */
    size_t known_count; /* how many of them have a known time */
    double unit_ns;     /* logarithms are of ratios to this */
    double total;       /* of the logarithms */
    double *spent;      /* whitened: the logarithms, 0 if unknown */
    double *known;      /* the same with 1 if known, else 0 */
    float *spent_sums;  /* by candidate: the regression's sum of each */
    float *known_sums;
};

/* What one algorithm got. */
struct ct_surrogate_arm {
    size_t tried; /* proposed, or with a result */
    size_t failed;
    double best;                /* lowest cost; INFINITY: none */
    bool out;                   /* it has lost a round, or has no candidates */
    struct ct_space_part *part; /* its configurations */
    uint64_t *seen; /* by feature: bits, which values of its own parameters were tried */
};

/* A parameter that switches others on: its values are the arms of a bandit. */
struct ct_surrogate_arms {
    size_t feature;
    size_t count;                   /* 0: there is no such parameter */
    struct ct_surrogate_arm *items; /* by value */
    size_t goal;    /* configurations that work, of each arm of the round */
    bool rounds;    /* there are rounds: it switches more than a mere option */
    bool first;     /* of which the first one is not over */
    size_t revived; /* number of results when arms that were out came back last */
    bool over;      /* one arm is left, or there are no rounds */
    size_t turns;   /* proposals so far, whoever they were for */
};

/* Instead of the number of an arm: any. */
#define CT_SURROGATE_ANY SIZE_MAX

struct ct_surrogate {
    struct ct_strategy base;
    struct ct_history history;
    struct ct_features features;
    struct ct_gp *gp;
    uint16_t *codes; /* scratch: one configuration, and another */
    uint16_t *other;

    struct {
        struct ct_surrogate_sample *samples;
        size_t count;
        size_t room;
        struct ct_map places; /* of configurations in samples */
        size_t result_count;
        size_t ok_count;
        size_t censored_count;
        double best;      /* lowest cost; INFINITY: none */
        double worst;     /* highest cost of what worked */
        bool logarithmic; /* all costs so far have the same sign */
    } data;

    struct {
        size_t *rows;    /* samples in the regression, in its order */
        size_t entered;  /* samples that are in the regression, or were */
        double *y;       /* scratch: for each of them */
        bool changed;    /* the result of some of them has changed */
        double failure;  /* y of failures */
        size_t next;     /* number of results at which it is refitted */
        size_t improved; /* number of results when the best was found */
        double promised; /* sum of the promises of the results since */
        bool local;      /* the regression has the local product */
    } fit;

    struct {
        struct ct_surrogate_source sources[CT_SURROGATE_SOURCES];
        size_t source_count;
        float *
            means; /* of all of them, for every configuration; NULL: the space is too large */
        bool begun;     /* after the first ask: sources are complete */
        double trust;   /* share of the variance here that they are expected to explain */
        bool confirmed; /* the first results rank like the sources */
        size_t tries;   /* proposals from elsewhere */
    } transfer;

    /* Candidates: all that were not evaluated, or the most promising. */
    struct {
        struct ct_gp_panel panel;
        uint64_t *indices; /* their configurations */
        uint16_t *arms;    /* their arms, if there are any */
        float *transfer;   /* y elsewhere, source_count for each; NULL without sources */
        size_t count;
        bool part;   /* it is not the whole space */
        bool stale;  /* a new best, whose neighbours may not be in the pool */
        size_t last; /* number of results when it was made */
        size_t next;
    } pool;
    struct ct_surrogate_prices prices;
    struct ct_surrogate_works works;
    struct ct_surrogate_arms arms;
    bool failed; /* out of memory */
};

enum {
    CT_SURROGATE_ROOM = 512,    /* observations in the regression */
    CT_SURROGATE_THERE = 256,   /* the same for a source */
    CT_SURROGATE_KEEP = 320,    /* observations kept when it is full */
    CT_SURROGATE_START = 8,     /* configurations before the first regression */
    CT_SURROGATE_ELSEWHERE = 3, /* among the first, of the best from elsewhere */
    CT_SURROGATE_CHANCE = 16,   /* successful results before a chance is stated */
    /* results without a new best after which the search has stalled */
    CT_SURROGATE_PATIENCE = 8,
    CT_SURROGATE_SCAN = 32768,    /* larger spaces are sampled */
    CT_SURROGATE_SAMPLE = 8192,   /* size of the sample */
    CT_SURROGATE_WORK = 1 << 16,  /* candidates * observations per evaluation */
    CT_SURROGATE_POOL_MIN = 1024, /* candidates, for any number of observations */
};

/* Whether the search has gone on for long without a new best. */
bool ct_surrogate_has_stalled(const struct ct_surrogate *self);

/* The y that a configuration of this arm is to improve on: that of the arm's best; or, for any arm,
 * what is clearly better than the best of all. */
double ct_surrogate_goal(const struct ct_surrogate *self, size_t arm);

/* The cost as used by the regression; that of the best is 0 if all costs have one sign. */
double ct_surrogate_y(const struct ct_surrogate *self, double cost);

/* The reverse. */
double ct_surrogate_cost(const struct ct_surrogate *self, double y);

/* Logarithm of the ratio of a cost to a better one of the same sign, compressed. */
double ct_surrogate_excess(double cost, double best);

/* Mean and variance of y at candidate `c`. */
void ct_surrogate_at(const struct ct_surrogate *self, size_t c, double *mean,
                     double *variance);

/* Distance of a configuration to the nearest of the samples. */
double ct_surrogate_nearest(struct ct_surrogate *self, uint64_t index);

/* A configuration and its prediction. */
struct ct_surrogate_candidate {
    uint64_t index;
    double mean; /* of y */
    double sd;
};

/* Moves from a candidate to ever more promising configurations that differ in one parameter, within
 * a bounded amount of work, and stays in `arm` unless that is CT_SURROGATE_ANY. */
void ct_surrogate_climb(struct ct_surrogate *self, size_t arm,
                        struct ct_surrogate_candidate *candidate);

/* Renews the pool; false if out of memory. */
bool ct_surrogate_pool(struct ct_surrogate *self);

/* E[Y | Y >= bound] for a normal Y: what a stopped measurement is expected to be (Schmee and Hahn,
 * "A Simple Method for Regression Analysis with Censored Data", 1979; Hutter, Hoos and
 * Leyton-Brown, "Bayesian Optimization With Censored Response Data", 2011). */
double ct_surrogate_beyond(double mean, double sd, double bound);

/* After a fit: expects of each sample whose cost is a lower bound what the other samples and the bound
 * say.  False if out of memory. */
bool ct_surrogate_expect_censored(struct ct_surrogate *self);

/* E max(best - Y, 0) for a normal Y (Jones, Schonlau and Welch, "Efficient Global
 * Optimization of Expensive Black-Box Functions", 1998, equation 15). */
double ct_surrogate_improvement(double mean, double sd, double best);

/* An upper bound of that, without the expensive functions. */
double ct_surrogate_improvement_most(double mean, double sd, double best);

/* Probability that a configuration with this prediction turns out to be clearly better than the best. */
double ct_surrogate_promise(const struct ct_surrogate *self, double mean, double sd);

/* Probability that some candidate has y below `limit`: for the candidates most likely to, from
 * the joint distribution, by simulation with a fixed seed. */
double ct_surrogate_chance(struct ct_surrogate *self, double limit);

/* --- surrogate_price.c: evaluation times --- */

/* False if out of memory; release either way. */
bool ct_surrogate_prices_init(struct ct_surrogate_prices *prices);
void ct_surrogate_prices_release(struct ct_surrogate_prices *prices);

/* After any change other than added observations: the factor, the candidates, an observation's
 * result. */
void ct_surrogate_prices_forget(struct ct_surrogate_prices *prices);

/* Includes the panel's new observations.  False if out of memory. */
bool ct_surrogate_prices_follow(struct ct_surrogate *self);

/* The expected time to evaluate candidate `c`: the logarithm of its ratio to the (geometric) mean
 * so far, 0 if nothing is known. */
double ct_surrogate_price(const struct ct_surrogate *self, size_t c);

/* Expected improvement is multiplied by exp(-thrift * price): a compromise between the best for a
 * number of evaluations (0) and for a time (1: Snoek, Larochelle and Adams, "Practical Bayesian
 * Optimization of Machine Learning Algorithms", 2012), as both count. */
extern const double ct_surrogate_thrift;

/* What expected improvement is multiplied by, for the price, at configurations of which `white` is what
 * ct_gp_predict has left: CT_GP_TOGETHER numbers. */
void ct_surrogate_worth(const struct ct_surrogate *self, const float *white, double *out);

/* --- surrogate_works.c: failures --- */

/* False if out of memory; release either way. */
bool ct_surrogate_works_init(struct ct_surrogate_works *works);
void ct_surrogate_works_release(struct ct_surrogate_works *works);

/* As ct_surrogate_prices_forget. */
void ct_surrogate_works_forget(struct ct_surrogate_works *works);

/* Notes that sample `s` has a result; false if out of memory. */
bool ct_surrogate_works_note(struct ct_surrogate *self, size_t s);

/* The candidates, row by row (copied).  False if out of memory. */
bool ct_surrogate_works_set(struct ct_surrogate *self, const uint16_t *codes,
                            size_t count);

/* Refits the regressions; false if out of memory. */
bool ct_surrogate_works_fit(struct ct_surrogate *self);

/* Includes new results; false if out of memory. */
bool ct_surrogate_works_follow(struct ct_surrogate *self);

/* How certainly candidate `c` works (builds, runs and is right), 0 to 1: a sharpened probability; 1
 * if nothing has failed. */
double ct_surrogate_chance_to_work(const struct ct_surrogate *self, size_t c);

/* The same of `count` configurations (row by row), by all present observations, before candidates are
 * chosen.  False if out of memory. */
bool ct_surrogate_works_scan(const struct ct_surrogate *self, const uint16_t *codes,
                             size_t count, float *chances);

/* The same of any `count` configurations, of which `white` is what ct_gp_predict has left; it is then
 * overwritten.  `out` has room for CT_GP_TOGETHER numbers. */
void ct_surrogate_works_at(const struct ct_surrogate *self, const uint16_t *codes,
                           size_t count, float *white, double *out);

/* --- surrogate_arms.c: algorithms --- */

/* False if out of memory; release either way. */
bool ct_surrogate_arms_init(struct ct_surrogate *self);
void ct_surrogate_arms_release(struct ct_surrogate_arms *arms);

/* Adjusts the first round to a budget; 0: unknown. */
void ct_surrogate_arms_limit(struct ct_surrogate_arms *arms, uint64_t evaluations);

/* Notes that a configuration was proposed, or has a result although it was not. */
void ct_surrogate_arms_note_try(struct ct_surrogate *self, uint64_t index);

/* Notes a sample's result. */
void ct_surrogate_arms_note_result(struct ct_surrogate *self,
                                   const struct ct_surrogate_sample *sample);

/* The arm that the next proposal is for, or CT_SURROGATE_ANY. */
size_t ct_surrogate_arms_turn(struct ct_surrogate *self);

/* The arm that had the fewest configurations, of several a random one; CT_SURROGATE_ANY: there are
 * no arms. */
size_t ct_surrogate_arms_fewest(struct ct_surrogate *self);

/* A random configuration, of that arm unless it is CT_SURROGATE_ANY; false: there is none that has
 * an index. */
bool ct_surrogate_arms_draw(struct ct_surrogate *self, size_t arm, uint64_t *index);

/* Of how many parameters that only some algorithms have a configuration of this arm has a value that
 * was not tried with it, nor one near it; always 0 after the first round, and for CT_SURROGATE_ANY. */
unsigned ct_surrogate_arms_novelty(const struct ct_surrogate *self, size_t arm,
                                   const uint16_t *codes);

/* The y of the best configuration of this arm (or of any); of failures if it has none. */
double ct_surrogate_arms_best(const struct ct_surrogate *self, size_t arm);

/* --- surrogate_start.c --- */

/* The next of the first proposals; false: it is the regression's turn, or none is left. */
bool ct_surrogate_start(struct ct_surrogate *self, uint64_t *index, struct ct_why *why);

/* --- surrogate_transfer.c: results from elsewhere --- */

/* Adds a result of a source; false if out of memory. */
bool ct_surrogate_transfer_add(struct ct_surrogate *self, unsigned number, uint64_t index,
                               double cost);
void ct_surrogate_transfer_release(struct ct_surrogate *self);

/* Learns from all sources, once, before the first ask; uninformative sources are dropped. False
 * if out of memory. */
bool ct_surrogate_transfer_begin(struct ct_surrogate *self);

/* The sources' predictions for `count` configurations (codes row by row), source_count numbers
 * for each.  False if out of memory. */
bool ct_surrogate_transfer_scan(const struct ct_surrogate *self, const uint64_t *indices,
                                const uint16_t *codes, size_t count, float *out);

/* The weighted sum of the sources' predictions: the regression models y less this. */
double ct_surrogate_transfer_sum(const struct ct_surrogate *self, const float *there);

/* The same with the weights that they have before there are results here. */
double ct_surrogate_transfer_expected(const struct ct_surrogate *self,
                                      const float *there);

/* Fits the multiples to the observations, by generalised least squares; self->y holds the
 * regression's values for them. */
bool ct_surrogate_transfer_weigh(struct ct_surrogate *self);

/* A configuration that is among the best elsewhere; false if none is left. */
bool ct_surrogate_transfer_best(struct ct_surrogate *self, uint64_t *index);

#endif
