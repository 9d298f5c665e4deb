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

#endif
