// SPDX-License-Identifier: Apache-2.0
// Loads NVML and reads a GPU's sensors.  Names and numbers are those of NVIDIA's NVML API
// reference; its header is not needed to build this.
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

/* Reasons for a lower clock that are due to heat or the power supply.  Idling, clocks set by the
 * user, and the GPU's normal power limit (0x4) do not count. */
static const unsigned long long slowdowns = 0x8 |  /* hardware: clocks halved or worse */
                                            0x20 | /* heat, by the driver */
                                            0x40 | /* heat, by the hardware */
                                            /* power brake: signalled by the supply */
                                            0x80;

/* Each returns an nvmlReturn_t; NULL if the library lacks it. */
struct ct_nvml {
    void *library;
    void *gpu;
    bool started;
    int (*init)(void);
    int (*shutdown)(void);
    int (*find)(const char *address, void **gpu);
    int (*power)(void *gpu, unsigned *power_mw);
    int (*energy)(void *gpu, unsigned long long *energy_mj);
    int (*clock)(void *gpu, int type, unsigned *clock_mhz);
    int (*temperature)(void *gpu, int sensor, unsigned *temperature_c);
    int (*reasons)(void *gpu, unsigned long long *reasons);
};

/* Two names for one function; either will do. */
static const struct {
    const char *name;
    size_t offset;
} functions[] = {
    {"nvmlInit_v2", offsetof(struct ct_nvml, init)},
    {"nvmlShutdown", offsetof(struct ct_nvml, shutdown)},
    {"nvmlDeviceGetHandleByPciBusId_v2", offsetof(struct ct_nvml, find)},
    {"nvmlDeviceGetPowerUsage", offsetof(struct ct_nvml, power)},
    {"nvmlDeviceGetTotalEnergyConsumption", offsetof(struct ct_nvml, energy)},
    {"nvmlDeviceGetClockInfo", offsetof(struct ct_nvml, clock)},
    {"nvmlDeviceGetTemperature", offsetof(struct ct_nvml, temperature)},
    {"nvmlDeviceGetCurrentClocksThrottleReasons", offsetof(struct ct_nvml, reasons)},
    /* Its name from driver 535 on. */
    {"nvmlDeviceGetCurrentClocksEventReasons", offsetof(struct ct_nvml, reasons)},
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
    cl_uint domain, bus, slot, function; /* as in PCI_BUS_INFO_KHR */
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
        /* Drivers before 2020 do not report the domain: then it is the only one. */
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

static bool load_nvml(struct ct_nvml *nvml)
{
    /* It has threads of its own, like OpenCL drivers. */
    nvml->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!nvml->library)
        return false;
    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
        int (*found)(void);

        if (ct_library_find(nvml->library, functions[i].name, &found, sizeof(found)))
            memcpy((char *)nvml + functions[i].offset, &found, sizeof(found));
    }
    return nvml->init && nvml->shutdown && nvml->find;
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
    if (load_nvml(nvml))
        nvml->started = nvml->init() == SUCCESS;
    if (nvml->started && nvml->find(text, &nvml->gpu) == SUCCESS)
        return nvml;
    ct_nvml_close(nvml);
    return NULL;
}

void ct_nvml_close(struct ct_nvml *nvml)
{
    if (!nvml)
        return;
    if (nvml->started)
        nvml->shutdown();
    if (nvml->library)
        dlclose(nvml->library);
    free(nvml);
}

/* --- reading --- */

static double clock_mhz(const struct ct_nvml *nvml, int type)
{
    unsigned mhz;

    if (!nvml->clock || nvml->clock(nvml->gpu, type, &mhz) != SUCCESS)
        return NAN;
    return mhz;
}

static double throttled(const struct ct_nvml *nvml)
{
    unsigned long long reasons;

    if (!nvml->reasons || nvml->reasons(nvml->gpu, &reasons) != SUCCESS)
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
    if (nvml->energy && nvml->energy(nvml->gpu, &energy_mj) == SUCCESS)
        out->energy_j = (double)energy_mj / 1e3;
    if (nvml->power && nvml->power(nvml->gpu, &number) == SUCCESS)
        out->power_w = number / 1e3;
    out->core_clock_mhz = clock_mhz(nvml, CLOCK_OF_SM);
    out->memory_clock_mhz = clock_mhz(nvml, CLOCK_OF_MEMORY);
    if (nvml->temperature &&
        nvml->temperature(nvml->gpu, SENSOR_OF_GPU, &number) == SUCCESS)
        out->temperature_c = number;
    out->throttled = throttled(nvml);
}
