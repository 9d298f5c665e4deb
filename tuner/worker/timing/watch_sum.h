// SPDX-License-Identifier: Apache-2.0
// Computes quantities from clocks and sensors read before and after: the arithmetic of
// worker/timing/watch.h, without a device.
#ifndef CT_WORKER_TIMING_WATCH_SUM_H
#define CT_WORKER_TIMING_WATCH_SUM_H

#include "base/quantity.h"
#include "device/nvml.h"
#include "worker/timing/hostload.h"

/* All readings of one moment. */
struct ct_watch_mark {
    struct ct_hostload host;
    struct ct_nvml_reading sensors;
};

struct ct_watch_mean {
    double sum; /* of value times weight */
    double weight;
};

/* Totals so far; all zeros: none. */
struct ct_watch_sum {
    double wall_ns;
    double own_ns;
    double busy_wall_ns; /* in which the processors' use is known */
    double others_ns;
    double energy_wall_ns; /* in which power or energy are known */
    double energy_j;
    double energy_pipelines;
    struct ct_watch_mean core_clock_mhz;
    struct ct_watch_mean memory_clock_mhz;
    struct ct_watch_mean temperature_c;
    bool throttled_known;
    bool throttled;
};

/* Adds the interval between two marks, in which `pipelines` were run. */
void ct_watch_sum_add(struct ct_watch_sum *sum, const struct ct_watch_mark *begin,
                      const struct ct_watch_mark *end, uint64_t pipelines);

/* Processors that others kept busy, never below 0; NAN if unknown or if fewer than five of the
 * system's steps have passed. */
double ct_watch_sum_others(const struct ct_watch_sum *sum);

/* Sets known quantities and unsets unknown ones; counters and times stay as they are. */
void ct_watch_sum_tell(const struct ct_watch_sum *sum, struct ct_quantities *out);

#endif
