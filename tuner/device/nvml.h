// SPDX-License-Identifier: Apache-2.0
// The sensors of NVIDIA's GPUs, through their management library (NVML).
//
// The library is loaded when it is asked for and may be missing; nothing here fails with
// more than "not known".  Only worker processes call this header.
#ifndef CT_DEVICE_NVML_H
#define CT_DEVICE_NVML_H

#include "device/device.h"

struct ct_nvml;

/* What the sensors say at one moment; NAN where they say nothing. */
struct ct_nvml_reading {
    double power_w;  /* now, or over the last second, as the GPU has it */
    double energy_j; /* since the driver was loaded; stands still between its updates,
                        which come every 20 to 100 ms */
    double core_clock_mhz;
    double memory_clock_mhz;
    double temperature_c;
    double throttled; /* 1: the GPU is slowed down by heat or by its supply; 0: not */
};

/* Finds the sensors of an open device by its PCI address: loads libnvidia-ml.so.1, which
 * can take a good part of a second.  NULL where the device is no GPU of NVIDIA's (it must
 * have cl_nv_device_attribute_query, or cl_khr_pci_bus_info and NVIDIA's vendor id), and
 * where the library is missing or does not know it. */
struct ct_nvml *ct_nvml_open(const struct ct_device *device);
void ct_nvml_close(struct ct_nvml *nvml); /* NULL is fine */

/* Reads all sensors, a few microseconds to a millisecond each; of NULL all is NAN. */
void ct_nvml_read(const struct ct_nvml *nvml, struct ct_nvml_reading *out);

#endif
