// SPDX-License-Identifier: Apache-2.0
// What gauss.cl and gauss_recursive.cl must compute, in double precision, and the numbers
// that they work with.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

void gauss_weights(float *array, uint64_t count);
void gauss_square(float *array, uint64_t count);
void gauss_recursion(float *array, uint64_t count);
void gauss_reference(const float *from, float *to, uint32_t width, uint32_t height,
                     uint32_t sigma, uint32_t radius);

/* The weights from -radius to radius, whose sum is 1. */
static void weigh(double *weights, int64_t radius, double sigma)
{
    double sum = 0.0;

    for (int64_t k = -radius; k <= radius; k++)
        sum += weights[k + radius] = exp(-0.5 * (double)(k * k) / (sigma * sigma));
    for (int64_t k = 0; k <= 2 * radius; k++)
        weights[k] /= sum;
}

/* 6 sigma + 1 weights. */
void gauss_weights(float *array, uint64_t count)
{
    const uint64_t sigma = count / 6;
    double *weights = calloc(count, sizeof(*weights));

    if (weights) {
        weigh(weights, (int64_t)(count / 2), (double)sigma);
        for (uint64_t k = 0; k < count; k++)
            array[k] = (float)weights[k];
    }
    free(weights);
}

/* Their products: 6 sigma + 1 rows of as many. */
void gauss_square(float *array, uint64_t count)
{
    const uint64_t side = (uint64_t)(sqrt((double)count) + 0.5);
    const uint64_t sigma = side / 6;
    double *weights = calloc(side, sizeof(*weights));

    if (weights) {
        weigh(weights, (int64_t)(side / 2), (double)sigma);
        for (uint64_t y = 0; y < side; y++)
            for (uint64_t x = 0; x < side; x++)
                array[y * side + x] = (float)(weights[y] * weights[x]);
    }
    free(weights);
}

/* (a cos(w k) + b sin(w k)) exp(-l k) for k >= 0 is the response of (n0 + n1 / z) /
 * (1 + d1 / z + d2 / z^2). */
static void section(double a, double b, double l, double w, double *n, double *d)
{
    n[0] = a;
    n[1] = (b * sin(w) - a * cos(w)) * exp(-l);
    d[0] = 1.0;
    d[1] = -2.0 * cos(w) * exp(-l);
    d[2] = exp(-2.0 * l);
}

/* Deriche's filter of fourth order (gauss_recursive.cl names the report), scaled so that
 * a constant stays what it is.  First the 14 coefficients, in the order of
 * gauss_recursive.cl; there is room for 14 sigma numbers. */
void gauss_recursion(float *array, uint64_t count)
{
    const double sigma = (double)count / 14.0;
    double n1[2], n2[2], d1[3], d2[3], n[5] = {0}, m[5] = {0}, d[5] = {0};
    double sum_n = 0.0, sum_m = 0.0, sum_d = 0.0;

    section(1.68, 3.735, 1.783 / sigma, 0.6318 / sigma, n1, d1);
    section(-0.6803, -0.2598, 1.723 / sigma, 1.997 / sigma, n2, d2);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            d[i + j] += d1[i] * d2[j];
            if (i < 2)
                n[i + j] += n1[i] * d2[j] + n2[i] * d1[j];
        }
    // Backward the same response, but for the sample itself, which counts once.
    for (int i = 1; i < 5; i++)
        m[i] = n[i] - d[i] * n[0];
    for (int i = 0; i < 5; i++) {
        sum_n += n[i];
        sum_m += m[i];
        sum_d += d[i];
    }
    for (int i = 0; i < 4; i++) {
        array[i] = (float)(n[i] * sum_d / (sum_n + sum_m));
        array[4 + i] = (float)(m[i + 1] * sum_d / (sum_n + sum_m));
        array[8 + i] = (float)d[i + 1];
    }
    array[12] = (float)(sum_n / (sum_n + sum_m));
    array[13] = (float)(sum_m / (sum_n + sum_m));
}

static int64_t clamped(int64_t i, int64_t count)
{
    return i < 0 ? 0 : i < count ? i : count - 1;
}

/* Rows, then columns: the weights in two dimensions are products. */
void gauss_reference(const float *from, float *to, uint32_t width, uint32_t height,
                     uint32_t sigma, uint32_t radius)
{
    const int64_t r = radius;
    double *weights = calloc(2 * (size_t)radius + 1, sizeof(*weights));
    double *middle = calloc((size_t)width * height, sizeof(*middle));
    double *sums = calloc(width, sizeof(*sums));

    if (weights && middle && sums) {
        weigh(weights, r, sigma);
        for (int64_t y = 0; y < height; y++)
            for (int64_t x = 0; x < width; x++)
                for (int64_t k = -r; k <= r; k++)
                    middle[y * width + x] +=
                        weights[k + r] * from[y * width + clamped(x + k, width)];
        for (int64_t y = 0; y < height; y++) {
            for (int64_t x = 0; x < width; x++)
                sums[x] = 0.0;
            for (int64_t k = -r; k <= r; k++)
                for (int64_t x = 0; x < width; x++)
                    sums[x] +=
                        weights[k + r] * middle[clamped(y + k, height) * width + x];
            for (int64_t x = 0; x < width; x++)
                to[y * width + x] = (float)sums[x];
        }
    }
    free(weights);
    free(middle);
    free(sums);
}
