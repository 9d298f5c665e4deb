// SPDX-License-Identifier: Apache-2.0
// Changes of a device's speed.
#include "judge/drift.h"

#include "base/mem.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double least_threshold = 0.03;

enum ct_status ct_drift_add(struct ct_drift *drift, double time_ns, uint64_t evaluations,
                            struct ct_err *err)
{
    size_t both = drift->capacity;

    if (!(time_ns > 0))
        return CT_OK;
    if (!ct_mem_grow(&drift->evaluations, &both, drift->count + 1,
                     sizeof(*drift->evaluations)) ||
        !ct_mem_grow(&drift->times_ns, &drift->capacity, drift->count + 1,
                     sizeof(*drift->times_ns)))
        return ct_err_nomem(err);
    drift->times_ns[drift->count] = time_ns;
    drift->evaluations[drift->count++] = evaluations;
    return CT_OK;
}

void ct_drift_release(struct ct_drift *drift)
{
    free(drift->times_ns);
    free(drift->evaluations);
    memset(drift, 0, sizeof(*drift));
}

size_t ct_drift_epoch(const struct ct_drift *drift)
{
    return drift->count;
}

double ct_drift_ratio(const struct ct_drift *drift, double time_ns)
{
    double threshold = fmax(drift->threshold, least_threshold);
    double value = time_ns / drift->times_ns[0];

    return fabs(log(value)) > log1p(threshold) ? value : 1;
}

static double drift_ratio(const struct ct_drift *drift, size_t index)
{
    return ct_drift_ratio(drift, drift->times_ns[index]);
}

double ct_drift_confirmed(double change, double witness)
{
    const double least = 0.5;

    if (isnan(witness))
        return change;
    if ((change > 1) != (witness > 1))
        return 1;
    return fabs(log(witness)) >= least * fabs(log(change)) ? change : witness;
}

double ct_drift_mapped(const struct ct_drift_anchor *fast,
                       const struct ct_drift_anchor *slow, double time_ns)
{
    const double apart = 1.5;
    double slope;

    if (!(fast->before_ns > 0) || !(slow->before_ns > apart * fast->before_ns) ||
        !(slow->now_ns > fast->now_ns))
        return NAN;
    if (time_ns <= fast->before_ns)
        return fast->now_ns / fast->before_ns;
    if (time_ns >= slow->before_ns)
        return slow->now_ns / slow->before_ns;
    slope = (slow->now_ns - fast->now_ns) / (slow->before_ns - fast->before_ns);
    return (fast->now_ns + slope * (time_ns - fast->before_ns)) / time_ns;
}

double ct_drift_speed(const struct ct_drift *drift, size_t epoch)
{
    if (!drift->count || !epoch)
        return 1;
    if (epoch >= drift->count)
        return drift_ratio(drift, drift->count - 1);
    return sqrt(drift_ratio(drift, epoch - 1) * drift_ratio(drift, epoch));
}

double ct_drift_change(const struct ct_drift *drift, uint64_t *since)
{
    double most = 1;

    for (size_t i = 1; i < drift->count; i++) {
        double now = drift_ratio(drift, i);
        double next = i + 1 < drift->count ? drift_ratio(drift, i + 1) : now;
        /* The smaller of two consecutive changes; none if they differ in sign. */
        double lasting = (now > 1) != (next > 1) || (now < 1) != (next < 1) ? 1
                         : fabs(log(now)) < fabs(log(next))                 ? now
                                                                            : next;

        if (fabs(log(lasting)) > fabs(log(most))) {
            most = lasting;
            *since = drift->evaluations[i];
        }
    }
    return most - 1;
}

double ct_drift_spread(const struct ct_drift *drift, double now_ns)
{
    size_t count = drift->count + 1;
    double *logs = count > 2 && now_ns > 0 ? ct_mem_array(count, sizeof(*logs)) : NULL;
    double spread;

    if (!logs)
        return 0;
    for (size_t i = 0; i < drift->count; i++)
        logs[i] = log(drift->times_ns[i]);
    logs[drift->count] = log(now_ns);
    spread = ct_stats_robust_deviation(logs, count);
    free(logs);
    return spread;
}
