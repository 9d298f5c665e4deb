// SPDX-License-Identifier: Apache-2.0
// What a search makes best, and the one definition of "better".
#ifndef CT_TUNE_OBJECTIVE_H
#define CT_TUNE_OBJECTIVE_H

#include "base/err.h"
#include "base/quantity.h"
#include "plan/binding.h"
#include "spacefile/spec.h"

#include <stdbool.h>
#include <stdint.h>

struct ct_objective {
    enum ct_spec_objective kind;
    const char *name;          /* as the database knows it; borrowed */
    size_t metric;             /* for CT_OBJECTIVE_METRIC: of the space file */
    enum ct_quantity quantity; /* for CT_OBJECTIVE_QUANTITY */
    uint32_t needs;            /* what it is computed from: bits of enum ct_quantity */
    bool maximize;
};

/* The objective of this name (NULL: the space file's).  CT_E_USAGE for a name that is none. */
enum ct_status ct_objective_choose(const struct ct_spec *spec, const char *name,
                                   struct ct_objective *out, struct ct_err *err);

/* Its value for a configuration of which so much is known, in its own unit; NaN where it has
 * none. */
double ct_objective_value(const struct ct_objective *objective,
                          const struct ct_binding *binding, const struct ct_value *values,
                          const struct ct_quantities *observed);

/* The value as what is to be small: strategies and rankings minimize. */
double ct_objective_cost(const struct ct_objective *objective, double value);

/* Whether one value is better than another: the one definition of it.  False of NaN. */
bool ct_objective_is_better(const struct ct_objective *objective, double value,
                            double other);

/* The cost as a positive number that is proportional to a time where the objective is one: a
 * value that is minimized, or the inverse of one that is maximized.  NaN where it has none. */
double ct_objective_positive(const struct ct_objective *objective, double value);

/* How many times as good a value is as another; 0 where that has no meaning. */
double ct_objective_gain(const struct ct_objective *objective, double value, double base);

/* Whether it follows from the device time alone. */
bool ct_objective_is_time(const struct ct_objective *objective);

/* Whether a slow configuration is of no interest to anything that is asked for, so that it may
 * be stopped early. */
bool ct_objective_races(const struct ct_objective *objective, const struct ct_spec *spec);

#endif
