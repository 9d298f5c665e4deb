// SPDX-License-Identifier: Apache-2.0
// A copy whose launches fail after they were accepted, or stop writing; the one good
// configuration is the slowest.
#pragma virtual base 2000000
#pragma virtual fault FAULT 1 event_error
#pragma virtual fault FAULT 2 event_error from:2
#pragma virtual fault FAULT 3 event_error:-9999 from:4
#pragma virtual fault FAULT 4 event_error every:3
#pragma virtual fault FAULT 5 unwritten from:3
__kernel void copy(__global const float *input, __global float *output, uint n)
{
    uint i = get_global_id(0);

    if (i < n)
        output[i] = input[i];
}
