// SPDX-License-Identifier: Apache-2.0
// The chance that a better configuration remains.
#include "search/surrogate/surrogate.h"

#include "base/rng.h"

#include <math.h>

enum { JOINT = 64, DRAWS = 2000, NEXT = 3 };

/* What the regression calls noise differs from one configuration to the next, and stays when one is
 * measured again: it is part of what a configuration that was not tried may gain. */
static double own_variance(const struct ct_surrogate *self)
{
    return self->gp->hyper.noise * self->gp->scale;
}

double ct_surrogate_promise(const struct ct_surrogate *self, double mean, double sd)
{
    double z = (ct_surrogate_goal(self, CT_SURROGATE_ANY) - mean) /
               sqrt(sd * sd + own_variance(self) + 1e-30);

    return erfc(-z / sqrt(2)) / 2;
}

/* The candidates most likely to be below the limit: their positions in the pool. */
static size_t likeliest(const struct ct_surrogate *self, double limit, size_t *out)
{
    double z[JOINT];
    size_t found = 0;

    for (size_t c = 0; c < self->pool.count; c++) {
        double mean;
        double variance;
        double own;
        size_t at;

        if (ct_history_has(&self->history, self->pool.indices[c]))
            continue;
        ct_surrogate_at(self, c, &mean, &variance);
        own = (limit - mean) / sqrt(variance + own_variance(self) + 1e-30);
        if (found == JOINT && own <= z[JOINT - 1])
            continue;
        at = found < JOINT ? found++ : JOINT - 1;
        for (; at > 0 && own > z[at - 1]; at--) {
            z[at] = z[at - 1];
            out[at] = out[at - 1];
        }
        z[at] = own;
        out[at] = c;
    }
    return found;
}

/* Posterior covariance of candidates a and b. */
static double covariance(const struct ct_surrogate *self, size_t a, size_t b)
{
    const struct ct_gp_panel *panel = &self->pool.panel;
    double k;

    ct_features_codes(&self->features, self->pool.indices[a], self->codes);
    ct_features_codes(&self->features, self->pool.indices[b], self->other);
    k = ct_gp_kernel(self->gp, self->codes, self->other);
    for (size_t i = 0; i < panel->rows; i++)
        k -= (double)panel->v[i * panel->stride + a] *
             (double)panel->v[i * panel->stride + b];
    return k * self->gp->scale;
}

/* Factor that turns normal numbers into Student's t, as the scale is estimated from `count`
 * observations with one mean: sqrt(f / chi^2), f degrees of freedom, by the cube of Wilson and
 * Hilferty (1931). */
static double student(struct ct_rng *rng, size_t count)
{
    double f = count > 2 ? (double)(count - 1) : 1;
    double root = 1 - 2 / (9 * f) + ct_rng_normal(rng) * sqrt(2 / (9 * f));
    double chi = root * root * root;

    return 1 / sqrt(chi > 0.01 ? chi : 0.01);
}

/* How far the best is ahead of the next three: the mean of their y.  A lower bound is none of them. */
static double lead(const struct ct_surrogate *self)
{
    double least[1 + NEXT];
    size_t found = 0;
    double sum = 0;

    for (size_t s = 0; s < self->data.count; s++) {
        double cost = self->data.samples[s].cost;
        size_t at = found;

        if (!(cost < INFINITY) || self->data.samples[s].censored ||
            (found > NEXT && cost >= least[NEXT]))
            continue;
        if (found > NEXT)
            at = NEXT;
        else
            found++;
        for (; at > 0 && cost < least[at - 1]; at--)
            least[at] = least[at - 1];
        least[at] = cost;
    }
    for (size_t i = 1; i < found; i++)
        sum += ct_surrogate_y(self, least[i]) / NEXT;
    return sum;
}

/* What a probability of the model turned out to mean on recorded and made spaces: it takes itself too
 * seriously both ways.  Results without an improvement count for more than it thinks, unless it
 * expected improvements of them; where much fails, and where the best is far ahead of the next, more
 * remains than it thinks.  A logistic regression of what remained (Platt, "Probabilistic outputs for
 * support vector machines", 1999); doc/strategies.md has the tables. */
static double calibrate(const struct ct_surrogate *self, size_t hits)
{
    double results = (double)self->data.result_count;
    double odds = ((double)hits + 0.5) / ((double)(DRAWS - hits) + 0.5);
    double fruitless = results - (double)self->fit.improved;
    double z = 4.3 + 0.37 * log(odds) - 0.55 * log1p(fruitless) +
               0.58 * log(0.1 + self->fit.promised) +
               3.6 * (1 - (double)self->data.ok_count / results) +
               0.52 * log(0.005 + lead(self));

    return 1 / (1 + exp(-z));
}

double ct_surrogate_chance(struct ct_surrogate *self, double limit)
{
    size_t at[JOINT];
    double mean[JOINT];
    double factor[JOINT][JOINT];
    size_t n = likeliest(self, limit, at);
    double own = sqrt(own_variance(self));
    struct ct_rng rng;
    size_t hits = 0;

    for (size_t i = 0; i < n; i++) {
        double variance;

        ct_surrogate_at(self, at[i], &mean[i], &variance);
        for (size_t j = 0; j <= i; j++) {
            double sum = covariance(self, at[i], at[j]);

            for (size_t k = 0; k < j; k++)
                sum -= factor[i][k] * factor[j][k];
            if (i == j)
                factor[i][i] = sqrt(sum > 0 ? sum : 0);
            else
                factor[i][j] = factor[j][j] > 1e-9 ? sum / factor[j][j] : 0;
        }
    }
    ct_rng_seed(&rng, 1);
    for (size_t d = 0; d < DRAWS; d++) {
        double normal[JOINT];
        double spread = student(&rng, self->gp->count);
        bool hit = false;

        for (size_t i = 0; i < n; i++) {
            double y = mean[i] + own * ct_rng_normal(&rng);

            normal[i] = ct_rng_normal(&rng);
            for (size_t k = 0; k <= i; k++)
                y += spread * factor[i][k] * normal[k];
            hit = hit || y < limit;
        }
        hits += hit;
    }
    return calibrate(self, hits);
}
