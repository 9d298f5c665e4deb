// SPDX-License-Identifier: Apache-2.0
// What scale.cl computes, for comparison.
#include <stdint.h>

void scale_reference(const float *in, float *out, uint32_t n);

void scale_reference(const float *in, float *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = 2 * in[i];
}
