// SPDX-License-Identifier: Apache-2.0
// The flow of lbm.cl for a processor: planes, so that compilers make vectors of
// neighbouring cells, both halves of a step at once, all threads.
#include "threads.h"
#include <string.h>

void lbm_host(float *cells, uint32_t width, uint32_t height, uint32_t steps, float omega,
              int32_t stream_first);

enum { BLOCK = 64 };

struct flow {
    float *cells; // nine numbers a cell: what comes and what goes
    float *now;   // planes: direction, row, column
    float *next;
    int64_t width, height;
    float omega;
    int collides;
};

static const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

static void collide(float f[9][BLOCK], int64_t count, float omega)
{
    static const float weight[9] = {4.0f / 9,  1.0f / 9,  1.0f / 9,  1.0f / 9, 1.0f / 9,
                                    1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};
    float rho[BLOCK], ux[BLOCK], uy[BLOCK];

    for (int64_t i = 0; i < count; i++) {
        rho[i] = f[0][i] + f[1][i] + f[2][i] + f[3][i] + f[4][i] + f[5][i] + f[6][i] +
                 f[7][i] + f[8][i];
        ux[i] = (f[1][i] - f[3][i] + f[5][i] - f[6][i] - f[7][i] + f[8][i]) / rho[i];
        uy[i] = (f[2][i] - f[4][i] + f[5][i] + f[6][i] - f[7][i] - f[8][i]) / rho[i];
    }
    for (int k = 0; k < 9; k++)
        for (int64_t i = 0; i < count; i++) {
            const float eu = (float)ex[k] * ux[i] + (float)ey[k] * uy[i];
            const float balanced =
                weight[k] * rho[i] *
                (1.0f - 1.5f * (ux[i] * ux[i] + uy[i] * uy[i]) + eu * (3.0f + 4.5f * eu));

            f[k][i] += omega * (balanced - f[k][i]);
        }
}

static int64_t around(int64_t i, int64_t count)
{
    return i < 0 ? i + count : i >= count ? i - count : i;
}

/* Rows [begin, end) of the next step: streamed from the neighbours, then collided. */
static void step(void *context, uint64_t begin, uint64_t end)
{
    const struct flow *flow = context;
    const int64_t width = flow->width;
    float f[9][BLOCK];

    for (int64_t y = (int64_t)begin; y < (int64_t)end; y++)
        for (int64_t x = 0; x < width; x += BLOCK) {
            const int64_t count = x + BLOCK <= width ? BLOCK : width - x;

            for (int k = 0; k < 9; k++) {
                const int64_t row = k * flow->height + around(y - ey[k], flow->height);
                const float *from = flow->now + row * width;

                if (x > 0 && x + count < width)
                    memcpy(f[k], from + x - ex[k], (size_t)count * sizeof(float));
                else
                    for (int64_t i = 0; i < count; i++)
                        f[k][i] = from[around(x + i - ex[k], width)];
            }
            if (flow->collides)
                collide(f, count, flow->omega);
            for (int k = 0; k < 9; k++)
                memcpy(flow->next + (k * flow->height + y) * width + x, f[k],
                       (size_t)count * sizeof(float));
        }
}

/* Only collides: what is left of a step where the collision comes first. */
static void settle(void *context, uint64_t begin, uint64_t end)
{
    const struct flow *flow = context;
    const int64_t cells = flow->width * flow->height;
    float f[9][BLOCK];

    for (int64_t i = (int64_t)begin * flow->width; i < (int64_t)end * flow->width;) {
        const int64_t left = (int64_t)end * flow->width - i;
        const int64_t count = left < BLOCK ? left : BLOCK;

        for (int k = 0; k < 9; k++)
            memcpy(f[k], flow->now + k * cells + i, (size_t)count * sizeof(float));
        collide(f, count, flow->omega);
        for (int k = 0; k < 9; k++)
            memcpy(flow->now + k * cells + i, f[k], (size_t)count * sizeof(float));
        i += count;
    }
}

static void to_planes(void *context, uint64_t begin, uint64_t end)
{
    const struct flow *flow = context;
    const int64_t cells = flow->width * flow->height;

    for (int64_t i = (int64_t)begin * flow->width; i < (int64_t)end * flow->width; i++)
        for (int k = 0; k < 9; k++)
            flow->now[k * cells + i] = flow->cells[9 * i + k];
}

static void from_planes(void *context, uint64_t begin, uint64_t end)
{
    const struct flow *flow = context;
    const int64_t cells = flow->width * flow->height;

    for (int64_t i = (int64_t)begin * flow->width; i < (int64_t)end * flow->width; i++)
        for (int k = 0; k < 9; k++)
            flow->cells[9 * i + k] = flow->now[k * cells + i];
}

/* Where collisions come first, one goes before all steps and the last step has none. */
void lbm_host(float *cells, uint32_t width, uint32_t height, uint32_t steps, float omega,
              int32_t stream_first)
{
    const size_t numbers = 9 * (size_t)width * height;
    struct flow flow = {cells,
                        calloc(numbers, sizeof(float)),
                        calloc(numbers, sizeof(float)),
                        width,
                        height,
                        omega,
                        1};

    if (flow.now && flow.next) {
        in_threads(height, to_planes, &flow);
        if (!stream_first && steps > 0)
            in_threads(height, settle, &flow);
        for (uint32_t i = 0; i < steps; i++) {
            float *done = flow.now;

            flow.collides = stream_first || i + 1 < steps;
            in_threads(height, step, &flow);
            flow.now = flow.next;
            flow.next = done;
        }
        in_threads(height, from_planes, &flow);
    }
    free(flow.now);
    free(flow.next);
}
