// SPDX-License-Identifier: Apache-2.0
// Statistics of small samples of times: pure functions.
//
// No value may be NAN; infinities are allowed (what is computed from them may be infinite
// or, of opposite ones, NAN).  Functions that need room of their own have no error: where
// memory is short they answer with what claims least, as each states.
#ifndef CT_BASE_STATS_H
#define CT_BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bounds of what is done in full. */
enum {
    CT_STATS_EXACT_PAIRS = 400,
    CT_STATS_EXACT_TREND = 33,
    CT_STATS_TREND_MOST = 250,
};

/* A quantity and its interval, of 95% where nothing else is said; all 0: not known. */
struct ct_range {
    double middle;
    double low;
    double high;
};

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

/* Standard deviation of normal values by their MAD, corrected for their small number
 * (Croux & Rousseeuw, Time-efficient algorithms for two highly robust estimators of
 * scale, 1992).  0 for fewer than 2 values.  `values` is changed. */
double ct_stats_robust_deviation(double *values, size_t count);

/* Quantile `q` (what is below 0 or above 1 counts as that) by linear interpolation
 * between order statistics (Hyndman & Fan, Sample Quantiles in Statistical Packages, type
 * 7; R's and NumPy's default).  `sorted` is in ascending order, `count` at least 1. */
double ct_stats_quantile(const double *sorted, size_t count, double q);

/* Median polish (Tukey, Exploratory Data Analysis, 1977, chapter 11; R's medpolish):
 * takes `table`, whose rows follow one another, apart into an overall value, an effect of
 * each row, one of each column, and residuals, so that rows and columns of residuals have
 * median 0.  Few wild values, and whatever rows have in common, do not move the columns'
 * effects; of two columns their difference is the median of the rows' differences.
 * `table` holds the residuals afterwards; `columns_out` gets one value a column, the
 * overall one included.  `scratch` has room for 2 * rows + columns. */
void ct_stats_polish(double *table, size_t rows, size_t columns, double *scratch,
                     double *columns_out);

/* Percentile bootstrap interval of the median (Efron & Tibshirani, An Introduction to the
 * Bootstrap, 13.3): the quantiles (1 - level) / 2 and (1 + level) / 2 of the medians of
 * `resamples` resamples; the same for the same seed, in whatever order the values come.
 * `count` and `resamples` at least 1; of one value the interval is that value.  The whole
 * range where memory is short.  2,000 resamples of 50 values take about a
 * millisecond. */
void ct_stats_bootstrap_median(const double *values, size_t count, double level,
                               size_t resamples, uint64_t seed, double *low,
                               double *high);

/* The probability that a standard normal deviate lies at least |z| from 0. */
double ct_stats_normal_tails(double z);

/* Mann-Whitney U test, two-sided (Mann & Whitney, On a Test of Whether one of Two Random
 * Variables is Stochastically Larger than the Other, 1947): the probability of such a U
 * or a more extreme one if both samples come from one distribution.  `*u` (may be NULL)
 * is that of `a`: pairs of which that of `a` is the larger, ties counted half.  Exact
 * where there are no ties and the product of counts is at most
 * CT_STATS_EXACT_PAIRS (as SciPy's mannwhitneyu(method='exact')), else by the normal
 * approximation with correction for ties and continuity (method='asymptotic').  1 when a
 * count is 0 (`*u` is 0), when all values are equal, and where memory is short (`*u` is
 * half of the pairs). */
double ct_stats_mann_whitney(const double *a, size_t a_count, const double *b,
                             size_t b_count, double *u);

/* Holm's step-down correction (Holm, A Simple Sequentially Rejective Multiple Test
 * Procedure, 1979; R's p.adjust(method='holm')): replaces each of `count` p-values by the
 * adjusted one (never above 1, never smaller than that of a smaller p-value).  All 1
 * where memory is short. */
void ct_stats_holm(double *p, size_t count);

/* Trend of values taken one after the other: the probability of such a one or a stronger
 * one in values that come in any order (Mann-Kendall's test, two-sided; Kendall, Rank
 * Correlation Methods; exact up to CT_STATS_EXACT_TREND values without ties, else by the
 * normal approximation with correction for ties and continuity), and the median slope
 * from one value to the next (Theil-Sen; Sen, Estimates of the Regression Coefficient
 * Based on Kendall's Tau, 1968).  Of more than CT_STATS_TREND_MOST values, medians of
 * neighbours stand for them.  1 and a slope of 0 for fewer than 2 values and where memory
 * is short. */
double ct_stats_trend(const double *values, size_t count, double *slope);

/* What is odd about samples in the order taken. */
struct ct_stats_oddities {
    size_t count;
    /* Above the median by more than 14.826 MAD (a modified Z-score of 10; Iglewicz &
     * Hoaglin, How to Detect and Handle Outliers) and by more than 1%: where most values
     * are the same tick of a clock the MAD is 0. */
    size_t outliers;
    bool slow_start; /* the first one is an outlier */
    double drift;    /* change from first to last by ct_stats_trend's slope, relative to
                        the median: 0.1 is 10% slower */
    double drift_p;  /* ct_stats_trend's probability */
    double spread;   /* 1.4826 MAD / median */
};

/* Looks at positive values.  Of none: nothing odd (zeros, drift_p 1); so, but for the
 * count, where memory is short. */
void ct_stats_oddities_of(const double *values, size_t count,
                          struct ct_stats_oddities *out);

#endif
