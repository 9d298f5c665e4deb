// SPDX-License-Identifier: Apache-2.0
// A second source for space files to name.
kernel void again(global float *a)
{
    a[get_global_id(0)] += 1;
}
