// SPDX-License-Identifier: Apache-2.0
// Shows the ceilings of a device (`cltune peak`).
#ifndef CT_REPORT_PEAK_H
#define CT_REPORT_PEAK_H

#include "tune/peak.h"

#include <jansson.h>

/* A table on standard output with rows of `width` columns (0: no limit). */
void ct_report_peak(const struct ct_devinfo *device, const struct ct_peak_found *found,
                    size_t width);

/* The same as an object; the caller owns it. */
json_t *ct_report_peak_json(const struct ct_devinfo *device,
                            const struct ct_peak_found *found);

#endif
