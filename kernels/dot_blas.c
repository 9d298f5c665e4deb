// SPDX-License-Identifier: Apache-2.0
// The product of dot.cl by OpenBLAS.
#include <cblas.h>
#include <stdint.h>

void dot_blas(const float *a, const float *b, float *result, uint64_t count,
              uint64_t results);

void dot_blas(const float *a, const float *b, float *result, uint64_t count,
              uint64_t results)
{
    result[0] = cblas_sdot((int)count, a, 1, b, 1);
    for (uint64_t i = 1; i < results; i++)
        result[i] = 0.0f;
}
