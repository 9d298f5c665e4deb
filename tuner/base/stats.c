// SPDX-License-Identifier: Apache-2.0
// Median and its interval.
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

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
