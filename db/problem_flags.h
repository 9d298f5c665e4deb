// SPDX-License-Identifier: Apache-2.0
// Options for another problem than the measured one.
#ifndef CT_DB_PROBLEM_FLAGS_H
#define CT_DB_PROBLEM_FLAGS_H

#include "base/str.h"
#include "base/value.h"

#include <stdbool.h>
#include <stddef.h>

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
