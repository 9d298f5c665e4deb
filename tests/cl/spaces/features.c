// SPDX-License-Identifier: Apache-2.0
// What the kernels of features.cl and images.cl must give, and fills.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void squares(float *x, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        x[i] = (float)(i * i % 1000);
}

void scale(const float *a, float *out, uint32_t n, float factor)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = a[i] * factor;
}

void fields(const float *in, float *out, uint32_t n)
{
    for (uint32_t i = 0; i < 3 * n; i++)
        out[i] = in[i] + (float)(i % 3);
}

/* Vectors of three have four places. */
void types(const float *in3, float *out3, const int8_t *in1, int8_t *out1,
           const int64_t *in8, int64_t *out8, const uint16_t *in16, uint16_t *out16,
           const float *more, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++)
            out3[4 * i + c] = in3[4 * i + c] + more[c];
        out1[i] = (int8_t)(in1[i] - 7);
        out8[i] = in8[i] + ((int64_t)1 << 40);
        for (int c = 0; c < 8; c++)
            out16[8 * i + c] = (uint16_t)(in16[8 * i + c] + 9);
    }
}

void scalars(double *x, uint64_t n)
{
    static const double values[] = {
        -5,   200, -30000, 60000, -2000000000., 4000000000., -1099511627776.,
        4e18, .25, .1,     1.5,   -3,           2.25,        9,
        77};

    for (uint64_t i = 0; i < n; i++)
        x[i] = values[i];
}

/* The notes that the passes leave. */
void notes(int32_t *log, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        log[i] = i < 4 ? (64 >> i) * 10 + (int)i : 0;
}

void environment(int32_t *x, uint64_t n)
{
    const char *set = getenv("CLTUNE_TEST_SET");
    int right = set && !strcmp(set, "x 7") && !getenv("CLTUNE_TEST_GONE");

    for (uint64_t i = 0; i < n; i++)
        x[i] = right ? 7 : 0;
}

/* One part holds everything. */
void parts(const float *in, float *sum, float *least, float *most, uint32_t n,
           uint32_t count)
{
    double s = 0;
    float lo = INFINITY;
    float hi = -INFINITY;

    for (uint32_t i = 0; i < n; i++) {
        s += in[i];
        lo = fminf(lo, in[i]);
        hi = fmaxf(hi, in[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        sum[i] = i ? 0 : (float)s;
        least[i] = lo;
        most[i] = hi;
    }
}

void line(const float *in, float *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = in[(i + 1) % n];
}

void between(const float *in, float *out, uint32_t w, uint32_t h)
{
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++)
            out[y * w + x] =
                .5f * in[y * w + x] + .5f * in[y * w + (x + 1 < w ? x + 1 : x)];
}

/* What a ramp of bytes is. */
void pixels(uint32_t *x, uint64_t n)
{
    for (uint64_t i = 0; i < 4 * n; i++)
        x[i] = (uint32_t)(i < 255 ? i : 255);
}
