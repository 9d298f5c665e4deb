// SPDX-License-Identifier: Apache-2.0
// Explains a space file.
#ifndef CT_REPORT_EXPLAIN_H
#define CT_REPORT_EXPLAIN_H

#include "plan/binding.h"

/* Prints the specification, and what the configuration named by these settings (others have their
 * defaults) would do.  CT_E_USAGE, CT_E_SPEC, CT_E_NOMEM. */
enum ct_status ct_report_explain(const struct ct_binding *binding,
                                 const struct ct_setting *settings, size_t count,
                                 struct ct_err *err);

#endif
