// SPDX-License-Identifier: Apache-2.0
// Watches host and device during timing, inside a worker: what the launches cost the host,
// whether other programs interfered, and what the device's own sensors (NVML) and counters
// report.
#ifndef CT_WORKER_TIMING_WATCH_H
#define CT_WORKER_TIMING_WATCH_H

#include "base/quantity.h"
#include "device/device.h"

struct ct_watch;

/* One per session, kept with the device and freed before it; NULL if out of memory.  A device
 * without sensors is no error: their quantities are then unknown.  Sensors are first looked for
 * in ct_watch_begin, so a process that only builds pays nothing. */
struct ct_watch *ct_watch_new(struct ct_device *device);
void ct_watch_free(struct ct_watch *watch); /* NULL is allowed */

/* Forgets all readings: call before another configuration. */
void ct_watch_reset(struct ct_watch *watch);

/* Starts watching.  Takes some 0.1 ms, with sensors a few ms, and the first time as long as
 * loading their library: call right before samples, outside what is timed.  A second call without
 * an end in between starts over, discarding the first.  `watch` may be NULL in all calls:
 * everything is unknown then. */
void ct_watch_begin(struct ct_watch *watch);

/* Ends what ct_watch_begin began, in which `pipelines` were run, and sets in `out` what is known
 * from all pairs of begin and end since ct_watch_reset, weighted by their durations:
 *
 * - host_load: processor time of this process over wall time.
 * - others_load: other use of the processors that we may run on, over wall time; known
 *   from 50 ms on (five of the system's steps).
 * - power_w, and energy_j of one pipeline: from the sensors' energy counter if a pair
 *   lasted 100 ms, else from the mean of the power before and after.
 * - core_clock_mhz, memory_clock_mhz, temperature_c: as they were at the end.
 * - throttled: 1 if the device slowed itself down before or after any of them.
 *
 * Unknown ones among these are unset; other quantities stay as they are.  Without a
 * ct_watch_begin nothing happens. */
void ct_watch_end(struct ct_watch *watch, uint64_t pipelines, struct ct_quantities *out);

/* Between ct_watch_begin and, after ct_watch_end, that end: how many of the processors that we
 * may run on other programs kept busy (0: none; 1.5: one and a half); NAN if unknown or if less
 * than five of the system's steps (50 ms) have passed. */
double ct_watch_others(const struct ct_watch *watch);

/* Hardware counters of a finished launch, at any time: sets those that its event reports
 * (cl_vc4cl_performance_counters), and leaves others as they are. */
void ct_watch_event(struct ct_watch *watch, struct ct_event event,
                    struct ct_quantities *out);

#endif
