// SPDX-License-Identifier: Apache-2.0
// This machine's processor as a device, for programs that do not use OpenCL.
#ifndef CT_TUNE_HOST_DEVICE_H
#define CT_TUNE_HOST_DEVICE_H

#include "base/devinfo.h"
#include "base/err.h"

/* The processor with what the system reports: name, vendor, number of processors, memory.  Its
 * platform is "host", its type CPU, and its driver the system ("Linux x86_64"), not the system's
 * version: a new kernel makes no result outdated.  NULL if out of memory. */
const struct ct_devinfo *ct_host_device(struct ct_arena *arena);

#endif
