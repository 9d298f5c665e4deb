// SPDX-License-Identifier: Apache-2.0
// Findings about a space file, in the format of compilers.
#ifndef CT_REPORT_DIAGS_H
#define CT_REPORT_DIAGS_H

#include "base/diag.h"

#include <stdbool.h>

/* "FILE:LINE:COLUMN: " on standard error; nothing for "", no line or column for 0. */
void ct_report_place(const char *file, int line, int column);

/* Prints findings to standard error, in order of place; without warnings if `quiet`. */
void ct_report_diags(struct ct_diags *diags, bool quiet);

#endif
