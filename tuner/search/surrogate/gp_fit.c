// SPDX-License-Identifier: Apache-2.0
// Fits the regression: rates and noise with the largest posterior density.
#include "search/surrogate/gp_posterior.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Climbs by the signs of the gradient (Rprop without weight-backtracking: Igel and
 * Husken, 2003), which needs no line search.  `at` has room for five times the variables. */
static void climb(struct ct_gp_posterior *posterior, size_t steps, double *at)
{
    size_t count = ct_gp_posterior_count(posterior);
    double *gradient = at + count;
    double *best_at = at + 2 * count;
    double *step = at + 3 * count;
    double *last_gradient = at + 4 * count;
    double best = -INFINITY;

    ct_gp_posterior_get(posterior, at);
    for (size_t v = 0; v < count; v++) {
        best_at[v] = at[v];
        step[v] = 0.4;
        last_gradient[v] = 0;
    }
    for (size_t s = 0; s < steps; s++) {
        double value = ct_gp_posterior_at(posterior, at, gradient);

        if (value > best) {
            best = value;
            memcpy(best_at, at, count * sizeof(*at));
        }
        if (!(value > -INFINITY)) /* back towards what worked, with more noise */
            memset(gradient, 0, count * sizeof(*gradient));
        for (size_t v = 0; v < count; v++) {
            double turn = gradient[v] * last_gradient[v];

            if (turn > 0)
                step[v] = step[v] * 1.2 < 1 ? step[v] * 1.2 : 1;
            else if (turn < 0)
                step[v] = step[v] / 2 > 0.01 ? step[v] / 2 : 0.01;
            last_gradient[v] = turn < 0 ? 0 : gradient[v];
            if (!(value > -INFINITY))
                at[v] = best_at[v] + (v == count - 1 ? 1 : 0);
            else if (turn >= 0 && gradient[v] != 0)
                at[v] += gradient[v] > 0 ? step[v] : -step[v];
            at[v] = ct_gp_posterior_within(posterior, v, at[v]);
        }
    }
    ct_gp_posterior_set(posterior, best_at);
}

bool ct_gp_fit(struct ct_gp *gp, size_t steps, bool local)
{
    struct ct_gp_posterior *posterior;
    double *at = NULL;

    if (gp->count < 2)
        return true;
    posterior = ct_gp_posterior_new(gp, local);
    if (posterior)
        at = ct_mem_array(5 * ct_gp_posterior_count(posterior), sizeof(*at));
    if (at) {
        climb(posterior, steps, at);
        ct_gp_refresh(gp);
    }
    free(at);
    ct_gp_posterior_free(posterior);
    return at != NULL;
}
