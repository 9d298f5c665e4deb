// SPDX-License-Identifier: Apache-2.0
// The sensors of NVIDIA's GPUs, through their management library (NVML).
//
// The library is loaded on demand and may be missing; the only failure is "unknown".  Only worker
// processes call this header.
#ifndef CT_DEVICE_NVML_H
#define CT_DEVICE_NVML_H

#include "device/device.h"

struct ct_nvml;

/* The sensors' readings at one moment; NAN if unknown. */
struct ct_nvml_reading {
    double power_w;  /* now, or over the last second, depending on the GPU */
    double energy_j; /* since the driver was loaded; updated every 20 to 100 ms */
    double core_clock_mhz;
    double memory_clock_mhz;
    double temperature_c;
    double throttled; /* 1: the GPU is slowed down by heat or its supply; 0: not */
};

/* Finds the sensors of an open device by its PCI address: loads libnvidia-ml.so.1, which can take
 * a good part of a second.  NULL if the device is not an NVIDIA GPU (it must have
 * cl_nv_device_attribute_query, or cl_khr_pci_bus_info and NVIDIA's vendor id), or the library is
 * missing or does not know it. */
struct ct_nvml *ct_nvml_open(const struct ct_device *device);
void ct_nvml_close(struct ct_nvml *nvml); /* NULL is allowed */

/* Reads all sensors, a few microseconds to a millisecond each; for NULL all are NAN. */
void ct_nvml_read(const struct ct_nvml *nvml, struct ct_nvml_reading *out);

#endif
