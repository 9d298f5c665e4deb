// SPDX-License-Identifier: Apache-2.0
// The sum in double.
#include <stdint.h>

void reduction_reference(const float *values, float *total, uint64_t n);

void reduction_reference(const float *values, float *total, uint64_t n)
{
    double sum = 0;

    for (uint64_t i = 0; i < n; i++)
        sum += values[i];
    *total = (float)sum;
}
