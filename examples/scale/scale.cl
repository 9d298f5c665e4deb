// SPDX-License-Identifier: Apache-2.0
// Doubles numbers; a work-item has ITEMS neighbours.
kernel void scale(global const float *in, global float *out, uint n)
{
    const uint first = get_global_id(0) * ITEMS;

    for (uint i = first; i < n && i < first + ITEMS; i++)
        out[i] = 2 * in[i];
}
