// SPDX-License-Identifier: Apache-2.0
// Warns of doubtful times, based on a configuration's samples.
#ifndef CT_REPORT_DOUBTS_H
#define CT_REPORT_DOUBTS_H

#include "base/quantity.h"
#include "base/devinfo.h"
#include "report/warnings.h"
#include "tune/timing.h"

enum { CT_DOUBTS_SHOWN = 3 }; /* warnings about one time; more would not be read */

/* Input for report/warnings.h: points into `timing`.  `what` as in struct ct_timed; `again`: the
 * time comes from samples of several later processes, so that single samples of the first do not
 * matter.  The load by others only matters to CPU devices and to wall time. */
struct ct_timed ct_timing_timed(const struct ct_timing *timing,
                                const struct ct_quantities *observed,
                                const struct ct_devinfo *device, const char *what,
                                bool again);

/* Prints the doubts to standard error, one line each, CT_DOUBTS_SHOWN at most. */
void ct_doubts_warn(const struct ct_timed *timed);

/* The same as strings, appended to a JSON array. */
struct json_t;
void ct_doubts_json(const struct ct_timed *timed, struct json_t *array);

#endif
