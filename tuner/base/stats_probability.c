// SPDX-License-Identifier: Apache-2.0
// Probabilities of test statistics, and of several tests at once.
#include "base/stats.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

double ct_stats_normal_tails(double z)
{
    return erfc(fabs(z) / sqrt(2));
}

/* --- Student's t --- */

double ct_stats_student(double t, size_t freedom)
{
    double angle = atan(fabs(t) / sqrt((double)freedom));
    double cosine = cos(angle);
    double term = freedom % 2 ? cosine : 1;
    double sum = freedom == 1 ? 0 : term;

    for (size_t k = freedom % 2 ? 3 : 2; k < freedom; k += 2) {
        term *= cosine * cosine * (double)(k - 1) / (double)k;
        sum += term;
    }
    sum *= sin(angle);
    if (freedom % 2)
        sum = (sum + angle) * 2 / acos(-1);
    return sum < 1 ? 1 - sum : 0;
}

double ct_stats_student_quantile(double p, size_t freedom)
{
    double low = 0;
    double high = 1e4;

    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        if (ct_stats_student(middle, freedom) > p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double ct_stats_deviation_bound(size_t freedom)
{
    const double z = 1.6448536; /* of the lower 5% */
    double part = 2 / (9.0 * (double)freedom);

    return pow(1 - part - z * sqrt(part), -1.5);
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
