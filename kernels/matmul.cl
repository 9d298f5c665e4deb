// SPDX-License-Identifier: Apache-2.0
// The product of two matrices of any sizes, c = a * b, all of them row by row in memory: a
// is rows x depth, b depth x columns.
//
// A work-group computes a tile of MWG x NWG, going along the depth in steps of KWG; a
// work-item computes MWG / MDIMC x NWG / NDIMC of it in registers.  Macros:
//
// PRECISION      16, 32 or 64 bits (sums of halves are floats)
// MDIMC, NDIMC   the work-group's shape
// SA, SB         whether tiles of a and b go through local memory
// VWK, VWN       numbers a load from a (along the depth) and from b; they divide the depth
//                and the columns, so that every load is aligned
// VWM            numbers a load from the tile of a in local memory
// STRM, STRN     a work-item's rows or columns lie MDIMC or NDIMC vectors apart instead of
//                side by side
// PAD            vectors behind each row of a tile in local memory
// KWI            how much of a step is unrolled
// PIPELINE       0: load a step, compute it; 1: load the next one into registers
//                meanwhile; 2: and into a second tile in local memory
// ORDER_rows, ORDER_columns, ORDER_blocks
//                which tiles follow each other: along rows, along columns, or BLOCK rows of
//                tiles at a time, so that what runs together shares a and b in caches
// ROWS, COLUMNS, DEPTH
//                the sizes, where they are fixed when it is compiled

#if PRECISION == 16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define REAL half
#define SUM float
#elif PRECISION == 32
#define REAL float
#define SUM float
#else
#define REAL double
#define SUM double
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#if VWN == 1
typedef REAL realn;
typedef SUM sumn;
#define TO_SUMN(v) ((SUM)(v))
#define TO_REALN(v) ((REAL)(v))
#else
typedef JOIN(REAL, VWN) realn;
typedef JOIN(SUM, VWN) sumn;
#define TO_SUMN JOIN(convert_, JOIN(SUM, VWN))
#define TO_REALN JOIN(convert_, JOIN(REAL, VWN))
#endif

#if VWK == 1
typedef REAL realk;
#define EACH_K(DO, v) DO(0, v)
#elif VWK == 2
typedef JOIN(REAL, 2) realk;
#define EACH_K(DO, v) DO(0, v.s0) DO(1, v.s1)
#else
typedef JOIN(REAL, 4) realk;
#define EACH_K(DO, v) DO(0, v.s0) DO(1, v.s1) DO(2, v.s2) DO(3, v.s3)
#endif

#if VWM == 1
typedef REAL realm;
#define EACH_M(DO, v) DO(0, v)
#elif VWM == 2
typedef JOIN(REAL, 2) realm;
#define EACH_M(DO, v) DO(0, v.s0) DO(1, v.s1)
#else
typedef JOIN(REAL, 4) realm;
#define EACH_M(DO, v) DO(0, v.s0) DO(1, v.s1) DO(2, v.s2) DO(3, v.s3)
#endif

#define ITEMS (MDIMC * NDIMC)
#define MVI (MWG / MDIMC / VWM) /* vectors of rows and of columns a work-item */
#define NVI (NWG / NDIMC / VWN)
#define LOADS_A (MWG * KWG / VWK / ITEMS) /* vectors of a step that a work-item loads */
#define LOADS_B (NWG * KWG / VWN / ITEMS)
#define WIDTH_A (MWG + PAD * VWM) /* of a row in local memory */
#define WIDTH_B (NWG / VWN + PAD)
#define TILES (PIPELINE == 2 ? 2 : 1)

#if STRM
#define ROW_OF(i, item) (((i) * MDIMC + (item)) * VWM)
#else
#define ROW_OF(i, item) (((item) * MVI + (i)) * VWM)
#endif
#if STRN
#define COLUMN_OF(j, item) ((j) * NDIMC + (item))
#else
#define COLUMN_OF(j, item) ((item) * NVI + (j))
#endif

/* The corner of this work-group's tile: row and column. */
static uint2 corner_of(uint rows, uint columns)
{
    const uint down = (rows + MWG - 1) / MWG;
    const uint across = (columns + NWG - 1) / NWG;
    const uint number = get_group_id(0);
#if defined ORDER_rows
    const uint2 tile = (uint2)(number / across, number % across);
#elif defined ORDER_columns
    const uint2 tile = (uint2)(number % down, number / down);
#else
    const uint band = number / (BLOCK * across);
    const uint high = min((uint)BLOCK, down - band * BLOCK);
    const uint within = number - band * BLOCK * across;
    const uint2 tile = (uint2)(band * BLOCK + within % high, within / high);
#endif
    return (uint2)(tile.x * MWG, tile.y * NWG);
}

/* `m`, `n` and `k` are rows, columns and depth; the grid is one-dimensional: as many
 * work-groups as there are tiles. */
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
matmul(global const REAL *restrict a, global const REAL *restrict b,
       global REAL *restrict c, uint m, uint n, uint k)
{
#ifdef ROWS
    const uint rows = ROWS;
    const uint columns = COLUMNS;
    const uint depth = DEPTH;
#else
    const uint rows = m;
    const uint columns = n;
    const uint depth = k;
#endif
    const uint item = get_local_id(0);
    const uint item_n = item % NDIMC;
    const uint item_m = item / NDIMC;
    const uint2 corner = corner_of(rows, columns);
    global const realk *from_a = (global const realk *)a;
    global const realn *from_b = (global const realn *)b;
    sumn sums[MVI * VWM][NVI];
#if SA
    local realm tile_a[TILES][KWG][WIDTH_A / VWM];
    realk held_a[LOADS_A];
#endif
#if SB
    local realn tile_b[TILES][KWG][WIDTH_B];
    realn held_b[LOADS_B];
#endif

// Step at depth `at` into registers; what lies outside is zero.
#if SA
#define FETCH_A(at)                                                                      \
    _Pragma("unroll") for (uint s = 0; s < LOADS_A; s++)                                 \
    {                                                                                    \
        const uint number = item + s * ITEMS;                                            \
        const uint row = corner.x + number / (KWG / VWK);                                \
        const uint deep = (at) + number % (KWG / VWK) * VWK;                             \
                                                                                         \
        held_a[s] = row < rows && deep < depth                                           \
                        ? from_a[((size_t)row * depth + deep) / VWK]                     \
                        : (realk)(0);                                                    \
    }
#define PUT_A(t)                                                                         \
    _Pragma("unroll") for (uint s = 0; s < LOADS_A; s++)                                 \
    {                                                                                    \
        const uint number = item + s * ITEMS;                                            \
        const uint row = number / (KWG / VWK);                                           \
        const uint deep = number % (KWG / VWK) * VWK;                                    \
                                                                                         \
        EACH_K(PUT_ONE, held_a[s])                                                       \
    }
#define PUT_ONE(e, x) ((local REAL *)tile_a[tile][deep + e])[row] = x;
#else
#define FETCH_A(at)
#define PUT_A(t)
#endif
#if SB
#define FETCH_B(at)                                                                      \
    _Pragma("unroll") for (uint s = 0; s < LOADS_B; s++)                                 \
    {                                                                                    \
        const uint number = item + s * ITEMS;                                            \
        const uint deep = (at) + number / (NWG / VWN);                                   \
        const uint column = corner.y + number % (NWG / VWN) * VWN;                       \
                                                                                         \
        held_b[s] = deep < depth && column < columns                                     \
                        ? from_b[((size_t)deep * columns + column) / VWN]                \
                        : (realn)(0);                                                    \
    }
#define PUT_B(t)                                                                         \
    _Pragma("unroll") for (uint s = 0; s < LOADS_B; s++)                                 \
    {                                                                                    \
        const uint number = item + s * ITEMS;                                            \
                                                                                         \
        tile_b[tile][number / (NWG / VWN)][number % (NWG / VWN)] = held_b[s];            \
    }
#else
#define FETCH_B(at)
#define PUT_B(t)
#endif

#pragma unroll
    for (uint i = 0; i < MVI * VWM; i++) {
#pragma unroll
        for (uint j = 0; j < NVI; j++)
            sums[i][j] = (sumn)(0);
    }
#if (SA || SB) && PIPELINE > 0
    {
        const uint tile = 0;

        FETCH_A(0)
        FETCH_B(0)
        PUT_A(tile)
        PUT_B(tile)
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (uint step = 0; step < depth; step += KWG) {
#if PIPELINE == 2
        const uint tile = step / KWG % 2;
#else
        const uint tile = 0;
#endif
#if (SA || SB) && PIPELINE == 0
        FETCH_A(step)
        FETCH_B(step)
        PUT_A(tile)
        PUT_B(tile)
        barrier(CLK_LOCAL_MEM_FENCE);
#elif SA || SB
        if (step + KWG < depth) {
            FETCH_A(step + KWG)
            FETCH_B(step + KWG)
        }
#endif
        for (uint outer = 0; outer < KWG; outer += KWI) {
#pragma unroll
            for (uint inner = 0; inner < KWI; inner++) {
                const uint deep = outer + inner;
                realm as[MVI];
                sumn bs[NVI];

#pragma unroll
                for (uint j = 0; j < NVI; j++) {
                    const uint column = COLUMN_OF(j, item_n);
#if SB
                    bs[j] = TO_SUMN(tile_b[tile][deep][column]);
#else
                    bs[j] = step + deep < depth && corner.y + column * VWN < columns
                                ? TO_SUMN(from_b[((size_t)(step + deep) * columns +
                                                  corner.y) /
                                                     VWN +
                                                 column])
                                : (sumn)(0);
#endif
                }
#pragma unroll
                for (uint i = 0; i < MVI; i++) {
                    const uint row = ROW_OF(i, item_m);
#if SA
                    as[i] = tile_a[tile][deep][row / VWM];
#else
                    as[i] = step + deep < depth && corner.x + row < rows
                                ? a[(size_t)(corner.x + row) * depth + step + deep]
                                : (REAL)(0);
#endif
                }
#define ADD_ROW(e, x)                                                                    \
    _Pragma("unroll") for (uint j = 0; j < NVI; j++) sums[i * VWM + e][j] =              \
        mad((sumn)(x), bs[j], sums[i * VWM + e][j]);
#pragma unroll
                for (uint i = 0; i < MVI; i++) {
                    EACH_M(ADD_ROW, as[i])
                }
            }
        }
#if (SA || SB) && PIPELINE == 0
        barrier(CLK_LOCAL_MEM_FENCE);
#elif (SA || SB) && PIPELINE == 1
        barrier(CLK_LOCAL_MEM_FENCE);
        if (step + KWG < depth) {
            PUT_A(tile)
            PUT_B(tile)
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#elif SA || SB
        if (step + KWG < depth) {
            const uint tile = (step / KWG + 1) % 2;

            PUT_A(tile)
            PUT_B(tile)
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
#pragma unroll
    for (uint i = 0; i < MVI * VWM; i++) {
        const uint row = corner.x + ROW_OF(i / VWM, item_m) + i % VWM;

#pragma unroll
        for (uint j = 0; j < NVI; j++) {
            const uint column = corner.y + COLUMN_OF(j, item_n) * VWN;

            if (row < rows && column < columns)
                ((global realn *)c)[((size_t)row * columns + column) / VWN] =
                    TO_REALN(sums[i][j]);
        }
    }
}
