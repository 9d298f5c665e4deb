// SPDX-License-Identifier: Apache-2.0
// Shows a comparison, on standard output: a table, or one JSON object.
#ifndef CT_REPORT_COMPARE_H
#define CT_REPORT_COMPARE_H

#include "tune/compare.h"

/* CT_E_NOMEM. */
enum ct_status ct_report_compare(const struct ct_compare *compare, size_t width,
                                 struct ct_err *err);
enum ct_status ct_report_compare_json(const struct ct_compare *compare,
                                      struct ct_err *err);

#endif
