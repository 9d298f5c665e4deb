// SPDX-License-Identifier: Apache-2.0
// The convolution by its definition, summed in double.
#include <stdint.h>

void convolution_reference(const float *picture, const float *weights, float *result,
                           uint32_t width, uint32_t height, uint32_t radius);

void convolution_reference(const float *picture, const float *weights, float *result,
                           uint32_t width, uint32_t height, uint32_t radius)
{
    const uint32_t stride = width + 2 * radius;
    const uint32_t span = 2 * radius + 1;

    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            double sum = 0;

            for (uint32_t j = 0; j < span; j++)
                for (uint32_t i = 0; i < span; i++)
                    sum += (double)picture[(uint64_t)(y + j) * stride + x + i] *
                           weights[j * span + i];
            result[(uint64_t)y * width + x] = (float)sum;
        }
}
