// SPDX-License-Identifier: Apache-2.0
// out[i] = 2 in[i].  Each work-item computes ITEMS elements that lie a whole launch apart, so that
// neighbouring work-items access neighbouring elements.
__kernel void scale(__global const float *in, __global float *out, uint n)
{
    for (uint k = 0; k < ITEMS; k++) {
        uint i = get_global_id(0) + k * (uint)get_global_size(0);

        if (i < n)
            out[i] = 2 * in[i];
    }
}
