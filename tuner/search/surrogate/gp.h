// SPDX-License-Identifier: Apache-2.0
// Gaussian-process regression over configurations: a product of kernels, one for each parameter,
// that combine the distance of two values with whether they are equal.
//
// Sources: Rasmussen and Williams, "Gaussian Processes for Machine Learning" (MIT Press, 2006):
// prediction 2.2 (algorithm 2.1), constant mean 2.7, Matern kernels 4.2.1, marginal likelihood
// and its gradient 5.4.1.
#ifndef CT_SEARCH_SURROGATE_GP_H
#define CT_SEARCH_SURROGATE_GP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A parameter with `count` values, numbered from 0.  Values a and b at positions
 * |position[a] - position[b]| = d apart are alike by
 *     m(a, b) = (1 + v + v^2 / 3) * exp(-v), v = sqrt(5) * ordinal * d (Matern 5/2),
 * or, with `position` NULL (the values have no order) or one of them NaN, by m(a, b) = [a == b]. */
struct ct_gp_param {
    size_t count;
    const double *position; /* borrowed; from 0 to 1 */
    bool derived;           /* it follows from another parameter */
};

/* The hyperparameters.  With x, x' two configurations, f_p = exp(-equal[p]) and a scale s^2 that
 * follows from the rest,
 *     cov(x, x') = s^2 * ((1 - local) * prod_p (f_p + (1 - f_p) * m_p(x_p, x'_p))
 *                         + local * prod_p (x_p == x'_p ? 1 : exp(-rate) * l_p)
 *                         + noise * [the same observation]),
 * l_p = m_p where the values have an order, else 1; derived parameters are left out of the second
 * product.  Multiplied out, the first product is a sum
 * of effects of single parameters and of interactions of ever more of them, each less important
 * than its parts (Duvenaud, Nickisch and Rasmussen, "Additive Gaussian Processes", 2011): a few
 * observations show the effect of a value wherever it occurs.  The second is shared only by
 * configurations that differ little. */
struct ct_gp_hyper {
    double *ordinal; /* by parameter */
    double *equal;
    double local; /* 0 to 1 */
    double rate;
    double noise; /* relative to s^2 */
};

/* A regression.  Observations are added one by one (the Cholesky factor grows by a row,
 * in time of order count^2); the mean is a constant, by generalised least squares. */
struct ct_gp {
    size_t param_count;
    const struct ct_gp_param *params; /* borrowed */
    struct ct_gp_hyper hyper;
    float **table;   /* by parameter: factors of both products at [2 * (a * count + b)] */
    size_t room;     /* capacity, in observations */
    size_t count;    /* observations */
    uint16_t *x;     /* count * param_count value numbers */
    double *y;       /* count */
    double *factor;  /* lower triangle of the Cholesky factor, row i at [i * room] */
    double *white_y; /* factor^-1 y */
    double *white_1; /* factor^-1 1 */
    double sum_y1;   /* white_1 . white_y */
    double sum_11;   /* white_1 . white_1 */
    double sum_yy;   /* white_y . white_y */
    double mean;     /* the constant */
    double scale;    /* s^2 */
};

/* An empty regression for up to `room` observations, with all rates 1; NULL if out of memory.
 * Parameters have at most 65,535 values. */
struct ct_gp *ct_gp_new(const struct ct_gp_param *params, size_t param_count,
                        size_t room);
void ct_gp_free(struct ct_gp *gp);

/* Forgets the observations. */
void ct_gp_clear(struct ct_gp *gp);

/* Adds an observation (value numbers, finite y).  False, and nothing changed, if it is full. */
bool ct_gp_add(struct ct_gp *gp, const uint16_t *x, double y);

/* Gives all observations other y (count of them): the factor stays. */
void ct_gp_set_y(struct ct_gp *gp, const double *y);

/* out = factor^-1 values, one value per observation, which may be in `out` itself; the first
 * `from` are computed already. */
void ct_gp_whiten(const struct ct_gp *gp, size_t from, const double *values, double *out);

/* After a change of hyper: recomputes tables and factor. */
void ct_gp_refresh(struct ct_gp *gp);

/* Covariance, in units of the scale and without noise, of two configurations. */
double ct_gp_kernel(const struct ct_gp *gp, const uint16_t *a, const uint16_t *b);

/* Mean and variance (without noise), in single precision, at `count` configurations (row by row), but
 * at most CT_GP_TOGETHER: each row of the factor, which is larger than the caches near a processor,
 * serves all while it is there.  `white` becomes their whitened covariances with the observations: of
 * observation i and configuration c at [i * CT_GP_TOGETHER + c].  It has room for as many for each
 * observation.  Of order count^2. */
enum { CT_GP_TOGETHER = 8 };
void ct_gp_predict(const struct ct_gp *gp, const uint16_t *x, size_t count, float *white,
                   double *mean, double *variance);

/* What the same regression of other values, whitened (ct_gp_whiten) and with mean 0, of the first `rows`
 * observations predicts there: CT_GP_TOGETHER numbers. */
void ct_gp_predict_others(const float *white, const double *others, size_t rows,
                          double *out);

/* Mean and variance (with noise) at each observation as the others predict it (Rasmussen and
 * Williams 5.4.2): `mean` and `variance` have count elements.  Of order count^3.  False if out of
 * memory. */
bool ct_gp_left_out(const struct ct_gp *gp, double *mean, double *variance);

/* Moves hyper towards the largest posterior density (likelihood and priors that keep rates within
 * what one parameter can show) in at most `steps` evaluations of likelihood and gradient (of
 * order count^3 each), over the present observations; then refreshes. Without `local`, `local`
 * stays 0: predictions as if parameters acted mostly independently.  False if out of memory;
 * nothing changed. */
enum { CT_GP_FIT_MAX = 160 };
bool ct_gp_fit(struct ct_gp *gp, size_t steps, bool local);

/* A quick estimate for `count` configurations (row by row): the mean, and an upper bound of the
 * variance: that left by the most similar observation alone.  Of order count * observations.
 * False if out of memory. */
bool ct_gp_scan(const struct ct_gp *gp, const uint16_t *configs, size_t count,
                float *mean, float *variance);

/* The predictions of regressions of other values, each with mean 0, for `count` configurations: `out` has
 * as many numbers for each of `others`, whose values (one per observation) are overwritten.  False if
 * out of memory. */
bool ct_gp_scan_others(const struct ct_gp *gp, const uint16_t *configs, size_t count,
                       double *const *others, size_t other_count, float *const *out);

/* --- predictions for many configurations, updated as observations are added --- */

/* Mean and variance at `count` configurations.  With V = factor^-1 K(observations, candidates)
 * stored row by row, an observation takes time of order count * observations. */
struct ct_gp_panel {
    const struct ct_gp *gp;
    size_t count;
    size_t stride; /* count rounded up */
    size_t rows;   /* observations included */
    size_t rows_room;
    struct ct_gp_lookup *lookup; /* covariances of observations with candidates */
    float *v;                    /* rows * stride */
    float *sum_y;                /* by candidate: V^T white_y */
    float *sum_1;                /* V^T white_1 */
    float *explained; /* sum of V^2: 1 - this is the variance in units of the scale */
};

/* Sets the candidates (row by row, param_count value numbers each) and includes all observations
 * of `gp`.  False if out of memory; then the panel is empty.  Starts as {0}. */
bool ct_gp_panel_set(struct ct_gp_panel *panel, const struct ct_gp *gp,
                     const uint16_t *configs, size_t count);

/* Includes the observations that were added to the regression since. */
bool ct_gp_panel_follow(struct ct_gp_panel *panel);

/* After ct_gp_set_y. */
void ct_gp_panel_set_y(struct ct_gp_panel *panel);

/* Predictions of the same regression for other values, whitened (ct_gp_whiten) and with mean 0:
 * adds what observations number `from` and later contribute to `out`, `stride` numbers. */
void ct_gp_panel_sum(const struct ct_gp_panel *panel, size_t from, const double *white,
                     float *out);

/* After ct_gp_refresh or ct_gp_fit.  False if out of memory. */
bool ct_gp_panel_renew(struct ct_gp_panel *panel);

/* Mean and variance (without noise) at candidate `c`. */
void ct_gp_panel_at(const struct ct_gp_panel *panel, size_t c, double *mean,
                    double *variance);
void ct_gp_panel_release(struct ct_gp_panel *panel);

#endif
