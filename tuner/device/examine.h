// SPDX-License-Identifier: Apache-2.0
// Examines the OpenCL loader, its drivers and devices, for `cltune devices --doctor`.
//
// Only worker processes call this header, each examination in one of its own: what is examined may
// crash or hang.  Nothing fails but the subject: each problem is a finding.
#ifndef CT_DEVICE_EXAMINE_H
#define CT_DEVICE_EXAMINE_H

#include "base/finding.h"
#include "device/device.h"

/* Loads libOpenCL.so.1 and asks for its name and version. */
void ct_examine_loader(struct ct_findings *out);

/* Loads the library of a driver, given as a name or path as in an .icd file, and counts its
 * platforms. */
void ct_examine_driver(const char *library, struct ct_findings *out);

/* Compiles a kernel on an open device. */
void ct_examine_build(struct ct_device *device, struct ct_findings *out);

/* Also runs it, and checks its results. */
void ct_examine_run(struct ct_device *device, struct ct_findings *out);

/* Also runs it many times: whether the device tells when, and how fine its clock is. */
void ct_examine_clock(struct ct_device *device, struct ct_findings *out);

/* NVML; nothing is found on devices of other vendors. */
void ct_examine_sensors(struct ct_device *device, struct ct_findings *out);

#endif
