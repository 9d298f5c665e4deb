// SPDX-License-Identifier: Apache-2.0
// Watching host and device while something is timed, inside a worker: what the launches
// cost the host, whether other programs were in the way, and what the device's own
// sensors (NVML) and counters say.
#ifndef CT_WORKER_TIMING_WATCH_H
#define CT_WORKER_TIMING_WATCH_H

#include "base/quantity.h"
#include "device/device.h"

struct ct_watch;

/* One a session, kept with the device and freed before it; NULL when memory is short.  A
 * device without sensors is no error: their quantities are then not known.  Nothing is
 * looked for before the first ct_watch_begin, so a process that only builds pays
 * nothing. */
struct ct_watch *ct_watch_new(struct ct_device *device);
void ct_watch_free(struct ct_watch *watch); /* NULL is fine */

/* Forgets what was seen so far: to be called where another configuration begins. */
void ct_watch_reset(struct ct_watch *watch);

/* From here on is watched.  Takes some 0.1 ms, with sensors a few, and the first time as
 * long as loading their library takes: to be called right before samples, outside what is
 * timed.  A second one without an end between them starts over: what was since the first
 * is forgotten.  `watch` may be NULL in all calls: nothing is known then. */
void ct_watch_begin(struct ct_watch *watch);

/* Ends what ct_watch_begin began, in which `pipelines` were run, and sets in `out` what
 * is known of all pairs of begin and end since ct_watch_reset, weighted by the time that
 * they took:
 *
 * - host_load: processor time of this process over wall time.
 * - others_load: what else the processors did that we may run on, over wall time; known
 *   from 50 ms on (five of the system's steps).
 * - power_w, and energy_j of one pipeline: from the sensors' energy counter where a pair
 *   lasted 100 ms, else from the mean of the power before and after.
 * - core_clock_mhz, memory_clock_mhz, temperature_c: as they were at the end.
 * - throttled: 1 when the device slowed itself down before or after any of them.
 *
 * Of these what is not known is unset; other quantities stay as they are.  Without a
 * ct_watch_begin nothing happens. */
void ct_watch_end(struct ct_watch *watch, uint64_t pipelines, struct ct_quantities *out);

/* Since ct_watch_begin, and after ct_watch_end of that pair: processors that other
 * programs kept busy of those that we may run on (0: none; 1.5: one and a half); NAN when
 * that is not known or less than five of the system's steps (50 ms) have passed. */
double ct_watch_others(const struct ct_watch *watch);

/* Hardware counters of a finished launch, at any time: sets those that its event tells
 * (cl_vc4cl_performance_counters), and leaves others as they are. */
void ct_watch_event(struct ct_watch *watch, struct ct_event event,
                    struct ct_quantities *out);

#endif
