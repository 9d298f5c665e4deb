// SPDX-License-Identifier: Apache-2.0
// Whether values rise or fall in the order taken, and other oddities.
#include "base/stats.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many MADs, and what share of the median, an outlier is above the median. */
#define OUTLIER_MADS  14.826
#define OUTLIER_SHARE 0.01
/* MADs of a normal distribution in its standard deviation. */
#define MAD_SCALE 1.4826

/* --- trend --- */

/* Pairs that rise less pairs that fall. */
static double kendall_s(const double *values, size_t count)
{
    double s = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            s += (values[j] > values[i]) - (values[j] < values[i]);
    return s;
}

/* Sum of t (t - 1) (2 t + 5) over groups of t equal values: a sum over values of
 * (t - 1) (2 t + 5). */
static double kendall_ties(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        double t = 0;

        for (size_t j = 0; j < count; j++)
            t += values[j] == values[i];
        sum += (t - 1) * (2 * t + 5);
    }
    return sum;
}

/* P(a random order has at most `most` falling pairs): the k-th value inserted is below 0 to k - 1
 * of those before it, each equally likely. */
static double exact_inversions(size_t count, size_t most)
{
    double share[CT_STATS_EXACT_TREND * (CT_STATS_EXACT_TREND - 1) / 2 + 1] = {1};
    double total = 0;

    for (size_t k = 2; k <= count; k++) {
        for (size_t i = most + 1; i-- > 0;) {
            double sum = 0;

            for (size_t fewer = 0; fewer < k && fewer <= i; fewer++)
                sum += share[i - fewer];
            share[i] = sum / (double)k;
        }
    }
    for (size_t i = 0; i <= most; i++)
        total += share[i];
    return total;
}

static double kendall_p(const double *values, size_t count)
{
    double s = fabs(kendall_s(values, count));
    double ties = kendall_ties(values, count);
    double n = (double)count;
    double variance = (n * (n - 1) * (2 * n + 5) - ties) / 18;

    if (ties == 0 && count <= CT_STATS_EXACT_TREND)
        return fmin(1, 2 * exact_inversions(count, (size_t)((n * (n - 1) / 2 - s) / 2)));
    if (variance <= 0)
        return 1;
    return ct_stats_normal_tails(fmax(s - 1, 0) / sqrt(variance));
}

/* Median of the slopes between all pairs; `slopes` has room for them. */
static double theil_sen(const double *values, size_t count, double *slopes)
{
    size_t pairs = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            slopes[pairs++] = values[j] == values[i]
                                  ? 0 /* infinities have no difference */
                                  : (values[j] - values[i]) / (double)(j - i);
    return ct_stats_median(slopes, pairs);
}

/* Reduces `count` values to `few` medians of neighbours; `scratch` holds them on entry. */
static void condense(double *scratch, size_t count, double *out, size_t few)
{
    for (size_t i = 0; i < few; i++) {
        size_t start = count / few * i + count % few * i / few;
        size_t end = count / few * (i + 1) + count % few * (i + 1) / few;

        out[i] = ct_stats_median(scratch + start, end - start);
    }
}

/* Trend of values taken one after the other: the probability of such a trend or a stronger one in
 * values in random order (Mann-Kendall's test, two-sided; Kendall, Rank Correlation Methods;
 * exact up to CT_STATS_EXACT_TREND values without ties, else by the normal approximation with
 * correction for ties and continuity), and the median slope from one value to the next
 * (Theil-Sen; Sen, Estimates of the Regression Coefficient Based on Kendall's Tau, 1968).  More
 * than CT_STATS_TREND_MOST values are replaced by medians of neighbours.  1 and a slope of 0 for
 * fewer than 2 values and if out of memory. */
static double find_trend(const double *values, size_t count, double *slope)
{
    size_t few = count < CT_STATS_TREND_MOST ? count : CT_STATS_TREND_MOST;
    double *copy = ct_mem_array(count, sizeof(*copy));
    double *points = ct_mem_array(few, sizeof(*points));
    double *slopes = ct_mem_array(few * few / 2 + 1, sizeof(*slopes));
    double p = 1;

    *slope = 0;
    if (count >= 2 && copy && points && slopes) {
        memcpy(copy, values, count * sizeof(*copy));
        condense(copy, count, points, few);
        p = kendall_p(points, few);
        *slope = theil_sen(points, few, slopes) * (double)few / (double)count;
    }
    free(copy);
    free(points);
    free(slopes);
    return p;
}

/* --- oddities --- */

/* Counts outliers above the median. */
static void find_outliers(const double *values, size_t count, double median, double mad,
                          struct ct_stats_oddities *out)
{
    double limit = median + fmax(OUTLIER_MADS * mad, OUTLIER_SHARE * median);

    for (size_t i = 0; i < count; i++)
        out->outliers += values[i] > limit;
    out->slow_start = values[0] > limit;
}

void ct_stats_oddities_of(const double *values, size_t count,
                          struct ct_stats_oddities *out)
{
    double *scratch = ct_mem_array(count, sizeof(*scratch));
    double median;
    double mad;
    double slope;

    *out = (struct ct_stats_oddities){.count = count, .drift_p = 1};
    if (count && scratch) {
        memcpy(scratch, values, count * sizeof(*scratch));
        median = ct_stats_median(scratch, count);
        mad = ct_stats_mad(scratch, count);
        find_outliers(values, count, median, mad, out);
        out->drift_p = find_trend(values, count, &slope);
        if (median > 0 && median < INFINITY) {
            out->drift = slope * (double)(count - 1) / median;
            out->spread = MAD_SCALE * mad / median;
        }
    }
    free(scratch);
}
