// SPDX-License-Identifier: Apache-2.0
// Sums: `reduce` leaves one sum a work-group, `finish` sums those.
//
// Macros: VEC (numbers a load), ORDER_strided or ORDER_blocked (which of them a work-item
// takes).

#if VEC == 1
typedef float vec;
#define SUM(v) (v)
#elif VEC == 2
typedef float2 vec;
#define SUM(v) ((v).x + (v).y)
#elif VEC == 4
typedef float4 vec;
#define SUM(v) (((v).x + (v).y) + ((v).z + (v).w))
#else
typedef float8 vec;
#define SUM(v)                                                                           \
    ((((v).s0 + (v).s1) + ((v).s2 + (v).s3)) + (((v).s4 + (v).s5) + ((v).s6 + (v).s7)))
#endif

/* The sum of what every work-item brings; the first one gets it.  Any number of work-items:
 * where it is odd, the one in the middle waits. */
static float sum_of_group(float mine, local float *room)
{
    const uint id = get_local_id(0);

    room[id] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint left = get_local_size(0); left > 1;) {
        const uint kept = (left + 1) / 2;

        if (id + kept < left) {
            mine += room[id + kept];
            room[id] = mine;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        left = kept;
    }
    return mine;
}

/* `count` vectors. */
kernel void reduce(global const vec *values, global float *sums, uint count,
                   local float *room)
{
    /* size_t, because indices that may wrap keep compilers from vectorising. */
    const size_t items = get_global_size(0);
    const size_t me = get_global_id(0);
    float mine = 0;
    float sum;

#ifdef ORDER_strided
    /* As many for each, and then the rest. */
    const uint each = count / items;

    for (uint i = 0; i < each; i++) {
        const vec v = values[i * items + me];

        mine += SUM(v);
    }
    if (each * items + me < count) {
        const vec v = values[each * items + me];

        mine += SUM(v);
    }
#else
    const uint each = (count + items - 1) / items;
    const size_t begin = me * each;
    const size_t end = min(begin + each, (size_t)count);

    for (size_t i = begin; i < end; i++) {
        const vec v = values[i];

        mine += SUM(v);
    }
#endif
    sum = sum_of_group(mine, room);
    if (get_local_id(0) == 0)
        sums[get_group_id(0)] = sum;
}

kernel void finish(global const float *partial, global float *total, uint count,
                   local float *room)
{
    float mine = 0;
    float sum;

    for (uint i = get_local_id(0); i < count; i += get_local_size(0))
        mine += partial[i];
    sum = sum_of_group(mine, room);
    if (get_local_id(0) == 0)
        total[0] = sum;
}
