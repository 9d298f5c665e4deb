// SPDX-License-Identifier: Apache-2.0
// What is kept of how a configuration was timed, for judging whether its time is to be doubted.
#ifndef CT_TUNE_TIMING_H
#define CT_TUNE_TIMING_H

#include "base/stats.h"
#include "protocol/outcome.h"

#include <stdbool.h>

/* All zeros: nothing is known. */
struct ct_timing {
    struct ct_stats_oddities oddities;
    double sample_ns; /* all runs of one sample together */
    double timer_ns;
    bool wall_clock; /* instead of the device's clock, which was not believed */
};

struct ct_timing ct_timing_of(const struct ct_outcome *outcome);

#endif
