// SPDX-License-Identifier: Apache-2.0
// Reasons to doubt times, in words: symptom, likely cause, advice.
#ifndef CT_REPORT_WARNINGS_H
#define CT_REPORT_WARNINGS_H

#include "base/stats.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reasons to doubt, most important first. */
enum ct_warning {
    CT_WARNING_WALL_CLOCK,   /* the device's clock was implausible */
    CT_WARNING_COARSE_CLOCK, /* a sample is only a few steps of the clock */
    CT_WARNING_OTHERS,       /* other programs used processors meanwhile */
    CT_WARNING_OUTLIERS,     /* samples far above the median, without the first */
    CT_WARNING_SLOW_START,   /* the first sample far above the median */
    CT_WARNING_DRIFT,        /* samples became steadily slower or faster */
    CT_WARNING_SPREAD,       /* samples differ a lot */
    CT_WARNING_COUNT
};

/* Thresholds of the warnings. */
#define CT_WARNING_STEPS 100  /* of the clock in a sample: fewer */
#define CT_WARNING_LOAD  0.2  /* processors kept busy by others */
#define CT_WARNING_TREND 0.03 /* relative drift, either way ... */
#define CT_WARNING_P     0.01 /* probability that such a drift is chance */
#define CT_WARNING_RANGE 0.05 /* relative spread */

/* What is known about the times of one thing.  All zeros but `what`: nothing is, and there are no
 * warnings. */
struct ct_timed {
    const char *what; /* what was timed, at the beginning of a sentence: "the default" */
    /* Of its samples; NULL: unknown. */
    const struct ct_stats_oddities *oddities;
    double sample_ns;   /* how long one sample lasts, all of its launches; 0: unknown */
    double timer_ns;    /* step of the clock that timed it; 0: unknown */
    bool wall_clock;    /* wall time was used because it contradicts the device's clock */
    double others_load; /* processors used by other programs; NAN: unknown */
};

/* The reasons to doubt these times: bit `1 << warning` of each.  One cause is reported once:
 * outliers and spread are left out if other programs were busy, spread also if there is a drift
 * or a coarse clock. */
uint32_t ct_warnings_find(const struct ct_timed *timed);

/* Appends one warning as a line without its end: "the default: 2 of 20 samples are outliers:
 * something else ...".  For warnings that were found. */
void ct_warnings_put(struct ct_str *out, enum ct_warning warning,
                     const struct ct_timed *timed);

#endif
