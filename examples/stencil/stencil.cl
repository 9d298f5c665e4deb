// SPDX-License-Identifier: Apache-2.0
// One step of heat conduction on a plate whose border keeps its temperature.
//
// Macros: ITEMS (rows a work-item); WIDTH and HEIGHT, where they are not arguments.

#ifdef WIDTH
#define SIZES
#else
#define SIZES  , uint width, uint height
#define WIDTH  width
#define HEIGHT height
#endif

kernel void step_once(global const float *now, global float *next SIZES)
{
    const uint x = get_global_id(0);

    for (uint i = 0; i < ITEMS; i++) {
        const uint y = get_global_id(1) * ITEMS + i;
        const uint at = y * WIDTH + x;

        if (x >= WIDTH || y >= HEIGHT)
            return;
        if (x == 0 || y == 0 || x == WIDTH - 1 || y == HEIGHT - 1)
            next[at] = now[at];
        else
            next[at] = 0.5f * now[at] + 0.125f * (now[at - 1] + now[at + 1] +
                                                  now[at - WIDTH] + now[at + WIDTH]);
    }
}
