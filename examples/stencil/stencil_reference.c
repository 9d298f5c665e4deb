// SPDX-License-Identifier: Apache-2.0
// The same steps on the host, from one buffer to the other and back.
#include <stdint.h>

void stencil_reference(float *now, float *next, uint32_t width, uint32_t height,
                       uint32_t steps);

static void step_once(const float *now, float *next, uint32_t width, uint32_t height)
{
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint64_t at = (uint64_t)y * width + x;

            if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
                next[at] = now[at];
            else
                next[at] = 0.5F * now[at] + 0.125F * (now[at - 1] + now[at + 1] +
                                                      now[at - width] + now[at + width]);
        }
}

void stencil_reference(float *now, float *next, uint32_t width, uint32_t height,
                       uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++)
        step_once(i % 2 ? next : now, i % 2 ? now : next, width, height);
}
