// SPDX-License-Identifier: Apache-2.0
// Rank tests: whether two samples differ, and several such tests at once.
#include "base/stats.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

double ct_stats_normal_tails(double z)
{
    return erfc(fabs(z) / sqrt(2));
}

/* --- Mann-Whitney --- */

struct pooled {
    double value;
    bool of_a;
};

static int by_pooled_value(const void *a, const void *b)
{
    double x = ((const struct pooled *)a)->value;
    double y = ((const struct pooled *)b)->value;

    return (x > y) - (x < y);
}

/* U of `a` in the sorted pool, and the sum of t^3 - t over groups of t equal values. */
static double rank_u(const struct pooled *pool, size_t count, double *ties)
{
    double u = 0;
    size_t b_below = 0;
    size_t end;

    *ties = 0;
    for (size_t start = 0; start < count; start = end) {
        size_t of_a = 0;
        double size;

        for (end = start; end < count && pool[end].value == pool[start].value; end++)
            of_a += pool[end].of_a;
        size = (double)(end - start);
        u += (double)of_a * ((double)b_below + (size - (double)of_a) / 2);
        b_below += end - start - of_a;
        *ties += size * size * size - size;
    }
    return u;
}

/* P(U >= u) by counting: the ways to reach each U are the coefficients of the Gaussian
 * binomial, the product of (1 - x^(n+i)) / (1 - x^i) for i up to m.  All of them are
 * integers below 2^53. */
static double exact_tail(size_t m, size_t n, size_t u)
{
    double ways[CT_STATS_EXACT_PAIRS + 1] = {1};
    size_t most = m * n;
    double all = 0;
    double tail = 0;

    for (size_t i = 1; i <= m; i++) {
        for (size_t k = most; k >= n + i; k--)
            ways[k] -= ways[k - n - i];
        for (size_t k = i; k <= most; k++)
            ways[k] += ways[k - i];
    }
    for (size_t k = most + 1; k-- > 0;) {
        all += ways[k];
        if (k >= u)
            tail += ways[k];
    }
    return tail / all;
}

double ct_stats_mann_whitney(const double *a, size_t a_count, const double *b,
                             size_t b_count, double *u)
{
    double m = (double)a_count;
    double n = (double)b_count;
    size_t count = a_count + b_count;
    struct pooled *pool = ct_mem_array(count, sizeof(*pool));
    double of_a = m * n / 2;
    double larger;
    double ties;
    double p = 1;

    if (pool) {
        for (size_t i = 0; i < count; i++) {
            pool[i].of_a = i < a_count;
            pool[i].value = i < a_count ? a[i] : b[i - a_count];
        }
        qsort(pool, count, sizeof(*pool), by_pooled_value);
        of_a = rank_u(pool, count, &ties);
        larger = fmax(of_a, m * n - of_a);
        if (a_count && b_count && pool[0].value < pool[count - 1].value) {
            if (ties == 0 && m * n <= CT_STATS_EXACT_PAIRS) {
                p = 2 * exact_tail(a_count, b_count, (size_t)larger);
            } else {
                double variance =
                    m * n / 12 * (m + n + 1 - ties / ((m + n) * (m + n - 1)));

                p = ct_stats_normal_tails(fmax(larger - m * n / 2 - 0.5, 0) /
                                          sqrt(variance));
            }
        }
    }
    free(pool);
    if (u)
        *u = of_a;
    return fmin(p, 1);
}

/* --- several tests --- */

static int by_p(const void *a, const void *b)
{
    double x = **(double *const *)a;
    double y = **(double *const *)b;

    return (x > y) - (x < y);
}

void ct_stats_holm(double *p, size_t count)
{
    double **order = ct_mem_array(count, sizeof(*order)); /* smallest first */
    double adjusted = 0;

    for (size_t i = 0; i < count; i++) {
        if (order)
            order[i] = &p[i];
        else
            p[i] = 1;
    }
    if (!order)
        return;
    qsort(order, count, sizeof(*order), by_p);
    for (size_t i = 0; i < count; i++) {
        adjusted = fmin(1, fmax(adjusted, (double)(count - i) * *order[i]));
        *order[i] = adjusted;
    }
    free(order);
}
