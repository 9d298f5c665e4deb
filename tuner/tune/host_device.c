// SPDX-License-Identifier: Apache-2.0
// Describes the host's processor.
#include "tune/host_device.h"

#include "base/cpuinfo.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char platform[] = "host";

static const char *copy_text(struct ct_arena *arena, const char *text)
{
    const char *copy = ct_arena_copy(arena, text, strlen(text));

    return copy ? copy : "";
}

const struct ct_devinfo *ct_host_device(struct ct_arena *arena)
{
    struct ct_devinfo *device = ct_arena_alloc(arena, sizeof(*device));
    struct utsname system = {0};
    long pages = sysconf(_SC_PHYS_PAGES);
    long page_bytes = sysconf(_SC_PAGESIZE);
    char name[256];

    if (!device)
        return NULL;
    memset(device, 0, sizeof(*device));
    uname(&system);
    ct_cpuinfo_name(name, sizeof(name));
    device->platform_name = platform;
    device->platform_version = copy_text(arena, system.sysname);
    device->type = "CPU";
    device->driver_version =
        ct_arena_format(arena, "%s %s", system.sysname, system.machine);
    if (!device->driver_version)
        return NULL;
    device->props[CT_DEVICE_NAME] = ct_value_text(copy_text(arena, name));
    device->props[CT_DEVICE_VENDOR] = ct_value_text(platform);
    device->props[CT_DEVICE_VERSION] = ct_value_text(device->driver_version);
    device->props[CT_DEVICE_DRIVER_VERSION] = ct_value_text(device->driver_version);
    device->props[CT_DEVICE_MAX_COMPUTE_UNITS] = ct_value_int(ct_cpuinfo_usable());
    if (pages > 0 && page_bytes > 0)
        device->props[CT_DEVICE_GLOBAL_MEM_SIZE] =
            ct_value_int((int64_t)pages * page_bytes);
    return device;
}
