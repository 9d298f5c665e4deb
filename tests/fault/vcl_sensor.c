// SPDX-License-Identifier: Apache-2.0
// What drivers tell beyond OpenCL: VC4CL's hardware counters, NVIDIA's and Khronos' PCI
// addresses.

#include "vcl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where device 1 is, by VIRTUALCL_PCI=DOMAIN:BUS:SLOT, and how it says so: as NVIDIA's
// driver does, or with `khr:` in front by Khronos' extension.
struct address {
    bool known, khr;
    cl_uint domain, bus, slot;
};

// The names differ between versions of the headers.
enum {
    PCI_BUS_NV = 0x4008,
    PCI_SLOT_NV = 0x4009,
    PCI_DOMAIN_NV = 0x400A,
    PCI_BUS_INFO_KHR = 0x410F
};

static struct address address_of(cl_device_id device)
{
    const char *text = getenv("VIRTUALCL_PCI");
    struct address address = {0};
    cl_uint *parts[] = {&address.domain, &address.bus, &address.slot};
    if (device->model == 0 || !text || !*text)
        return address;
    const char *at = text;
    address.known = true;
    address.khr = strncmp(text, "khr:", 4) == 0;
    at += address.khr ? 4 : 0;
    for (size_t i = 0; i < 3; i++) {
        size_t digits = strcspn(at, ":");
        int64_t number;
        if (!vcl_read_whole(at, digits, false, &number) || number > 65535 ||
            (at[digits] == ':') != (i < 2)) {
            fprintf(stderr, "virtual OpenCL: VIRTUALCL_PCI: what is '%s'?\n", text);
            abort();
        }
        *parts[i] = (cl_uint)number;
        at += digits + 1;
    }
    return address;
}

const char *vcl_extensions(cl_device_id device)
{
    if (device->model == 0)
        return " cl_nv_pragma_unroll cl_vc4cl_performance_counters";
    struct address address = address_of(device);
    return !address.known ? " cl_khr_fp64"
           : address.khr  ? " cl_khr_fp64 cl_khr_pci_bus_info"
                          : " cl_khr_fp64 cl_nv_device_attribute_query";
}

cl_ulong vcl_vendor(cl_device_id device, cl_ulong known)
{
    return address_of(device).khr ? 0x10DE : known;
}

cl_int vcl_pci_info(cl_device_id device, cl_device_info name, size_t value_bytes,
                    void *value, size_t *value_bytes_ret)
{
    struct address address = address_of(device);
    cl_uint all[] = {address.domain, address.bus, address.slot, 0};
    if (address.known && address.khr && name == PCI_BUS_INFO_KHR)
        return vcl_answer(all, sizeof all, value_bytes, value, value_bytes_ret);
    if (!address.known || address.khr ||
        (name != PCI_DOMAIN_NV && name != PCI_BUS_NV && name != PCI_SLOT_NV))
        return CL_INVALID_VALUE;
    const cl_uint *part = name == PCI_DOMAIN_NV ? &all[0]
                          : name == PCI_BUS_NV  ? &all[1]
                                                : &all[2];
    return vcl_answer(part, sizeof *part, value_bytes, value, value_bytes_ret);
}

// ---- counters

// VIRTUALCL_PERF=denied: as for a user who may not read the hardware.
static bool denied(void)
{
    const char *text = getenv("VIRTUALCL_PERF");
    if (!text || !*text)
        return false;
    if (strcmp(text, "denied") != 0) {
        fprintf(stderr, "virtual OpenCL: VIRTUALCL_PERF: what is '%s'?\n", text);
        abort();
    }
    return true;
}

bool vcl_counter(cl_event event, cl_profiling_info name, cl_ulong *value)
{
    cl_ulong duration_ns = event->end_ns - event->start_ns;
    cl_ulong values[] = {
        duration_ns * 3 / 10, // cycles at 300 MHz
        duration_ns / 10,     // of those idle
        100 * event->items,   // instructions
        event->items / 4,     // misses of the instruction cache
        event->items,         // of the L2 cache
    };
    cl_profiling_info place = name - CL_PROFILING_COMMAND_END - 10;
    if (event->queue->device->model != 0 || event->items == 0 || place > 4 ||
        (denied() && place != 2))
        return false;
    *value = denied() ? 0 : values[place];
    return true;
}
