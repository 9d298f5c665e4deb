// SPDX-License-Identifier: Apache-2.0
// Predictions for some configurations at once.
#include "search/surrogate/gp.h"

#include "search/surrogate/lanes.h"

enum { LANES = CT_LANES, HALVES = CT_GP_TOGETHER / CT_LANES };

/* Covariances of observation `i` with the configurations; what is left of `out` becomes 0. */
static void covariances(const struct ct_gp *gp, size_t i, const uint16_t *x, size_t count,
                        float out[CT_GP_TOGETHER])
{
    const ct_products start = {1 - (float)gp->hyper.local, (float)gp->hyper.local};
    const uint16_t *observed = gp->x + i * gp->param_count;
    size_t c = 0;

    for (; c < count; c++) {
        const uint16_t *config = x + c * gp->param_count;
        ct_products k = start;

        for (size_t p = 0; p < gp->param_count; p++) {
            size_t at = (size_t)observed[p] * gp->params[p].count + config[p];

            k *= *(const ct_products *)(gp->table[p] + 2 * at);
        }
        out[c] = k[0] + k[1];
    }
    for (; c < CT_GP_TOGETHER; c++)
        out[c] = 0;
}

/* Element `i` of factor^-1 K(observations, x) for all, given those before and, at `i`, covariances.
 * Two sums, whose additions do not depend on each other. */
static void whiten(const struct ct_gp *gp, size_t i, float *white)
{
    const double *row = gp->factor + i * gp->room;
    const float scale = (float)(1 / row[i]);
    ct_lanes even[HALVES] = {0};
    ct_lanes odd[HALVES] = {0};
    size_t j = 0;

    for (; j + 2 <= i; j += 2) {
        const float *at = white + j * CT_GP_TOGETHER;

        for (size_t h = 0; h < HALVES; h++) {
            even[h] += (float)row[j] * ct_lanes_at(at + h * LANES);
            odd[h] += (float)row[j + 1] * ct_lanes_at(at + CT_GP_TOGETHER + h * LANES);
        }
    }
    for (size_t h = 0; h < HALVES; h++) {
        float *to = white + i * CT_GP_TOGETHER + h * LANES;

        if (j < i)
            even[h] +=
                (float)row[j] * ct_lanes_at(white + j * CT_GP_TOGETHER + h * LANES);
        *(ct_lanes *)to = (ct_lanes_at(to) - (even[h] + odd[h])) * scale;
    }
}

void ct_gp_predict(const struct ct_gp *gp, const uint16_t *x, size_t count, float *white,
                   double *mean, double *variance)
{
    double sum_y[CT_GP_TOGETHER];
    double sum_1[CT_GP_TOGETHER];
    ct_lanes explained[HALVES] = {0};

    for (size_t i = 0; i < gp->count; i++) {
        float *at = white + i * CT_GP_TOGETHER;

        covariances(gp, i, x, count, at);
        whiten(gp, i, white);
        for (size_t h = 0; h < HALVES; h++)
            explained[h] += ct_lanes_at(at + h * LANES) * ct_lanes_at(at + h * LANES);
    }
    ct_gp_predict_others(white, gp->white_y, gp->count, sum_y);
    ct_gp_predict_others(white, gp->white_1, gp->count, sum_1);
    for (size_t c = 0; c < count; c++) {
        double left = 1 - (double)explained[c / LANES][c % LANES];

        mean[c] = gp->mean + sum_y[c] - gp->mean * sum_1[c];
        variance[c] = left > 0 ? left * gp->scale : 0;
    }
}

void ct_gp_predict_others(const float *white, const double *others, size_t rows,
                          double *out)
{
    ct_lanes sums[HALVES] = {0};

    for (size_t i = 0; i < rows; i++)
        for (size_t h = 0; h < HALVES; h++)
            sums[h] +=
                (float)others[i] * ct_lanes_at(white + i * CT_GP_TOGETHER + h * LANES);
    for (size_t c = 0; c < CT_GP_TOGETHER; c++)
        out[c] = (double)sums[c / LANES][c % LANES];
}
