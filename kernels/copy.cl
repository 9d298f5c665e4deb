// SPDX-License-Identifier: Apache-2.0
// Copying, the ceiling of every kernel that moves data.
//
// Macros: VEC (floats a load), ITEMS (loads a work-item), and the order in which
// work-items take them: ORDER_grid (neighbours take neighbours, the whole grid strides),
// ORDER_group (a work-group takes one block, its work-items stride), ORDER_item (a block
// each).

#if VEC == 1
typedef float vec;
#elif VEC == 2
typedef float2 vec;
#elif VEC == 4
typedef float4 vec;
#elif VEC == 8
typedef float8 vec;
#else
typedef float16 vec;
#endif

/* Some drivers allow large work-groups only where they are promised.  `count` vectors;
 * the grid has at least count / ITEMS work-items. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void
copy(global const vec *restrict from, global vec *restrict to, uint count)
{
#if defined ORDER_grid
    const uint first = get_global_id(0);
    const uint step = get_global_size(0);
#elif defined ORDER_group
    const uint first = get_group_id(0) * get_local_size(0) * ITEMS + get_local_id(0);
    const uint step = get_local_size(0);
#else
    const uint first = get_global_id(0) * ITEMS;
    const uint step = 1;
#endif
    vec held[ITEMS];

    // All loads before all stores, so that they are under way together.
    if (first + (ITEMS - 1) * step < count) {
#pragma unroll
        for (uint k = 0; k < ITEMS; k++)
            held[k] = from[first + k * step];
#pragma unroll
        for (uint k = 0; k < ITEMS; k++)
            to[first + k * step] = held[k];
    } else {
        for (uint k = 0; k < ITEMS; k++)
            if (first + k * step < count)
                to[first + k * step] = from[first + k * step];
    }
}
