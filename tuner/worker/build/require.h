// SPDX-License-Identifier: Apache-2.0
// What a launch requires of its built kernel (doc/space-file.md).
#ifndef CT_WORKER_BUILD_REQUIRE_H
#define CT_WORKER_BUILD_REQUIRE_H

#include "base/err.h"
#include "base/str.h"
#include "protocol/protocol.h"

#include <stdbool.h>

/* Evaluates an expression over the four KERNEL_ names.  `*met` is false if it is false or cannot
 * be evaluated (division by zero); then a sentence with the expression and the facts is appended
 * to `why`.  Facts that a device does not report are assumed to be met.  CT_E_SPEC if it is not a
 * valid expression, CT_E_NOMEM. */
enum ct_status ct_require_met(const char *expression, const struct ct_kernel_facts *facts,
                              bool *met, struct ct_str *why, struct ct_err *err);

#endif
