// SPDX-License-Identifier: Apache-2.0
// Whether a device's speed changes during a search: decisions on the times of one configuration
// that is timed repeatedly, without a device.
#ifndef CT_JUDGE_DRIFT_H
#define CT_JUDGE_DRIFT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Times of the default configuration, in the order taken; zeros: none yet. */
struct ct_drift {
    double *times_ns;
    uint64_t *evaluations; /* evaluations before each time */
    size_t count;
    size_t capacity;
    double threshold; /* relative changes up to this are noise; 0: 3% */
    bool warned;      /* for the caller, who warns once */
};

/* Records a time.  CT_E_NOMEM. */
enum ct_status ct_drift_add(struct ct_drift *drift, double time_ns, uint64_t evaluations,
                            struct ct_err *err);
void ct_drift_release(struct ct_drift *drift);

/* The epoch of what is measured now: the number of times so far. */
size_t ct_drift_epoch(const struct ct_drift *drift);

/* The factor by which times of an epoch are divided to compare them with those of the first: 1
 * while the change is noise.  Between two times the speed is taken as their geometric mean. */
double ct_drift_speed(const struct ct_drift *drift, size_t epoch);

/* The device's change, by that of the default and that of another configuration, the witness (1: none; NAN:
 * unknown): the default's if the witness shows half of it at least, else the witness's; none if they
 * contradict each other.  A device that becomes slower makes both slower; what changes for the default
 * alone is its place in memory, say, or what other programs leave it of a cache. */
double ct_drift_confirmed(double change, double witness);

/* What a time was before a play-off, and is in it. */
struct ct_drift_anchor {
    double before_ns; /* at the first epoch's speed; 0: unknown */
    double now_ns;
};

/* The factor from a time before a play-off to what it would be in it, by two times that are known before and in
 * it, that of a fast configuration (the pick) and that of a slow one (the default): a straight line between
 * them, since a device that is slower takes longer for all, but what each launch costs, which processes
 * differ in, is much of a short kernel only; beyond them as for the next one.  NAN if they are too close to each other for that, or one is
 * unknown. */
double ct_drift_mapped(const struct ct_drift_anchor *fast,
                       const struct ct_drift_anchor *slow, double time_ns);

/* A time's ratio to the first one; 1 within the noise. */
double ct_drift_ratio(const struct ct_drift *drift, double time_ns);

/* The largest lasting change since the first time, relative (0.14: slower by 14%; -0.1: faster),
 * and since which evaluation; one that the next time reverses is an outlier. 0 within the noise. */
double ct_drift_change(const struct ct_drift *drift, uint64_t *since);

/* How much times of one process differ from minute to minute: the standard deviation of the
 * logarithms of all times and of `now_ns`, the latest one; 0 if there are fewer than three, or
 * memory is short. */
double ct_drift_spread(const struct ct_drift *drift, double now_ns);

#endif
