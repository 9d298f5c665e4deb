// SPDX-License-Identifier: Apache-2.0
// A copy whose forms are near each other on the virtual device 0.  3 and 4 are the best and
// alike; 2 seems better than both in the first process that runs it, and there alone; 6 is
// the fastest, and wrong in the second process that runs it.
#pragma virtual base 1000000
#pragma virtual factor A 1 1.5
#pragma virtual factor A 3 0.9
#pragma virtual factor A 4 0.9
#pragma virtual factor A 5 1.2
#pragma virtual factor A 6 0.8
#pragma virtual fault A 2 event_scale:75 until:1
#pragma virtual fault A 6 wrong process:2
__kernel void copy(__global const float *input, __global float *output, uint n)
{
    uint i = get_global_id(0) + A - A;

    if (i < n)
        output[i] = input[i];
}
