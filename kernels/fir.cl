// SPDX-License-Identifier: Apache-2.0
// A frequency-translating, decimating FIR filter over interleaved complex samples:
// out[i] = sum over k of in[i * decimation + k] * taps[k], the translation being folded
// into the complex taps.
//
// The macros choose among variants of one sum; their defaults give the textbook kernel.
//   VEC     floats a load: 1 takes one complex value at a time, 4, 8 and 16 take vectors
//   STYLE   what is done with a vector: STYLE_evenodd multiplies it as a whole and parts
//           even from odd lanes after the loop, STYLE_unrolled adds to scalars
//   ITEMS   neighbouring outputs a work-item, which share every tap loaded
//   UNROLL  loads a pass of the loop, each with sums of its own, so that none waits
//   LOCAL   outputs are gathered in local memory and leave in one copy a work-group
//   BAKED   TAPS_LEN and DECIMATION are macros; otherwise they come as arguments
// Products and sums fuse by contraction, which OpenCL C allows by default: fma() would be
// emulated where it is missing.

#ifndef VEC
#define VEC 1
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
#ifndef UNROLL
#define UNROLL 1
#endif

// The preprocessor repeats, so that every index is a constant and every array element a
// register, whatever the compiler thinks of unrolling loops.
#if ITEMS == 1
#define EACH_ITEM(DO, u) DO(0, u)
#elif ITEMS == 2
#define EACH_ITEM(DO, u) DO(0, u) DO(1, u)
#elif ITEMS == 3
#define EACH_ITEM(DO, u) DO(0, u) DO(1, u) DO(2, u)
#elif ITEMS == 4
#define EACH_ITEM(DO, u) DO(0, u) DO(1, u) DO(2, u) DO(3, u)
#else
#error "ITEMS must be 1 to 4"
#endif

#if UNROLL == 1
#define EACH_LOAD(DO) DO(0)
#elif UNROLL == 2
#define EACH_LOAD(DO) DO(0) DO(1)
#elif UNROLL == 4
#define EACH_LOAD(DO) DO(0) DO(1) DO(2) DO(3)
#else
#error "UNROLL must be 1, 2 or 4"
#endif

// Loads are vloadN, because an output's samples may start at any complex number. SWAP
// exchanges real and imaginary parts, FOLD adds complex numbers until two are left.
#if VEC == 4
#define FLOATS float4
#define LOAD vload4
#define SWAP(v) v.yxwz
#define FOLD(v) v
#elif VEC == 8
#define FLOATS float8
#define LOAD vload8
#define SWAP(v) v.s10325476
#define FOLD(v) (v.lo + v.hi)
#elif VEC == 16
#define FLOATS float16
#define LOAD vload16
// Rotating each complex number as a 64-bit integer is one instruction for an AVX-512
// register, where compilers split the shuffle in five; the embedded profile may lack it.
#if defined cles_khr_int64 || !defined __EMBEDDED_PROFILE__
#define SWAP(v) as_float16(rotate(as_ulong8(v), (ulong8)(32)))
#else
#define SWAP(v) v.s1032547698badcfe
#endif
// Not v.hi.lo: Oclgrind 21.10 takes what that returns for uninitialised.
#define FOLD(v)                                                                          \
    (v.lo.lo + v.lo.hi + (float4)(v.s8, v.s9, v.sa, v.sb) + v.hi.hi)
#elif VEC != 1
#error "VEC must be 1, 4, 8 or 16"
#endif

// Floats a load and a pass of the loop.
#define WIDTH (VEC == 1 ? 2 : VEC)
#define STEP (WIDTH * UNROLL)

// Each variant keeps struct sums for an output, and says how they start (CLEAR), which
// taps a load takes (TAP), how samples x with those taps add to them (ADD), and how they
// end as a complex number (TOTAL).
#if VEC == 1

struct sums {
    float re, im;
};
#define CLEAR(s) s.re = s.im = 0.0f;
#define TAP(t) const float tap_re = (t)[0], tap_im = (t)[1];
#define ADD(s, x)                                                                        \
    s.re += (x)[0] * tap_re - (x)[1] * tap_im;                                           \
    s.im += (x)[0] * tap_im + (x)[1] * tap_re;
#define TOTAL(s) ((float2)(s.re, s.im))

#elif defined STYLE_unrolled

// The four products of a complex product have sums of their own.
struct sums {
    float re_re, im_im, re_im, im_re;
};
#define CLEAR(s) s.re_re = s.im_im = s.re_im = s.im_re = 0.0f;
#define TAP(t) const FLOATS tap = LOAD(0, t);
#define PAIR(s, re, im)                                                                  \
    s.re_re += v.re * tap.re;                                                            \
    s.im_im += v.im * tap.im;                                                            \
    s.re_im += v.re * tap.im;                                                            \
    s.im_re += v.im * tap.re;
#if VEC == 4
#define PAIRS(s) PAIR(s, s0, s1) PAIR(s, s2, s3)
#elif VEC == 8
#define PAIRS(s) PAIR(s, s0, s1) PAIR(s, s2, s3) PAIR(s, s4, s5) PAIR(s, s6, s7)
#else
#define PAIRS(s)                                                                         \
    PAIR(s, s0, s1) PAIR(s, s2, s3) PAIR(s, s4, s5) PAIR(s, s6, s7)                      \
    PAIR(s, s8, s9) PAIR(s, sa, sb) PAIR(s, sc, sd) PAIR(s, se, sf)
#endif
#define ADD(s, x)                                                                        \
    {                                                                                    \
        const FLOATS v = LOAD(0, x);                                                     \
        PAIRS(s)                                                                         \
    }
#define TOTAL(s) ((float2)(s.re_re - s.im_im, s.re_im + s.im_re))

#else

// Lanes are parted only after the loop. Within it the taps alone are swapped, once for
// all ITEMS: x * tap holds re*re in even lanes and im*im in odd ones, x * swap the terms
// of the imaginary part in all.
struct sums {
    FLOATS along, across;
};
#define CLEAR(s) s.along = s.across = (FLOATS)(0.0f);
#define TAP(t)                                                                           \
    const FLOATS tap = LOAD(0, t);                                                       \
    const FLOATS swap = SWAP(tap);
#define ADD(s, x)                                                                        \
    {                                                                                    \
        const FLOATS v = LOAD(0, x);                                                     \
        s.along += v * tap;                                                              \
        s.across += v * swap;                                                            \
    }
#define TOTAL(s) parted(FOLD(s.along), FOLD(s.across))

static float2 parted(float4 along, float4 across)
{
    return (float2)(along.x - along.y + along.z - along.w,
                    across.x + across.y + across.z + across.w);
}

#endif

// The last work-item may have fewer than ITEMS outputs: it repeats the last one, because
// a branch within the loop would cost more, and reads nothing that it must not.
#define START_ITEM(i, u)                                                                 \
    from[i] = (__global const float *)(input + min(first + i, outputs - 1) * decimation);
#define CLEAR_ITEM(i, u) CLEAR(sum[u][i])
#define ADD_ITEM(i, u) ADD(sum[u][i], from[i] + k + u * WIDTH)
#define ZERO_ITEM(i, u) result[i] = (float2)(0.0f);
#define END_ITEM(i, u) result[i] += TOTAL(sum[u][i]);
#define REST_ITEM(i, u)                                                                  \
    result[i].x += from[i][k] * tap_re - from[i][k + 1] * tap_im;                        \
    result[i].y += from[i][k] * tap_im + from[i][k + 1] * tap_re;
#if LOCAL
#define STORE_ITEM(i, u) staged[get_local_id(0) * ITEMS + i] = result[i];
#else
#define STORE_ITEM(i, u)                                                                 \
    if (first + i < outputs)                                                             \
        output[first + i] = result[i];
#endif

#define CLEAR_LOAD(u) EACH_ITEM(CLEAR_ITEM, u)
#define ADD_LOAD(u)                                                                      \
    {                                                                                    \
        TAP(tap_from + k + u * WIDTH)                                                    \
        EACH_ITEM(ADD_ITEM, u)                                                           \
    }
#define END_LOAD(u) EACH_ITEM(END_ITEM, u)

__kernel void fir_filter_process(__global const float2 *input,
                                 __global const float2 *coefficients,
                                 __global float2 *output, uint outputs
#if !BAKED
                                 , uint taps, uint decimation
#endif
#if LOCAL
                                 , __local float2 *staged
#endif
)
{
#if BAKED
    const uint taps = TAPS_LEN, decimation = DECIMATION;
#endif
    const uint first = get_global_id(0) * ITEMS;

    // Work-items beyond the last output only fill the work-group.
    if (first < outputs) {
        __global const float *tap_from = (__global const float *)coefficients;
        __global const float *from[ITEMS];
        struct sums sum[UNROLL][ITEMS];
        float2 result[ITEMS];
        // size_t, because a counter that may wrap keeps compilers from vectorising.
        const size_t floats = 2 * (size_t)taps, whole = floats - floats % STEP;

        EACH_ITEM(START_ITEM, 0)
        EACH_LOAD(CLEAR_LOAD)
        for (size_t k = 0; k < whole; k += STEP) {
            EACH_LOAD(ADD_LOAD)
        }
        EACH_ITEM(ZERO_ITEM, 0)
        EACH_LOAD(END_LOAD)
#if VEC > 1 || UNROLL > 1
        for (size_t k = whole; k < floats; k += 2) {
            const float tap_re = tap_from[k], tap_im = tap_from[k + 1];
            EACH_ITEM(REST_ITEM, 0)
        }
#endif
        EACH_ITEM(STORE_ITEM, 0)
    }
#if LOCAL
    // Every work-item takes part in the copy, which carries no more than what remains.
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint span = get_local_size(0) * ITEMS, start = get_group_id(0) * span;
    event_t copied =
        async_work_group_copy(output + start, staged, min(span, outputs - start), 0);
    wait_group_events(1, &copied);
#endif
}
