// SPDX-License-Identifier: Apache-2.0
// Atoms for the potential: in a cube of edge 1, with charges of both signs, as structures of four
// numbers or as one array for each of these.
#include <stdint.h>

/* A number from 0 to 1 for each number of an atom: a hash by multiplication and shifts (Steele, Lea
 * and Flood, "Fast splittable pseudorandom number generators", 2014). */
static float part(uint64_t atom, uint64_t which)
{
    uint64_t z = (4 * atom + which + 1) * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (float)(z >> 40) / 16777216.0F;
}

static void fill(float *array, uint64_t count, uint64_t which)
{
    for (uint64_t i = 0; i < count; i++)
        array[i] = part(i, which);
}

void coulomb_xs(float *array, uint64_t count)
{
    fill(array, count, 0);
}

void coulomb_ys(float *array, uint64_t count)
{
    fill(array, count, 1);
}

void coulomb_zs(float *array, uint64_t count)
{
    fill(array, count, 2);
}

void coulomb_charges(float *array, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        array[i] = 2 * part(i, 3) - 1;
}

/* `count` is of atoms. */
void coulomb_atoms(float *array, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        for (uint64_t which = 0; which < 3; which++)
            array[4 * i + which] = part(i, which);
        array[4 * i + 3] = 2 * part(i, 3) - 1;
    }
}
