// SPDX-License-Identifier: Apache-2.0
// The electrostatic potential of point charges at every point of a cubic grid, by direct summation
// (Stone et al., "Accelerating molecular modeling applications with graphics processors", 2007).
//
// A work-item computes ZITER points in a column, for which dx * dx + dy * dy of an atom is the
// same. SOA: coordinates and charges are in four arrays, of which VEC elements are read and used at
// once; otherwise an atom is one float4, and VEC is 1. The number of atoms is a multiple of VEC.

#ifdef CONSTANT
#define ATOMS constant
#else
#define ATOMS global const
#endif

#if VEC == 1
typedef float real;
#define SUM(v) (v)
#elif VEC == 2
typedef float2 real;
#define SUM(v) ((v).x + (v).y)
#elif VEC == 4
typedef float4 real;
#define SUM(v) ((v).x + (v).y + ((v).z + (v).w))
#endif

// Distances from VEC atoms, from number VEC * i on, and their charges.
#if SOA
#define LOAD(i)                                                                          \
    const real dx = px - xs[i];                                                          \
    const real dy = py - ys[i];                                                          \
    real dz = pz - zs[i];                                                                \
    const real charge = charges[i];
#else
#define LOAD(i)                                                                          \
    const float4 atom = atoms[i];                                                        \
    const real dx = px - atom.x;                                                         \
    const real dy = py - atom.y;                                                         \
    real dz = pz - atom.z;                                                               \
    const real charge = atom.w;
#endif

// spacing: of the grid, whose edges have a multiple of ZITER points.
kernel void coulomb(
#if SOA
    ATOMS real *xs, ATOMS real *ys, ATOMS real *zs, ATOMS real *charges,
#else
    ATOMS float4 *atoms,
#endif
    global float *potential, uint count, float spacing)
{
    const size_t x = get_global_id(0);
    const size_t y = get_global_id(1);
    const size_t z = get_global_id(2) * ZITER;
    const size_t size = get_global_size(0);
    const float px = spacing * x;
    const float py = spacing * y;
    const float pz = spacing * z;
    real sums[ZITER];

#pragma unroll
    for (uint k = 0; k < ZITER; k++)
        sums[k] = 0;
#pragma unroll UNROLL
    for (uint i = 0; i < count / VEC; i++) {
        LOAD(i)
        const real flat = dx * dx + dy * dy;

#pragma unroll
        for (uint k = 0; k < ZITER; k++) {
            sums[k] += charge * native_rsqrt(flat + dz * dz);
            dz += spacing;
        }
    }
#pragma unroll
    for (uint k = 0; k < ZITER; k++)
        potential[((z + k) * size + y) * size + x] = SUM(sums[k]);
}
