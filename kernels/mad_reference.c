// SPDX-License-Identifier: Apache-2.0
// What mad.cl must compute, in double precision.
#include <stdint.h>

void mad_reference(const float *from, float *to, uint64_t count, uint32_t mads, float a,
                   float b);

void mad_reference(const float *from, float *to, uint64_t count, uint32_t mads, float a,
                   float b)
{
    for (uint64_t i = 0; i < count; i++) {
        double x = from[i];

        for (uint32_t k = 0; k < mads; k++)
            x = x * a + b;
        to[i] = (float)x;
    }
}
