// SPDX-License-Identifier: Apache-2.0
// The multiply-adds of mad.cl for a processor: blocks of independent chains that
// compilers turn into vector instructions.
#include <stdint.h>

void mad_host(const float *from, float *to, uint64_t count, uint32_t mads, float a,
              float b);

enum { BLOCK = 256 };

static void block(const float *from, float *to, uint64_t count, uint32_t mads, float a,
                  float b)
{
    float x[BLOCK];

    for (uint64_t i = 0; i < count; i++)
        x[i] = from[i];
    for (uint32_t k = 0; k < mads; k++)
        for (uint64_t i = 0; i < count; i++)
            x[i] = x[i] * a + b;
    for (uint64_t i = 0; i < count; i++)
        to[i] = x[i];
}

void mad_host(const float *from, float *to, uint64_t count, uint32_t mads, float a,
              float b)
{
    uint64_t i = 0;

    for (; i + BLOCK <= count; i += BLOCK)
        block(from + i, to + i, BLOCK, mads, a, b);
    if (i < count)
        block(from + i, to + i, count - i, mads, a, b);
}
