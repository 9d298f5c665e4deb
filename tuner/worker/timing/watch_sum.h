// SPDX-License-Identifier: Apache-2.0
// From clocks and sensors read before and after to quantities: the arithmetic of
// worker/timing/watch.h, without a device.
#ifndef CT_WORKER_TIMING_WATCH_SUM_H
#define CT_WORKER_TIMING_WATCH_SUM_H

#include "base/quantity.h"
#include "device/nvml.h"
#include "worker/timing/hostload.h"

/* Everything that can be read at one moment. */
struct ct_watch_mark {
    struct ct_hostload host;
    struct ct_nvml_reading sensors;
};

struct ct_watch_mean {
    double sum; /* of value times weight */
    double weight;
};

/* What has been seen so far; all zeros: nothing. */
struct ct_watch_sum {
    double wall_ns;
    double own_ns;
    double busy_wall_ns; /* for which it is known what the processors did */
    double others_ns;
    double energy_wall_ns; /* for which power or energy are known */
    double energy_j;
    double energy_pipelines;
    struct ct_watch_mean core_clock_mhz;
    struct ct_watch_mean memory_clock_mhz;
    struct ct_watch_mean temperature_c;
    bool throttled_known;
    bool throttled;
};

/* Adds the time between two marks, in which `pipelines` were run. */
void ct_watch_sum_add(struct ct_watch_sum *sum, const struct ct_watch_mark *begin,
                      const struct ct_watch_mark *end, uint64_t pipelines);

/* Processors that others kept busy, never below 0; NAN when that is not known or fewer
 * than five of the system's steps have passed. */
double ct_watch_sum_others(const struct ct_watch_sum *sum);

/* Sets those quantities that are known and unsets those that are not; counters and times
 * stay as they are. */
void ct_watch_sum_tell(const struct ct_watch_sum *sum, struct ct_quantities *out);

#endif
