// SPDX-License-Identifier: Apache-2.0
// The matrix product by its definition, summed in double; a row of sums at a time, so that memory is
// read in order.
#include <stdint.h>
#include <stdlib.h>

void matmul_reference(const float *a, const float *b, float *c, uint32_t m, uint32_t n,
                      uint32_t k);

void matmul_reference(const float *a, const float *b, float *c, uint32_t m, uint32_t n,
                      uint32_t k)
{
    double *sums = malloc(n * sizeof(*sums));

    for (uint64_t row = 0; sums && row < m; row++) {
        for (uint64_t column = 0; column < n; column++)
            sums[column] = 0;
        for (uint64_t i = 0; i < k; i++) {
            const double x = a[row * k + i];

            for (uint64_t column = 0; column < n; column++)
                sums[column] += x * b[i * n + column];
        }
        for (uint64_t column = 0; column < n; column++)
            c[row * n + column] = (float)sums[column];
    }
    free(sums);
}
