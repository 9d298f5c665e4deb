// SPDX-License-Identifier: Apache-2.0
// How a configuration was timed.
#include "tune/timing.h"

struct ct_timing ct_timing_of(const struct ct_outcome *outcome)
{
    struct ct_timing timing = {
        .sample_ns = outcome->time_ns * outcome->samples.launches,
        .timer_ns = outcome->samples.timer_ns,
        .wall_clock = outcome->wall_clock,
    };

    if (outcome->samples.count) {
        ct_stats_oddities_of(outcome->samples.ns, outcome->samples.count,
                             &timing.oddities);
        timing.cost_ns =
            (double)outcome->spent_ns[CT_PHASE_MEASURE] / (double)outcome->samples.count;
    }
    timing.fixed_ns =
        (double)(outcome->spent_ns[CT_PHASE_BUILD] + outcome->spent_ns[CT_PHASE_FIRST] +
                 outcome->spent_ns[CT_PHASE_CHECK]);
    return timing;
}
