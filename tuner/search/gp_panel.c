// SPDX-License-Identifier: Apache-2.0
// Predictions for many configurations, kept up to date.
#include "search/gp.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Compilers make of this whatever vectors the machine has; the results are the same,
 * because every element is computed by itself. */
typedef float vector __attribute__((vector_size(32), aligned(4)));
enum { LANES = sizeof(vector) / sizeof(float) };

/* a -= factor * b */
static void subtract(float *restrict a, const float *restrict b, float factor, size_t n)
{
    for (size_t i = 0; i < n; i += LANES)
        *(vector *)(void *)(a + i) -= factor * *(const vector *)(const void *)(b + i);
}

/* Subtracts four rows at once: a is read and written once for all four. */
static void subtract4(float *restrict a, const float *restrict b, size_t stride,
                      const float factors[4])
{
    const float *b1 = b + stride;
    const float *b2 = b1 + stride;
    const float *b3 = b2 + stride;

    for (size_t i = 0; i < stride; i += LANES) {
        vector sum = *(vector *)(void *)(a + i);

        sum -= factors[0] * *(const vector *)(const void *)(b + i);
        sum -= factors[1] * *(const vector *)(const void *)(b1 + i);
        sum -= factors[2] * *(const vector *)(const void *)(b2 + i);
        sum -= factors[3] * *(const vector *)(const void *)(b3 + i);
        *(vector *)(void *)(a + i) = sum;
    }
}

/* Both products of the kernel for one candidate, side by side as tables have them. */
typedef float pair __attribute__((vector_size(8), aligned(4)));

enum {
    BLOCK = 256,  /* candidates at a time: they stay in the first cache */
    FACTORS = 16, /* parameters at a time */
    ABREAST = 4,  /* candidates whose multiplications do not wait for each other */
};

/* Multiplies the products of `count` candidates by the factors of some parameters.
 * `tables[p]` has those for the values that the parameter can have beside x's. */
static void multiply(const pair *const *tables, size_t table_count, const uint16_t *codes,
                     size_t stride, size_t count, pair *products)
{
    size_t c = 0;

    for (; c + ABREAST <= count; c += ABREAST) {
        pair a0 = products[c];
        pair a1 = products[c + 1];
        pair a2 = products[c + 2];
        pair a3 = products[c + 3];
        const uint16_t *code = codes + c;

        for (size_t p = 0; p < table_count; p++, code += stride) {
            const pair *table = tables[p];

            a0 *= table[code[0]];
            a1 *= table[code[1]];
            a2 *= table[code[2]];
            a3 *= table[code[3]];
        }
        products[c] = a0;
        products[c + 1] = a1;
        products[c + 2] = a2;
        products[c + 3] = a3;
    }
    for (; c < count; c++)
        for (size_t p = 0; p < table_count; p++)
            products[c] *= tables[p][codes[p * stride + c]];
}

/* row = K(x, candidates), their codes column by column */
static void kernel_row(const struct ct_gp *gp, const uint16_t *x, const uint16_t *codes,
                       size_t stride, float *restrict row)
{
    const pair start = {1 - (float)gp->hyper.local, (float)gp->hyper.local};
    const pair *tables[FACTORS];
    pair products[BLOCK];

    for (size_t from = 0; from < stride; from += BLOCK) {
        size_t n = stride - from < BLOCK ? stride - from : BLOCK;

        for (size_t c = 0; c < n; c++)
            products[c] = start;
        for (size_t p = 0; p < gp->param_count; p += FACTORS) {
            size_t count = gp->param_count - p < FACTORS ? gp->param_count - p : FACTORS;

            for (size_t k = 0; k < count; k++)
                tables[k] = (const pair *)(const void *)(gp->table[p + k] +
                                                         2 * (size_t)x[p + k] *
                                                             gp->params[p + k].count);
            multiply(tables, count, codes + p * stride + from, stride, n, products);
        }
        for (size_t c = 0; c < n; c++)
            row[from + c] = products[c][0] + products[c][1];
    }
}

/* Takes in observation number `rows`. */
static void take(struct ct_gp_panel *panel)
{
    const struct ct_gp *gp = panel->gp;
    size_t n = panel->rows;
    const double *factor = gp->factor + n * gp->room;
    float *row = panel->v + n * panel->stride;
    float scale = (float)(1 / factor[n]);
    float y = (float)gp->white_y[n];
    float one = (float)gp->white_1[n];
    size_t i = 0;

    kernel_row(gp, gp->x + n * gp->param_count, panel->codes, panel->stride, row);
    for (; i + 4 <= n; i += 4) {
        const float factors[4] = {(float)factor[i], (float)factor[i + 1],
                                  (float)factor[i + 2], (float)factor[i + 3]};

        subtract4(row, panel->v + i * panel->stride, panel->stride, factors);
    }
    for (; i < n; i++)
        subtract(row, panel->v + i * panel->stride, (float)factor[i], panel->stride);
    for (size_t c = 0; c < panel->stride; c++) {
        float v = row[c] * scale;

        row[c] = v;
        panel->sum_y[c] += v * y;
        panel->sum_1[c] += v * one;
        panel->explained[c] += v * v;
    }
    panel->rows++;
}

bool ct_gp_panel_follow(struct ct_gp_panel *panel)
{
    size_t rows = panel->gp->count;

    if (rows > panel->rows_room) {
        size_t room = rows + rows / 2 + 16;
        float *v;

        if (room > panel->gp->room)
            room = panel->gp->room;
        if (panel->stride && room > SIZE_MAX / panel->stride / sizeof(*v))
            return false;
        v = realloc(panel->v, room * panel->stride * sizeof(*v) + 1);
        if (!v)
            return false;
        panel->v = v;
        panel->rows_room = room;
    }
    while (panel->rows < rows)
        take(panel);
    return true;
}

bool ct_gp_panel_set(struct ct_gp_panel *panel, const struct ct_gp *gp,
                     const uint16_t *configs, size_t count)
{
    size_t stride = (count + LANES - 1) / LANES * LANES;

    ct_gp_panel_release(panel);
    panel->gp = gp;
    panel->count = count;
    panel->stride = stride;
    if (stride > SIZE_MAX / (gp->param_count + 1))
        return false;
    panel->codes = ct_mem_array(stride * gp->param_count, sizeof(*panel->codes));
    panel->sum_y = ct_mem_array(stride, sizeof(float));
    panel->sum_1 = ct_mem_array(stride, sizeof(float));
    panel->explained = ct_mem_array(stride, sizeof(float));
    if (!panel->codes || !panel->sum_y || !panel->sum_1 || !panel->explained) {
        ct_gp_panel_release(panel);
        return false;
    }
    for (size_t c = 0; c < count; c++)
        for (size_t p = 0; p < gp->param_count; p++)
            panel->codes[p * stride + c] = configs[c * gp->param_count + p];
    if (!ct_gp_panel_follow(panel)) {
        ct_gp_panel_release(panel);
        return false;
    }
    return true;
}

void ct_gp_panel_sum(const struct ct_gp_panel *panel, const double *white, float *out)
{
    size_t i = 0;

    memset(out, 0, panel->stride * sizeof(*out));
    for (; i + 4 <= panel->rows; i += 4) {
        const float factors[4] = {-(float)white[i], -(float)white[i + 1],
                                  -(float)white[i + 2], -(float)white[i + 3]};

        subtract4(out, panel->v + i * panel->stride, panel->stride, factors);
    }
    for (; i < panel->rows; i++)
        subtract(out, panel->v + i * panel->stride, -(float)white[i], panel->stride);
}

void ct_gp_panel_set_y(struct ct_gp_panel *panel)
{
    ct_gp_panel_sum(panel, panel->gp->white_y, panel->sum_y);
}

bool ct_gp_panel_renew(struct ct_gp_panel *panel)
{
    panel->rows = 0;
    for (size_t c = 0; c < panel->stride; c++) {
        panel->sum_y[c] = 0;
        panel->sum_1[c] = 0;
        panel->explained[c] = 0;
    }
    return ct_gp_panel_follow(panel);
}

void ct_gp_panel_at(const struct ct_gp_panel *panel, size_t c, double *mean,
                    double *variance)
{
    const struct ct_gp *gp = panel->gp;
    double left = 1 - (double)panel->explained[c];

    *mean = gp->mean + (double)panel->sum_y[c] - gp->mean * (double)panel->sum_1[c];
    *variance = left > 0 ? left * gp->scale : 0;
}

void ct_gp_panel_release(struct ct_gp_panel *panel)
{
    free(panel->codes);
    free(panel->v);
    free(panel->sum_y);
    free(panel->sum_1);
    free(panel->explained);
    memset(panel, 0, sizeof(*panel));
}

/* weights = A^-1 (y - mean) */
static void solve(const struct ct_gp *gp, double *weights)
{
    for (size_t i = 0; i < gp->count; i++)
        weights[i] = gp->white_y[i] - gp->mean * gp->white_1[i];
    for (size_t i = gp->count; i-- > 0;) {
        const double *row = gp->factor + i * gp->room;

        weights[i] /= row[i];
        for (size_t j = 0; j < i; j++)
            weights[j] -= row[j] * weights[i];
    }
}

bool ct_gp_scan(const struct ct_gp *gp, const uint16_t *configs, size_t count,
                float *mean, float *variance)
{
    double *weights = ct_mem_array(gp->count, sizeof(*weights));
    uint16_t *codes = ct_mem_array(gp->param_count * BLOCK, sizeof(*codes));
    float row[BLOCK];

    if (!weights || !codes) {
        free(weights);
        free(codes);
        return false;
    }
    solve(gp, weights);
    for (size_t from = 0; from < count; from += BLOCK) {
        size_t n = count - from < BLOCK ? count - from : BLOCK;

        for (size_t c = 0; c < n; c++) {
            for (size_t p = 0; p < gp->param_count; p++)
                codes[p * n + c] = configs[(from + c) * gp->param_count + p];
            mean[from + c] = (float)gp->mean;
            variance[from + c] = 0; /* the largest covariance, for now */
        }
        for (size_t i = 0; i < gp->count; i++) {
            float weight = (float)weights[i];

            kernel_row(gp, gp->x + i * gp->param_count, codes, n, row);
            for (size_t c = 0; c < n; c++) {
                mean[from + c] += weight * row[c];
                variance[from + c] =
                    row[c] > variance[from + c] ? row[c] : variance[from + c];
            }
        }
        for (size_t c = 0; c < n; c++) {
            float k = variance[from + c];

            variance[from + c] =
                (float)gp->scale * (1 - k * k / (1 + (float)gp->hyper.noise));
        }
    }
    free(weights);
    free(codes);
    return true;
}
