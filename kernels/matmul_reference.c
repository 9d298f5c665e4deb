// SPDX-License-Identifier: Apache-2.0
// What matmul.cl must compute, in double precision.
#include <stdint.h>
#include <stdlib.h>

void matmul_reference(const float *a, const float *b, float *c, uint64_t rows,
                      uint64_t columns, uint64_t depth);
void matmul_reference64(const double *a, const double *b, double *c, uint64_t rows,
                        uint64_t columns, uint64_t depth);

/* Row by row, so that all three matrices are gone through as they lie in memory. */
void matmul_reference(const float *a, const float *b, float *c, uint64_t rows,
                      uint64_t columns, uint64_t depth)
{
    double *sums = calloc(columns, sizeof(*sums));

    for (uint64_t i = 0; sums && i < rows; i++) {
        for (uint64_t j = 0; j < columns; j++)
            sums[j] = 0.0;
        for (uint64_t l = 0; l < depth; l++) {
            const double x = a[i * depth + l];

            for (uint64_t j = 0; j < columns; j++)
                sums[j] += x * b[l * columns + j];
        }
        for (uint64_t j = 0; j < columns; j++)
            c[i * columns + j] = (float)sums[j];
    }
    free(sums);
}

void matmul_reference64(const double *a, const double *b, double *c, uint64_t rows,
                        uint64_t columns, uint64_t depth)
{
    for (uint64_t i = 0; i < rows; i++) {
        for (uint64_t j = 0; j < columns; j++)
            c[i * columns + j] = 0.0;
        for (uint64_t l = 0; l < depth; l++) {
            const double x = a[i * depth + l];

            for (uint64_t j = 0; j < columns; j++)
                c[i * columns + j] += x * b[l * columns + j];
        }
    }
}
