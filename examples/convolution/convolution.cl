// SPDX-License-Identifier: Apache-2.0
// result = picture * weights, one output element from (2 RADIUS + 1)^2 of the picture.
//
// Macros: TBX, TBY (work-items of a tile that compute), WPTX, WPTY (outputs a work-item),
// MODE_direct, MODE_cached or MODE_halo (who loads the halo), LX, LY (the local size),
// LINE (elements of a line in local memory), RADIUS, WHOLE (the result consists of whole
// tiles).

#define TILE_X (TBX * WPTX)
#define TILE_Y (TBY * WPTY)
#define SPAN   (2 * RADIUS + 1)

/* Whether what lies (x, y) from the corner of the tile is there. */
#if WHOLE
#define IN_RESULT(x, y)  1
#define IN_PICTURE(x, y) 1
#else
#define IN_RESULT(x, y)  (left + (x) < width && top + (y) < height)
#define IN_PICTURE(x, y) (left + (x) < stride && top + (y) < height + 2 * RADIUS)
#endif

kernel void convolve(global const float *picture, global const float *weights,
                     global float *result, uint width, uint height)
{
    const uint stride = width + 2 * RADIUS;
    const uint left = get_group_id(0) * TILE_X; /* of the tile, in the result */
    const uint top = get_group_id(1) * TILE_Y;
    const uint lx = get_local_id(0);
    const uint ly = get_local_id(1);

#ifdef MODE_direct
#define PIXEL(x, y) picture[(top + (y)) * stride + left + (x)]
#else
    local float tile[(TILE_Y + 2 * RADIUS) * LINE];

    /* The whole work-group loads the tile with its halo.  In mode 'halo' LX * WPTX and
     * LY * WPTY reach over all of it, so that every work-item loads the same number. */
    for (uint y = ly; y < TILE_Y + 2 * RADIUS; y += LY)
        for (uint x = lx; x < TILE_X + 2 * RADIUS; x += LX)
            tile[y * LINE + x] =
                IN_PICTURE(x, y) ? picture[(top + y) * stride + left + x] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
#ifdef MODE_halo
    if (lx >= TBX || ly >= TBY)
        return; /* it was here to load */
#endif
#define PIXEL(x, y) tile[(y)*LINE + (x)]
#endif

    for (uint wy = 0; wy < WPTY; wy++)
        for (uint wx = 0; wx < WPTX; wx++) {
            const uint x = lx + wx * TBX;
            const uint y = ly + wy * TBY;
            float sum = 0;

            if (!IN_RESULT(x, y))
                continue;
            for (uint j = 0; j < SPAN; j++)
                for (uint i = 0; i < SPAN; i++)
                    sum = fma(PIXEL(x + i, y + j), weights[j * SPAN + i], sum);
            result[(top + y) * width + left + x] = sum;
        }
}
