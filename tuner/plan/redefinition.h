// SPDX-License-Identifier: Apache-2.0
// Finds sources that define macros of the space themselves: then every value of a parameter gives
// the same program, without a word of most compilers.
#ifndef CT_PLAN_REDEFINITION_H
#define CT_PLAN_REDEFINITION_H

#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

struct ct_redefinition {
    const struct ct_plan_macro *macro;
    int line; /* of the directive, or of a comment before it in the line; from 1 */
};

/* Finds the first `#define` of one of the macros in a source file.  Directives count where they
 * certainly take effect: those in conditionals do if the conditions consist of `defined NAME` of
 * these macros or of names defined before, or of 0 and 1, as in an #ifndef around a default.
 * Includes are not read.  False if there is none, or memory is short. */
bool ct_redefinition_find(const char *text, size_t length,
                          const struct ct_plan_macro *macros, size_t macro_count,
                          struct ct_redefinition *out);

#endif
