// SPDX-License-Identifier: Apache-2.0
// Transposing a matrix of any width and height, row by row in memory.
//
// A work-group moves one tile of TILE x TILE numbers, a work-item blocks of VEC x VEC of
// it, ROWS of them.  Macros: KIND_direct (through registers) or KIND_local (through local
// memory, so that both loads and stores run along rows); PAD (numbers behind each row of
// the tile there, which keeps columns out of one memory bank); SKEW (work-groups take the
// tiles along diagonals, so that those at work do not all store to one channel);
// FLOW_stores (direct alone: neighbours store side by side instead of loading so).

#if VEC == 1
#define LOAD(p)     (*(p))
#define STORE(v, p) (*(p) = (v))
typedef float vec;
#elif VEC == 2
#define LOAD(p)     vload2(0, p)
#define STORE(v, p) vstore2(v, 0, p)
typedef float2 vec;
#else
#define LOAD(p)     vload4(0, p)
#define STORE(v, p) vstore4(v, 0, p)
typedef float4 vec;
#endif

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
#else
            STORE(v, &tile[row][column]);
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
