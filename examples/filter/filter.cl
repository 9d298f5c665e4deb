// SPDX-License-Identifier: Apache-2.0
// Each pixel becomes the weighted mean of itself and its eight neighbours; beyond the edge
// stands the pixel at the edge.
//
// Macros: IMAGE (the picture is an image), ITEMS (rows a work-item), WIDTH, HEIGHT.

#if IMAGE
#define PICTURE     read_only image2d_t
#define SAMPLER     , sampler_t sampler
#define PIXEL(x, y) read_imagef(picture, sampler, (int2)(x, y)).x
#else
#define PICTURE     global const float *
#define SAMPLER
#define PIXEL(x, y) picture[clamp(y, 0, HEIGHT - 1) * WIDTH + clamp(x, 0, WIDTH - 1)]
#endif

kernel void blur(PICTURE picture, global float *result SAMPLER)
{
    const int x = (int)get_global_id(0);

    for (int i = 0; i < ITEMS; i++) {
        const int y = (int)get_global_id(1) * ITEMS + i;

        if (x >= WIDTH || y >= HEIGHT)
            return;
        result[y * WIDTH + x] =
            0.25f * PIXEL(x, y) +
            0.125f * (PIXEL(x - 1, y) + PIXEL(x + 1, y) + PIXEL(x, y - 1) +
                      PIXEL(x, y + 1)) +
            0.0625f * (PIXEL(x - 1, y - 1) + PIXEL(x + 1, y - 1) + PIXEL(x - 1, y + 1) +
                       PIXEL(x + 1, y + 1));
    }
}
