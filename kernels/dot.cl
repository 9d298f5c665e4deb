// SPDX-License-Identifier: Apache-2.0
// The scalar product of two vectors of any length: every work-item sums a share, and what
// they find is folded by the work-group, by a second launch, or by the host.
//
// Macros: VEC (floats a load), SUMS (sums a work-item keeps at once), ORDER_blocks (a
// stretch of memory each) or ORDER_coalesced (neighbours read neighbours), REDUCE_none (a
// partial sum each) or REDUCE_local (one a work-group, folded in local memory).

#if VEC == 1
#define LOAD(i, p) (p)[i]
#define TOTAL(v)   (v)
typedef float vec;
#elif VEC == 2
#define LOAD     vload2
#define TOTAL(v) ((v).x + (v).y)
typedef float2 vec;
#elif VEC == 4
#define LOAD     vload4
#define TOTAL(v) (((v).x + (v).y) + ((v).z + (v).w))
typedef float4 vec;
#elif VEC == 8
#define LOAD     vload8
#define TOTAL(v) total4((v).lo + (v).hi)
typedef float8 vec;
#else
#define LOAD     vload16
#define TOTAL(v) total4(((v).lo.lo + (v).lo.hi) + ((v).hi.lo + (v).hi.hi))
typedef float16 vec;
#endif

#if VEC > 4
static float total4(float4 v)
{
    return (v.x + v.y) + (v.z + v.w);
}
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

/* `count` numbers each; `parts` gets one sum a work-item or a work-group. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void
dot_parts(global const float *restrict a, global const float *restrict b,
          global float *restrict parts, uint count, local float *room)
{
    const uint items = get_global_size(0);
    const uint me = get_global_id(0);
    const uint vectors = count / VEC;
#ifdef ORDER_coalesced
    const uint step = items;
    const uint end = vectors;
    uint i = me;
#else
    const uint step = 1;
    const uint each = (vectors + items - 1) / items;
    const uint end = min(vectors, (me + 1) * each);
    uint i = me * each;
#endif
    vec sums[SUMS];
    float mine;

#pragma unroll
    for (uint k = 0; k < SUMS; k++)
        sums[k] = (vec)(0.0f);
    for (; i + (SUMS - 1) * step < end; i += SUMS * step) {
#pragma unroll
        for (uint k = 0; k < SUMS; k++)
            sums[k] += LOAD(i + k * step, a) * LOAD(i + k * step, b);
    }
#if SUMS > 1
    for (; i < end; i += step)
        sums[0] += LOAD(i, a) * LOAD(i, b);
#pragma unroll
    for (uint k = 1; k < SUMS; k++)
        sums[0] += sums[k];
#endif
    mine = TOTAL(sums[0]);
    /* What no whole vector holds is the last one's. */
    if (me == items - 1)
        for (uint k = vectors * VEC; k < count; k++)
            mine += a[k] * b[k];
#ifdef REDUCE_local
    mine = sum_of_group(mine, room);
    if (get_local_id(0) == 0)
        parts[get_group_id(0)] = mine;
#else
    parts[me] = mine;
#endif
}

/* One work-group sums the parts. */
kernel
#ifdef LAST
    __attribute__((reqd_work_group_size(LAST, 1, 1)))
#endif
    void
    dot_fold(global const float *restrict parts, global float *restrict result,
             uint count, local float *room)
{
    float mine = 0.0f;

    for (uint i = get_local_id(0); i < count; i += get_local_size(0))
        mine += parts[i];
    mine = sum_of_group(mine, room);
    if (get_local_id(0) == 0)
        *result = mine;
}
