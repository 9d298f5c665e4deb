// SPDX-License-Identifier: Apache-2.0
// Whether times are to be doubted: from what a configuration's samples were to warnings.
#ifndef CT_REPORT_DOUBTS_H
#define CT_REPORT_DOUBTS_H

#include "base/quantity.h"
#include "base/devinfo.h"
#include "report/warnings.h"
#include "tune/timing.h"

enum { CT_DOUBTS_SHOWN = 3 }; /* warnings about one thing: more would not be read */

/* As report/warnings.h wants it: points into `timing`.  `what` as struct ct_timed has it;
 * `again`: the time comes from samples of several processes since, so that what single
 * samples of the first were like does not matter.  What others do matters only to a
 * device that is a processor, and to wall time. */
struct ct_timed ct_timing_timed(const struct ct_timing *timing,
                                const struct ct_quantities *observed,
                                const struct ct_devinfo *device, const char *what,
                                bool again);

/* Tells the doubts on standard error, one line each, CT_DOUBTS_SHOWN at most. */
void ct_doubts_warn(const struct ct_timed *timed);

/* The same as strings, appended to a JSON array. */
struct json_t;
void ct_doubts_json(const struct ct_timed *timed, struct json_t *array);

#endif
