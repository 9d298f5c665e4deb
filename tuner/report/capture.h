// SPDX-License-Identifier: Apache-2.0
// What was captured: kernels, their launches and shares of the time.
#ifndef CT_REPORT_CAPTURE_H
#define CT_REPORT_CAPTURE_H

#include "capture/capture.h"

/* Prints the table to standard output.  `output`: the folder, or NULL if nothing was to be written. */
void ct_report_capture(const struct ct_capture_result *result, const char *output);

/* The same as a JSON array. */
void ct_report_capture_json(const struct ct_capture_result *result);

#endif
