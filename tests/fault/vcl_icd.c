// SPDX-License-Identifier: Apache-2.0
// The virtual driver's way in: what an ICD loader looks up, and the dispatch table.

#include "vcl.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

// cl_khr_icd's header does not declare it in all versions.
// NOLINTNEXTLINE(readability-redundant-declaration)
EXPORTED CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint entries,
                                                                cl_platform_id *platforms,
                                                                cl_uint *count);

// The only mutable globals, with those of vcl_devices.c: OpenCL's platform is the process's.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static cl_icd_dispatch dispatch;
static struct _cl_platform_id platform;

#define CALL(name)                                                                       \
    {                                                                                    \
#name, offsetof(cl_icd_dispatch, name)                                           \
    }

// Every call that is implemented, for look-up by name.
static const struct {
    const char *name;
    size_t place;
} calls[] = {
    CALL(clBuildProgram),
    CALL(clCreateBuffer),
    CALL(clCreateBufferWithProperties),
    CALL(clCreateCommandQueue),
    CALL(clCreateCommandQueueWithProperties),
    CALL(clCreateContext),
    CALL(clCreateContextFromType),
    CALL(clCreateImage),
    CALL(clCreateKernel),
    CALL(clCreateKernelsInProgram),
    CALL(clCreateProgramWithBinary),
    CALL(clCreateProgramWithSource),
    CALL(clCreateSampler),
    CALL(clCreateSubBuffer),
    CALL(clEnqueueBarrier),
    CALL(clEnqueueBarrierWithWaitList),
    CALL(clEnqueueCopyBuffer),
    CALL(clEnqueueCopyBufferToImage),
    CALL(clEnqueueCopyImage),
    CALL(clEnqueueCopyImageToBuffer),
    CALL(clEnqueueFillBuffer),
    CALL(clEnqueueFillImage),
    CALL(clEnqueueMapBuffer),
    CALL(clEnqueueMapImage),
    CALL(clEnqueueMarker),
    CALL(clEnqueueMarkerWithWaitList),
    CALL(clEnqueueMigrateMemObjects),
    CALL(clEnqueueNDRangeKernel),
    CALL(clEnqueueReadBuffer),
    CALL(clEnqueueReadImage),
    CALL(clEnqueueTask),
    CALL(clEnqueueUnmapMemObject),
    CALL(clEnqueueWaitForEvents),
    CALL(clEnqueueWriteBuffer),
    CALL(clEnqueueWriteImage),
    CALL(clFinish),
    CALL(clFlush),
    CALL(clGetCommandQueueInfo),
    CALL(clGetContextInfo),
    CALL(clGetDeviceIDs),
    CALL(clGetDeviceInfo),
    CALL(clGetEventInfo),
    CALL(clGetEventProfilingInfo),
    CALL(clGetExtensionFunctionAddress),
    CALL(clGetExtensionFunctionAddressForPlatform),
    CALL(clGetKernelArgInfo),
    CALL(clGetKernelInfo),
    CALL(clGetKernelWorkGroupInfo),
    CALL(clGetMemObjectInfo),
    CALL(clGetPlatformIDs),
    CALL(clGetPlatformInfo),
    CALL(clGetProgramBuildInfo),
    CALL(clGetProgramInfo),
    CALL(clGetSupportedImageFormats),
    CALL(clReleaseCommandQueue),
    CALL(clReleaseContext),
    CALL(clReleaseDevice),
    CALL(clReleaseEvent),
    CALL(clReleaseKernel),
    CALL(clReleaseMemObject),
    CALL(clReleaseProgram),
    CALL(clReleaseSampler),
    CALL(clRetainCommandQueue),
    CALL(clRetainContext),
    CALL(clRetainDevice),
    CALL(clRetainEvent),
    CALL(clRetainKernel),
    CALL(clRetainMemObject),
    CALL(clRetainProgram),
    CALL(clSetKernelArg),
    CALL(clUnloadCompiler),
    CALL(clUnloadPlatformCompiler),
    CALL(clWaitForEvents),
};

static void *extension_address(const char *name);
static void *extension_address_of(cl_platform_id of, const char *name);

static void start(void)
{
    vcl_unsupported_install(&dispatch);
    vcl_device_install(&dispatch);
    vcl_context_install(&dispatch);
    vcl_memory_install(&dispatch);
    vcl_transfer_install(&dispatch);
    vcl_event_install(&dispatch);
    vcl_program_install(&dispatch);
    vcl_program_info_install(&dispatch);
    vcl_kernel_install(&dispatch);
    vcl_launch_install(&dispatch);
    dispatch.clGetExtensionFunctionAddress = extension_address;
    dispatch.clGetExtensionFunctionAddressForPlatform = extension_address_of;
    platform.object.kind = VCL_PLATFORM;
    platform.object.dispatch = &dispatch;
}

cl_icd_dispatch *vcl_dispatch(void)
{
    pthread_once(&once, start);
    return &dispatch;
}

cl_platform_id vcl_platform(void)
{
    pthread_once(&once, start);
    return &platform;
}

size_t vcl_call_find(const char *name)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, name) == 0)
            return calls[i].place;
    return SIZE_MAX;
}

const char *vcl_call_name(size_t place)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].place == place)
            return calls[i].name;
    return "";
}

static void *extension_address(const char *name)
{
    if (!name)
        return NULL;
    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
        return (void *)clIcdGetPlatformIDsKHR;
    size_t place = vcl_call_find(name);
    void *address = NULL;
    if (place != SIZE_MAX)
        memcpy(&address, (const char *)vcl_dispatch() + place, sizeof address);
    return address;
}

static void *extension_address_of(cl_platform_id of, const char *name)
{
    return vcl_object_is(of, VCL_PLATFORM) ? extension_address(name) : NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint entries,
                                                       cl_platform_id *platforms,
                                                       cl_uint *count)
{
    // Loaders answer clGetPlatformIDs from this one, which they call when they start.
    cl_int status = VCL_INJECTED(clGetPlatformIDs);
    if (status)
        return status;
    if ((platforms && entries == 0) || (!platforms && !count))
        return CL_INVALID_VALUE;
    if (platforms)
        platforms[0] = vcl_platform();
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

EXPORTED CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    return extension_address(name);
}

EXPORTED CL_API_ENTRY void *CL_API_CALL
clGetExtensionFunctionAddressForPlatform(cl_platform_id of, const char *name)
{
    return extension_address_of(of, name);
}

// Some loaders look for this one before they ask for an address.
EXPORTED CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id of,
                                                           cl_platform_info name,
                                                           size_t value_bytes,
                                                           void *value,
                                                           size_t *value_bytes_ret)
{
    return vcl_dispatch()->clGetPlatformInfo(of, name, value_bytes, value,
                                             value_bytes_ret);
}
