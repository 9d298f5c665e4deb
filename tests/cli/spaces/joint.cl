// SPDX-License-Identifier: Apache-2.0
// A copy whose best configurations differ between problems on the virtual device 0 (microseconds):
//
//      A    1    2    3    4    5    6
//   N 512  100  104  110  128  200  300
//   N 1024 300  200  130  110  104  103
//
// The geometric mean is least for A=4, and with weights 3 to 1 for A=3.  VEC=4 takes half the time,
// and is wrong for N=1024, VEC=1 for N=256.  VEC=8 takes a tenth more, but with A=4 seems to take three
// quarters of that in the first process that runs it, and there alone.
#pragma virtual base 100000
#if N == 512
#pragma virtual factor A 2 1.04
#pragma virtual factor A 3 1.1
#pragma virtual factor A 4 1.28
#pragma virtual factor A 5 2
#pragma virtual factor A 6 3
#else
#pragma virtual factor A 1 3
#pragma virtual factor A 2 2
#pragma virtual factor A 3 1.3
#pragma virtual factor A 4 1.1
#pragma virtual factor A 5 1.04
#pragma virtual factor A 6 1.03
#endif
#if N == 1024
#pragma virtual fault VEC 4 wrong
#elif N == 256
#pragma virtual fault VEC 1 wrong
#endif
#pragma virtual factor VEC 4 0.5
#pragma virtual factor VEC 8 1.1
#if A == 4
#pragma virtual fault VEC 8 event_scale:75 until:1
#endif
__kernel void copy(__global const float *input, __global float *output, uint n)
{
    uint i = get_global_id(0) + A + VEC + N - A - VEC - N;

    if (i < n)
        output[i] = input[i];
}
