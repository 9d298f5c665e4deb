// SPDX-License-Identifier: Apache-2.0
// Kernels: their declarations, limits, arguments and launches.
#include "device/internal.h"

#include <stdlib.h>
#include <string.h>

enum ct_status ct_kernel_new(struct ct_program *program, const char *name,
                             struct ct_kernel **out, struct ct_err *err)
{
    struct ct_device *device = program->device;
    struct ct_kernel *kernel = calloc(1, sizeof(*kernel));
    cl_int code;

    if (!kernel)
        return ct_err_nomem(err);
    kernel->device = device;
    kernel->program = program;
    kernel->id = device->cl->clCreateKernel(program->id, name, &code);
    if (!kernel->id) {
        free(kernel);
        ct_device_fail(device, err, "clCreateKernel", code);
        return code == CL_INVALID_KERNEL_NAME ? CT_E_NOT_FOUND : CT_E_DEVICE;
    }
    *out = kernel;
    return CT_OK;
}

void ct_kernel_free(struct ct_kernel *kernel)
{
    if (!kernel)
        return;
    kernel->device->cl->clReleaseKernel(kernel->id);
    free(kernel);
}

enum ct_status ct_kernel_arg_count(struct ct_kernel *kernel, size_t *count,
                                   struct ct_err *err)
{
    cl_uint number = 0;
    cl_int code = kernel->device->cl->clGetKernelInfo(kernel->id, CL_KERNEL_NUM_ARGS,
                                                      sizeof(number), &number, NULL);

    if (code != CL_SUCCESS)
        return ct_device_fail(kernel->device, err, "clGetKernelInfo", code);
    *count = number;
    return CT_OK;
}

static cl_int arg_info(struct ct_kernel *kernel, size_t index, cl_kernel_arg_info name,
                       size_t size, void *value)
{
    return kernel->device->cl->clGetKernelArgInfo(kernel->id, (cl_uint)index, name, size,
                                                  value, NULL);
}

enum ct_status ct_kernel_set_arg(struct ct_kernel *kernel, size_t index,
                                 struct ct_kernel_arg *arg, struct ct_err *err)
{
    static const struct {
        cl_kernel_arg_address_qualifier cl;
        enum ct_address ours;
    } addresses[] = {
        {CL_KERNEL_ARG_ADDRESS_GLOBAL, CT_ADDRESS_GLOBAL},
        {CL_KERNEL_ARG_ADDRESS_LOCAL, CT_ADDRESS_LOCAL},
        {CL_KERNEL_ARG_ADDRESS_CONSTANT, CT_ADDRESS_CONSTANT},
        {CL_KERNEL_ARG_ADDRESS_PRIVATE, CT_ADDRESS_PRIVATE},
    };
    cl_kernel_arg_address_qualifier address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
    cl_kernel_arg_type_qualifier qualifier = 0;
    cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
    cl_int code;

    *arg = (struct ct_kernel_arg){.address = CT_ADDRESS_PRIVATE};
    if (!kernel->device->cl->clGetKernelArgInfo)
        return ct_err_set(err, CT_E_NOT_FOUND,
                          "the OpenCL loader lacks clGetKernelArgInfo");
    code = arg_info(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof(arg->type) - 1,
                    arg->type);
    if (code == CL_SUCCESS)
        code = arg_info(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(address),
                        &address);
    if (code != CL_SUCCESS) {
        /* Not a failure of the device: it may be too old, or the name too long. */
        ct_opencl_fail(err, "clGetKernelArgInfo", code);
        return CT_E_NOT_FOUND;
    }
    /* These three are optional. */
    arg_info(kernel, index, CL_KERNEL_ARG_NAME, sizeof(arg->name) - 1, arg->name);
    arg_info(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(qualifier), &qualifier);
    arg_info(kernel, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(access), &access);
    for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++)
        if (addresses[i].cl == address)
            arg->address = addresses[i].ours;
    arg->is_const = (qualifier & CL_KERNEL_ARG_TYPE_CONST) != 0 ||
                    access == CL_KERNEL_ARG_ACCESS_READ_ONLY;
    return CT_OK;
}

static uint64_t size_limit(struct ct_kernel *kernel, cl_kernel_work_group_info name)
{
    size_t value = 0;

    if (kernel->device->cl->clGetKernelWorkGroupInfo(kernel->id, kernel->device->id, name,
                                                     sizeof(value), &value,
                                                     NULL) != CL_SUCCESS)
        return 0;
    return value;
}

static uint64_t long_limit(struct ct_kernel *kernel, cl_kernel_work_group_info name)
{
    cl_ulong value = 0;

    if (kernel->device->cl->clGetKernelWorkGroupInfo(kernel->id, kernel->device->id, name,
                                                     sizeof(value), &value,
                                                     NULL) != CL_SUCCESS)
        return 0;
    return value;
}

static void get_required(struct ct_kernel *kernel, uint64_t *out)
{
    size_t sizes[3] = {0, 0, 0};

    if (kernel->device->cl->clGetKernelWorkGroupInfo(
            kernel->id, kernel->device->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
            sizeof(sizes), sizes, NULL) != CL_SUCCESS)
        memset(sizes, 0, sizeof(sizes));
    for (int d = 0; d < 3; d++)
        out[d] = sizes[d];
}

void ct_kernel_limits_get(struct ct_kernel *kernel, struct ct_kernel_limits *limits)
{
    limits->work_group_size = size_limit(kernel, CL_KERNEL_WORK_GROUP_SIZE);
    limits->local_mem_bytes = long_limit(kernel, CL_KERNEL_LOCAL_MEM_SIZE);
    limits->private_mem_bytes = long_limit(kernel, CL_KERNEL_PRIVATE_MEM_SIZE);
    limits->preferred_multiple =
        size_limit(kernel, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
    get_required(kernel, limits->required);
}

enum ct_status ct_kernel_set_value(struct ct_kernel *kernel, size_t index,
                                   const void *bytes, size_t size_bytes,
                                   struct ct_err *err)
{
    cl_int code =
        kernel->device->cl->clSetKernelArg(kernel->id, (cl_uint)index, size_bytes, bytes);

    return code == CL_SUCCESS
               ? CT_OK
               : ct_device_fail(kernel->device, err, "clSetKernelArg", code);
}

enum ct_status ct_kernel_set_null(struct ct_kernel *kernel, size_t index,
                                  struct ct_err *err)
{
    return ct_kernel_set_value(kernel, index, NULL, sizeof(cl_mem), err);
}

enum ct_status ct_kernel_set_local(struct ct_kernel *kernel, size_t index,
                                   size_t size_bytes, struct ct_err *err)
{
    return ct_kernel_set_value(kernel, index, NULL, size_bytes, err);
}

enum ct_status ct_kernel_launch(struct ct_kernel *kernel, unsigned dims,
                                const uint64_t *global, const uint64_t *local,
                                struct ct_event *event, struct ct_err *err)
{
    size_t global_size[3] = {1, 1, 1};
    size_t local_size[3] = {1, 1, 1};
    cl_event handle = NULL;
    cl_int code;

    for (unsigned d = 0; d < dims && d < 3; d++) {
        global_size[d] = (size_t)global[d];
        local_size[d] = local ? (size_t)local[d] : 0;
    }
    code = kernel->device->cl->clEnqueueNDRangeKernel(
        kernel->device->queue, kernel->id, dims, NULL, global_size,
        local ? local_size : NULL, 0, NULL, event ? &handle : NULL);
    if (code != CL_SUCCESS)
        return ct_device_fail(kernel->device, err, "clEnqueueNDRangeKernel", code);
    if (event)
        event->handle = handle;
    return CT_OK;
}

enum ct_status ct_event_executed(struct ct_device *device, struct ct_event event,
                                 struct ct_err *err)
{
    cl_int execution = CL_COMPLETE;
    cl_int code = CL_SUCCESS;

    if (event.handle)
        code = device->cl->clGetEventInfo(event.handle, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                          sizeof(execution), &execution, NULL);
    if (code != CL_SUCCESS)
        return ct_device_fail(device, err, "clGetEventInfo", code);
    if (execution >= 0)
        return CT_OK;
    /* As for clFinish: accepted work has failed, whatever the error. */
    ct_device_fail(device, err, "failed on the device after it was enqueued", execution);
    device->failure = CT_DEVICE_BROKEN;
    return CT_E_DEVICE;
}

bool ct_event_times(struct ct_device *device, struct ct_event event, uint64_t *start_ns,
                    uint64_t *end_ns)
{
    cl_ulong start = 0;
    cl_ulong end = 0;

    if (!event.handle ||
        device->cl->clGetEventProfilingInfo(event.handle, CL_PROFILING_COMMAND_START,
                                            sizeof(start), &start, NULL) != CL_SUCCESS ||
        device->cl->clGetEventProfilingInfo(event.handle, CL_PROFILING_COMMAND_END,
                                            sizeof(end), &end, NULL) != CL_SUCCESS)
        return false;
    *start_ns = start;
    *end_ns = end;
    return true;
}

void ct_event_free(struct ct_device *device, struct ct_event *event)
{
    if (event->handle)
        device->cl->clReleaseEvent(event->handle);
    event->handle = NULL;
}
