// SPDX-License-Identifier: Apache-2.0
// Contexts and command queues of the virtual driver.

#include "vcl.h"

#include <stdlib.h>
#include <string.h>

bool vcl_context_has(cl_context context, cl_device_id device)
{
    for (cl_uint i = 0; i < context->count; i++)
        if (context->devices[i] == device)
            return true;
    return false;
}

void vcl_context_release(cl_context context)
{
    if (!vcl_object_drop(&context->object))
        return;
    context->object.kind = 0;
    free(context->properties);
    free(context);
}

void vcl_queue_release(cl_command_queue queue)
{
    if (!vcl_object_drop(&queue->object))
        return;
    queue->object.kind = 0;
    vcl_context_release(queue->context);
    free(queue);
}

// Checks the list and counts its entries, the terminating zero included.
static cl_int check_properties(const cl_context_properties *list, size_t *entries)
{
    *entries = 0;
    if (!list)
        return CL_SUCCESS;
    size_t count = 0;
    for (; list[count]; count += 2) {
        if (list[count] == CL_CONTEXT_PLATFORM) {
            if ((cl_platform_id)list[count + 1] != vcl_platform())
                return CL_INVALID_PLATFORM;
        } else if (list[count] != CL_CONTEXT_INTEROP_USER_SYNC) {
            return CL_INVALID_PROPERTY;
        }
    }
    *entries = count + 1;
    return CL_SUCCESS;
}

static cl_context make_context(const cl_context_properties *list, cl_uint count,
                               const cl_device_id *devices, cl_int *error_ret)
{
    size_t entries;
    cl_int status = check_properties(list, &entries);
    if (status)
        return vcl_refuse(error_ret, status);
    if (count == 0 || !devices)
        return vcl_refuse(error_ret, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; i++)
        if (!vcl_object_is(devices[i], VCL_DEVICE))
            return vcl_refuse(error_ret, CL_INVALID_DEVICE);
    cl_context context = vcl_allocate(1, sizeof *context);
    vcl_object_init(&context->object, VCL_CONTEXT);
    for (cl_uint i = 0; i < count; i++)
        if (!vcl_context_has(context, devices[i]))
            context->devices[context->count++] = devices[i];
    vcl_device_use(devices[0]);
    if (entries > 0) {
        context->properties = vcl_allocate(entries, sizeof *list);
        context->properties_bytes = entries * sizeof *list;
        memcpy(context->properties, list, context->properties_bytes);
    }
    vcl_accept(error_ret);
    return context;
}

static cl_context create_context(const cl_context_properties *list, cl_uint count,
                                 const cl_device_id *devices,
                                 void(CL_CALLBACK *notify)(const char *, const void *,
                                                           size_t, void *),
                                 void *data, cl_int *error_ret)
{
    cl_int status = VCL_INJECTED(clCreateContext);
    if (!status && !notify && data)
        status = CL_INVALID_VALUE;
    if (status)
        return vcl_refuse(error_ret, status);
    return make_context(list, count, devices, error_ret);
}

static cl_context create_from_type(const cl_context_properties *list, cl_device_type type,
                                   void(CL_CALLBACK *notify)(const char *, const void *,
                                                             size_t, void *),
                                   void *data, cl_int *error_ret)
{
    cl_int status = VCL_INJECTED(clCreateContextFromType);
    if (!status && !notify && data)
        status = CL_INVALID_VALUE;
    cl_device_id devices[VCL_DEVICES];
    cl_uint count = 0;
    if (!status)
        status = vcl_dispatch()->clGetDeviceIDs(vcl_platform(), type, VCL_DEVICES,
                                                devices, &count);
    if (status)
        return vcl_refuse(error_ret, status);
    return make_context(list, count, devices, error_ret);
}

static cl_int retain_context(cl_context context)
{
    cl_int status = VCL_INJECTED(clRetainContext);
    if (status)
        return status;
    if (!vcl_object_is(context, VCL_CONTEXT))
        return CL_INVALID_CONTEXT;
    vcl_object_retain(&context->object);
    return CL_SUCCESS;
}

static cl_int release_context(cl_context context)
{
    cl_int status = VCL_INJECTED(clReleaseContext);
    if (status)
        return status;
    if (!vcl_object_is(context, VCL_CONTEXT))
        return CL_INVALID_CONTEXT;
    vcl_context_release(context);
    return CL_SUCCESS;
}

static cl_int context_info(cl_context context, cl_context_info name, size_t value_bytes,
                           void *value, size_t *value_bytes_ret)
{
    cl_int status = VCL_INJECTED(clGetContextInfo);
    if (status)
        return status;
    if (!vcl_object_is(context, VCL_CONTEXT))
        return CL_INVALID_CONTEXT;
    cl_uint number;
    switch (name) {
    case CL_CONTEXT_REFERENCE_COUNT:
        number = atomic_load(&context->object.references);
        break;
    case CL_CONTEXT_NUM_DEVICES:
        number = context->count;
        break;
    case CL_CONTEXT_DEVICES:
        return vcl_answer(context->devices, context->count * sizeof(cl_device_id),
                          value_bytes, value, value_bytes_ret);
    case CL_CONTEXT_PROPERTIES:
        return vcl_answer(context->properties, context->properties_bytes, value_bytes,
                          value, value_bytes_ret);
    default:
        return CL_INVALID_VALUE;
    }
    return vcl_answer(&number, sizeof number, value_bytes, value, value_bytes_ret);
}

static cl_command_queue make_queue(cl_context context, cl_device_id device,
                                   cl_command_queue_properties properties,
                                   cl_int *error_ret)
{
    if (!vcl_object_is(context, VCL_CONTEXT))
        return vcl_refuse(error_ret, CL_INVALID_CONTEXT);
    if (!vcl_object_is(device, VCL_DEVICE) || !vcl_context_has(context, device))
        return vcl_refuse(error_ret, CL_INVALID_DEVICE);
    cl_command_queue_properties known = CL_QUEUE_PROFILING_ENABLE |
                                        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                        CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
    if (properties & ~known)
        return vcl_refuse(error_ret, CL_INVALID_VALUE);
    if (properties & ~vcl_device_number(device, CL_DEVICE_QUEUE_PROPERTIES))
        return vcl_refuse(error_ret, CL_INVALID_QUEUE_PROPERTIES);
    cl_command_queue queue = vcl_allocate(1, sizeof *queue);
    vcl_object_init(&queue->object, VCL_QUEUE);
    vcl_object_retain(&context->object);
    queue->context = context;
    queue->device = device;
    queue->properties = properties;
    vcl_accept(error_ret);
    return queue;
}

static cl_command_queue create_queue(cl_context context, cl_device_id device,
                                     cl_command_queue_properties properties,
                                     cl_int *error_ret)
{
    cl_int status = VCL_INJECTED(clCreateCommandQueue);
    if (status)
        return vcl_refuse(error_ret, status);
    return make_queue(context, device, properties, error_ret);
}

static cl_command_queue create_queue_with(cl_context context, cl_device_id device,
                                          const cl_queue_properties *list,
                                          cl_int *error_ret)
{
    cl_int status = VCL_INJECTED(clCreateCommandQueueWithProperties);
    cl_command_queue_properties properties = 0;
    for (; !status && list && list[0]; list += 2) {
        if (list[0] == CL_QUEUE_PROPERTIES)
            properties = list[1];
        else
            status = CL_INVALID_VALUE; // CL_QUEUE_SIZE is for queues on the device
    }
    if (status)
        return vcl_refuse(error_ret, status);
    return make_queue(context, device, properties, error_ret);
}

static cl_int retain_queue(cl_command_queue queue)
{
    cl_int status = VCL_INJECTED(clRetainCommandQueue);
    if (status)
        return status;
    if (!vcl_object_is(queue, VCL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    vcl_object_retain(&queue->object);
    return CL_SUCCESS;
}

static cl_int release_queue(cl_command_queue queue)
{
    cl_int status = VCL_INJECTED(clReleaseCommandQueue);
    if (status)
        return status;
    if (!vcl_object_is(queue, VCL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    vcl_queue_release(queue);
    return CL_SUCCESS;
}

static cl_int queue_info(cl_command_queue queue, cl_command_queue_info name,
                         size_t value_bytes, void *value, size_t *value_bytes_ret)
{
    cl_int status = VCL_INJECTED(clGetCommandQueueInfo);
    if (status)
        return status;
    if (!vcl_object_is(queue, VCL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    cl_uint references = atomic_load(&queue->object.references);
    cl_command_queue none = NULL;
    switch (name) {
    case CL_QUEUE_CONTEXT:
        return vcl_answer(&queue->context, sizeof queue->context, value_bytes, value,
                          value_bytes_ret);
    case CL_QUEUE_DEVICE:
        return vcl_answer(&queue->device, sizeof queue->device, value_bytes, value,
                          value_bytes_ret);
    case CL_QUEUE_REFERENCE_COUNT:
        return vcl_answer(&references, sizeof references, value_bytes, value,
                          value_bytes_ret);
    case CL_QUEUE_PROPERTIES:
        return vcl_answer(&queue->properties, sizeof queue->properties, value_bytes,
                          value, value_bytes_ret);
    case CL_QUEUE_DEVICE_DEFAULT:
        return vcl_answer(&none, sizeof none, value_bytes, value, value_bytes_ret);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return vcl_answer(NULL, 0, value_bytes, value, value_bytes_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

void vcl_context_install(cl_icd_dispatch *table)
{
    table->clCreateContext = create_context;
    table->clCreateContextFromType = create_from_type;
    table->clRetainContext = retain_context;
    table->clReleaseContext = release_context;
    table->clGetContextInfo = context_info;
    table->clCreateCommandQueue = create_queue;
    table->clCreateCommandQueueWithProperties = create_queue_with;
    table->clRetainCommandQueue = retain_queue;
    table->clReleaseCommandQueue = release_queue;
    table->clGetCommandQueueInfo = queue_info;
}
