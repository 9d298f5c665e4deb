// SPDX-License-Identifier: Apache-2.0
// The separable convolution of gauss.cl for a processor: blocks of pixels that stay in
// vector registers, all threads.
#include "threads.h"
#include <string.h>

void gauss_host(const float *from, float *to, uint32_t width, uint32_t height,
                const float *weights, uint32_t radius);

enum { BLOCK = 64 };

struct blur {
    const float *from;
    float *to;
    int64_t width, height;
    const float *weights;
    int64_t radius;
};

/* to[i] = sum of weights[k] * taps[k][i] for all 2 radius + 1 k; taps are `apart`. */
static void block(float *to, const float *taps, int64_t apart, int64_t count,
                  const struct blur *b)
{
    float sums[BLOCK] = {0};

    for (int64_t k = 0; k <= 2 * b->radius; k++)
        for (int64_t i = 0; i < count; i++)
            sums[i] += b->weights[k] * taps[k * apart + i];
    memcpy(to, sums, (size_t)count * sizeof(*to));
}

static void blocks(float *to, const float *taps, int64_t apart, int64_t count,
                   const struct blur *b)
{
    int64_t i = 0;

    for (; i + BLOCK <= count; i += BLOCK)
        block(to + i, taps + i, apart, BLOCK, b);
    if (i < count)
        block(to + i, taps + i, apart, count - i, b);
}

static int64_t clamped(int64_t i, int64_t count)
{
    return i < 0 ? 0 : i < count ? i : count - 1;
}

/* The rows [begin, end): those that they need are blurred along x into a ring, from which
 * they are then blurred along y. */
static void band(void *context, uint64_t begin, uint64_t end)
{
    const struct blur *b = context;
    const int64_t taps = 2 * b->radius + 1;
    const size_t row_bytes = (size_t)b->width * sizeof(float);
    float *row = calloc((size_t)(b->width + 2 * b->radius), sizeof(*row));
    // Each row of the ring stands twice, so that any `taps` of them follow one another.
    float *ring = calloc((size_t)(2 * taps), row_bytes);

    if (row && ring)
        for (int64_t y = (int64_t)begin - b->radius; y < (int64_t)end + b->radius; y++) {
            const float *from = b->from + clamped(y, b->height) * b->width;
            const int64_t slot = (y + taps) % taps;
            const int64_t done = y - b->radius;

            for (int64_t i = 0; i < b->radius; i++) {
                row[i] = from[0];
                row[b->radius + b->width + i] = from[b->width - 1];
            }
            memcpy(row + b->radius, from, row_bytes);
            blocks(ring + slot * b->width, row, 1, b->width, b);
            memcpy(ring + (slot + taps) * b->width, ring + slot * b->width, row_bytes);
            if (done >= (int64_t)begin)
                blocks(b->to + done * b->width, ring + (slot + 1) * b->width, b->width,
                       b->width, b);
        }
    free(row);
    free(ring);
}

void gauss_host(const float *from, float *to, uint32_t width, uint32_t height,
                const float *weights, uint32_t radius)
{
    struct blur blur = {from, to, width, height, weights, radius};

    in_threads(height, band, &blur);
}
