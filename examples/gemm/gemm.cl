// SPDX-License-Identifier: Apache-2.0
// C = A B for row-major matrices: tiles of C in registers, tiles of A and B in local
// memory.
//
// A work-group computes MTILE x NTILE elements of C, each work-item MITEMS x NITEMS of
// them, while it walks along k in steps of KTILE, UNROLL at a time.  VEC elements of a row
// of B and C are read and written at once.  Every size is a multiple of its tile.

#define COLUMNS (NTILE / NITEMS) /* of work-items */
#define ROWS (MTILE / MITEMS)
#define GROUP (ROWS * COLUMNS)
#define VECTORS (NITEMS / VEC) /* of a work-item, in a row */

#if VEC == 1
typedef float vector;
#elif VEC == 2
typedef float2 vector;
#else
typedef float4 vector;
#endif

kernel __attribute__((reqd_work_group_size(COLUMNS, ROWS, 1))) void
gemm(global const float *a, global const vector *b, global vector *c, uint n, uint k)
{
    const uint x = get_local_id(0);
    const uint y = get_local_id(1);
    const uint item = y * COLUMNS + x;
    const uint row = get_group_id(1) * MTILE;
    const uint column = get_group_id(0) * (NTILE / VEC);
    const uint width = n / VEC;
    local float tile_a[KTILE][MTILE + PAD];
    local vector tile_b[KTILE][NTILE / VEC];
    vector sum[MITEMS][VECTORS];

#pragma unroll
    for (uint i = 0; i < MITEMS; i++)
#pragma unroll
        for (uint j = 0; j < VECTORS; j++)
            sum[i][j] = (vector)(0);

    for (uint at = 0; at < k; at += KTILE) {
        /* Neighbours read neighbours: A is turned on its side on the way. */
        for (uint e = item; e < MTILE * KTILE; e += GROUP)
            tile_a[e % KTILE][e / KTILE] = a[(row + e / KTILE) * k + at + e % KTILE];
        for (uint e = item; e < KTILE * (NTILE / VEC); e += GROUP)
            tile_b[e / (NTILE / VEC)][e % (NTILE / VEC)] =
                b[(at + e / (NTILE / VEC)) * width + column + e % (NTILE / VEC)];
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint first = 0; first < KTILE; first += UNROLL) {
#pragma unroll
            for (uint step = 0; step < UNROLL; step++) {
                float left[MITEMS];
                vector right[VECTORS];

#pragma unroll
                for (uint i = 0; i < MITEMS; i++)
                    left[i] = tile_a[first + step][y * MITEMS + i];
#pragma unroll
                for (uint j = 0; j < VECTORS; j++)
                    right[j] = tile_b[first + step][x + j * COLUMNS];
#pragma unroll
                for (uint i = 0; i < MITEMS; i++)
#pragma unroll
                    for (uint j = 0; j < VECTORS; j++)
                        sum[i][j] = fma((vector)(left[i]), right[j], sum[i][j]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (uint i = 0; i < MITEMS; i++)
#pragma unroll
        for (uint j = 0; j < VECTORS; j++)
            c[(row + y * MITEMS + i) * width + column + x + j * COLUMNS] = sum[i][j];
}
