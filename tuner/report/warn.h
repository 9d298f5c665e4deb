// SPDX-License-Identifier: Apache-2.0
// Warnings on standard error.
#ifndef CT_REPORT_WARN_H
#define CT_REPORT_WARN_H

/* "cltune: warning: ...", after the output so far. */
void ct_report_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
