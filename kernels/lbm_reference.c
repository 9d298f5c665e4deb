// SPDX-License-Identifier: Apache-2.0
// What lbm.cl must compute, in double precision, and the flow that it starts from.
#include <stdint.h>
#include <stdlib.h>

void lbm_start(float *array, uint64_t count);
void lbm_reference(float *cells, uint32_t width, uint32_t height, uint32_t steps,
                   float omega, int32_t stream_first);

static const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const double weight[9] = {4.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9, 1.0 / 9,
                                 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};

/* A fluid at rest, each number of it off by up to a twentieth. */
void lbm_start(float *array, uint64_t count)
{
    uint64_t state = 1;

    for (uint64_t i = 0; i < count; i++) {
        // D. E. Knuth's linear congruence for 64 bits (MMIX).
        state = state * 6364136223846793005u + 1442695040888963407u;
        const double noise = (double)(state >> 40) / (double)(1 << 24) - 0.5;

        array[i] = (float)(weight[i % 9] * (1.0 + 0.1 * noise));
    }
}

static void collide(double *cells, size_t count, double omega)
{
    for (size_t i = 0; i < count; i++) {
        double *f = cells + 9 * i;
        double rho = 0.0, ux = 0.0, uy = 0.0;

        for (int k = 0; k < 9; k++) {
            rho += f[k];
            ux += ex[k] * f[k];
            uy += ey[k] * f[k];
        }
        ux /= rho;
        uy /= rho;
        for (int k = 0; k < 9; k++) {
            const double eu = ex[k] * ux + ey[k] * uy;
            const double balanced =
                weight[k] * rho *
                (1.0 + 3.0 * eu + 4.5 * eu * eu - 1.5 * (ux * ux + uy * uy));

            f[k] += omega * (balanced - f[k]);
        }
    }
}

static void stream(const double *from, double *to, size_t width, size_t height)
{
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            for (int k = 0; k < 9; k++) {
                const size_t to_x = (x + width + (size_t)ex[k]) % width;
                const size_t to_y = (y + height + (size_t)ey[k]) % height;

                to[9 * (to_y * width + to_x) + (size_t)k] =
                    from[9 * (y * width + x) + (size_t)k];
            }
}

/* Advances `cells` in place: `steps` times a collision and a streaming, or the reverse.
 */
void lbm_reference(float *cells, uint32_t width, uint32_t height, uint32_t steps,
                   float omega, int32_t stream_first)
{
    const size_t count = (size_t)width * height;
    double *now = calloc(9 * count, sizeof(*now));
    double *next = calloc(9 * count, sizeof(*next));

    if (now && next) {
        for (size_t i = 0; i < 9 * count; i++)
            now[i] = cells[i];
        for (uint32_t step = 0; step < steps; step++) {
            double *done = now;

            if (!stream_first)
                collide(now, count, omega);
            stream(now, next, width, height);
            now = next;
            next = done;
            if (stream_first)
                collide(now, count, omega);
        }
        for (size_t i = 0; i < 9 * count; i++)
            cells[i] = (float)now[i];
    }
    free(now);
    free(next);
}
