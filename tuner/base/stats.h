// SPDX-License-Identifier: Apache-2.0
// Statistics of small samples of times: pure functions.
#ifndef CT_BASE_STATS_H
#define CT_BASE_STATS_H

#include <stddef.h>

/* The median of `count` values (0 for none); `values` is sorted in place. */
double ct_stats_median(double *values, size_t count);

/* A distribution-free confidence interval of the median from order statistics (the sign
 * test; Conover, Practical Nonparametric Statistics, 3.2): the narrowest symmetric pair
 * of order statistics that covers the median with at least `level`.  Up to five values
 * cannot reach 0.95; then the interval is the whole range.  `values` is sorted in place;
 * `count` at least 1.  Returns the coverage reached. */
double ct_stats_median_interval(double *values, size_t count, double level, double *low,
                                double *high);

#endif
