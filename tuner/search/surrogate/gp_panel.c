// SPDX-License-Identifier: Apache-2.0
// Predictions for many configurations, kept up to date.
#include "search/surrogate/gp.h"

#include "base/mem.h"
#include "search/surrogate/lanes.h"

#include <stdlib.h>
#include <string.h>

/* a -= factor * b */
static void subtract(float *restrict a, const float *restrict b, float factor, size_t n)
{
    for (size_t i = 0; i < n; i += CT_LANES)
        *(ct_lanes *)(a + i) -= factor * ct_lanes_at(b + i);
}

/* Subtracts four rows at once: a is read and written once for all four. */
static void subtract4(float *restrict a, const float *restrict b, size_t stride,
                      const float factors[4])
{
    const float *b1 = b + stride;
    const float *b2 = b1 + stride;
    const float *b3 = b2 + stride;

    for (size_t i = 0; i < stride; i += CT_LANES) {
        ct_lanes sum = ct_lanes_at(a + i);

        sum -= factors[0] * ct_lanes_at(b + i);
        sum -= factors[1] * ct_lanes_at(b1 + i);
        sum -= factors[2] * ct_lanes_at(b2 + i);
        sum -= factors[3] * ct_lanes_at(b3 + i);
        *(ct_lanes *)(a + i) = sum;
    }
}

enum { GROUP = 256 }; /* combinations of values that a group of parameters may have */

/* Covariances of an observation with candidates. */
struct ct_gp_lookup {
    const struct ct_gp *gp;
    size_t stride; /* candidates, rounded up */
    size_t group_count;
    uint16_t *codes;   /* combination in group g of candidate c at [g * stride + c] */
    ct_products *room; /* GROUP for each group */
    /* By group: factors of one observation for its combinations. */
    const ct_products **tables;
};

/* Consecutive parameters are looked up as one, as long as their values have few combinations:
 * multiplying those out for an observation is much less work than doing so for every candidate.
 * Returns the end of the group that starts at parameter `p`. */
static size_t group_end(const struct ct_gp *gp, size_t p)
{
    size_t cells = gp->params[p].count;

    for (p++; p < gp->param_count && gp->params[p].count <= GROUP / cells; p++)
        cells *= gp->params[p].count;
    return p;
}

static size_t group_count(const struct ct_gp *gp)
{
    size_t count = 0;

    for (size_t p = 0; p < gp->param_count; p = group_end(gp, p))
        count++;
    return count;
}

/* Numbers the combinations in `count` configurations (row by row). */
static void encode(struct ct_gp_lookup *lookup, const uint16_t *configs, size_t count)
{
    const struct ct_gp *gp = lookup->gp;
    uint16_t *codes = lookup->codes;
    size_t end;

    for (size_t from = 0; from < gp->param_count; from = end, codes += lookup->stride) {
        end = group_end(gp, from);
        for (size_t c = 0; c < count; c++) {
            const uint16_t *config = configs + c * gp->param_count;
            size_t code = config[from];

            for (size_t p = from + 1; p < end; p++)
                code = code * gp->params[p].count + config[p];
            codes[c] = (uint16_t)code;
        }
    }
}

static void lookup_free(struct ct_gp_lookup *lookup)
{
    if (!lookup)
        return;
    free(lookup->codes);
    free(lookup->room);
    free(lookup->tables);
    free(lookup);
}

/* For `count` candidates; NULL if out of memory. */
static struct ct_gp_lookup *lookup_new(const struct ct_gp *gp, const uint16_t *configs,
                                       size_t count)
{
    struct ct_gp_lookup *lookup = ct_mem_array(1, sizeof(*lookup));
    size_t groups = group_count(gp);

    if (!lookup)
        return NULL;
    lookup->gp = gp;
    lookup->stride = (count + CT_LANES - 1) / CT_LANES * CT_LANES;
    lookup->group_count = groups;
    if (lookup->stride <= SIZE_MAX / (groups + 1))
        lookup->codes = ct_mem_array(lookup->stride * groups, sizeof(*lookup->codes));
    lookup->room = ct_mem_array(groups * GROUP, sizeof(*lookup->room));
    lookup->tables = ct_mem_array(groups, sizeof(*lookup->tables));
    if (!lookup->codes || !lookup->room || !lookup->tables) {
        lookup_free(lookup);
        return NULL;
    }
    encode(lookup, configs, count);
    return lookup;
}

/* Factors of the kernel for the values of parameter `p` combined with x's. */
static const ct_products *factors_of(const struct ct_gp *gp, size_t p, const uint16_t *x)
{
    return (const ct_products *)(gp->table[p] + 2 * (size_t)x[p] * gp->params[p].count);
}

/* The same for the combinations of a group: multiplied out in `room`, unless it is a single
 * parameter. */
static const ct_products *group_factors(const struct ct_gp *gp, size_t from, size_t end,
                                        const uint16_t *x, ct_products room[GROUP])
{
    size_t cells = gp->params[from].count;

    if (end == from + 1)
        return factors_of(gp, from, x);
    memcpy(room, factors_of(gp, from, x), cells * sizeof(*room));
    for (size_t p = from + 1; p < end; p++) {
        const ct_products *factors = factors_of(gp, p, x);
        size_t count = gp->params[p].count;

        /* From the end, as each expands to `count`. */
        for (size_t k = cells; k-- > 0;) {
            ct_products product = room[k];

            for (size_t v = 0; v < count; v++)
                room[k * count + v] = product * factors[v];
        }
        cells *= count;
    }
    return room;
}

/* row = K(x, candidates) */
static void kernel_row(struct ct_gp_lookup *lookup, const uint16_t *x,
                       float *restrict row)
{
    const struct ct_gp *gp = lookup->gp;
    const ct_products start = {1 - (float)gp->hyper.local, (float)gp->hyper.local};
    size_t from = 0;

    for (size_t g = 0; g < lookup->group_count; g++) {
        size_t end = group_end(gp, from);

        lookup->tables[g] = group_factors(gp, from, end, x, lookup->room + g * GROUP);
        from = end;
    }
    /* Four at a time: their multiplications do not depend on each other. */
    for (size_t c = 0; c < lookup->stride; c += CT_LANES) {
        const uint16_t *code = lookup->codes + c;
        ct_products a0 = start;
        ct_products a1 = start;
        ct_products a2 = start;
        ct_products a3 = start;

        for (size_t g = 0; g < lookup->group_count; g++, code += lookup->stride) {
            const ct_products *table = lookup->tables[g];

            a0 *= table[code[0]];
            a1 *= table[code[1]];
            a2 *= table[code[2]];
            a3 *= table[code[3]];
        }
        row[c] = a0[0] + a0[1];
        row[c + 1] = a1[0] + a1[1];
        row[c + 2] = a2[0] + a2[1];
        row[c + 3] = a3[0] + a3[1];
    }
}

/* Includes observation number `rows`. */
static void panel_add_row(struct ct_gp_panel *panel)
{
    const struct ct_gp *gp = panel->gp;
    size_t n = panel->rows;
    const double *factor = gp->factor + n * gp->room;
    float *row = panel->v + n * panel->stride;
    float scale = (float)(1 / factor[n]);
    float y = (float)gp->white_y[n];
    float one = (float)gp->white_1[n];
    size_t i = 0;

    kernel_row(panel->lookup, gp->x + n * gp->param_count, row);
    for (; i + 4 <= n; i += 4) {
        const float factors[4] = {(float)factor[i], (float)factor[i + 1],
                                  (float)factor[i + 2], (float)factor[i + 3]};

        subtract4(row, panel->v + i * panel->stride, panel->stride, factors);
    }
    for (; i < n; i++)
        subtract(row, panel->v + i * panel->stride, (float)factor[i], panel->stride);
    for (size_t c = 0; c < panel->stride; c += CT_LANES) {
        ct_lanes v = ct_lanes_at(row + c) * scale;

        *(ct_lanes *)(row + c) = v;
        *(ct_lanes *)(panel->sum_y + c) += v * y;
        *(ct_lanes *)(panel->sum_1 + c) += v * one;
        *(ct_lanes *)(panel->explained + c) += v * v;
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
        panel_add_row(panel);
    return true;
}

bool ct_gp_panel_set(struct ct_gp_panel *panel, const struct ct_gp *gp,
                     const uint16_t *configs, size_t count)
{
    struct ct_gp_lookup *lookup = lookup_new(gp, configs, count);
    size_t stride;

    ct_gp_panel_release(panel);
    if (!lookup)
        return false;
    stride = lookup->stride;
    panel->gp = gp;
    panel->lookup = lookup;
    panel->count = count;
    panel->stride = stride;
    panel->sum_y = ct_mem_array(stride, sizeof(float));
    panel->sum_1 = ct_mem_array(stride, sizeof(float));
    panel->explained = ct_mem_array(stride, sizeof(float));
    if (!panel->sum_y || !panel->sum_1 || !panel->explained ||
        !ct_gp_panel_follow(panel)) {
        ct_gp_panel_release(panel);
        return false;
    }
    return true;
}

void ct_gp_panel_sum(const struct ct_gp_panel *panel, size_t from, const double *white,
                     float *out)
{
    size_t i = from;

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
    memset(panel->sum_y, 0, panel->stride * sizeof(*panel->sum_y));
    ct_gp_panel_sum(panel, 0, panel->gp->white_y, panel->sum_y);
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
    lookup_free(panel->lookup);
    free(panel->v);
    free(panel->sum_y);
    free(panel->sum_1);
    free(panel->explained);
    memset(panel, 0, sizeof(*panel));
}

/* A^-1 values, from whitened values, in place. */
static void solve_weights(const struct ct_gp *gp, double *weights)
{
    for (size_t i = gp->count; i-- > 0;) {
        const double *row = gp->factor + i * gp->room;

        weights[i] /= row[i];
        for (size_t j = 0; j < i; j++)
            weights[j] -= row[j] * weights[i];
    }
}

/* Adds to each of `sums` the covariances of all observations times its weights; `largest` (NULL: not
 * needed) becomes the largest.  False if out of memory. */
static bool sum_covariances(const struct ct_gp *gp, const uint16_t *configs, size_t count,
                            double *const *weights, size_t sum_count, float *const *sums,
                            float *largest)
{
    struct ct_gp_lookup *lookup = lookup_new(gp, configs, count);
    float *row = lookup ? ct_mem_array(lookup->stride, sizeof(*row)) : NULL;
    bool enough = row != NULL;

    for (size_t i = 0; i < gp->count && enough; i++) {
        kernel_row(lookup, gp->x + i * gp->param_count, row);
        for (size_t s = 0; s < sum_count; s++) {
            float weight = (float)weights[s][i];
            float *sum = sums[s];

            for (size_t c = 0; c < count; c++)
                sum[c] += weight * row[c];
        }
        for (size_t c = 0; c < count && largest; c++)
            largest[c] = row[c] > largest[c] ? row[c] : largest[c];
    }
    free(row);
    lookup_free(lookup);
    return enough;
}

bool ct_gp_scan(const struct ct_gp *gp, const uint16_t *configs, size_t count,
                float *mean, float *variance)
{
    double *weights = ct_mem_array(gp->count, sizeof(*weights));
    bool enough = weights != NULL;

    for (size_t i = 0; i < gp->count && enough; i++)
        weights[i] = gp->white_y[i] - gp->mean * gp->white_1[i];
    if (enough)
        solve_weights(gp, weights);
    for (size_t c = 0; c < count; c++) {
        mean[c] = (float)gp->mean;
        variance[c] = 0; /* the largest covariance, for now */
    }
    enough = enough && sum_covariances(gp, configs, count, &weights, 1, &mean, variance);
    for (size_t c = 0; c < count && enough; c++) {
        float k = variance[c];

        variance[c] = (float)gp->scale * (1 - k * k / (1 + (float)gp->hyper.noise));
    }
    free(weights);
    return enough;
}

bool ct_gp_scan_others(const struct ct_gp *gp, const uint16_t *configs, size_t count,
                       double *const *others, size_t other_count, float *const *out)
{
    for (size_t s = 0; s < other_count; s++) {
        ct_gp_whiten(gp, 0, others[s], others[s]);
        solve_weights(gp, others[s]);
        memset(out[s], 0, count * sizeof(*out[s]));
    }
    return sum_covariances(gp, configs, count, others, other_count, out, NULL);
}
