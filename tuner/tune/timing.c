// SPDX-License-Identifier: Apache-2.0
// How a configuration was timed.
#include "tune/timing.h"

struct ct_timing ct_timing_of(const struct ct_outcome *outcome)
{
    struct ct_timing timing = {
        .sample_ns = outcome->time_ns * outcome->launches_per_sample,
        .timer_ns = outcome->timer_ns,
        .wall_clock = outcome->wall_clock,
    };

    if (outcome->sample_count)
        ct_stats_oddities_of(outcome->samples_ns, outcome->sample_count,
                             &timing.oddities);
    return timing;
}
