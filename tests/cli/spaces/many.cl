// SPDX-License-Identifier: Apache-2.0
// A copy with a thousand forms.  The virtual driver gives each a time of its own, by its
// macros; one is by far the fastest.
#pragma virtual add A 1 1000
#pragma virtual add A 2 2000
#pragma virtual add A 3 3000
#pragma virtual add A 4 4000
#pragma virtual add A 5 5000
#pragma virtual add A 6 6000
#pragma virtual add A 7 7000
#pragma virtual add A 8 8000
#pragma virtual add A 9 9000
#pragma virtual add B 1 300
#pragma virtual add B 2 600
#pragma virtual add B 3 900
#pragma virtual add B 4 1200
#pragma virtual add B 5 1500
#pragma virtual add B 6 1800
#pragma virtual add B 7 2100
#pragma virtual add B 8 2400
#pragma virtual add B 9 2700
#pragma virtual factor A 17 0.5
#pragma virtual factor B 11 0.5
__kernel void copy(__global const float *input, __global float *output, uint n)
{
    uint i = get_global_id(0) + A - A + B - B;

    if (i < n)
        output[i] = input[i];
}
