// SPDX-License-Identifier: Apache-2.0
// Loading NVML and reading a GPU's sensors.  Names and numbers are those of NVIDIA's NVML
// API reference; its header is not needed to build this.
#include "device/nvml.h"
#include "device/internal.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SUCCESS = 0,
    SENSOR_OF_GPU = 0, /* of nvmlTemperatureSensors_t */
    CLOCK_OF_SM = 1,   /* of nvmlClockType_t */
    CLOCK_OF_MEMORY = 2,
};

/* Reasons of a slower clock that are a fault of heat or of the supply.  Being idle,
 * clocks that somebody has set, and the power limit that a GPU is sold with (0x4) are
 * none. */
static const unsigned long long slowdowns = 0x8 |  /* hardware: clocks halved or worse */
                                            0x20 | /* heat, by the driver */
                                            0x40 | /* heat, by the hardware */
                                            0x80;  /* power brake: the supply says so */

/* NVML(name, needed, parameters): each returns an nvmlReturn_t.  Old drivers lack some;
 * the second name of the reasons is that of drivers from 535 on. */
#define NVML_FUNCTIONS                                                                   \
    NVML(nvmlInit_v2, 1, (void))                                                         \
    NVML(nvmlShutdown, 1, (void))                                                        \
    NVML(nvmlDeviceGetHandleByPciBusId_v2, 1, (const char *address, void **gpu))         \
    NVML(nvmlDeviceGetPowerUsage, 0, (void *gpu, unsigned *power_mw))                    \
    NVML(nvmlDeviceGetTotalEnergyConsumption, 0,                                         \
         (void *gpu, unsigned long long *energy_mj))                                     \
    NVML(nvmlDeviceGetClockInfo, 0, (void *gpu, int type, unsigned *clock_mhz))          \
    NVML(nvmlDeviceGetTemperature, 0, (void *gpu, int sensor, unsigned *temperature_c))  \
    NVML(nvmlDeviceGetCurrentClocksThrottleReasons, 0,                                   \
         (void *gpu, unsigned long long *reasons))                                       \
    NVML(nvmlDeviceGetCurrentClocksEventReasons, 0,                                      \
         (void *gpu, unsigned long long *reasons))

struct ct_nvml {
    void *library;
    void *gpu;
    bool started;
#define NVML(name, needed, parameters) int(*name) parameters;
    NVML_FUNCTIONS
#undef NVML
};

/* --- the device's address --- */

/* From cl_ext.h, which differs too much between distributions to be included. */
enum {
    PCI_BUS_NV = 0x4008,
    PCI_SLOT_NV = 0x4009,
    PCI_DOMAIN_NV = 0x400A,
    PCI_BUS_INFO_KHR = 0x410F,
};

struct pci_address {
    cl_uint domain, bus, slot, function; /* as PCI_BUS_INFO_KHR has it */
};

static bool read_number(const struct ct_device *device, cl_device_info name, cl_uint *out)
{
    return device->cl->clGetDeviceInfo(device->id, name, sizeof(*out), out, NULL) ==
           CL_SUCCESS;
}

static bool read_address(const struct ct_device *device, struct pci_address *out)
{
    const int64_t nvidia = 0x10DE;

    memset(out, 0, sizeof(*out));
    if (ct_device_has(device, "cl_nv_device_attribute_query") &&
        read_number(device, PCI_BUS_NV, &out->bus) &&
        read_number(device, PCI_SLOT_NV, &out->slot)) {
        /* Drivers before 2020 do not tell the domain: then it is the only one. */
        if (!read_number(device, PCI_DOMAIN_NV, &out->domain))
            out->domain = 0;
        return true;
    }
    return ct_devinfo_int(&device->info, CT_DEVICE_VENDOR_ID, 0) == nvidia &&
           ct_device_has(device, "cl_khr_pci_bus_info") &&
           device->cl->clGetDeviceInfo(device->id, PCI_BUS_INFO_KHR, sizeof(*out), out,
                                       NULL) == CL_SUCCESS;
}

/* --- the library --- */

static bool load(struct ct_nvml *nvml)
{
    bool whole = true;

    /* It has threads of its own, as OpenCL's drivers do. */
    nvml->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!nvml->library)
        return false;
#define NVML(name, needed, parameters)                                                   \
    if (!ct_library_find(nvml->library, #name, &nvml->name, sizeof(nvml->name)))         \
        whole &= !(needed);
    NVML_FUNCTIONS
#undef NVML
    return whole;
}

struct ct_nvml *ct_nvml_open(const struct ct_device *device)
{
    struct pci_address address;
    struct ct_nvml *nvml;
    char text[64];

    if (strcmp(device->info.type, "GPU") != 0 || !read_address(device, &address))
        return NULL;
    nvml = calloc(1, sizeof(*nvml));
    if (!nvml)
        return NULL;
    snprintf(text, sizeof(text), "%08x:%02x:%02x.0", (unsigned)address.domain,
             (unsigned)address.bus, (unsigned)address.slot);
    if (load(nvml))
        nvml->started = nvml->nvmlInit_v2() == SUCCESS;
    if (nvml->started &&
        nvml->nvmlDeviceGetHandleByPciBusId_v2(text, &nvml->gpu) == SUCCESS)
        return nvml;
    ct_nvml_close(nvml);
    return NULL;
}

void ct_nvml_close(struct ct_nvml *nvml)
{
    if (!nvml)
        return;
    if (nvml->started)
        nvml->nvmlShutdown();
    if (nvml->library)
        dlclose(nvml->library);
    free(nvml);
}

/* --- reading --- */

static double clock_mhz(const struct ct_nvml *nvml, int type)
{
    unsigned mhz;

    if (!nvml->nvmlDeviceGetClockInfo ||
        nvml->nvmlDeviceGetClockInfo(nvml->gpu, type, &mhz) != SUCCESS)
        return NAN;
    return mhz;
}

static double throttled(const struct ct_nvml *nvml)
{
    int (*ask)(void *, unsigned long long *) =
        nvml->nvmlDeviceGetCurrentClocksThrottleReasons
            ? nvml->nvmlDeviceGetCurrentClocksThrottleReasons
            : nvml->nvmlDeviceGetCurrentClocksEventReasons;
    unsigned long long reasons;

    if (!ask || ask(nvml->gpu, &reasons) != SUCCESS)
        return NAN;
    return reasons & slowdowns ? 1 : 0;
}

void ct_nvml_read(const struct ct_nvml *nvml, struct ct_nvml_reading *out)
{
    unsigned number;
    unsigned long long energy_mj;

    *out = (struct ct_nvml_reading){NAN, NAN, NAN, NAN, NAN, NAN};
    if (!nvml)
        return;
    if (nvml->nvmlDeviceGetTotalEnergyConsumption &&
        nvml->nvmlDeviceGetTotalEnergyConsumption(nvml->gpu, &energy_mj) == SUCCESS)
        out->energy_j = (double)energy_mj / 1e3;
    if (nvml->nvmlDeviceGetPowerUsage &&
        nvml->nvmlDeviceGetPowerUsage(nvml->gpu, &number) == SUCCESS)
        out->power_w = number / 1e3;
    out->core_clock_mhz = clock_mhz(nvml, CLOCK_OF_SM);
    out->memory_clock_mhz = clock_mhz(nvml, CLOCK_OF_MEMORY);
    if (nvml->nvmlDeviceGetTemperature &&
        nvml->nvmlDeviceGetTemperature(nvml->gpu, SENSOR_OF_GPU, &number) == SUCCESS)
        out->temperature_c = number;
    out->throttled = throttled(nvml);
}
