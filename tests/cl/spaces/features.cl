// SPDX-License-Identifier: Apache-2.0
// Kernels of the space files beside this one, each of which uses a part of the language.
#ifndef SCALED
#define SCALED 0
#endif
#ifndef LOCAL
#define LOCAL 0
#endif
#ifndef FACTOR
#define FACTOR 1
#endif
#ifndef STEP
#define STEP 1
#endif
#ifndef WIDE
#define WIDE 0
#endif
#ifdef TYPES
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

/* out = a * factor, which is an argument or a macro; through local memory or not. */
kernel void scale(global const float *a,
#if SCALED
                  float factor,
#endif
                  global float *out, uint n
#if LOCAL
                  , local float *room
#endif
)
{
    size_t i = get_global_id(0);
    float x = i < n ? a[i] : 0;

#if SCALED
    x *= factor;
#else
    x *= FACTOR;
#endif
#if LOCAL
    room[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x = room[get_local_id(0)];
#endif
    if (i < n)
        out[i] = x;
}

kernel void bump(global const int *a, global int *b, uint n, int by)
{
    size_t i = get_global_id(0);

    if (i < n)
        b[i] = a[i] + by * STEP;
}

kernel void add(global int *a, int k)
{
    a[get_global_id(0)] += k;
}

/* One pass: b = 2 a + k for as many as there are, and a note of it. */
kernel void pass_once(global const int *a, global int *b, global int *log, int pass, int k)
{
    size_t i = get_global_id(0);

    b[i] = a[i] * 2 + k;
    if (i == 0)
        log[pass] = (int)get_global_size(0) * 10 + k;
}

/* Field f of a record gets f added; records or planes. */
kernel void fields(global const float *in, global float *out, uint n, uint soa)
{
    size_t i = get_global_id(0);

    if (i >= n)
        return;
    for (size_t f = 0; f < 3; f++) {
        size_t at = soa ? f * n + i : i * 3 + f;

        out[at] = in[at] + f;
    }
}

kernel void threes(global const float3 *in, global float3 *out, float3 more)
{
    out[get_global_id(0)] = in[get_global_id(0)] + more;
}

kernel void chars(global const char *in, global char *out, char more)
{
    out[get_global_id(0)] = in[get_global_id(0)] + more;
}

kernel void longs(global const long *in, global long *out, long more)
{
    out[get_global_id(0)] = in[get_global_id(0)] + more;
}

kernel void ushort8s(global const ushort8 *in, global ushort8 *out, ushort8 more)
{
    out[get_global_id(0)] = in[get_global_id(0)] + more;
}

kernel void halves(global const half *in, global half *out)
{
    vstore_half(vload_half(get_global_id(0), in) * 2.0f, get_global_id(0), out);
}

#ifdef TYPES
/* One argument of every type, as doubles. */
kernel void types(global double *out, char c, uchar uc, short s, ushort us, int i, uint ui,
                  long l, ulong ul, float f, double d, float2 f2, int3 i3, double4 d4,
                  uchar8 c8, long16 l16)
{
    out[0] = c;
    out[1] = uc;
    out[2] = s;
    out[3] = us;
    out[4] = i;
    out[5] = ui;
    out[6] = l;
    out[7] = ul;
    out[8] = f;
    out[9] = d;
    out[10] = f2.y;
    out[11] = i3.z;
    out[12] = d4.w;
    out[13] = c8.s7;
    out[14] = l16.sf;
}
#endif

/* A sum, the least and the most of a part of the numbers a work-item. */
kernel void parts(global const float *in, global float *sum, global float *least,
                  global float *most, uint n)
{
    size_t g = get_global_id(0);
    float s = 0, lo = INFINITY, hi = -INFINITY;

    for (size_t i = g; i < n; i += get_global_size(0)) {
        s += in[i];
        lo = fmin(lo, in[i]);
        hi = fmax(hi, in[i]);
    }
    sum[g] = s;
    least[g] = lo;
    most[g] = hi;
}

kernel void copy_ABC(global const float *in, global float *out)
{
    out[get_global_id(0)] = in[get_global_id(0)];
}

kernel void set_seven(global int *out,
#if WIDE
                      ulong n
#else
                      uint n
#endif
)
{
    if (get_global_id(0) < n)
        out[get_global_id(0)] = 7;
}

kernel void sizes(global int *out)
{
    size_t line = get_global_id(2) * get_global_size(1) + get_global_id(1);

    out[line * get_global_size(0) + get_global_id(0)] =
        get_work_dim() * 100000 + get_local_size(0) * 10000 + get_local_size(1) * 100 +
        get_local_size(2);
}
