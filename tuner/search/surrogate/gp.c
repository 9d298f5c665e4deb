// SPDX-License-Identifier: Apache-2.0
// The regression: tables of the kernels, a Cholesky factor that grows, predictions.
#include "search/surrogate/gp.h"

#include "base/mem.h"
#include "search/surrogate/dot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ct_gp *ct_gp_new(const struct ct_gp_param *params, size_t param_count, size_t room)
{
    struct ct_gp *gp = ct_mem_array(1, sizeof(*gp));
    bool enough;

    if (!gp)
        return NULL;
    gp->param_count = param_count;
    gp->params = params;
    gp->room = room;
    gp->hyper.ordinal = ct_mem_array(param_count, sizeof(double));
    gp->hyper.equal = ct_mem_array(param_count, sizeof(double));
    gp->table = ct_mem_array(param_count, sizeof(*gp->table));
    gp->x = room <= SIZE_MAX / (param_count + 1)
                ? ct_mem_array(room * param_count, sizeof(*gp->x))
                : NULL;
    gp->y = ct_mem_array(room, sizeof(*gp->y));
    gp->white_y = ct_mem_array(room, sizeof(*gp->white_y));
    gp->white_1 = ct_mem_array(room, sizeof(*gp->white_1));
    gp->factor = room <= SIZE_MAX / (room + 1)
                     ? ct_mem_array(room * room, sizeof(*gp->factor))
                     : NULL;
    enough = gp->hyper.ordinal && gp->hyper.equal && gp->table && gp->x && gp->y &&
             gp->white_y && gp->white_1 && gp->factor;
    for (size_t p = 0; p < param_count && enough; p++) {
        size_t cells = params[p].count * params[p].count;

        gp->hyper.ordinal[p] = 1;
        gp->hyper.equal[p] = params[p].derived ? 0.2 : 0.5;
        gp->table[p] = ct_mem_array(2 * cells, sizeof(*gp->table[p]));
        enough = gp->table[p] != NULL;
    }
    if (!enough) {
        ct_gp_free(gp);
        return NULL;
    }
    gp->hyper.noise = 1e-3;
    gp->hyper.local = 0.3;
    gp->hyper.rate = 0.7;
    ct_gp_refresh(gp);
    return gp;
}

void ct_gp_free(struct ct_gp *gp)
{
    if (!gp)
        return;
    for (size_t p = 0; p < gp->param_count && gp->table; p++)
        free(gp->table[p]);
    free(gp->table);
    free(gp->hyper.ordinal);
    free(gp->hyper.equal);
    free(gp->x);
    free(gp->y);
    free(gp->white_y);
    free(gp->white_1);
    free(gp->factor);
    free(gp);
}

static double matern52(double u)
{
    double v = sqrt(5) * u;

    return (1 + v + v * v / 3) * exp(-v);
}

static void fill_table(struct ct_gp *gp, size_t p)
{
    const struct ct_gp_param *param = &gp->params[p];
    double floor_ = exp(-gp->hyper.equal[p]);
    double near = exp(-gp->hyper.rate);

    for (size_t a = 0; a < param->count; a++)
        for (size_t b = 0; b < param->count; b++) {
            double m = a == b;
            double l = 1;
            float *cell;

            if (param->position && !isnan(param->position[a] + param->position[b]))
                l = m = matern52(gp->hyper.ordinal[p] *
                                 fabs(param->position[a] - param->position[b]));
            cell = gp->table[p] + 2 * (a * param->count + b);
            cell[0] = (float)(floor_ + (1 - floor_) * m);
            cell[1] = (float)(a == b || param->derived ? 1 : near * l);
        }
}

double ct_gp_kernel(const struct ct_gp *gp, const uint16_t *a, const uint16_t *b)
{
    double k = 1 - gp->hyper.local;
    double near = gp->hyper.local;

    for (size_t p = 0; p < gp->param_count; p++) {
        size_t at = (size_t)a[p] * gp->params[p].count + b[p];

        k *= (double)gp->table[p][2 * at];
        near *= (double)gp->table[p][2 * at + 1];
    }
    return k + near;
}

/* Mean and scale from the sums. */
static void set_scale(struct ct_gp *gp)
{
    double left;

    gp->mean = gp->sum_11 > 0 ? gp->sum_y1 / gp->sum_11 : 0;
    left = gp->sum_yy - gp->sum_y1 * gp->mean;
    /* Equal observations have no scale; any positive one gives the same order. */
    gp->scale =
        gp->count && left > 1e-12 * (1 + gp->sum_yy) ? left / (double)gp->count : 1e-12;
}

static void clear_sums(struct ct_gp *gp)
{
    gp->sum_y1 = 0;
    gp->sum_11 = 0;
    gp->sum_yy = 0;
}

/* The last element of row i of the factor, given the others. */
static void finish_row(struct ct_gp *gp, size_t i)
{
    double *row = gp->factor + i * gp->room;
    double left = 1 + gp->hyper.noise - ct_dot(row, row, i);

    /* Rounding error; the noise alone would leave at least this much. */
    if (left < gp->hyper.noise || left < 1e-9)
        left = gp->hyper.noise > 1e-9 ? gp->hyper.noise : 1e-9;
    row[i] = sqrt(left);
}

/* Whitens y for row i of the factor. */
static void whiten_target(struct ct_gp *gp, size_t i)
{
    const double *row = gp->factor + i * gp->room;

    gp->white_y[i] = (gp->y[i] - ct_dot(row, gp->white_y, i)) / row[i];
    gp->white_1[i] = (1 - ct_dot(row, gp->white_1, i)) / row[i];
    gp->sum_y1 += gp->white_y[i] * gp->white_1[i];
    gp->sum_11 += gp->white_1[i] * gp->white_1[i];
    gp->sum_yy += gp->white_y[i] * gp->white_y[i];
}

bool ct_gp_add(struct ct_gp *gp, const uint16_t *x, double y)
{
    double *row = gp->factor + gp->count * gp->room;

    if (gp->count >= gp->room)
        return false;
    memcpy(gp->x + gp->count * gp->param_count, x, gp->param_count * sizeof(*x));
    gp->y[gp->count] = y;
    for (size_t i = 0; i < gp->count; i++)
        row[i] = ct_gp_kernel(gp, gp->x + i * gp->param_count, x);
    ct_gp_whiten(gp, 0, row, row);
    finish_row(gp, gp->count);
    whiten_target(gp, gp->count);
    gp->count++;
    set_scale(gp);
    return true;
}

void ct_gp_clear(struct ct_gp *gp)
{
    gp->count = 0;
    clear_sums(gp);
    set_scale(gp);
}

void ct_gp_whiten(const struct ct_gp *gp, size_t from, const double *values, double *out)
{
    for (size_t i = from; i < gp->count; i++) {
        const double *row = gp->factor + i * gp->room;

        out[i] = (values[i] - ct_dot(row, out, i)) / row[i];
    }
}

void ct_gp_set_y(struct ct_gp *gp, const double *y)
{
    gp->sum_y1 = 0;
    gp->sum_yy = 0;
    memcpy(gp->y, y, gp->count * sizeof(*y));
    ct_gp_whiten(gp, 0, y, gp->white_y);
    for (size_t i = 0; i < gp->count; i++) {
        gp->sum_y1 += gp->white_y[i] * gp->white_1[i];
        gp->sum_yy += gp->white_y[i] * gp->white_y[i];
    }
    set_scale(gp);
}

/* Computes the factor from scratch, column by column: the elements of a column, unlike those of a
 * row, do not depend on each other. */
static void factorise_covariance(struct ct_gp *gp)
{
    for (size_t j = 0; j < gp->count; j++) {
        const uint16_t *x = gp->x + j * gp->param_count;
        const double *row = gp->factor + j * gp->room;

        finish_row(gp, j);
        for (size_t i = j + 1; i < gp->count; i++) {
            double *below = gp->factor + i * gp->room;
            double k = ct_gp_kernel(gp, x, gp->x + i * gp->param_count);

            below[j] = (k - ct_dot(row, below, j)) / row[j];
        }
    }
}

bool ct_gp_left_out(const struct ct_gp *gp, double *mean, double *variance)
{
    size_t n = gp->count;
    double *column = ct_mem_array(n, sizeof(*column));

    if (!column)
        return false;
    /* Column i of the factor's inverse starts at i: its square is an element of the inverse's
     * diagonal, and its product with the whitened rest an element of the inverse times the rest. */
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        double product = 0;

        for (size_t k = i; k < n; k++) {
            const double *row = gp->factor + k * gp->room;

            column[k] = ((k == i) - ct_dot(row + i, column + i, k - i)) / row[k];
            square += column[k] * column[k];
            product += column[k] * (gp->white_y[k] - gp->mean * gp->white_1[k]);
        }
        mean[i] = gp->y[i] - product / square;
        variance[i] = gp->scale / square;
    }
    free(column);
    return true;
}

void ct_gp_refresh(struct ct_gp *gp)
{
    for (size_t p = 0; p < gp->param_count; p++)
        fill_table(gp, p);
    clear_sums(gp);
    factorise_covariance(gp);
    for (size_t i = 0; i < gp->count; i++)
        whiten_target(gp, i);
    set_scale(gp);
}
