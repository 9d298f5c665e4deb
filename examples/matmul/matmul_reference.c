// SPDX-License-Identifier: Apache-2.0
// The matrix product by its definition, summed in double.
#include <stdint.h>

void matmul_reference(const float *a, const float *b, float *c, uint32_t m, uint32_t n,
                      uint32_t k);

void matmul_reference(const float *a, const float *b, float *c, uint32_t m, uint32_t n,
                      uint32_t k)
{
    for (uint32_t row = 0; row < m; row++)
        for (uint32_t column = 0; column < n; column++) {
            double sum = 0;

            for (uint32_t i = 0; i < k; i++)
                sum += (double)a[(uint64_t)row * k + i] * b[(uint64_t)i * n + column];
            c[(uint64_t)row * n + column] = (float)sum;
        }
}
