// SPDX-License-Identifier: Apache-2.0
// The expected time to evaluate a candidate, by the regression of the objective.
//
// The logarithms of evaluation times, less their mean m where they are known, are whitened and
// summed over the panel like the objective.  As the sums are linear, those of the logarithms and
// of an indicator of known ones are kept separately: m changes with every result, and each of the
// sums needs only a single row of the panel.
#include "search/surrogate/surrogate.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

const double ct_surrogate_thrift = 0.5;

bool ct_surrogate_prices_init(struct ct_surrogate_prices *prices)
{
    prices->spent = ct_mem_array(CT_SURROGATE_ROOM, sizeof(*prices->spent));
    prices->known = ct_mem_array(CT_SURROGATE_ROOM, sizeof(*prices->known));
    return prices->spent && prices->known;
}

void ct_surrogate_prices_release(struct ct_surrogate_prices *prices)
{
    free(prices->spent);
    free(prices->known);
    free(prices->spent_sums);
    free(prices->known_sums);
}

void ct_surrogate_prices_forget(struct ct_surrogate_prices *prices)
{
    prices->rows = 0;
}

/* Starts without observations. */
static bool restart(struct ct_surrogate *self)
{
    struct ct_surrogate_prices *prices = &self->prices;
    size_t stride = self->pool.panel.stride;

    free(prices->spent_sums);
    free(prices->known_sums);
    prices->spent_sums = ct_mem_array(stride, sizeof(*prices->spent_sums));
    prices->known_sums = ct_mem_array(stride, sizeof(*prices->known_sums));
    prices->known_count = 0;
    prices->total = 0;
    return prices->spent_sums && prices->known_sums;
}

bool ct_surrogate_prices_follow(struct ct_surrogate *self)
{
    struct ct_surrogate_prices *prices = &self->prices;
    size_t rows = self->gp->count;
    size_t from = prices->rows;

    if (!from && !restart(self))
        return false;
    for (size_t i = from; i < rows; i++) {
        const struct ct_surrogate_sample *sample = &self->data.samples[self->fit.rows[i]];
        double spent_ns = sample->spent_ns;

        prices->spent[i] = 0;
        prices->known[i] = spent_ns > 0;
        if (!(spent_ns > 0))
            continue;
        /* Near 0, so that sums in single precision do not cancel. */
        if (!prices->known_count)
            prices->unit_ns = spent_ns;
        prices->spent[i] = log(spent_ns / prices->unit_ns);
        prices->total += prices->spent[i];
        prices->known_count++;
    }
    ct_gp_whiten(self->gp, from, prices->spent, prices->spent);
    ct_gp_whiten(self->gp, from, prices->known, prices->known);
    ct_gp_panel_sum(&self->pool.panel, from, prices->spent, prices->spent_sums);
    ct_gp_panel_sum(&self->pool.panel, from, prices->known, prices->known_sums);
    prices->rows = rows;
    return true;
}

double ct_surrogate_price(const struct ct_surrogate *self, size_t c)
{
    const struct ct_surrogate_prices *prices = &self->prices;
    double mean = prices->known_count ? prices->total / (double)prices->known_count : 0;

    return (double)prices->spent_sums[c] - mean * (double)prices->known_sums[c];
}

void ct_surrogate_worth(const struct ct_surrogate *self, const float *white, double *out)
{
    const struct ct_surrogate_prices *prices = &self->prices;
    double mean = prices->known_count ? prices->total / (double)prices->known_count : 0;
    double spent[CT_GP_TOGETHER];
    double known[CT_GP_TOGETHER];

    ct_gp_predict_others(white, prices->spent, prices->rows, spent);
    ct_gp_predict_others(white, prices->known, prices->rows, known);
    for (size_t c = 0; c < CT_GP_TOGETHER; c++)
        out[c] = exp(-ct_surrogate_thrift * (spent[c] - mean * known[c]));
}
