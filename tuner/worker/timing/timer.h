// SPDX-License-Identifier: Apache-2.0
// The steps of the clocks that time launches: measured, since drivers often just report 1
// (CL_DEVICE_PROFILING_TIMER_RESOLUTION).
#ifndef CT_WORKER_TIMING_TIMER_H
#define CT_WORKER_TIMING_TIMER_H

#include "device/device.h"

struct ct_timer {
    bool known;
    /* Smallest difference between two readings that differ.  The true step is that, or a smaller
     * one that commands were too slow to show.  0: the device's events have no times. */
    double event_ns;
    double wall_ns;
};

/* Measures both.  Events are those of commands that zero a few bytes, then more and more bytes
 * until their clock moves, for about 100 ms at most; a clock that has not moved by then has steps
 * of at least that.  If a device refuses such commands, it has no event clock.  CT_E_DEVICE
 * (broken), CT_E_NOMEM. */
enum ct_status ct_timer_measure(struct ct_device *device, struct ct_timer *timer,
                                struct ct_err *err);

#endif
