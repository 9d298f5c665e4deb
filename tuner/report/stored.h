// SPDX-License-Identifier: Apache-2.0
// What the database stores as JSON, in the words of tables and headings.
#ifndef CT_REPORT_STORED_H
#define CT_REPORT_STORED_H

#include "base/err.h"
#include "base/str.h"

/* Appends a stored problem or configuration as "WG=16 VEC=4", safe to show in one line.  CT_E_DB if
 * `json` is no object of values. */
enum ct_status ct_report_put_stored(struct ct_str *out, const char *json,
                                    struct ct_err *err);

#endif
