// SPDX-License-Identifier: Apache-2.0
// Macros that follow from the problem: options that were measured for one problem are no options
// for another one.
#ifndef CT_PLAN_PROBLEM_MACROS_H
#define CT_PLAN_PROBLEM_MACROS_H

#include "base/str.h"
#include "spacefile/spec.h"

/* The macros of the first program whose values follow from the problem, as JSON:
 * {"NAME":"expression",...}, the expression in names of the problem and of parameters alone, or
 * null if more decides about the macro: the device, a condition, a size that follows from others,
 * options with a size in them (then the name is "").  NULL if out of memory; the caller frees. */
char *ct_problem_macros_json(const struct ct_spec *spec);

/* A name of a problem or a configuration with its value. */
struct ct_problem_macros_name {
    const char *name;
    struct ct_value value; /* CT_INT, CT_REAL or CT_TEXT */
};

/* Rewrites `flags`, as they are stored, for another problem: every macro of `macros_json` gets the
 * value of its expression for `names`: first the `config_count` parameters of the configuration,
 * then names of the problem, of which the first of equal ones counts.  `macros_json` "" is not
 * known: then every macro that is not the configuration's may follow from the problem.  False if
 * a macro cannot be computed: `unknown` receives the names of those, separated by ", ".  Lack of
 * memory shows in `out`. */
bool ct_problem_macros_apply(const char *flags, const char *macros_json,
                             const struct ct_problem_macros_name *names,
                             size_t name_count, size_t config_count, struct ct_str *out,
                             struct ct_str *unknown);

#endif
