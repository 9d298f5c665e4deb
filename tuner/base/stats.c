// SPDX-License-Identifier: Apache-2.0
// Medians, quantiles and intervals of the median.
#include "base/stats.h"

#include "base/mem.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

double ct_stats_median(double *values, size_t count)
{
    if (!count)
        return 0;
    qsort(values, count, sizeof(*values), by_value);
    if (count % 2)
        return values[count / 2];
    return (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* P(exactly k of n fair coins show heads). */
static double binomial_half(size_t n, size_t k)
{
    double total = (double)n;
    double heads = (double)k;

    return exp(lgamma(total + 1) - lgamma(heads + 1) - lgamma(total - heads + 1) -
               total * log(2));
}

double ct_stats_median_interval(double *values, size_t count, double level, double *low,
                                double *high)
{
    size_t cut = 0;                        /* values left out at each end */
    double tail = binomial_half(count, 0); /* P(the median lies beyond one end) */

    qsort(values, count, sizeof(*values), by_value);
    while (2 * (cut + 1) < count) {
        double wider = tail + binomial_half(count, cut + 1);

        if (1 - 2 * wider < level)
            break;
        tail = wider;
        cut++;
    }
    *low = values[cut];
    *high = values[count - 1 - cut];
    return 1 - 2 * tail;
}

double ct_stats_mad(double *values, size_t count)
{
    double median = ct_stats_median(values, count);

    if (count < 2)
        return 0;
    for (size_t i = 0; i < count; i++) /* infinities have no difference */
        values[i] = values[i] == median ? 0 : fabs(values[i] - median);
    return ct_stats_median(values, count);
}

double ct_stats_robust_deviation(double *values, size_t count)
{
    static const double correction[] = {0,     0,     1.196, 1.495, 1.363,
                                        1.206, 1.200, 1.140, 1.129, 1.107};
    double factor =
        count < 10 ? correction[count] : (double)count / ((double)count - 0.8);

    return 1.4826 * factor * ct_stats_mad(values, count);
}

double ct_stats_quantile(const double *sorted, size_t count, double q)
{
    double at = q > 0 ? (q < 1 ? q : 1) * (double)(count - 1) : 0;
    size_t below = (size_t)at;
    double share = at - (double)below;

    if (share == 0 || sorted[below] == sorted[below + 1])
        return sorted[below];
    return sorted[below] + share * (sorted[below + 1] - sorted[below]);
}

/* Median of a resample of the values: how often each rank was drawn determines the middle, so
 * that nothing is sorted.  `drawn` has room for `count` numbers. */
static double resample_median(struct ct_rng *rng, const double *sorted, size_t count,
                              uint32_t *drawn)
{
    size_t low_at = (count - 1) / 2; /* of the middle two, or of the middle one */
    size_t high_at = count / 2;
    size_t before = 0;
    size_t low = 0;
    size_t high;

    memset(drawn, 0, count * sizeof(*drawn));
    for (size_t i = 0; i < count; i++)
        drawn[(size_t)(ct_rng_unit(rng) * (double)count)]++;
    while (before + drawn[low] <= low_at)
        before += drawn[low++];
    high = low;
    while (before + drawn[high] <= high_at)
        before += drawn[high++];
    return (sorted[low] + sorted[high]) / 2;
}

void ct_stats_bootstrap_median(const double *values, size_t count, double level,
                               size_t resamples, uint64_t seed, double *low, double *high)
{
    double *sorted = ct_mem_array(count, sizeof(*sorted));
    uint32_t *drawn = ct_mem_array(count, sizeof(*drawn));
    double *medians = ct_mem_array(resamples, sizeof(*medians));
    struct ct_rng rng;

    *low = values[0];
    *high = values[0];
    for (size_t i = 1; i < count; i++) {
        *low = fmin(*low, values[i]);
        *high = fmax(*high, values[i]);
    }
    if (sorted && drawn && medians) {
        memcpy(sorted, values, count * sizeof(*sorted));
        qsort(sorted, count, sizeof(*sorted), by_value);
        ct_rng_seed(&rng, seed);
        for (size_t i = 0; i < resamples; i++)
            medians[i] = resample_median(&rng, sorted, count, drawn);
        qsort(medians, resamples, sizeof(*medians), by_value);
        *low = ct_stats_quantile(medians, resamples, (1 - level) / 2);
        *high = ct_stats_quantile(medians, resamples, (1 + level) / 2);
    }
    free(sorted);
    free(drawn);
    free(medians);
}

/* --- median polish --- */

/* Subtracts the median of the values that are `stride` apart. */
static double sweep(double *values, size_t count, size_t stride, double *scratch)
{
    double median;

    for (size_t i = 0; i < count; i++)
        scratch[i] = values[i * stride];
    median = ct_stats_median(scratch, count);
    for (size_t i = 0; i < count; i++)
        values[i * stride] -= median;
    return median;
}

void ct_stats_polish(double *table, size_t rows, size_t columns, double *scratch,
                     double *columns_out)
{
    enum { ROUNDS = 10 }; /* R's limit; two or three are usual */
    double *row_effects = scratch;
    double overall = 0;
    double before = -1;

    scratch += rows;
    memset(row_effects, 0, rows * sizeof(*row_effects));
    memset(columns_out, 0, columns * sizeof(*columns_out));
    for (int round = 0; round < ROUNDS && rows && columns; round++) {
        double sum = 0;

        for (size_t r = 0; r < rows; r++)
            row_effects[r] += sweep(&table[r * columns], columns, 1, scratch);
        overall += sweep(columns_out, columns, 1, scratch);
        for (size_t c = 0; c < columns; c++)
            columns_out[c] += sweep(&table[c], rows, columns, scratch);
        overall += sweep(row_effects, rows, 1, scratch);
        for (size_t i = 0; i < rows * columns; i++)
            sum += fabs(table[i]);
        if (sum == 0 || fabs(sum - before) < 0.01 * sum)
            break;
        before = sum;
    }
    for (size_t c = 0; c < columns; c++)
        columns_out[c] += overall;
}
