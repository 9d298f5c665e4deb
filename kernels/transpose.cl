// SPDX-License-Identifier: Apache-2.0
// Transposing a matrix of any width and height, row by row in memory.
//
// A work-group moves one tile of TILE x TILE numbers, a work-item blocks of VEC x VEC of
// it, ROWS of them.  Macros: KIND_direct (through registers), KIND_local (through local
// memory, so that both loads and stores run along rows) or KIND_blocks (through local
// memory as well, but blocks are turned in registers: whole vectors come and go there
// too); PAD (local alone: numbers behind each row of the tile there, which keeps columns
// out of one memory bank); SKEW (work-groups take the tiles along diagonals, so that
// those at work do not all store to one channel); FLOW_stores (direct alone: neighbours
// store side by side instead of loading so).

#if VEC == 1
typedef float vec;
#elif VEC == 2
typedef float2 vec;
#else
typedef float4 vec;
#endif

/* In the matrices, whose rows are whole vectors. */
#define LOAD(p)     (*(global const vec *)(p))
#define STORE(v, p) (*(global vec *)(p) = (v))

/* Which tile is this group's. */
static uint2 place(uint width, uint height)
{
    const uint across = (width + TILE - 1) / TILE;
    const uint down = (height + TILE - 1) / TILE;
    const uint number = get_group_id(0) + across * get_group_id(1);
    uint2 tile = (uint2)(number % across, number / across);

#if SKEW
    tile.y = number % down;
    tile.x = (number / down + tile.y) % across;
#endif
    return tile * TILE;
}

#ifdef KIND_local

/* Width and height are those of `from`. */
kernel __attribute__((reqd_work_group_size(TILE / VEC, TILE / (VEC * ROWS), 1))) void
transpose(global const float *restrict from, global float *restrict to, uint width,
          uint height)
{
    local float tile[TILE][TILE + PAD];
    const uint2 corner = place(width, height);
    const uint column = get_local_id(0) * VEC;

#pragma unroll
    for (uint k = 0; k < ROWS * VEC; k++) {
        const uint row = get_local_id(1) + k * (TILE / (ROWS * VEC));

        if (corner.x + column < width && corner.y + row < height) {
            const vec v =
                LOAD(from + (size_t)(corner.y + row) * width + corner.x + column);

#if VEC == 1
            tile[row][column] = v;
#elif VEC == 2
            vstore2(v, 0, &tile[row][column]);
#else
            vstore4(v, 0, &tile[row][column]);
#endif
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < ROWS * VEC; k++) {
        const uint row = get_local_id(1) + k * (TILE / (ROWS * VEC));

        if (corner.y + column < height && corner.x + row < width) {
#if VEC == 1
            const vec v = tile[column][row];
#elif VEC == 2
            const vec v = (vec)(tile[column][row], tile[column + 1][row]);
#else
            const vec v = (vec)(tile[column][row], tile[column + 1][row],
                                tile[column + 2][row], tile[column + 3][row]);
#endif
            STORE(v, to + (size_t)(corner.x + row) * height + corner.y + column);
        }
    }
}

#elif defined KIND_blocks

#define ACROSS       (TILE / VEC)    /* blocks side by side */
#define DOWN         (ACROSS / ROWS) /* rows of blocks at once */
#define BANKS        (32 / VEC)      /* vectors that memory banks deliver at once */

/* Where vector i of a row of the transposed tile stands: vectors of a column, which are
 * written together, in different banks. */
#if (ACROSS & (ACROSS - 1)) == 0
#define KEPT(row, i) tile[row][(i) ^ (row) / VEC % min(ACROSS, BANKS)]
#else
#define KEPT(row, i) tile[row][((i) + (row) / VEC) % ACROSS]
#endif

/* Width and height are those of `from`. */
kernel __attribute__((reqd_work_group_size(ACROSS, DOWN, 1))) void
transpose(global const float *restrict from, global float *restrict to, uint width,
          uint height)
{
    local vec tile[TILE][ACROSS];
    const uint2 corner = place(width, height);
    const uint across = get_local_id(0);
    const uint x = corner.x + across * VEC;
    vec held[ROWS][VEC];

    // All loads before all stores, so that they are under way together.
#pragma unroll
    for (uint k = 0; k < ROWS; k++) {
        const uint y = corner.y + (get_local_id(1) + k * DOWN) * VEC;

        if (x < width && y < height)
#pragma unroll
            for (uint i = 0; i < VEC; i++)
                held[k][i] = LOAD(from + (size_t)(y + i) * width + x);
    }
#pragma unroll
    for (uint k = 0; k < ROWS; k++) {
        const uint down = get_local_id(1) + k * DOWN;
        const vec *a = held[k];

        if (x < width && corner.y + down * VEC < height) {
#if VEC == 1
            KEPT(across, down) = a[0];
#elif VEC == 2
            KEPT(across * 2, down) = (vec)(a[0].s0, a[1].s0);
            KEPT(across * 2 + 1, down) = (vec)(a[0].s1, a[1].s1);
#else
            KEPT(across * 4, down) = (vec)(a[0].s0, a[1].s0, a[2].s0, a[3].s0);
            KEPT(across * 4 + 1, down) = (vec)(a[0].s1, a[1].s1, a[2].s1, a[3].s1);
            KEPT(across * 4 + 2, down) = (vec)(a[0].s2, a[1].s2, a[2].s2, a[3].s2);
            KEPT(across * 4 + 3, down) = (vec)(a[0].s3, a[1].s3, a[2].s3, a[3].s3);
#endif
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < ROWS * VEC; k++) {
        const uint row = get_local_id(1) + k * DOWN;
        const uint y = corner.y + across * VEC;

        if (corner.x + row < width && y < height)
            STORE(KEPT(row, across), to + (size_t)(corner.x + row) * height + y);
    }
}

#else

/* Width and height are those of `from`. */
kernel __attribute__((reqd_work_group_size(TILE / VEC, TILE / (VEC * ROWS), 1))) void
transpose(global const float *restrict from, global float *restrict to, uint width,
          uint height)
{
    const uint2 corner = place(width, height);

#pragma unroll
    for (uint k = 0; k < ROWS; k++) {
        const uint along = get_local_id(0) * VEC;
        const uint across = (get_local_id(1) + k * (TILE / (ROWS * VEC))) * VEC;
#ifdef FLOW_stores
        const uint x = corner.x + across;
        const uint y = corner.y + along;
#else
        const uint x = corner.x + along;
        const uint y = corner.y + across;
#endif

        if (x < width && y < height) {
            global const float *source = from + (size_t)y * width + x;
            global float *target = to + (size_t)x * height + y;
#if VEC == 1
            *target = *source;
#elif VEC == 2
            const vec a = LOAD(source);
            const vec b = LOAD(source + width);

            STORE((vec)(a.s0, b.s0), target);
            STORE((vec)(a.s1, b.s1), target + height);
#else
            const vec a = LOAD(source);
            const vec b = LOAD(source + width);
            const vec c = LOAD(source + 2 * (size_t)width);
            const vec d = LOAD(source + 3 * (size_t)width);

            STORE((vec)(a.s0, b.s0, c.s0, d.s0), target);
            STORE((vec)(a.s1, b.s1, c.s1, d.s1), target + height);
            STORE((vec)(a.s2, b.s2, c.s2, d.s2), target + 2 * (size_t)height);
            STORE((vec)(a.s3, b.s3, c.s3, d.s3), target + 3 * (size_t)height);
#endif
        }
    }
}

#endif
