// SPDX-License-Identifier: Apache-2.0
// Launches whose times are not known yet: their events, until they are complete.
#ifndef CT_LAYER_TIMES_H
#define CT_LAYER_TIMES_H

#include "layer/launch.h"

/* Gets the time of a launch; never called by two threads at a time. */
typedef void ct_times_taker(void *of, bool replaced, uint64_t time_ns);

/* Before the first launch: who gets the times. */
void ct_times_begin(ct_times_taker *taker);

/* Times a launch; `event` is a reference that belongs to this module from now on.  `of` and `replaced` are
 * passed on with the time.  There is room for 65,536; further ones are not timed. */
void ct_times_await(cl_event event, void *of, bool replaced);

/* Passes on the times of launches that are complete, unless another thread is doing so.  Those whose times
 * the driver does not tell are dropped.  The caller holds no lock. */
void ct_times_harvest(void);

/* The same at the end of the process, when another thread that is doing so has ended. */
void ct_times_harvest_last(void);

#endif
