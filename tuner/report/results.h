// SPDX-License-Identifier: Apache-2.0
// All stored results: for users, as CSV and as JSON.
#ifndef CT_REPORT_RESULTS_H
#define CT_REPORT_RESULTS_H

#include "base/err.h"
#include "tune/stored_results.h"

/* Each on standard output.  Text has a table for each kernel, problem and device; CSV (RFC
 * 4180, lines end with a line feed) has a column for every size and parameter that any of the results has, empty where one has
 * none.  CT_E_DB if stored JSON is damaged, CT_E_NOMEM. */
enum ct_status ct_report_results(const struct ct_stored_results *results, size_t width,
                                 struct ct_err *err);
enum ct_status ct_report_results_csv(const struct ct_stored_results *results,
                                     struct ct_err *err);
void ct_report_results_json(const struct ct_stored_results *results);

#endif
