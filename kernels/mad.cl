// SPDX-License-Identifier: Apache-2.0
// Multiply-adds on every element, as many as one likes: the ceiling of kernels that
// compute.
//
// Macros: MADS (multiply-adds an element), VEC (floats a vector), CHAINS (vectors a
// work-item: independent of each other, so that one's latency hides behind the others),
// FORM_mad, FORM_fma or FORM_plain (how a multiply-add is written).

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

#if defined FORM_mad
#define STEP(x, a, b) mad(x, a, b)
#elif defined FORM_fma
#define STEP(x, a, b) fma(x, a, b)
#else
#define STEP(x, a, b) ((x) * (a) + (b))
#endif

/* Replaces each of `count` vectors x by a * (... a * (a * x + b) + b ...) + b, |a| < 1.
 */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void
mad_chain(global const vec *restrict from, global vec *restrict to, uint count, float a,
          float b)
{
    const uint first = get_group_id(0) * get_local_size(0) * CHAINS + get_local_id(0);
    const uint step = get_local_size(0);
    const vec factor = (vec)(a);
    const vec offset = (vec)(b);
    vec x[CHAINS];

#pragma unroll
    for (uint c = 0; c < CHAINS; c++)
        x[c] = first + c * step < count ? from[first + c * step] : (vec)(0.0f);
#pragma unroll
    for (uint k = 0; k < MADS; k++) {
#pragma unroll
        for (uint c = 0; c < CHAINS; c++)
            x[c] = STEP(x[c], factor, offset);
    }
#pragma unroll
    for (uint c = 0; c < CHAINS; c++)
        if (first + c * step < count)
            to[first + c * step] = x[c];
}
