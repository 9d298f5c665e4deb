// SPDX-License-Identifier: Apache-2.0
// The potential at every point of the grid, one work-item a point.  A kernel, since a processor
// takes minutes for grids that are large enough for a GPU.

kernel void coulomb_reference(global const float *xs, global const float *ys,
                              global const float *zs, global const float *charges,
                              global float *potential, uint count, float spacing)
{
    const size_t x = get_global_id(0);
    const size_t y = get_global_id(1);
    const size_t z = get_global_id(2);
    float sum = 0;

    for (uint i = 0; i < count; i++) {
        const float dx = spacing * x - xs[i];
        const float dy = spacing * y - ys[i];
        const float dz = spacing * z - zs[i];

        sum += charges[i] / sqrt(dx * dx + dy * dy + dz * dz);
    }
    potential[(z * get_global_size(1) + y) * get_global_size(0) + x] = sum;
}
