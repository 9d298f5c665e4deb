// SPDX-License-Identifier: Apache-2.0
// What a search optimizes, and the one definition of "better".
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
    const char *name;          /* its name in the database; borrowed */
    size_t metric;             /* for CT_OBJECTIVE_METRIC: index in the space file */
    enum ct_quantity quantity; /* for CT_OBJECTIVE_QUANTITY */
    uint32_t needs;            /* inputs: bits of enum ct_quantity */
    bool maximize;
};

/* The objective of this name (NULL: the space file's).  CT_E_USAGE if the name is unknown. */
enum ct_status ct_objective_choose(const struct ct_spec *spec, const char *name,
                                   struct ct_objective *out, struct ct_err *err);

/* Its value for a configuration with these quantities, in its own unit; NaN if there is none. */
double ct_objective_value(const struct ct_objective *objective,
                          const struct ct_binding *binding, const struct ct_value *values,
                          const struct ct_quantities *observed);

/* The value turned into a cost: strategies and rankings minimize. */
double ct_objective_cost(const struct ct_objective *objective, double value);

/* The one definition of whether a value is better than another.  False for NaN. */
bool ct_objective_is_better(const struct ct_objective *objective, double value,
                            double other);

/* The cost as a positive number, proportional to a time if the objective is one: a minimized
 * value, or the inverse of a maximized one.  NaN if there is none. */
double ct_objective_positive(const struct ct_objective *objective, double value);

/* How many times as good a value is as another; 0 if that has no meaning. */
double ct_objective_gain(const struct ct_objective *objective, double value, double base);

/* Whether it follows from the device time alone. */
bool ct_objective_is_time(const struct ct_objective *objective);

/* Whether slow configurations are of no interest for anything requested, so that they may be
 * stopped early. */
bool ct_objective_races(const struct ct_objective *objective, const struct ct_spec *spec);

#endif
