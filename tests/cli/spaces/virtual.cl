// SPDX-License-Identifier: Apache-2.0
// A copy whose speed on the virtual device is spelt out (tests/fault/README.md), so that a
// search can be checked to the nanosecond.  16 work-items a group would be fastest, which
// one of the devices refuses.
#pragma virtual base 200000
#pragma virtual factor WG 1 4
#pragma virtual factor WG 2 2
#pragma virtual factor WG 4 1.2
#pragma virtual factor WG 8 0.9
#pragma virtual factor WG 12 0.8
#pragma virtual factor WG 16 0.1
#pragma virtual factor VEC 4 0.6
#pragma virtual factor VEC 16 0.5
__kernel void copy(__global const float *input, __global float *output, uint n)
{
    uint i = get_global_id(0);

    if (i < n)
        output[i] = input[i];
}
