// SPDX-License-Identifier: Apache-2.0
// Kernels with all kinds of arguments, for tests/apps/assorted.c.
#include "assorted.h"
#define STEPS 4

struct particle {
    float3 at;
    int kind;
};

struct step {
    char sign;
    float width;
};

__kernel void blend(__read_only image2d_t in, __write_only image2d_t out, sampler_t sampler,
                    float4 weights)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    write_imagef(out, at, read_imagef(in, sampler, at) * weights);
}

/* All of one image, every second row of another. */
__kernel void draw(__global const float *in, __write_only image1d_t line,
                   __write_only image2d_t rows)
{
    const int i = get_global_id(0);

    write_imagef(line, i, (float4)(in[i], 1, 0, 0.5f));
    write_imageui(rows, (int2)(i % 16, i / 16 * 2), (uint4)(3 * i, 0, 0, 0));
}

/* A sum for each work-group. */
__kernel void fold(__global const real *in, __global real *sums, __local real *scratch)
{
    const size_t i = get_local_id(0);

    scratch[i] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i)
        return;
    real sum = 0;
    for (size_t other = 0; other < get_local_size(0); other++)
        sum += scratch[other];
    sums[get_group_id(0)] = sum;
}

__kernel void move(__global struct particle *particles, struct step step, short2 shift,
                   __global const int *nothing)
{
    const size_t i = get_global_id(0);

    for (int n = 0; n < STEPS; n++)
        particles[i].at.x += step.sign * step.width + shift.x - shift.y;
    particles[i].kind += nothing ? 100 : 1;
}

/* Where its memory is: never twice the same. */
__kernel void address(__global ulong *out)
{
    out[get_global_id(0)] = (ulong)out;
}

/* Right for small numbers in work-groups of any size, for large ones in groups of one alone. */
__kernel void pick(__global const float *in, __global float *out)
{
    const size_t i = get_global_id(0);

    out[i] = in[i] > 0.5f ? (float)get_local_size(0) : in[i];
}

/* As many work-items as there may be do all of it. */
__kernel void stride(__global int *out, int count)
{
    for (int i = (int)get_global_id(0); i < count; i += (int)get_global_size(0))
        out[i] = 3 * i + 1;
}

__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void fixed_group(
    __global int *out)
{
    out[get_global_id(0)] = (int)get_global_id(0) * GROUP_ITEMS;
}
