// SPDX-License-Identifier: Apache-2.0
// The blur on the host.
#include <stdint.h>

void filter_reference(const float *pixels, float *result, uint32_t width,
                      uint32_t height);

void filter_reference(const float *pixels, float *result, uint32_t width, uint32_t height)
{
    static const double weights[3] = {0.25, 0.5, 0.25};

    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            double sum = 0;

            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++) {
                    int64_t row = (int64_t)y + j;
                    int64_t column = (int64_t)x + i;

                    row = row < 0 ? 0 : row >= height ? (int64_t)height - 1 : row;
                    column = column < 0        ? 0
                             : column >= width ? (int64_t)width - 1
                                               : column;
                    sum += weights[j + 1] * weights[i + 1] *
                           pixels[(uint64_t)row * width + (uint64_t)column];
                }
            result[(uint64_t)y * width + x] = (float)sum;
        }
}
