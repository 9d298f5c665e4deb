// SPDX-License-Identifier: Apache-2.0
// Watching host and device while something is timed, inside a worker: what the launches
// cost the host, whether other programs were in the way, and what the device's own
// sensors (NVML) and counters say.
#ifndef CT_MEASURE_WATCH_H
#define CT_MEASURE_WATCH_H

#include "base/quantity.h"
#include "device/device.h"

struct ct_watch;

/* One a session, kept with the device; NULL when memory is short.  A device without
 * sensors is no error: their quantities are then not known. */
struct ct_watch *ct_watch_new(struct ct_device *device);
void ct_watch_free(struct ct_watch *watch); /* NULL is fine */

/* From here on is watched.  `watch` may be NULL in all calls: nothing is known then. */
void ct_watch_begin(struct ct_watch *watch);

/* Adds what was seen since ct_watch_begin to `out`, where `pipelines` were run: host and
 * others' load, and where there are sensors power, clocks, temperature, throttling, and
 * the energy of one pipeline as far as the sensor's steps allow.  Several pairs of begin
 * and end for one configuration are weighted by the time they took: `out` is started
 * anew by ct_watch_reset. */
void ct_watch_end(struct ct_watch *watch, uint64_t pipelines, struct ct_quantities *out);
void ct_watch_reset(struct ct_watch *watch);

/* Since ct_watch_begin: processors that other programs kept busy of those that we may
 * run on (0: none; 1.5: one and a half); NAN when that is not known or too little time
 * has passed (the system counts in steps of 10 ms). */
double ct_watch_others(const struct ct_watch *watch);

/* Hardware counters of a finished launch or pipeline: sets those that the driver's
 * events tell (cl_vc4cl_performance_counters). */
void ct_watch_event(struct ct_watch *watch, struct ct_event event,
                    struct ct_quantities *out);

#endif
