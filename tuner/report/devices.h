// SPDX-License-Identifier: Apache-2.0
// Devices, with the limits that matter to tuning, on standard output.
#ifndef CT_REPORT_DEVICES_H
#define CT_REPORT_DEVICES_H

#include "base/devinfo.h"

#include <stdbool.h>
#include <stddef.h>

/* A table of the devices, a NULL-terminated array, in rows of `width` columns (0: no limit);
 * `verbose`: with all their properties under their names in space files. */
void ct_report_devices(const struct ct_devinfo *const *devices, bool verbose,
                       size_t width);
void ct_report_devices_json(const struct ct_devinfo *const *devices);

#endif
