// SPDX-License-Identifier: Apache-2.0
// Results that are lower bounds, as measuring was stopped: what they are expected to be.
#include "search/surrogate/surrogate.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

double ct_surrogate_beyond(double mean, double sd, double bound)
{
    double z = (bound - mean) / sd;
    double tail = erfc(z / sqrt(2)) / 2;

    if (!(sd > 0) || z > 5) /* the bound itself, nearly */
        return mean > bound ? mean : bound;
    return mean + sd * exp(-z * z / 2) / sqrt(2 * acos(-1)) / tail;
}

bool ct_surrogate_expect_censored(struct ct_surrogate *self)
{
    size_t n = self->gp->count;
    double *mean;
    double *variance;
    bool enough;

    if (!self->data.censored_count || !self->data.logarithmic)
        return true;
    mean = ct_mem_array(n, sizeof(*mean));
    variance = ct_mem_array(n, sizeof(*variance));
    enough = mean && variance && ct_gp_left_out(self->gp, mean, variance);
    for (size_t i = 0; i < n && enough; i++) {
        struct ct_surrogate_sample *sample = &self->data.samples[self->fit.rows[i]];
        double there = ct_surrogate_transfer_sum(self, sample->there);
        double bound;

        if (!sample->censored)
            continue;
        bound = ct_surrogate_y(self, sample->cost);
        sample->expected = ct_surrogate_cost(
            self, ct_surrogate_beyond(mean[i] + there, sqrt(variance[i]), bound));
        self->fit.changed = true;
    }
    free(mean);
    free(variance);
    return enough;
}
