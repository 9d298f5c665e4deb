// SPDX-License-Identifier: Apache-2.0
// Statistics of small samples of times: pure functions.
#ifndef CT_BASE_STATS_H
#define CT_BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The median of `count` values (0 for none); `values` is sorted in place. */
double ct_stats_median(double *values, size_t count);

/* A distribution-free confidence interval of the median from order statistics (the sign
 * test; Conover, Practical Nonparametric Statistics, 3.2): the narrowest symmetric pair
 * of order statistics that covers the median with at least `level`.  Up to five values
 * cannot reach 0.95; then the interval is the whole range.  `values` is sorted in place;
 * `count` at least 1.  Returns the coverage reached. */
double ct_stats_median_interval(double *values, size_t count, double level, double *low,
                                double *high);

/* Median of the distances from the median, unscaled (times 1.4826: the standard deviation
 * of a normal distribution).  0 for fewer than 2 values.  `values` is changed. */
double ct_stats_mad(double *values, size_t count);

/* Quantile `q` (0 to 1) by linear interpolation between order statistics (Hyndman & Fan,
 * type 7; R's and NumPy's default).  `sorted` is in ascending order, `count` at least 1.
 */
double ct_stats_quantile(const double *sorted, size_t count, double q);

/* Percentile bootstrap interval of the median (Efron & Tibshirani, An Introduction to the
 * Bootstrap, 13.3) from `resamples` resamples; the same for the same seed.  `count` at
 * least 1; of one value the interval is that value. */
void ct_stats_bootstrap_median(const double *values, size_t count, double level,
                               size_t resamples, uint64_t seed, double *low,
                               double *high);

/* Mann-Whitney U test, two-sided: the probability of such a U or a more extreme one if
 * both samples come from one distribution.  `*u` (may be NULL) is that of `a`.  Exact
 * where there are no ties and a product of counts up to 400 (as SciPy's
 * mannwhitneyu(method='exact')), else by the normal approximation with correction for
 * ties and continuity.  1 when a count is 0 or all values are equal. */
double ct_stats_mann_whitney(const double *a, size_t a_count, const double *b,
                             size_t b_count, double *u);

/* Holm's step-down correction: replaces each of `count` p-values by the adjusted one
 * (never above 1, in the order of the unadjusted). */
void ct_stats_holm(double *p, size_t count);

/* What is odd about samples in the order taken. */
struct ct_stats_oddities {
    size_t count;
    size_t outliers; /* farther from the median than 14.826 MAD (modified Z-score of
                        10; Iglewicz & Hoaglin), above it */
    bool slow_start; /* the first one is an outlier */
    double drift;    /* relative change from first to last by the Theil-Sen slope */
    double drift_p;  /* of Mann-Kendall's test for a trend, two-sided */
    double spread;   /* 1.4826 MAD / median */
};
void ct_stats_oddities(const double *values, size_t count, struct ct_stats_oddities *out);

#endif
