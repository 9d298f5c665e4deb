// SPDX-License-Identifier: Apache-2.0
// What dot.cl must compute, in double precision.
#include <stdint.h>

void dot_reference(const float *a, const float *b, float *result, uint64_t count,
                   uint64_t results);

/* The product goes into the first of `results` numbers, which are summed when they are
 * compared. */
void dot_reference(const float *a, const float *b, float *result, uint64_t count,
                   uint64_t results)
{
    double sum = 0.0;

    for (uint64_t i = 0; i < count; i++)
        sum += (double)a[i] * b[i];
    result[0] = (float)sum;
    for (uint64_t i = 1; i < results; i++)
        result[i] = 0.0f;
}
