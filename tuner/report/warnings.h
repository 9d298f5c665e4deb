// SPDX-License-Identifier: Apache-2.0
// What makes times doubtful, in words: symptom, likely cause, what to try.
#ifndef CT_REPORT_WARNINGS_H
#define CT_REPORT_WARNINGS_H

#include "base/stats.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reasons to doubt, those that matter most first. */
enum ct_warning {
    CT_WARNING_WALL_CLOCK,   /* the device's clock was not believed */
    CT_WARNING_COARSE_CLOCK, /* a sample is only a few steps of the clock */
    CT_WARNING_OTHERS,       /* other programs kept processors busy meanwhile */
    CT_WARNING_OUTLIERS,     /* samples far above the median, but for the first */
    CT_WARNING_SLOW_START,   /* the first sample far above the median */
    CT_WARNING_DRIFT,        /* samples became slower or faster one after the other */
    CT_WARNING_SPREAD,       /* samples differ much */
    CT_WARNING_COUNT
};

/* From when on something is worth a warning. */
#define CT_WARNING_STEPS 100  /* of the clock in a sample: fewer */
#define CT_WARNING_LOAD  0.2  /* processors kept busy by others */
#define CT_WARNING_TREND 0.03 /* relative drift, either way ... */
#define CT_WARNING_P     0.01 /* ... that is this improbable to be chance */
#define CT_WARNING_RANGE 0.05 /* relative spread */

/* What is known of the times of one thing.  All zeros but `what`: nothing is, and nothing
 * is warned of. */
struct ct_timed {
    const char *what; /* that was timed, as a sentence begins: "the default" */
    /* Of its samples; NULL: not known. */
    const struct ct_stats_oddities *oddities;
    double sample_ns;   /* how long one sample lasts, all of its launches; 0: not known */
    double timer_ns;    /* step of the clock that timed it; 0: not known */
    bool wall_clock;    /* wall time was used because it contradicts the device's clock */
    double others_load; /* processors kept busy by other programs; NAN: not known */
};

/* The reasons to doubt these times: bit `1 << warning` of each.  One cause is told once:
 * outliers and spread are left out where other programs were busy, spread also where
 * there is a drift or a coarse clock. */
uint32_t ct_warnings_find(const struct ct_timed *timed);

/* Appends one warning as one line without its end: "the default: 2 of 20 samples are
 * outliers: something else ...".  Meant for warnings that were found. */
void ct_warnings_put(struct ct_str *out, enum ct_warning warning,
                     const struct ct_timed *timed);

/* Finds and appends at most `most` warnings, those that matter most, each with the end of
 * its line.  How many. */
size_t ct_warnings_add(struct ct_str *out, const struct ct_timed *timed, size_t most);

#endif
