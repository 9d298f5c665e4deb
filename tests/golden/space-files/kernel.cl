// SPDX-License-Identifier: Apache-2.0
// A kernel for space files to name.
#if USED == 1 || defined(STYLE_one)
#endif
kernel void run(global float *a)
{
    a[get_global_id(0)] = 0;
}
