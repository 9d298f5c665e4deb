// SPDX-License-Identifier: Apache-2.0
// The report: one HTML file with all results, which needs no network.
#ifndef CT_REPORT_HTML_H
#define CT_REPORT_HTML_H

#include "base/err.h"
#include "base/str.h"
#include "tune/stored_columns.h"

/* Of so many kernels, devices and problems, those with the most results, a report says which
 * parameters matter. */
enum { CT_REPORT_ANALYSES = 16 };

/* Appends the whole page.  Texts from the database reach it as JSON alone, in which no character
 * of HTML is left, and the page's policy forbids scripts and requests besides its own.  CT_E_NOMEM. */
enum ct_status ct_report_html(struct ct_str *out, const struct ct_stored_columns *columns,
                              int64_t made_unix_s, struct ct_err *err);

/* The data of the page: {"version":,"made":,"subjects":[...]} (doc/report.md), as in HTML. */
void ct_report_html_data(struct ct_str *out, const struct ct_stored_columns *columns,
                         int64_t made_unix_s);

#endif
