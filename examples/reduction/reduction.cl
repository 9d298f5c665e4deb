// SPDX-License-Identifier: Apache-2.0
// Sums: `reduce` leaves one sum a work-group, `finish` sums those.
//
// Macros: VEC (numbers a load), ORDER_strided or ORDER_blocked (which of them a work-item
// takes).  Work-groups have a power of two of work-items.

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

/* Sums what every work-item brings; the first one gets it. */
static float sum_of_group(float mine, local float *room)
{
    const uint id = get_local_id(0);

    room[id] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (id < half_size)
            room[id] += room[id + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return room[0];
}

/* `count` vectors, a multiple of the global size. */
kernel void reduce(global const vec *values, global float *sums, uint count,
                   local float *room)
{
    const uint each = count / get_global_size(0);
    float mine = 0;
    float sum;

    for (uint i = 0; i < each; i++) {
#ifdef ORDER_strided
        const vec v = values[i * get_global_size(0) + get_global_id(0)];
#else
        const vec v = values[get_global_id(0) * each + i];
#endif
        mine += SUM(v);
    }
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
