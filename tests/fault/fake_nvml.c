// SPDX-License-Identifier: Apache-2.0
// A stand-in for NVIDIA's library of sensors (libnvidia-ml.so.1): one GPU, whose readings
// the environment scripts. README.md beside this file lists the variables.

#include <stdlib.h>
#include <string.h>

enum {
    SUCCESS = 0,
    UNINITIALIZED = 1,
    NOT_SUPPORTED = 3,
    NOT_FOUND = 6,
    READINGS = 6,
    LENGTH = 128
};

// A variable's list of readings, and how many of them were asked for.
struct readings {
    char text[LENGTH];
    unsigned asked;
};

static struct readings all[READINGS];
static int started;
static int gpu; // its address is the handle

// The calls of the library, each with its type, as no header declares them.
int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **handle);
int nvmlDeviceGetPowerUsage(void *handle, unsigned *power_mw);
int nvmlDeviceGetTotalEnergyConsumption(void *handle, unsigned long long *energy_mj);
int nvmlDeviceGetClockInfo(void *handle, int type, unsigned *clock_mhz);
int nvmlDeviceGetTemperature(void *handle, int sensor, unsigned *temperature_c);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *handle, unsigned long long *reasons);

// The next number of the variable's list; the last one stays. A list that has changed
// starts anew.
static int next(void *handle, size_t which, const char *variable,
                unsigned long long *value)
{
    struct readings *readings = &all[which];
    const char *text = getenv(variable);
    if (!started)
        return UNINITIALIZED;
    if (handle != &gpu || !text || !*text || strlen(text) >= LENGTH)
        return NOT_SUPPORTED;
    if (strcmp(text, readings->text) != 0) {
        memcpy(readings->text, text, strlen(text) + 1);
        readings->asked = 0;
    }
    for (unsigned i = 0; i < readings->asked && strchr(text, ','); i++)
        text = strchr(text, ',') + 1;
    readings->asked++;
    char *end;
    *value = strtoull(text, &end, 0);
    return end == text ? NOT_SUPPORTED : SUCCESS;
}

static int next_narrow(void *handle, size_t which, const char *variable, unsigned *value)
{
    unsigned long long wide = 0;
    int status = next(handle, which, variable, &wide);
    if (status == SUCCESS)
        *value = (unsigned)wide;
    return status;
}

int nvmlInit_v2(void)
{
    const char *fail = getenv("FAKE_NVML_INIT");
    if (fail && *fail)
        return (int)strtol(fail, NULL, 10);
    started++;
    return SUCCESS;
}

int nvmlShutdown(void)
{
    if (!started)
        return UNINITIALIZED;
    started--;
    return SUCCESS;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **handle)
{
    const char *text = getenv("FAKE_NVML_PCI");
    if (!started)
        return UNINITIALIZED;
    if (!text || strcmp(text, address) != 0)
        return NOT_FOUND;
    *handle = &gpu;
    return SUCCESS;
}

int nvmlDeviceGetPowerUsage(void *handle, unsigned *power_mw)
{
    return next_narrow(handle, 0, "FAKE_NVML_POWER_MW", power_mw);
}

int nvmlDeviceGetTotalEnergyConsumption(void *handle, unsigned long long *energy_mj)
{
    return next(handle, 1, "FAKE_NVML_ENERGY_MJ", energy_mj);
}

int nvmlDeviceGetClockInfo(void *handle, int type, unsigned *clock_mhz)
{
    if (type == 1)
        return next_narrow(handle, 2, "FAKE_NVML_SM_MHZ", clock_mhz);
    return type == 2 ? next_narrow(handle, 3, "FAKE_NVML_MEMORY_MHZ", clock_mhz)
                     : NOT_SUPPORTED;
}

int nvmlDeviceGetTemperature(void *handle, int sensor, unsigned *temperature_c)
{
    return sensor == 0 ? next_narrow(handle, 4, "FAKE_NVML_C", temperature_c)
                       : NOT_SUPPORTED;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *handle, unsigned long long *reasons)
{
    return next(handle, 5, "FAKE_NVML_REASONS", reasons);
}
