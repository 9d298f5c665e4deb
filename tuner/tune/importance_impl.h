// SPDX-License-Identifier: Apache-2.0
// What the files of the analysis of importance share.  Private to tuner/tune.
#ifndef CT_TUNE_IMPORTANCE_IMPL_H
#define CT_TUNE_IMPORTANCE_IMPL_H

#include "base/rng.h"
#include "tune/importance.h"

enum {
    CT_FACTOR_LEVELS = 16,      /* more values of a parameter are grouped */
    CT_FACTOR_ROWS = 20000,     /* more results are thinned out */
    CT_FACTOR_NONE = UINT16_MAX /* no level */
};

/* A parameter that varies. */
struct ct_factor {
    size_t param; /* of the input */
    size_t count; /* levels */
    size_t first; /* the number of its first level among those of all factors */
    struct ct_importance_level levels[CT_FACTOR_LEVELS];
    double position[CT_FACTOR_LEVELS]; /* from 0 to 1; NAN: none */
    bool ordered;                      /* positions mean something */
    uint16_t standard;                 /* the default's level, or CT_FACTOR_NONE */
};

/* Configurations as levels, row by row. */
struct ct_factors {
    struct ct_factor *items;
    size_t count;
    size_t levels; /* of all */
    uint16_t *codes;
    double *y; /* logarithm of the cost */
    size_t rows;
};

/* --- importance_factors.c --- */

/* Initialise with {0}; release in any case.  False: out of memory. */
bool ct_factors_init(struct ct_factors *factors, const struct ct_importance_input *input);
void ct_factors_release(struct ct_factors *factors);

/* --- importance_effects.c: over any rows of codes, with a value y each --- */

struct ct_rows {
    const struct ct_factors *factors; /* only which levels there are */
    const uint16_t *codes;
    const double *y;
    size_t count;
};

double ct_rows_variance(const struct ct_rows *rows);

/* Fits y = mean + sum of an effect of each factor's level by least squares, with `ridge` added to
 * the count of each level: `effects` has one for each level of all factors, `rest` the residuals. */
void ct_effects_fit(const struct ct_rows *rows, double ridge, double *effects,
                    double *rest);

/* The covariance of a factor's effects with y. */
double ct_effects_covariance(const struct ct_rows *rows, const double *effects,
                             size_t factor);

/* Variance of the means of `rest` over the cells of two factors. */
double ct_effects_pair(const struct ct_rows *rows, const double *rest, size_t a,
                       size_t b);

/* What varies in groups of rows that differ in one factor alone. */
struct ct_within {
    double variance;  /* mean over all rows */
    size_t witnesses; /* rows besides the first of each group */
    double range;     /* of y in 9 of 10 of these groups */
    bool all_levels;  /* each is in two of them at least */
};

/* False: out of memory. */
bool ct_effects_within(const struct ct_rows *rows, size_t factor, struct ct_within *out);

/* --- importance_model.c --- */

/* Configurations at which a model is evaluated. */
struct ct_reference {
    uint16_t *codes;
    double *y;
    size_t count;
    double *total; /* by factor: variance with all others fixed; NAN: none */
    double explained;
};

/* Initialise with {0}; release in any case.  False: out of memory. */
bool ct_reference_init(struct ct_reference *reference, const struct ct_factors *factors,
                       struct ct_rng *rng);
void ct_reference_release(struct ct_reference *reference);

#endif
