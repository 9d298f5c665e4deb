// SPDX-License-Identifier: Apache-2.0
// Two causes of failed builds, and one of refused launches.
#pragma virtual base 50000
#if X == 1 || X == 2
#error tiles of X do not fit
#elif X == 3
#error no such extension
#endif
#pragma virtual fault X 4 launch_error
__kernel void copy(__global const float *input, __global float *output, uint n)
{
}
