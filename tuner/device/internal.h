// SPDX-License-Identifier: Apache-2.0
// What the files of tuner/device know of each other.
#ifndef CT_DEVICE_INTERNAL_H
#define CT_DEVICE_INTERNAL_H

#include "device/device.h"
#include "device/opencl.h"

struct ct_device {
    const struct ct_opencl *cl;
    struct ct_arena arena; /* owns the texts of info */
    struct ct_devinfo info;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    enum ct_device_failure failure;
    void *scratch; /* for guard bands (buffer.c) */
    uint64_t buffers_made;
};

struct ct_program {
    struct ct_device *device;
    cl_program id;
};

struct ct_kernel {
    struct ct_device *device;
    struct ct_program *program;
    cl_kernel id;
};

/* Reads the list of a platform's devices into the arena; none gives a count of 0. */
enum ct_status ct_discover_platforms(const struct ct_opencl *cl, struct ct_arena *arena,
                                     cl_platform_id **out, cl_uint *count,
                                     struct ct_err *err);
enum ct_status ct_discover_devices(const struct ct_opencl *cl, cl_platform_id platform,
                                   struct ct_arena *arena, cl_device_id **out,
                                   cl_uint *count, struct ct_err *err);

/* Fills in `info` except the indices. */
void ct_discover_info(const struct ct_opencl *cl, cl_platform_id platform,
                      cl_device_id id, struct ct_arena *arena, struct ct_devinfo *info);

/* Notes what kind of failure `code` is, and says so in `err`.  Returns CT_E_DEVICE. */
enum ct_status ct_device_fail(struct ct_device *device, struct ct_err *err,
                              const char *call, cl_int code);

#endif
