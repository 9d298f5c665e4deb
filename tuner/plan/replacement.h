// SPDX-License-Identifier: Apache-2.0
// Changes the values of macros that a source defines itself.
#ifndef CT_PLAN_REPLACEMENT_H
#define CT_PLAN_REPLACEMENT_H

#include "base/str.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends `text` with the value of every `#define NAME ...` of one of the macros replaced, in
 * whatever conditional it is; macros with arguments are left alone.  With `blank`, the directives
 * become empty lines instead.  Comments stay, and lines keep their numbers.  found[i] becomes true
 * for each macro that was there. */
void ct_replacement_apply(const char *text, size_t length,
                          const struct ct_plan_macro *macros, size_t macro_count,
                          bool blank, bool *found, struct ct_str *out);

#endif
