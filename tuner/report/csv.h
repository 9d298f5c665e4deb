// SPDX-License-Identifier: Apache-2.0
// Fields of comma-separated values (RFC 4180).
#ifndef CT_REPORT_CSV_H
#define CT_REPORT_CSV_H

#include "base/str.h"

/* Appends a field, in quotes if it must be. */
void ct_csv_field(struct ct_str *out, const char *text);

/* Appends a comma and a field; NULL is an empty one. */
void ct_csv_text(struct ct_str *out, const char *text);

/* Appends a comma and a number, of 15 digits; nothing if it is not finite: unknown. */
void ct_csv_real(struct ct_str *out, double value);

#endif
