// SPDX-License-Identifier: Apache-2.0
// A copy that takes its time to compile; A makes it faster or slower.
#pragma virtual base 20000
#pragma virtual add A 3 -1000
#pragma virtual build_time 200000000
__kernel void copy(__global const float *input, __global float *output, uint n)
{
    uint i = get_global_id(0);

    if (i < n)
        output[i] = input[i] + 0 * A;
}
