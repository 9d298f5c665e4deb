// SPDX-License-Identifier: Apache-2.0
// What the surrogate's files compute of its data: y and costs, predictions, expected improvement,
// distances.
#include "search/surrogate/surrogate.h"

#include <math.h>

/* How far above the best a cost is: the logarithm of their ratio, compressed for large ratios
 * (`bend`, the square root of e).  What is many times slower than the best need not be distinguished
 * from what is slower still; otherwise a few such observations dominate what the regression
 * learns about the scale. */
static const double bend = 0.5;

double ct_surrogate_excess(double cost, double best)
{
    double excess = best > 0 ? log(cost / best) : log(best / cost);

    return excess > 0 ? bend * log1p(excess / bend) : excess;
}

double ct_surrogate_y(const struct ct_surrogate *self, double cost)
{
    return self->data.logarithmic ? ct_surrogate_excess(cost, self->data.best) : cost;
}

/* Where many configurations are about as fast as the best, each of those that are left may be better
 * by a little, and all of them together keep a search busy that has yet to find out what else is
 * fast.  So only what is 5% better counts. */
static const double margin = 0.05;

bool ct_surrogate_has_stalled(const struct ct_surrogate *self)
{
    return self->data.result_count - self->fit.improved >= CT_SURROGATE_PATIENCE;
}

double ct_surrogate_goal(const struct ct_surrogate *self, size_t arm)
{
    double best = ct_surrogate_arms_best(self, arm);

    /* Without logarithms, the scale is unknown.  Of an arm that the search does not look at otherwise,
     * any improvement counts. */
    return self->data.logarithmic && arm == CT_SURROGATE_ANY ? best - margin : best;
}

void ct_surrogate_at(const struct ct_surrogate *self, size_t c, double *mean,
                     double *variance)
{
    ct_gp_panel_at(&self->pool.panel, c, mean, variance);
    if (self->transfer.source_count)
        *mean += ct_surrogate_transfer_sum(self, self->pool.transfer +
                                                     c * self->transfer.source_count);
}

double ct_surrogate_cost(const struct ct_surrogate *self, double y)
{
    double excess = y > 0 ? bend * (exp(y / bend) - 1) : y;

    if (!self->data.logarithmic)
        return y;
    return self->data.best * exp(self->data.best > 0 ? excess : -excess);
}

double ct_surrogate_improvement(double mean, double sd, double best)
{
    double z = (best - mean) / sd;

    if (!(sd > 0))
        return best > mean ? best - mean : 0;
    return sd * (z * erfc(-z / sqrt(2)) / 2 + exp(-z * z / 2) / sqrt(2 * acos(-1)));
}

double ct_surrogate_improvement_most(double mean, double sd, double best)
{
    const double density = 1 / sqrt(2 * acos(-1));
    const double rounding = 1 + 1e-9;
    double z = (best - mean) / sd;
    double x = z * z / 2;
    double series = 1; /* of exp(x), from below */

    if (!(sd > 0))
        return best > mean ? best - mean : 0;
    if (z >= 0)
        return sd * (z + density) * rounding;
    series +=
        x *
        (1 + x * (1. / 2) *
                 (1 + x * (1. / 3) *
                          (1 + x * (1. / 4) * (1 + x * (1. / 5) * (1 + x * (1. / 6))))));
    /* The tail probability beyond z is at least density * exp(-x) * |z| / (1 + z^2) (Gordon,
     * "Values of Mills' ratio of area to bounding ordinate", 1941). */
    return sd * density * rounding / (series * (1 + z * z));
}

double ct_surrogate_nearest(struct ct_surrogate *self, uint64_t index)
{
    double near = INFINITY;

    ct_features_codes(&self->features, index, self->codes);
    for (size_t s = 0; s < self->data.count; s++) {
        double d;

        ct_features_codes(&self->features, self->data.samples[s].index, self->other);
        d = ct_features_distance(&self->features, self->codes, self->other);
        near = d < near ? d : near;
    }
    return near;
}
