// SPDX-License-Identifier: Apache-2.0
// What transpose.cl must do, and the same by tiles that fit a cache, to be beaten.
#include <stdint.h>

void transpose_reference(const float *from, float *to, uint32_t width, uint32_t height);
void transpose_host(const float *from, float *to, uint32_t width, uint32_t height);

void transpose_reference(const float *from, float *to, uint32_t width, uint32_t height)
{
    for (uint64_t y = 0; y < height; y++)
        for (uint64_t x = 0; x < width; x++)
            to[x * height + y] = from[y * width + x];
}

enum { TILE = 32 };

void transpose_host(const float *from, float *to, uint32_t width, uint32_t height)
{
    for (uint64_t y0 = 0; y0 < height; y0 += TILE)
        for (uint64_t x0 = 0; x0 < width; x0 += TILE) {
            const uint64_t y1 = y0 + TILE < height ? y0 + TILE : height;
            const uint64_t x1 = x0 + TILE < width ? x0 + TILE : width;

            for (uint64_t x = x0; x < x1; x++)
                for (uint64_t y = y0; y < y1; y++)
                    to[x * height + y] = from[y * width + x];
        }
}
