// SPDX-License-Identifier: Apache-2.0
// How a configuration was timed, to judge whether its time can be trusted.
#ifndef CT_TUNE_TIMING_H
#define CT_TUNE_TIMING_H

#include "base/stats.h"
#include "protocol/outcome.h"

#include <stdbool.h>

/* All zeros: unknown. */
struct ct_timing {
    struct ct_stats_oddities oddities;
    double sample_ns; /* all runs of one sample together */
    double cost_ns;  /* that measuring took for each sample; a program also starts, say */
    double fixed_ns; /* that it took besides: building, launching first, checking */
    double timer_ns;
    bool wall_clock; /* instead of the device's clock, which was implausible */
};

struct ct_timing ct_timing_of(const struct ct_outcome *outcome);

#endif
