// SPDX-License-Identifier: Apache-2.0
// A copy that fails in every way of the virtual driver, one a value of FAULT; the one good
// configuration is the slowest to come to.
#pragma virtual base 50000
#pragma virtual fault FAULT 1 build_error
#pragma virtual fault FAULT 2 build_segfault
#pragma virtual fault FAULT 3 build_exit
#pragma virtual fault FAULT 4 launch_error
#pragma virtual fault FAULT 5 segfault
#pragma virtual fault FAULT 6 abort
#pragma virtual fault FAULT 7 exit
#pragma virtual fault FAULT 8 wrong
#pragma virtual fault FAULT 9 overrun
#pragma virtual fault FAULT 10 finish_error
#pragma virtual fault FAULT 11 finish_segfault
#pragma virtual fault FAULT 12 launch_hang
#pragma virtual fault FAULT 13 finish_hang
__kernel void copy(__global const float *input, __global float *output, uint n)
{
    uint i = get_global_id(0);

    if (i < n)
        output[i] = input[i];
}
