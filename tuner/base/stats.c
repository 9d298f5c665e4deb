// SPDX-License-Identifier: Apache-2.0
// Medians and their intervals, spreads, median polish.
#include "base/stats.h"

#include "base/mem.h"

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

double ct_stats_deviation(const double *values, size_t count)
{
    double mean = 0;
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        mean += values[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return count > 1 ? sqrt(sum / (double)(count - 1)) : 0;
}

double ct_stats_robust_deviation(double *values, size_t count)
{
    static const double correction[] = {0,     0,     1.196, 1.495, 1.363,
                                        1.206, 1.200, 1.140, 1.129, 1.107};
    double factor =
        count < 10 ? correction[count] : (double)count / ((double)count - 0.8);

    return 1.4826 * factor * ct_stats_mad(values, count);
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
