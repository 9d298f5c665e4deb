// SPDX-License-Identifier: Apache-2.0
// Build options whose include folders every compiler can parse.
#ifndef CT_PROTOCOL_INCLUDE_H
#define CT_PROTOCOL_INCLUDE_H

#include "base/err.h"
#include "base/str.h"
#include "plan/plan.h"

/* Appends the options of a program, as ct_plan_options does, but with a folder whose name
 * contains blanks or quotes replaced by a link to it in cltune's cache folder: PoCL 3.1 does not
 * accept -I with quotes.  CT_E_IO if such a link cannot be created, CT_E_NOMEM. */
enum ct_status ct_include_options(const struct ct_plan_program *program,
                                  struct ct_str *out, struct ct_err *err);

#endif
