// SPDX-License-Identifier: Apache-2.0
// Opens a device: context, queue, and the meaning of its failures.
#include "device/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void on_context_error(const char *text, const void *bytes, size_t size, void *data)
{
    /* Drivers require a function here or print by themselves; errors also come from the calls. */
    (void)text;
    (void)bytes;
    (void)size;
    (void)data;
}

static enum ct_status find_device(const struct ct_opencl *cl, unsigned platform_index,
                                  unsigned device_index, struct ct_device *device,
                                  cl_platform_id *platform, struct ct_err *err)
{
    cl_platform_id *platforms;
    cl_device_id *devices;
    cl_uint count;
    enum ct_status status =
        ct_discover_platforms(cl, &device->arena, &platforms, &count, err);

    if (status)
        return status;
    if (platform_index >= count)
        return ct_err_set(err, CT_E_NO_DEVICE, "there is no OpenCL platform %u (of %u)",
                          platform_index, (unsigned)count);
    *platform = platforms[platform_index];
    status = ct_discover_devices(cl, *platform, &device->arena, &devices, &count, err);
    if (status)
        return status;
    if (device_index >= count)
        return ct_err_set(err, CT_E_NO_DEVICE,
                          "there is no OpenCL device %u:%u: platform %u has %u devices",
                          platform_index, device_index, platform_index, (unsigned)count);
    device->id = devices[device_index];
    return CT_OK;
}

enum ct_status ct_device_open(const struct ct_opencl *cl, unsigned platform_index,
                              unsigned device_index, struct ct_device **out,
                              struct ct_err *err)
{
    struct ct_device *device = calloc(1, sizeof(*device));
    cl_platform_id platform = NULL;
    cl_context_properties properties[3] = {CL_CONTEXT_PLATFORM, 0, 0};
    enum ct_status status;
    cl_int code;

    if (!device)
        return ct_err_nomem(err);
    device->cl = cl;
    status = find_device(cl, platform_index, device_index, device, &platform, err);
    if (status)
        goto out;
    device->info.platform_index = platform_index;
    device->info.device_index = device_index;
    ct_discover_info(cl, platform, device->id, &device->arena, &device->info);
    properties[1] = (cl_context_properties)platform;
    device->context =
        cl->clCreateContext(properties, 1, &device->id, on_context_error, NULL, &code);
    if (!device->context) {
        status = ct_device_fail(device, err, "clCreateContext", code);
        goto out;
    }
    device->queue = cl->clCreateCommandQueue(device->context, device->id,
                                             CL_QUEUE_PROFILING_ENABLE, &code);
    if (!device->queue)
        status = ct_device_fail(device, err, "clCreateCommandQueue", code);
out:
    if (status) {
        ct_device_close(device);
        return status;
    }
    *out = device;
    return CT_OK;
}

void ct_device_close(struct ct_device *device)
{
    if (!device)
        return;
    if (device->queue)
        device->cl->clReleaseCommandQueue(device->queue);
    if (device->context)
        device->cl->clReleaseContext(device->context);
    ct_arena_release(&device->arena);
    free(device->scratch);
    free(device);
}

const struct ct_devinfo *ct_device_info(const struct ct_device *device)
{
    return &device->info;
}

enum ct_status ct_device_finish(struct ct_device *device, struct ct_err *err)
{
    cl_int code = device->cl->clFinish(device->queue);

    if (code == CL_SUCCESS)
        return CT_OK;
    /* Whatever the error: accepted work has failed. */
    ct_device_fail(device, err, "clFinish", code);
    device->failure = CT_DEVICE_BROKEN;
    return CT_E_DEVICE;
}

enum ct_device_failure ct_device_failure_of(const struct ct_device *device)
{
    return device->failure;
}

/* Errors by which a device reports that it cannot do this, rather than that it is lost. */
static bool is_refusal(cl_int code)
{
    switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_MISALIGNED_SUB_BUFFER_OFFSET:
    case CL_COMPILER_NOT_AVAILABLE:
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_COMPILE_PROGRAM_FAILURE:
    case CL_LINK_PROGRAM_FAILURE:
    case CL_INVALID_VALUE:
    case CL_INVALID_BINARY:
    case CL_INVALID_BUILD_OPTIONS:
    case CL_INVALID_COMPILER_OPTIONS:
    case CL_INVALID_PROGRAM_EXECUTABLE:
    case CL_INVALID_KERNEL_NAME:
    case CL_INVALID_KERNEL_DEFINITION:
    case CL_INVALID_ARG_INDEX:
    case CL_INVALID_ARG_VALUE:
    case CL_INVALID_ARG_SIZE:
    case CL_INVALID_KERNEL_ARGS:
    case CL_INVALID_WORK_DIMENSION:
    case CL_INVALID_WORK_GROUP_SIZE:
    case CL_INVALID_WORK_ITEM_SIZE:
    case CL_INVALID_GLOBAL_WORK_SIZE:
    case CL_INVALID_BUFFER_SIZE:
    case CL_INVALID_OPERATION:
    case CL_INVALID_IMAGE_SIZE:
    case CL_INVALID_IMAGE_FORMAT_DESCRIPTOR:
    case CL_INVALID_IMAGE_DESCRIPTOR:
    case CL_IMAGE_FORMAT_NOT_SUPPORTED:
    case CL_IMAGE_FORMAT_MISMATCH:
    case CL_INVALID_SAMPLER:
    case CL_MAP_FAILURE:
    case CL_MEM_COPY_OVERLAP:
    case CL_MAX_SIZE_RESTRICTION_EXCEEDED:
        return true;
    default:
        return false;
    }
}

enum ct_status ct_device_fail(struct ct_device *device, struct ct_err *err,
                              const char *call, cl_int code)
{
    device->failure = is_refusal(code) ? CT_DEVICE_REFUSED : CT_DEVICE_BROKEN;
    return ct_opencl_fail(err, call, code);
}

enum ct_status ct_device_refuse(struct ct_device *device, struct ct_err *err,
                                const char *format, ...)
{
    char message[CT_ERR_MESSAGE_SIZE];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    device->failure = CT_DEVICE_REFUSED;
    return ct_err_set(err, CT_E_DEVICE, "%s", message);
}
