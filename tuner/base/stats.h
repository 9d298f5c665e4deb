// SPDX-License-Identifier: Apache-2.0
// Statistics of small samples of times: pure functions.
//
// No value may be NAN; infinities are allowed (results may be infinite or, from opposite ones,
// NAN).  Functions that allocate have no error: if out of memory they return the most cautious
// result, as each states.
#ifndef CT_BASE_STATS_H
#define CT_BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits of exact computation. */
enum {
    CT_STATS_EXACT_TREND = 33,
    CT_STATS_TREND_MOST = 250,
};

/* A quantity and its interval, 95% unless stated otherwise; all 0: unknown. */
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

/* Sample standard deviation, not robust; 0 of fewer than two values. */
double ct_stats_deviation(const double *values, size_t count);

/* Median of the distances from the median, unscaled (times 1.4826: the standard deviation
 * of a normal distribution).  0 for fewer than 2 values.  `values` is changed. */
double ct_stats_mad(double *values, size_t count);

/* Standard deviation of normal values by their MAD, corrected for their small number
 * (Croux & Rousseeuw, Time-efficient algorithms for two highly robust estimators of
 * scale, 1992).  0 for fewer than 2 values.  `values` is changed. */
double ct_stats_robust_deviation(double *values, size_t count);

/* Median polish (Tukey, Exploratory Data Analysis, 1977, chapter 11; R's medpolish): decomposes
 * `table`, whose rows follow one another, into an overall value, an effect of each row, one of
 * each column, and residuals, so that rows and columns of residuals have median 0.  A few
 * outliers, and whatever rows have in common, do not move the columns' effects; the difference of
 * two columns is the median of the rows' differences. `table` holds the residuals afterwards;
 * `columns_out` gets one value per column, including the overall one.  `scratch` has room for 2 *
 * rows + columns. */
void ct_stats_polish(double *table, size_t rows, size_t columns, double *scratch,
                     double *columns_out);

/* The probability that a standard normal deviate lies at least |z| from 0. */
double ct_stats_normal_tails(double z);

/* The probability of a Student's t of `freedom` (at least 1) degrees beyond +-`t`
 * (Abramowitz & Stegun, 26.7.3 and 26.7.4). */
double ct_stats_student(double t, size_t freedom);

/* The t that is exceeded with probability `p` in total, on both sides. */
double ct_stats_student_quantile(double p, size_t freedom);

/* How many times a standard deviation of normal values that was estimated with `freedom` (at least 1)
 * degrees of freedom the true one is at most, in 95% of cases: by the lower 5% of chi-squared in the
 * approximation of Wilson & Hilferty (The distribution of chi-square, 1931), which errs on the high
 * side here. */
double ct_stats_deviation_bound(size_t freedom);

/* Holm's step-down correction (Holm, A Simple Sequentially Rejective Multiple Test Procedure,
 * 1979; R's p.adjust(method='holm')): replaces each of `count` p-values by the adjusted one
 * (never above 1, never smaller than that of a smaller p-value).  All 1 if out of memory. */
void ct_stats_holm(double *p, size_t count);

/* Oddities of samples in the order taken. */
struct ct_stats_oddities {
    size_t count;
    /* Above the median by more than 14.826 MAD (a modified Z-score of 10; Iglewicz & Hoaglin, How
     * to Detect and Handle Outliers) and by more than 1%: if most values are the same clock tick
     * the MAD is 0. */
    size_t outliers;
    bool slow_start; /* the first one is an outlier */
    /* change from first to last by the slope of the trend, relative to the median: 0.1 is 10%
     * slower */
    double drift;
    double drift_p; /* the trend's probability */
    double spread;  /* 1.4826 MAD / median */
};

/* Examines positive values.  Of none: nothing odd (zeros, drift_p 1); likewise, except for the
 * count, if out of memory. */
void ct_stats_oddities_of(const double *values, size_t count,
                          struct ct_stats_oddities *out);

#endif
