// SPDX-License-Identifier: Apache-2.0
// The expected time to evaluate a candidate, and whether it works, by the regression of the
// objective.
//
// The logarithms of evaluation times, less their mean m where they are known, are whitened and
// summed over the panel like the objective.  As the sums are linear, those of the logarithms and
// of an indicator of known ones are kept separately: m changes with every result, and each of the
// sums needs only a single row of the panel.  Failures are regressed in the same way, on an
// indicator: a linear probability model, whose covariance knows which parameters matter.
#include "search/surrogate/surrogate.h"

#include "base/mem.h"
#include "search/surrogate/dot.h"

#include <math.h>
#include <stdlib.h>

const double ct_surrogate_thrift = 0.5;

bool ct_surrogate_prices_init(struct ct_surrogate_prices *prices)
{
    prices->spent = ct_mem_array(CT_SURROGATE_ROOM, sizeof(*prices->spent));
    prices->known = ct_mem_array(CT_SURROGATE_ROOM, sizeof(*prices->known));
    prices->failed = ct_mem_array(CT_SURROGATE_ROOM, sizeof(*prices->failed));
    prices->told = ct_mem_array(CT_SURROGATE_ROOM, sizeof(*prices->told));
    return prices->spent && prices->known && prices->failed && prices->told;
}

void ct_surrogate_prices_release(struct ct_surrogate_prices *prices)
{
    free(prices->spent);
    free(prices->known);
    free(prices->failed);
    free(prices->told);
    free(prices->spent_sums);
    free(prices->known_sums);
    free(prices->failed_sums);
    free(prices->told_sums);
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
    free(prices->failed_sums);
    free(prices->told_sums);
    prices->spent_sums = ct_mem_array(stride, sizeof(*prices->spent_sums));
    prices->known_sums = ct_mem_array(stride, sizeof(*prices->known_sums));
    prices->failed_sums = ct_mem_array(stride, sizeof(*prices->failed_sums));
    prices->told_sums = ct_mem_array(stride, sizeof(*prices->told_sums));
    prices->known_count = 0;
    prices->total = 0;
    prices->result_count = 0;
    prices->failed_count = 0;
    return prices->spent_sums && prices->known_sums && prices->failed_sums &&
           prices->told_sums;
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
        bool failed = sample->has_result && !(sample->cost < INFINITY);

        prices->told[i] = sample->has_result;
        prices->failed[i] = failed;
        prices->result_count += sample->has_result;
        prices->failed_count += failed;
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
    ct_gp_whiten(self->gp, from, prices->failed, prices->failed);
    ct_gp_whiten(self->gp, from, prices->told, prices->told);
    ct_gp_panel_sum(&self->pool.panel, from, prices->failed, prices->failed_sums);
    ct_gp_panel_sum(&self->pool.panel, from, prices->told, prices->told_sums);
    prices->rows = rows;
    return true;
}

double ct_surrogate_price(const struct ct_surrogate *self, size_t c)
{
    const struct ct_surrogate_prices *prices = &self->prices;
    double mean = prices->known_count ? prices->total / (double)prices->known_count : 0;

    return (double)prices->spent_sums[c] - mean * (double)prices->known_sums[c];
}

/* How certainly a configuration works, from the regressions' sums at it. */
static double certainty(const struct ct_surrogate_prices *prices, double failed,
                        double told)
{
    const double least = 0.01; /* never excluded: a regression is no proof */
    const double sharpness = 4;
    double share;
    double works;

    if (!prices->failed_count)
        return 1;
    /* One failure and one success more, so that the first results do not decide. */
    share = ((double)prices->failed_count + 1) / ((double)prices->result_count + 2);
    works = 1 - share - failed + share * told;
    works = works < least ? least : works < 1 ? works : 1;
    /* A linear model stays between the share and the truth, while failures have sharp borders. */
    return pow(works, sharpness);
}

double ct_surrogate_works(const struct ct_surrogate *self, size_t c)
{
    const struct ct_surrogate_prices *prices = &self->prices;

    return certainty(prices, (double)prices->failed_sums[c],
                     (double)prices->told_sums[c]);
}

double ct_surrogate_worth(const struct ct_surrogate *self, const double *white)
{
    const struct ct_surrogate_prices *prices = &self->prices;
    size_t n = prices->rows;
    double mean = prices->known_count ? prices->total / (double)prices->known_count : 0;
    double price =
        ct_dot(white, prices->spent, n) - mean * ct_dot(white, prices->known, n);

    return exp(-ct_surrogate_thrift * price) * certainty(prices,
                                                         ct_dot(white, prices->failed, n),
                                                         ct_dot(white, prices->told, n));
}
