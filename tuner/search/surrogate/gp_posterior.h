// SPDX-License-Identifier: Apache-2.0
// The objective of ct_gp_fit: the logarithm of the posterior density of the hyperparameters
// (likelihood and priors) and its derivatives.
#ifndef CT_SEARCH_SURROGATE_GP_POSTERIOR_H
#define CT_SEARCH_SURROGATE_GP_POSTERIOR_H

#include "search/surrogate/gp.h"

struct ct_gp_posterior;

/* The density over the present observations of `gp`, of which there are at least 2 and
 * CT_GP_FIT_MAX are looked at.  Its variables are logarithms of rates and noise, and
 * log(local / (1 - local)): parameter by parameter ordinal, if the values have an order, and equal;
 * then local and rate, with `local` (without, `local` becomes 0); the last one is noise.  NULL if
 * out of memory; nothing changed. */
struct ct_gp_posterior *ct_gp_posterior_new(struct ct_gp *gp, bool local);
void ct_gp_posterior_free(struct ct_gp_posterior *posterior);

/* The number of variables. */
size_t ct_gp_posterior_count(const struct ct_gp_posterior *posterior);

/* The value of variable `v` within its bounds that is nearest to `value`. */
double ct_gp_posterior_within(const struct ct_gp_posterior *posterior, size_t v,
                              double value);

/* The variables of the regression's hyperparameters, within their bounds; and sets
 * hyperparameters to variables, which leaves tables and factor unchanged. */
void ct_gp_posterior_get(const struct ct_gp_posterior *posterior, double *at);
void ct_gp_posterior_set(const struct ct_gp_posterior *posterior, const double *at);

/* The logarithm of the density at `at`, without constants, and its derivatives.  Sets
 * hyperparameters to `at`.  -INFINITY, without derivatives, where rounding makes the covariance
 * look singular.  Of order observations^3. */
double ct_gp_posterior_at(struct ct_gp_posterior *posterior, const double *at,
                          double *gradient);

#endif
