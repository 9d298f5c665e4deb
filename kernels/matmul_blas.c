// SPDX-License-Identifier: Apache-2.0
// The product of matmul.cl by OpenBLAS.
#include <cblas.h>
#include <stdint.h>

void matmul_blas(const float *a, const float *b, float *c, uint64_t rows,
                 uint64_t columns, uint64_t depth);

void matmul_blas(const float *a, const float *b, float *c, uint64_t rows,
                 uint64_t columns, uint64_t depth)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)columns,
                (int)depth, 1.0f, a, (int)depth, b, (int)columns, 0.0f, c, (int)columns);
}
