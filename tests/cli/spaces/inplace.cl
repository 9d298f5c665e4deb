// SPDX-License-Identifier: Apache-2.0
// Doubles in place: launched twice, the input is lost.
__kernel void twice(__global int *x, uint n)
{
    for (uint k = 0; k < ITEMS; k++) {
        uint i = get_global_id(0) + k * (uint)get_global_size(0);

        if (i < n)
            x[i] = 2 * x[i] + 1;
    }
}
