// SPDX-License-Identifier: Apache-2.0
// C = A B for row-major matrices whose sizes are multiples of TILE.
//
// Macros: TILE (columns and rows of C a work-group), ROWS (rows of work-items),
// ITEMS = TILE / ROWS (elements a work-item), LOCAL, UNROLL (which divides TILE), PAD.

kernel void multiply(global const float *a, global const float *b, global float *c, uint n,
                     uint k)
{
    const uint x = get_local_id(0);
    const uint y = get_local_id(1);
    const uint column = get_group_id(0) * TILE + x;
    const uint row = get_group_id(1) * TILE + y;
    float sum[ITEMS];
#if LOCAL
    local float tile_a[TILE][TILE + PAD];
    local float tile_b[TILE][TILE + PAD];
#endif

    for (uint i = 0; i < ITEMS; i++)
        sum[i] = 0;
    for (uint at = 0; at < k; at += TILE) {
#if LOCAL
        for (uint i = 0; i < ITEMS; i++) {
            tile_a[y + i * ROWS][x] = a[(row + i * ROWS) * k + at + x];
            tile_b[y + i * ROWS][x] = b[(at + y + i * ROWS) * n + column];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        /* The inner loop is short and of a fixed length: compilers unroll it. */
        for (uint first = 0; first < TILE; first += UNROLL)
            for (uint j = first; j < first + UNROLL; j++) {
#if LOCAL
                const float right = tile_b[j][x];
#else
                const float right = b[(at + j) * n + column];
#endif

                for (uint i = 0; i < ITEMS; i++)
#if LOCAL
                    sum[i] = fma(tile_a[y + i * ROWS][j], right, sum[i]);
#else
                    sum[i] = fma(a[(row + i * ROWS) * k + at + j], right, sum[i]);
#endif
            }
#if LOCAL
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
    for (uint i = 0; i < ITEMS; i++)
        c[(row + i * ROWS) * n + column] = sum[i];
}
