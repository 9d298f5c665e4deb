// SPDX-License-Identifier: Apache-2.0
// How the time of a device grows with the size of its work, and work divided by such curves so that all
// devices end at the same time.
#ifndef CT_TUNE_CURVE_H
#define CT_TUNE_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CT_CURVE_POINTS = 32 };

/* Measured times by size.  Zeros: nothing is known. */
struct ct_curve {
    size_t count;
    struct ct_curve_point {
        double size;      /* above 0, in ascending order */
        double time_ns;   /* as measured */
        double fitted_ns; /* no shorter than that of a smaller size */
    } points[CT_CURVE_POINTS];
};

/* Adds a measurement and fits the curve again: the closest one that never falls (pool adjacent
 * violators: Barlow and others, Statistical Inference under Order Restrictions, 1972).  A second
 * measurement of a size replaces the first.  False if there is no space, or if size or time is not
 * above 0. */
bool ct_curve_add(struct ct_curve *curve, double size, double time_ns);

/* Whether a size within `share` (0.03: 3%) of this one was measured. */
bool ct_curve_knows(const struct ct_curve *curve, double size, double share);

/* The time of a size: linear between points, and below the smallest along the line through it and one at
 * least twice as large, but not below 0.  0 for size 0; INFINITY above the largest size. */
double ct_curve_time_ns(const struct ct_curve *curve, double size);

/* Work divided between devices. */
struct ct_curve_division {
    double time_ns; /* of the device that ends last */
    /* the device that does all of it in the shortest time; SIZE_MAX: none can */
    size_t fastest;
    double fastest_ns; /* its time; INFINITY: none can */
};

/* Divides `total` between `count` devices, in multiples of `grain`, which divides it: bisection on the
 * time T at which all end, where the sum of the sizes that they manage until then is the total.
 * What remains after rounding goes to whoever ends first with it.  `sizes` gets a size of each, 0 for
 * those that would only hold the others up.  False if all of them together cannot do the work, or memory
 * is short. */
bool ct_curves_divide(const struct ct_curve *curves, size_t count, int64_t total,
                      int64_t grain, int64_t *sizes, struct ct_curve_division *out);

#endif
